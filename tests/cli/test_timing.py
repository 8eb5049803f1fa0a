"""Timing figures: listed by isa, set by --timing and timing=, told in reports."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.apps.repl import main as repl
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets.neuron.figures import FIGURES

PROGRAM = ".target trn2\n.sem s\n@sync Nop $s++\n@vector EventSemaphore $s >= 1\n"
SET = "set by {}: nop_ns 100 instead of 10 ns"


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "x.nasm"
    file.write_text(PROGRAM)
    return str(file)


@pytest.fixture
def toml(tmp_path: Path) -> str:
    file = tmp_path / "my.toml"
    file.write_text("nop_ns = 100\n[v2]\nnop_ns = 1\n")
    return str(file)


def ticks(**given: Any) -> int:
    return nasm.run(PROGRAM, **given).report.ticks


# -- Python


def test_python_sets_them_wherever_it_sets_options(path: str, toml: str) -> None:
    timing = {"nop_ns": 100}
    # 12 cycles of 4 ticks for 10 ns at 1.2 GHz, 120 for 100 ns
    assert ticks(timing=timing) - ticks() == (120 - 12) * 4
    assert ticks(timing=toml) == ticks(timing=timing) == ticks(timing=Path(toml))
    made = [
        nasm.assemble(path, timing=timing),
        Session(path, timing=timing).program,
        Session.load(Source("x.nasm", PROGRAM), timing=timing).program,
        nasm.Builder("trn2", timing=timing).finish(),
        pickle.loads(pickle.dumps(nasm.assemble(path, timing=timing))),
    ]
    for program in made:
        assert [(f.name, f.value, f.default) for f in program.figures_set] == [("nop_ns", 100, 10)]
    assert made[0] != nasm.assemble(path)
    assert made[0] == made[-1]


def test_the_same_figures_give_the_same_run(toml: str) -> None:
    reports = [nasm.run(PROGRAM, timing=toml).report for _ in range(2)]
    assert reports[0].trace_hash == reports[1].trace_hash
    assert reports[0].trace_hash != nasm.run(PROGRAM).report.trace_hash


def test_a_program_that_is_assembled_keeps_its_own() -> None:
    with pytest.raises(Failure, match="E0810"):
        nasm.run(nasm.assemble(PROGRAM), timing={"nop_ns": 1})


def test_a_builder_refuses_an_unknown_figure() -> None:
    with pytest.raises(Failure, match="did you mean 'nop_ns'"):
        nasm.Builder("trn1", timing={"nopns": 1})


def test_a_report_says_what_was_set() -> None:
    shown = str(nasm.run(PROGRAM, timing={"nop_ns": 100}).report)
    assert SET.format("timing=") in shown
    assert "set by" not in str(nasm.run(PROGRAM).report)


def test_what_is_set_is_assumed_in_the_evidence_mix() -> None:
    text = ".target trn2\n@vector EventSemaphore\n"
    assert nasm.run(text).report.evidence == (("measured", 9),)
    assert nasm.run(text, timing={"event_ns": 9}).report.evidence == (("assumed", 9),)


# -- the command


def test_the_command_sets_them_and_says_which(ran: Any, path: str, toml: str) -> None:
    done = ran("run", path, "--timing", toml)
    assert done.code == 0
    assert (
        "".join(done.out.splitlines()[1:3])
        .replace(" ", "")
        .startswith(SET.format(toml).replace(" ", ""))
    )
    shown = json.loads(ran("run", path, "--json", "--timing", toml).out)
    assert shown["timing"] == [
        {"figure": "nop_ns", "unit": "ns", "value": 100, "default": 10, "source": f"set by {toml}"}
    ]
    checked = json.loads(ran("check", path, "--json", "--timing", toml).out)
    assert checked["files"][0]["timing"] == shown["timing"]
    assert json.loads(ran("run", path, "--json").out)["timing"] == []


@pytest.mark.parametrize("verb", ["run", "check", "repl"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nop_n = 1", "did you mean 'nop_ns'?"),
        ("nop_ns = -1", "a number from 0"),
        ("nop_ns = 'x'", "not 'x'"),
        ("exponential_per_element = 1", "set it under [v4]"),
        ("semaphores = 300", "is a limit of the hardware"),
        ("nop_ns =", "is no list of figures in TOML"),
        (None, "No such file or directory"),
    ],
)
def test_a_wrong_file_is_a_usage_error(
    ran: Any, path: str, toml: str, verb: str, text: str | None, said: str
) -> None:
    Path(toml).unlink()
    if text is not None:
        Path(toml).write_text(f"\n{text}\n")
    extra = ("-ex", "run") if verb == "repl" else ()
    done = ran(verb, path, "--timing", toml, *extra)
    shown = done.out + done.err
    assert done.code == 2
    assert said in shown
    assert text is None or "my.toml:2:" in shown


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_wrong_file_is_reported_in_the_document(
    ran: Any, path: str, toml: str, verb: str
) -> None:
    Path(toml).write_text("[")
    done = ran(verb, path, "--timing", toml, "--json")
    assert done.code == 2
    assert [p["code"] for p in json.loads(done.out)["problems"]] == ["E0801"]


def test_no_result_is_written_over_the_file(ran: Any, path: str, toml: str) -> None:
    before = Path(toml).read_text()
    done = ran("run", path, "--timing", toml, "--trace", toml)
    assert done.code == 2
    assert "the timing is read from it" in done.err
    assert Path(toml).read_text() == before


def test_isa_lists_them(ran: Any) -> None:
    done = ran("isa", "--timing")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 100
    shown = done.out.split("\n")
    assert all(any(line.startswith(f"{f.name}  ") for line in shown) for f in FIGURES)
    rows = json.loads(ran("isa", "--timing", "--json").out)["figures"]
    assert [r["name"] for r in rows] == [f.name for f in FIGURES]
    for row, figure in zip(rows, FIGURES, strict=True):
        assert (row["unit"], row["meaning"]) == (figure.unit, figure.meaning)
        assert row["use"] == figure.use.value
        assert {
            g: (f["value"], f["evidence"], f["source"]) for g, f in row["generations"].items()
        } == {g: (f.value, f.evidence.value, f.source) for g, f in figure.facts.items()}


def test_isa_lists_those_of_a_target(ran: Any) -> None:
    done = ran("isa", "--timing", "--target", "inf2")
    assert done.out.startswith("NeuronCore-v2 (Trn1): timing figures")
    assert "exponential_per_element" not in done.out
    rows = json.loads(ran("isa", "--timing", "--json", "--target", "trn3").out)["figures"]
    assert all(list(row["generations"]) == ["v4"] for row in rows)
    wrong = ran("isa", "--timing", "--target", "trn9")
    assert wrong.code == 2
    assert "did you mean" in wrong.err


@pytest.mark.parametrize(
    "given", [("--timing", "--options"), ("--timing", "Nop"), ("--timing", "--search", "x")]
)
def test_a_list_goes_with_nothing_else(ran: Any, given: tuple[str, ...]) -> None:
    assert ran("isa", *given).code == 2


def test_the_debugger_says_which_are_in_force(
    path: str, toml: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repl(path, timing=toml, commands=["info timing", "load"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = [line for line in lines if line.startswith("nop_ns")]
    assert row.split()[:4] == ["nop_ns", "100", "ns", "assumed"]
    assert any(line.startswith("set by") for line in lines)
