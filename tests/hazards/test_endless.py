"""Loops that never end are told of, with both places; those that end, or are held up, are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.analysis.hazards.endless_loops import endless
from nasm.machine.records import Status
from tests.cli.programs import written

HEAD = """\
.target trn2
.hbm N i32[4] input = iota
.hbm X f32[128, 64] input = iota
.sbuf t f32[128, 64]
.sem s, go
"""

ENDLESS = {
    "to itself": ("@vector\nhere: CompareBranch target=here", 7, 7),
    "no exit": (
        "@vector\nagain: Nop\nCompareBranch %r1, 0, op=equal, target=over\nNop\n"
        "over: CompareBranch target=again",
        7,
        10,
    ),
    "its register stays": (
        "@vector RegisterMove %r0, 5\nagain: @vector RegisterAlu %r1, %r0, 1, op=subtract\n"
        "@vector CompareBranch %r0, 0, op=greater, target=again\n@vector Nop",
        7,
        8,
    ),
    "the exit is not the branch back": (
        "@vector RegisterMove %r0, 5\nagain: @vector Nop\n"
        "@vector CompareBranch %r0, 0, op=equal, target=done\n@vector CompareBranch target=again\n"
        "done: @vector Nop",
        7,
        8,
    ),
    "within one that ends": (
        "@vector RegisterMove %r0, 5\nouter: @vector RegisterAlu %r0, %r0, 1, op=subtract\n"
        "inner: @vector CompareBranch %r1, 0, op=equal, target=inner\n"
        "@vector CompareBranch %r0, 0, op=greater, target=outer",
        8,
        8,
    ),
    "it waits for its own transfers": (
        "@sync\nagain: DmaCopy t, X $s += 16\nEventSemaphore $s >= 16\nCompareBranch target=again",
        7,
        9,
    ),
    "before one that is left at once": (
        "@vector RegisterMove %r0, 5\n"
        "first: @vector CompareBranch %r0, 0, op=greater, target=first\n"
        "second: @vector CompareBranch %r0, 9, op=greater, target=second",
        7,
        7,
    ),
    "after one that is left at once": (
        "@vector RegisterMove %r0, 5\n"
        "first: @vector CompareBranch %r0, 9, op=greater, target=first\n"
        "second: @vector CompareBranch %r0, 0, op=greater, target=second",
        8,
        8,
    ),
    "it compares two numbers": (
        "@vector\nagain: Nop\nCompareBranch 1, 2, op=less, target=again",
        7,
        8,
    ),
}


def lines(problem: nasm.Problem) -> tuple[int, int]:
    """The line where a loop begins, and that of the branch."""
    assert problem.span is not None
    heads = [n.span for n in problem.notes if "begins here" in n.message]
    return (heads[0] or problem.span).line if heads else problem.span.line, problem.span.line


@pytest.mark.parametrize("name", ENDLESS)
def test_a_loop_that_never_ends_is_found_before_the_run_and_at_once_in_it(name: str) -> None:
    text, head, branch = ENDLESS[name]
    (before,) = endless(nasm.assemble(HEAD + text + "\n"))
    report = nasm.run(HEAD + text + "\n").report
    assert report.status is Status.FAULT
    (problem,) = [p for p in report.problems if p.code == "E0519"]
    assert lines(problem) == lines(before) == (head, branch)
    assert sum(e.instructions for e in report.engines) < 10


ENDING = {
    "it counts": "@vector RegisterMove %r0, 5\n"
    "again: @vector RegisterAlu %r0, %r0, 1, op=subtract\n"
    "@vector CompareBranch %r0, 0, op=greater, target=again",
    "its exit is taken at once": "@vector RegisterMove %r0, 0\nagain: @vector Nop\n"
    "@vector CompareBranch %r0, 0, op=greater, target=again",
    "what it loads may change": "@vector\nagain: TensorLoad %r0, N[0:1]\n"
    "CompareBranch %r0, 1, op=equal, target=again",
    "a register is loaded before it": "@vector TensorLoad %r0, N[0:1]\nagain: @vector Nop\n"
    "@vector CompareBranch %r0, 1, op=equal, target=again",
    "it is not reached": "@vector RegisterMove %r0, 0\n"
    "@vector CompareBranch %r0, 0, op=equal, target=done\n"
    "trap: @vector CompareBranch target=trap\ndone: @vector Nop",
    "an inner exit leads out": "@vector RegisterMove %r0, 1\nagain: @vector Nop\n"
    "@vector CompareBranch %r0, 1, op=equal, target=done\n@vector CompareBranch target=again\n"
    "done: @vector Nop",
}


@pytest.mark.parametrize("name", ENDING)
def test_a_loop_that_ends_is_no_problem(name: str) -> None:
    text = HEAD + ENDING[name] + "\n"
    assert endless(nasm.assemble(text)) == []
    report = nasm.run(text).report
    assert report.status is Status.FINISHED
    assert report.problems == ()


def test_a_loop_that_waits_for_what_another_engine_posts_is_held_up_there() -> None:
    text = (
        f"{HEAD}@vector\nagain: EventSemaphore $go >= 1 $go--\nCompareBranch target=again\n"
        "@scalar Nop $go++\n"
    )
    assert endless(nasm.assemble(text)) == []
    report = nasm.run(text).report
    assert [p.code for p in report.problems] == ["E0510"]


def test_a_loop_that_meets_the_other_core_is_held_up_there() -> None:
    text = (
        ".target trn2\n.hbm S f32[2, 8]\n"
        "@vector\nagain: CoreBarrier S\nCompareBranch target=again\n"
        ".core 1\n@vector CoreBarrier S\n"
    )
    assert endless(nasm.assemble(text)) == []
    assert [p.code for p in nasm.run(text).report.problems] == ["E0510"]


def test_a_register_that_memory_decides_is_known_in_the_run_alone() -> None:
    text = (
        f"{HEAD}@vector TensorLoad %r0, N[0:1]\nagain: @vector Nop\n"
        "@vector CompareBranch %r0, 0, op=equal, target=again\n"
    )
    assert endless(nasm.assemble(text)) == []
    (problem,) = nasm.run(text).report.problems
    assert problem.code == "E0519"
    assert "nothing in it changes %r0, which is 0" in problem.message


def test_without_values_what_memory_decides_is_not_known_at_all() -> None:
    text = (
        f"{HEAD}@vector TensorLoad %r0, N[0:1]\nagain: @vector Nop\n"
        "@vector CompareBranch %r0, 0, op=equal, target=again\n"
    )
    (problem,) = nasm.run(text, values=False).report.problems
    assert problem.code == "E0518"


def test_a_loop_without_an_exit_is_surely_entered_if_there_is_no_other_end() -> None:
    way = "@vector TensorLoad %r0, N[0:1]\n@vector CompareBranch %r0, 0, op=equal, target={}\n"
    trap = "trap: @vector CompareBranch target=trap\n"
    (problem,) = endless(nasm.assemble(HEAD + way.format("trap") + "@vector Nop\n" + trap))
    assert problem.span is not None
    assert problem.span.line == 9
    assert endless(nasm.assemble(HEAD + way.format("over") + trap + "over: @vector Nop\n")) == []


def test_a_check_tells_of_a_loop_once_also_behind_what_it_cannot_follow() -> None:
    loop = "again: @scalar Nop\n@scalar CompareBranch target=again\n"
    way = "@vector TensorLoad %r0, N[0:1]\n@vector CompareBranch %r0, 0, op=equal, target=trap\n"
    trap = "@vector Nop\ntrap: @vector CompareBranch target=trap\n"
    for text, wanted in ((loop, [7]), (way + trap, [9]), (way + trap + loop, [9, 11])):
        found = nasm.check(HEAD + text).problems
        assert sorted(p.span.line for p in found if p.code == "E0519" and p.span) == wanted


def test_loops_within_loops_are_no_work_and_no_defect() -> None:
    deep = 400
    text = [HEAD, "@vector"]
    text += [f"l{n}: Nop" for n in range(deep)]
    text += [f"CompareBranch %r1, 1, op=equal, target=l{n}" for n in reversed(range(deep))]
    assert nasm.run("\n".join(text) + "\n").report.problems == ()


def test_what_is_not_watched_costs_nothing(tmp_path: Path) -> None:
    counting = HEAD + ENDING["it counts"] + "\n"
    session = nasm.Session(written(tmp_path, counting))
    assert "Endless" not in [type(o).__name__ for o in session.machine.scheduler.observers]
