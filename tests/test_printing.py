"""What Python prints of programs, runs, records and failures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nasm
from nasm.apps.cli import main
from nasm.base.problems import Failure

ROOT = Path(__file__).parents[1]
MATMUL = ROOT / "programs" / "matmul.nasm"

STALE = """
.target trn1
.sbuf  t  f32[128, 4] = zeros
.sbuf  u  f32[128, 4]
@vector  Memset      t, 1.0
@gpsimd  TensorCopy  u, t
@gpsimd  DevicePrint u[0:1, 0:2]
.expect  u == 1
"""
SCRIPT = """\
import nasm

n = nasm.Builder("trn1")
t = n.sbuf("t", "f32", (128, 8))


def fill(rows):
    n.vector.Memset(t[rows], 0)


fill(slice(16, 60))
{last}
"""


def test_nasm_lists_what_it_exports() -> None:
    assert dir(nasm) == sorted(nasm.__all__)


def test_a_report_is_printed_with_what_went_wrong_and_the_verdict() -> None:
    result = nasm.run(STALE)
    printed = str(result)
    assert printed == str(result.report)
    head, engines, time, message, hazard, expectation, verdict = printed.split("\n\n")
    assert head == "<text> on NeuronCore-v2 (Trn1)"
    assert engines.startswith("engine  instr.  busy  waiting")
    assert f"time: {result.report.microseconds:.3f} µs, " in time
    assert message.startswith("gpsimd pc 1 at 0.")
    assert message.endswith("[[0.0 0.0]]")
    assert hazard.startswith(
        "hazard[E0502]: nothing orders gpsimd pc 0 (TensorCopy), which reads t, "
    )
    assert "6 | @gpsimd  TensorCopy  u, t" in hazard
    assert expectation.startswith("✗ u == 1\n    512 of 512 elements differ\n    worst at ")
    assert verdict == "FAIL: 1 hazard, 1 of 1 expectation failed"


@pytest.mark.parametrize("verb", ["run", "profile"])
def test_a_run_and_a_profile_are_printed_as_the_command_prints_them(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = nasm.run(MATMUL, profile=True)
    thing = result if verb == "run" else result.session.profile()
    alone = [] if verb == "run" else ["--no-what-if"]
    assert main([verb, str(MATMUL), *alone]) == 0
    assert capsys.readouterr().out == f"{thing}\n"
    assert len(repr(thing)) < 120


def test_an_expectation_says_which_round_it_is_of() -> None:
    text = (
        ".target trn1\n.sbuf t f32[4, 2] = zeros\n"
        ".for r in 0..2\n.for c in 0..2\n.expect t[r, c] == r\n.end\n.end\n"
        ".macro holds(at)\n.expect t[at] == 0\n.end\nholds(3)\n"
    )
    report = nasm.run(text).report
    assert [e.title for e in report.expectations] == [
        "t[r, c] == r  (r = 0, c = 0)",
        "t[r, c] == r  (r = 0, c = 1)",
        "t[r, c] == r  (r = 1, c = 0)",
        "t[r, c] == r  (r = 1, c = 1)",
        "t[at] == 0  (holds(3) on line 11)",
    ]
    assert "✗ t[r, c] == r  (r = 1, c = 0)\n" in str(report)
    assert repr(report.expectations[0]) == "<expectation t[r, c] == r  (r = 0, c = 0): held>"


def test_options_that_were_chosen_are_in_the_title() -> None:
    report = nasm.run(MATMUL, options={"rounding": "stochastic"}).report
    assert report.title == f"{MATMUL} on NeuronCore-v2 (Trn1), rounding=stochastic"


def test_the_repr_of_everything_is_one_short_line() -> None:
    result = nasm.run(STALE)
    session = nasm.Session(nasm.assemble(STALE))
    report = result.report
    things = [
        result,
        report,
        session.program,
        *report.engines,
        *report.hazards,
        *report.expectations,
        *report.messages,
        *session.queues(),
        *session.channels(),
        *session.banks(),
        *session.step(),
        session.program.spans[1],
    ]
    for thing in things:
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 320, repr(thing)
    assert repr(report) == (
        "<run of <text> on NeuronCore-v2 (Trn1): 1 hazard, 1 of 1 expectation failed, "
        f"{report.microseconds:.3f} µs>"
    )
    assert repr(report.hazards[0]).startswith(
        "<hazard E0502 at <text>:6:10: nothing orders gpsimd pc 0 "
    )
    assert repr(report.expectations[0]) == "<expectation u == 1: failed>"
    assert repr(session.program) == "<program for NeuronCore-v2 (Trn1): 3 instructions, 2 tensors>"


@pytest.mark.turns(3)
def test_a_failure_is_printed_as_the_command_prints_it(tmp_path: Path) -> None:
    path = tmp_path / "wrong.nasm"
    path.write_text(".target trn1\n@sync Npo\n@sync DmaCpoy a, b\n", encoding="utf-8")
    with pytest.raises(Failure) as caught:
        nasm.assemble(path)
    command = subprocess.run(
        [sys.executable, "-m", "nasm", "check", path],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    assert command.stderr == f"{caught.value}\n\n2 errors in 1 of 1 file\n"
    assert "\n" not in repr(caught.value)


@pytest.mark.turns(3)
@pytest.mark.parametrize("last", ["n.finish()", "n.vector.Memset(t, 0, wait=16)"])
def test_the_traceback_of_a_builder_shows_the_line_that_is_wrong(tmp_path: Path, last: str) -> None:
    script = tmp_path / "built.py"
    script.write_text(SCRIPT.format(last=last), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    line, text = (8, "    n.vector.Memset(t[rows], 0)") if "finish" in last else (12, last)
    column = len(text) - len(text.lstrip()) + 1
    assert f'built.py", line 12, in <module>\n    {last}\n' in done.stderr
    assert "\nnasm.base.problems.Failure: error[E0" in done.stderr
    assert f"--> {script}:{line}:{column}\n" in done.stderr
    assert f"\n{line:>2} | {text}\n".replace(" 8 |", "8 |") in done.stderr
    assert "\n  hint: " in done.stderr
