"""Runs judged by columns: what is shown so is what all steps show, one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.order import by_columns
from nasm.order.by_loops import clean
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.runs.execution import Execution
from nasm.targets import TARGETS
from tests.machine import pipelines
from tests.order import columned
from tests.parts import part


def judged(text: str) -> tuple[bool, bool]:
    """Whether a program is in order by columns, and step by step."""
    program = assemble(Source("columns.nasm", text), TARGETS)
    kept = columned.run(program)
    assert kept is not None
    sources = Sources(program)
    shown = columned.shown_by_columns(sources, kept)
    check = Check(sources, kept.watch, held=True)
    check.settle()
    assert columned.agrees(sources, kept, check)
    return shown, clean(check)


@pytest.mark.parametrize("kind", ["short", "loop"])
@pytest.mark.parametrize("first", part(range(0, 1_000, 10), 2))
def test_what_columns_show_is_so_step_by_step(kind: str, first: int) -> None:
    found = Counter(columned.compared(seed, kind) for seed in range(first, first + 10))
    assert not found["wrong"], f"of seeds from {first} on"


@pytest.mark.parametrize("seed", part(range(100), 4))
def test_so_it_is_where_rounds_are_repeated(seed: int) -> None:
    assert columned.compared(seed, "pipeline") != "wrong"


@pytest.mark.thorough
def test_most_programs_that_are_in_order_are_shown_to_be() -> None:
    """Those that post when something has been read, which one change may do, are not."""
    found = Counter(columned.compared(seed, "pipeline") for seed in range(40))
    assert found["shown"] > 9 * found["not shown"]
    assert found["shown"] > 2 * found["early"]


ROUNDS = 96
HEAD = f"""\
.target trn2
.hbm X f32[{ROUNDS * 128}, 4] input
.hbm Y f32[{ROUNDS * 128}, 4] output
.hbm Z f32[128, 4] output
.sbuf x[2] f32[128, 4]
.sbuf y[2] f32[128, 4]
.sbuf v f32[128, 4]
.sem loaded, made, stored
"""
ROUND = """\
@sync DmaCopy x[r % 2], X[r*128 : +128, :]  $made >= max(0, r - 1)  $loaded += 16
@vector EventSemaphore $stored >= 16 * max(0, r - 1)
@vector TensorScalar y[r % 2], x[r % 2], op0=add, operand0=1  $loaded >= 16 * (r + 1)  $made++
@scalar DmaCopy Y[r*128 : +128, :], y[r % 2]  $made >= r + 1  $stored += 16
"""
LOADED = "$loaded >= 16 * (r + 1)"
END = f"@scalar EventSemaphore $stored >= 16 * {ROUNDS}\n"


def pipeline(before: str = "", each: str = ROUND, end: str = END) -> str:
    """A tile after the other; `$made` alone says when a transfer of each stream may begin."""
    return f"{HEAD}{before}.for r in 0..{ROUNDS}\n{each}.end\n{end}"


ONE_AT_A_TIME = ROUND.replace("max(0, r - 1)  $loaded", "r  $loaded").replace(
    "@vector EventSemaphore $stored >= 16 * max(0, r - 1)",
    "@vector EventSemaphore $stored >= 16 * r",
)


def test_a_pipeline_in_order_is_shown_to_be() -> None:
    assert judged(pipeline(each=ONE_AT_A_TIME)) == (True, True)


def test_what_may_be_in_flight_at_the_end_is_not_shown() -> None:
    assert judged(pipeline(each=ONE_AT_A_TIME, end="")) == (False, False)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("$made >= r  ", ""),
        ("$made >= r  ", "$made >= max(0, r - 2)  "),
        (LOADED, "$loaded >= 16 * max(r, 1)"),
        ("$made >= r + 1", "$made >= max(r, 1)"),
        ("$stored >= 16 * r", "$stored >= 16 * max(0, r - 2)"),
        ("$stored >= 16 * r", "$stored >= 16 * r - min(r, 1)"),
        ("$made++", "$made++@read"),
    ],
)
def test_a_wait_that_is_too_weak_is_not_overlooked(was: str, now: str) -> None:
    assert was in ONE_AT_A_TIME
    shown, good = judged(pipeline(each=ONE_AT_A_TIME.replace(was, now)))
    assert not shown
    assert not good


@pytest.mark.parametrize(
    "line",
    [
        f"DmaCopy v, Y[{ROUNDS // 2 * 128} : +128, :]",
        f"DmaCopy Y[{ROUNDS // 2 * 128} : +128, :], v",
        f"DmaCopy X[{ROUNDS // 2 * 128} : +128, :], v",
        "TensorCopy v, y[1]",
        "TensorScalar y[0], v, op0=power, operand0=1",
    ],
)
@pytest.mark.parametrize("early", [True, False])
def test_a_race_with_one_round_in_the_middle_is_not_overlooked(line: str, early: bool) -> None:
    post = "  $extra += 16" if "Dma" in line else "  $extra++"
    least = 16 if "Dma" in line else 1
    other = f".sem extra\n@gpsimd {line}{post}\n"
    wait = f"@gpsimd EventSemaphore $extra >= {least}\n"
    parts = (other, END + wait) if early else ("", END + other + wait)
    text = pipeline(parts[0], ONE_AT_A_TIME, parts[1])
    assert judged(text) == (False, False)


def test_what_an_engine_stores_after_it_has_written_it_is_shown_to_be_in_order() -> None:
    """What reads its own result waits for that, so that it is complete; nothing posts it."""
    each = """\
