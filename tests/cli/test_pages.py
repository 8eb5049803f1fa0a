"""``--html`` and ``--svg``: what they write, with what they go, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COUNTDOWN = ROOT / "programs" / "countdown.nasm"
MATMUL = ROOT / "programs" / "matmul.nasm"


def test_run_writes_a_page_and_a_picture(ran: Any, tmp_path: Path) -> None:
    page, picture = tmp_path / "run.html", tmp_path / "run.svg"
    done = ran("run", MATMUL, "--html", page, "--svg", picture)
    assert (done.code, done.err) == (0, "")
    assert f"wrote the page of the run to {page}" in done.out
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert picture.read_text(encoding="utf-8").startswith("<svg ")
    assert "What would help" not in page.read_text(encoding="utf-8")


def test_a_page_changes_nothing_of_the_run(ran: Any, tmp_path: Path) -> None:
    plain = json.loads(ran("run", MATMUL, "--json").out)
    drawn = json.loads(ran("run", MATMUL, "--json", "--html", tmp_path / "run.html").out)
    assert drawn == plain


def test_profile_writes_what_would_help_as_well(ran: Any, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    done = ran("profile", MATMUL, "--html", page)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"wrote the page of the run to {page}\n")
    assert "What would help" in page.read_text(encoding="utf-8")


def test_diff_writes_both_runs_on_one_page(ran: Any, tmp_path: Path) -> None:
    page = tmp_path / "both.html"
    done = ran("diff", MATMUL, "--vs", "--target", "trn2", "--html", page)
    assert (done.code, done.err) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert f"<h1>a: {MATMUL} on NeuronCore-v2" in text
    assert f"<h1>b: {MATMUL} on NeuronCore-v3" in text
    assert '<h2 id="c">Comparison</h2>' in text


def test_a_run_that_fails_has_a_page(ran: Any, tmp_path: Path) -> None:
    text = MATMUL.read_text(encoding="utf-8").replace("$multiplied++", "")
    stuck, page = tmp_path / "stuck.nasm", tmp_path / "stuck.html"
    stuck.write_text(text, encoding="utf-8")
    assert ran("run", stuck, "--html", page).code == 1
    assert "E0510" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["run", "profile", "diff"])
def test_what_cannot_be_written_is_refused_before_the_run(
    ran: Any, tmp_path: Path, verb: str
) -> None:
    more = ["--vs", "--target", "trn2"] if verb == "diff" else []
    done = ran(verb, MATMUL, *more, "--html", tmp_path / "no" / "run.html")
    assert done.code == 2
    assert "E0806" in done.err
    program = tmp_path / "p.nasm"
    program.write_text(MATMUL.read_text(encoding="utf-8"), encoding="utf-8")
    done = ran(verb, program, *more, "--svg", program)
    assert (done.code, "E0813" in done.err) == (2, True)
    assert program.read_text(encoding="utf-8") == MATMUL.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [
    ("profile", "--timeline", "--html"), ("run", "--isolated", "--html"),
])  # fmt: skip
def test_a_page_does_not_go_with_everything(
    ran: Any, tmp_path: Path, words: tuple[str, ...]
) -> None:
    verb, *options = words
    kernel = "k.py:f" if "--isolated" in options else MATMUL
    done = ran(verb, kernel, *options, tmp_path / "run.html")
    assert done.code == 2
    assert "--html does not go with" in done.err


def test_a_page_goes_to_standard_output_and_the_report_to_the_other(
    capfd: pytest.CaptureFixture[str],
) -> None:
    from nasm.apps.cli import main

    assert main(["run", str(COUNTDOWN), "--svg", "-"]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("<svg ")
    assert "PASS" in said.err


def test_a_page_is_of_one_kernel(ran: Any, tmp_path: Path) -> None:
    kernel = ROOT / "programs" / "nki" / "rmsnorm.py"
    page = tmp_path / "run.html"
    done = ran("nki", kernel, "--html", page)
    assert done.code == 2
    assert "--html goes with one kernel" in done.err
    given = ("--in", "x=normal[128,64]:f32", "--in", "w=normal[1,64]:f32")
    done = ran("nki", f"{kernel}:rmsnorm", *given, "--html", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "def rmsnorm" in text  # its lines are those of the kernel
