"""Programs and what runs give are copied and pickled: runs spread over processes and threads."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.dtypes import DTYPES
from nasm.base.problems import Failure, Note, Problem, Refused
from nasm.base.source import Frame, Source, Span
from nasm.program.program import Program
from nasm.targets import TARGETS
from nasm.views.view import Reg, View, Window
from tests.parts import everything, part
from tests.toy import target as toy

PROGRAMS = Path(__file__).parents[1] / "programs"
RUNS = ("matmul", "countdown", "dma_trigger", "ring", "mx", "embedding", "pair_softmax")

STALE = """
.target trn1
.sbuf  t  f32[128, 4] = zeros
.sbuf  u  f32[128, 4]
@vector  Memset      t, 1.0
@gpsimd  TensorCopy  u, t
@gpsimd  DevicePrint u[0:1, :]
.expect  u == 1
"""
MISSPELT = ".target trn1\n@sync Npo\n"


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES = pytest.mark.parametrize("copied", [pickled, copy.copy, copy.deepcopy])
Copied = Callable[[Any], Any]


def failure() -> Failure:
    with pytest.raises(Failure) as caught:
        nasm.assemble(MISSPELT)
    return caught.value


@COPIES
@pytest.mark.parametrize("name", part(RUNS, 3))
def test_a_copy_of_a_program_runs_as_the_program_does(name: str, copied: Copied) -> None:
    program = nasm.assemble(PROGRAMS / f"{name}.nasm")
    twin = copied(program)
    assert isinstance(twin, Program)
    one, other = nasm.run(program), nasm.run(twin)
    assert other.report == one.report
    assert other.outputs.keys() == one.outputs.keys()
    for key, value in one.outputs.items():
        assert other.outputs[key].tobytes() == value.tobytes()
    assert repr(twin) == repr(program)
    assert twin == program


@COPIES
@pytest.mark.parametrize(
    "path", part(sorted(PROGRAMS.glob("*.nasm")), 4), ids=lambda path: path.stem
)
def test_a_copy_of_a_program_equals_it(path: Path, copied: Copied) -> None:
    program = nasm.assemble(path)
    assert copied(program) == program
    assert nasm.assemble(path) == program


LONG = 5_000 if everything() else 1_100
"""Operators in a row: more than Python calls functions within one another."""

CHANGES = {
    "a size": ("[4, 8]", "[4, 9]"),
    "an operand": ("1.0", "2.0"),
    "a row": ("@vector Memset t", "@gpsimd Memset t"),
    "a view": ("u, t[:, 0:4]", "u, t[:, 1:5]"),
    "a wait": ("$done >= 1", "$done == 1"),
    "an expectation": ("u == 1", "u == 2"),
    "a constant": ("N = 5", "N = 6"),
    "a place": ("[4, 4]", "[4, 4] @ 0:512"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_program_does_not_equal_it(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        ".target trn2\n.const N = 5\n.sbuf t f32[4, 8]\n.sbuf u f32[4, 4]\n.sem done\n"
        "@vector Memset t, 1.0  $done++\n@scalar Activation u, t[:, 0:4], op=copy  $done >= 1\n"
        ".expect u == 1\n"
    )
    before, after = CHANGES[change]
    assert before in text
    assert nasm.assemble(text) == nasm.assemble(text)
    # spans have the text they are of: only what was made of it may tell the two apart
    monkeypatch.setattr(Source, "__eq__", lambda self, other: True)
    assert nasm.assemble(text.replace(before, after)) != nasm.assemble(text)


@COPIES
@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "expectation",
    [
        "X" + " + 1" * LONG + f" == {LONG}",
        "(X < 1" + " and X == 0" * LONG + ")",
        "X" + ".T[0:4]" * (LONG // 2) + " == 0",
        "(" * LONG + "X" + " + 1)" * LONG + f" == {LONG}",
        "1 + (" * 99 + "X" + ")" * 99 + " == 99",
    ],
    ids=["sum", "and", "changes of shape", "brackets", "deep"],
)
def test_a_copy_of_a_program_has_its_long_expectations(expectation: str, copied: Copied) -> None:
    program = nasm.assemble(f".target trn1\n.hbm X f32[4, 4] = zeros\n.expect {expectation}\n")
    twin = copied(program)
    assert twin.expectations == program.expectations
    assert repr(twin.expectations) == repr(program.expectations)
    assert hash(twin.expectations[0].tree[0]) == hash(program.expectations[0].tree[0])
    report = nasm.run(twin).report
    assert report.ok
    assert copied(report) == report == nasm.run(program).report


def test_rows_of_operators_that_differ_in_one_are_not_equal() -> None:
    def tree(row: str) -> object:
        return nasm.assemble(f".target trn1\n.expect 1{row} == 1\n").expectations[0].tree

    long = " + 1" * LONG
    assert tree(long) == tree(long)
    assert tree(long) != tree(" - 1" + long[4:])
    assert tree(long) != tree(" + 2" + long[4:])
    assert tree(long) != tree(long + " + 1")


@COPIES
def test_a_copy_of_a_program_that_has_run_is_a_program(copied: Copied) -> None:
    program = nasm.assemble(STALE)
    report = nasm.run(program).report
    assert nasm.run(copied(program)).report == report


@COPIES
def test_a_copy_of_a_report_and_of_each_record_is_equal(copied: Copied) -> None:
    result = nasm.run(STALE)
    session = result.session
    records = [
        result.report,
        *result.report.engines,
        *result.report.hazards,
        *result.report.expectations,
        *result.report.messages,
        *session.queues(),
        *session.channels(),
        *session.banks(),
        *nasm.Session(nasm.assemble(STALE)).step(),
        session.progress(1.0),
    ]
    assert {type(r).__name__ for r in records} > {"Message", "Executed", "LateProblem"}
    for record in records:
        assert copied(record) == record
        assert str(copied(record)) == str(record)


@COPIES
def test_a_copy_of_a_problem_has_its_place_and_its_notes(copied: Copied) -> None:
    source = Source("some.nasm", ".for k in 0..2\n@sync Nop\n")
    span = Span(source, 16, 20, (Frame(".for k = 1", Span(source, 5, 6)),))
    problem = Problem("E0208", "no 'x'", span, "declare it", (Note("here", span),))
    assert copied(problem) == problem
    assert str(copied(problem)) == str(problem)


@COPIES
def test_a_copy_of_a_failure_says_the_same(copied: Copied) -> None:
    original = failure()
    twin = copied(original)
    assert type(twin) is Failure
    assert twin.problems == original.problems
    assert str(twin) == str(original) != ""


@COPIES
def test_a_copy_of_a_refusal_says_the_same(copied: Copied) -> None:
    refused = Refused("E0305", "too far", "less", (Note("here"),))
    twin = copied(refused)
    assert (str(twin), twin.at(None)) == ("too far", refused.at(None))


@COPIES
def test_there_is_one_object_per_target_row_and_dtype(copied: Copied) -> None:
    targets = [*(load() for load in TARGETS.values()), toy.TARGET]
    for target in targets:
        assert copied(target) is target
        assert all(copied(row) is row for row in target.isa)
        assert all(copied(g) == g for g in target.generations)
    assert all(copied(dtype) is dtype for dtype in DTYPES.values())


@COPIES
def test_what_the_builder_takes_is_copied(copied: Copied) -> None:
    view = nasm.Builder("trn1").sbuf("t", "bf16", (128, 8))[:, 2:4]
    assert (copied(Reg(3)), copied(Window(Reg(1), 4))) == (Reg(3), Window(Reg(1), 4))
    twin = copied(view)
    assert isinstance(twin, View)
    assert (twin.shape, twin.offset, twin.dtype) == (view.shape, view.offset, view.dtype)


def test_a_pickled_result_has_its_outputs_and_no_session() -> None:
    result = nasm.run(PROGRAMS / "matmul.nasm")
    twin = pickled(result)
    assert (twin.ok, twin.report) == (True, result.report)
    np.testing.assert_array_equal(twin.outputs["C"], result.outputs["C"])
    with pytest.raises(RuntimeError, match="run the program in this process"):
        _ = twin.session
    assert copy.copy(result).session is result.session


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.turns(3)
@pytest.mark.parametrize("pool", [processes, lambda: ThreadPoolExecutor(4)])
def test_programs_are_graded_side_by_side_and_one_that_fails_stops_no_other(
    pool: Callable[[], Executor],
) -> None:
    good = nasm.assemble(PROGRAMS / "matmul.nasm")
    with pool() as executor:
        futures = [executor.submit(nasm.run, work) for work in (good, MISSPELT, STALE, good)]
    first, wrong, stale, last = futures
    with pytest.raises(Failure) as caught:
        wrong.result()
    assert str(caught.value) == str(failure())
    assert first.result().report == last.result().report == nasm.run(good).report
    assert first.result().ok
    assert stale.result().report == nasm.run(STALE).report
    assert [p.code for p in stale.result().report.hazards] == ["E0502"]