@scalar Activation y[0], y[1], op=exp
@scalar Activation v, y[0], op=exp
@scalar DmaCopy Y[r*128 : +128, :], y[0]  $stored += 16
@scalar EventSemaphore $stored >= 16 * (r + 1)
"""
    assert judged(pipeline(each=each)) == (True, True)
    for was, now in (("v, y[0]", "v, y[1]"), (":], y[0]", ":], v")):
        shown, good = judged(pipeline(each=each.replace(was, now)))
        assert not shown
        assert not good


TWO = """\
@gpsimd Memset v, 1.0
@gpsimd TensorScalar v, v, op0=power, operand0=1
@vector Memset y[0], 1.0  $made++
@gpsimd Memset y[1], 1.0  {}$made++
@scalar Activation x[0], y[0], op=exp  $made >= {}
"""


def test_a_count_that_another_queue_may_reach_instead_is_not_relied_upon() -> None:
    """In this run the vector engine posts first, in another one gpsimd may."""
    shown, good = judged(HEAD + TWO.format("", 1))
    assert not shown
    assert not good
    assert judged(HEAD + TWO.format("", 2)) == (True, True)
    after = TWO.format("$loaded >= 1  ", "1  $loaded++")
    assert judged(HEAD + after) == (True, True)


SLACK = """\
.target trn2
.sbuf v[4] f32[128, 8]
.sbuf long f32[128, 8192]
.sem made
@vector Memset v[0], 1.0  $made++
@vector Memset v[1], 1.0  $made++
@gpsimd Memset v[2], 1.0  $made++
@scalar Activation long, long, op=exp
@scalar Activation v[3], v[3], op=exp  $made >= {}
"""


def test_clocks_are_not_all_that_is_so_where_a_wait_needs_only_some_of_its_posts() -> None:
    """For two of three posts one of the vector engine's is needed: only the steps say so."""
    for least, exact in ((2, False), (3, True)):
        text = SLACK.format(least)
        assert judged(text) == (True, True)
        program = assemble(Source("columns.nasm", text), TARGETS)
        kept = columned.run(program)
        assert kept is not None
        whole = by_columns.judged(Sources(program), kept.watch, kept.machine.addresses)
        assert whole is not None
        assert (whole.clocks is not None) == exact


