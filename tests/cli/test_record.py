"""``neuron-nasm record``, ``repl --replay``, and ``save`` at the prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.programs import HALVES

KERNEL = Path(__file__).parents[2] / "programs" / "nki" / "rmsnorm.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_recorded_run_goes_on_without_its_files(ran: Any, halves: Path) -> None:
    done = ran("record", halves, "--at", "1us", "-o", "run.nrec")
    assert (done.code, done.out) == (0, "")
    assert "finished; wrote run.nrec" in done.err
    assert "at 1.000 µs" in done.err
    halves.unlink()
    done = ran("repl", "--replay", "run.nrec", "-ex", "where", "-ex", "run", "-ex", "back")
    assert done.code == 0
    assert "running, at 1.000 µs" in done.out
    assert "✓" in done.out


def test_what_was_done_at_the_prompt_is_saved_with_it(ran: Any, halves: Path) -> None:
    lines = ["step 2", "mark here", "break vector", "let top = X[0]", "set x[0, 0] = 9", "step"]
    words = [word for line in lines for word in ("-ex", line)]
    done = ran("repl", halves, *words, "-ex", "commands 1 where", "-ex", "save run.nrec")
    assert done.code == 0
    assert done.out.rstrip().endswith("the commands of breakpoint 1 are not in it")
    assert "saved " in done.out
    again = ran("repl", halves, *words, "-ex", "save run.nrec")
    assert again.code == 1
    assert "save run.nrec replace" in again.out + again.err
    asked = [
        "moments",
        "info breakpoints",
        "let",
        "print x[0, 0]",
        "undo",
        "goto here",
        "record a.nrec",
    ]
    words = [word for line in asked for word in ("-ex", line)]
    done = ran("repl", "--replay", "run.nrec", *words)
    for text in ("here", "before any instruction of vector", "top", "undone: set x[0, 0] = 9"):
        assert text in done.out or "@vector" in done.out, text
    assert "not a recording of the run" in done.out + done.err


def test_a_kernel_is_recorded(ran: Any, folder: Path) -> None:
    np.save(folder / "x.npy", np.ones((128, 16), np.float32))
    inputs = ("--in", "x=x.npy", "--in", "w=ones[1,16]")
    assert ran("record", f"{KERNEL}:rmsnorm", *inputs, "-o", "k.nrec").code == 0
    done = ran("repl", "--replay", "k.nrec", "--no-python", "-ex", "back", "-ex", "list")
    assert done.code == 0
    assert "rmsnorm" in done.out


def test_a_run_that_fails_is_recorded_with_its_code(ran: Any, folder: Path) -> None:
    (folder / "p.nasm").write_text(HALVES.replace(">= 16", ">= 99", 1))
    done = ran("record", "p.nasm")
    assert done.code == 1
    assert "deadlock; wrote p.nrec" in done.err
    done = ran("repl", "--replay", "p.nrec", "-ex", "where")
    assert "deadlock" in done.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--replay", "none.nrec"], "cannot read none.nrec"),
        (["--replay", "p.txt"], "cannot use p.txt: it does not begin as a recording does"),
        (["p.nasm", "--replay", "p.nrec"], "--replay has a program of its own"),
        (["--replay", "p.nrec", "-D", "N=4"], "no option changes it"),
        (["p.nrec"], "p.nrec is a recording of a run"),
    ],
)
def test_what_is_no_recording_is_refused(
    ran: Any, folder: Path, words: list[str], text: str
) -> None:
    (folder / "p.txt").write_text("text")
    (folder / "p.nasm").write_text(HALVES)
    assert ran("record", "p.nasm", "-q").err == ""
    done = ran("repl", *words, "-ex", "where")
    assert done.code == 2
    assert text in done.out + done.err