def test_tiles_that_overlap_in_part_are_apart_where_they_do_not() -> None:
    """Two engines write halves of what was written as a whole, and neither waits for the other."""
    text = """\
.target trn2
.sbuf t f32[128, 8]
.sem whole, half
@vector Memset t, 0.0  $whole++
@vector TensorScalar t[:, 0:4], t[:, 0:4], op0=add, operand0=1  $half++
@gpsimd TensorScalar t[:, 4:8], t[:, 4:8], op0=power, operand0=1  $whole >= 1  $half++
@scalar Activation t, t, op=exp  $half >= 2
"""
    assert judged(text) == (True, True)
    shown, good = judged(text.replace("t[:, 4:8]", "t[:, 3:8]"))
    assert not shown
    assert not good


def test_what_is_shown_does_not_depend_on_whether_repeated_rounds_were_made() -> None:
    program = assemble(Source("columns.nasm", pipelines.text(3)), TARGETS)
    kept = columned.run(program)
    assert kept is not None
    executed = sum(map(len, kept.watch.executed[1]))
    assert columned.shown_by_columns(Sources(program), kept)
    assert sum(map(len, kept.watch.executed[1])) == executed
    assert sum(map(len, kept.watch.moved)) > 3 * executed // 2
    assert columned.shown_by_columns(Sources(program), kept)


TURNS = """\
.target trn2
.sbuf y f32[128, 512]
.sbuf z f32[128, 512]
.sem made, copied
.for i in 0..260
@gpsimd Memset y[:, (i % 8)*64 : +64], 1.0  $made++
@vector TensorCopy z[:, (i % 8)*64 : +64], y[:, (i % 8)*64 : +64]  $made >= i + 1  $copied++
@scalar Activation z[:, (i % 8)*64 : +64], z[:, (i % 8)*64 : +64], op=exp  $copied >= i + 1
{more}.end
"""
"""Nothing waits before it replaces what others may still read, in a thousand instructions."""

RACING = {
    "engines": TURNS.format(more="@gpsimd EventSemaphore $copied >= max(0, i - 6)\n"),
    "both": TURNS.format(more=""),
}


@pytest.mark.parametrize("text", RACING.values(), ids=RACING)
def test_reports_of_races_are_what_they_are_without_columns(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reported() -> tuple[object, ...]:
        execution = Execution(assemble(Source("races.nasm", text), TARGETS), values=False)
        execution.run()
        report = execution.report()
        return report.hazards, execution.ordering.counts()

    found = reported()
    monkeypatch.setattr("nasm.order.by_columns.judged", lambda *_: None)
    assert found == reported()
    assert found[1][0]


def test_what_was_shown_of_a_run_does_not_hold_for_another() -> None:
    program = assemble(Source("columns.nasm", pipeline(each=ONE_AT_A_TIME)), TARGETS)
    kept, sources = columned.run(program), Sources(program)
    assert kept is not None
    whole = by_columns.judged(sources, kept.watch, kept.machine.addresses)
    assert whole is not None
    assert whole.in_order
    check = Check(sources, kept.watch, held=True, shown=whole)
    assert not check.accesses.only
    check.settle()
    assert check.shown is whole
    kept.watch.turn()
    check.settle()
    assert check.shown is None
    assert check.accesses.only is None
    assert check.accesses.shared


def test_pairs_of_a_race_beyond_the_first_hundred_are_counted() -> None:
    """As they are where something tells the races of two lines apart, and each is looked at."""
    program = assemble(Source("columns.nasm", RACING["both"]), TARGETS)
    kept, sources = columned.run(program), Sources(program)
    assert kept is not None
    known, found = (
        Check(sources, kept.watch, True, apart=apart) for apart in (None, lambda *_: None)
    )
    known.settle()
    found.settle()
    assert known.races == found.races
    assert max(race.many for race in known.races) > 100
