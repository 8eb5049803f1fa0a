"""Runs judged by few rounds of their loops: what is shown so is what all rounds show."""

from __future__ import annotations

from collections import Counter

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.order.by_loops import clean, in_order
from nasm.order.check import Check
from nasm.order.clocks import Order
from nasm.order.events import Sources
from nasm.order.kept_rounds import TRIED, steady
from nasm.order.repeats import Insertion, Repeat, Unproved
from nasm.order.skeleton import CounterChange, CounterWait, Step
from nasm.targets import TARGETS
from nasm.views.regions import Region
from tests.order import looped
from tests.order.mutants import AWAY, changed, mutations
from tests.parts import part

ROUNDS = 90
KEPT = TRIED[0].rounds
HEAD = f"""\
.target trn2
.hbm X f32[{ROUNDS * 128}, 4] input = iota
.hbm Y f32[{ROUNDS * 128}, 4] output
.sbuf x f32[128, 4]
.sbuf y f32[128, 4]
.sbuf v f32[128, 4]
"""
LOOP = f"""\
.loop k in 0..{ROUNDS}
@sync DmaCopy x, X[k*128 : +128, :] after made[k - 1] post load[k]
@vector TensorScalar y, x, op0=add, operand0=1 after load[k], store[k - 1] post made[k]
@scalar DmaCopy Y[k*128 : +128, :], y after made[k] post store[k]
.end
"""


def judged(text: str) -> tuple[bool, bool]:
    """Whether a program is in order by few rounds of its loop, and by all of them."""
    program = assemble(Source("loops.nasm", text), TARGETS)
    watch = looped.run(program)
    assert watch is not None
    check = Check(Sources(program), watch, held=True)
    check.settle()
    return in_order(Sources(program), watch) is not None, clean(check)


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nasm.order.by_loops.TRIED", looped.FEW)
    monkeypatch.setattr("nasm.order.kept_rounds.WORTH", 1)


@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize("first", part(range(0, 1_000, 5), 2))
def test_what_few_rounds_show_holds_of_all(first: int) -> None:
    found = Counter(looped.compared(seed) for seed in range(first, first + 5))
    assert not found["wrong"], f"of seeds from {first} on"


@pytest.mark.thorough
@pytest.mark.usefixtures("shorter")
def test_most_programs_that_are_in_order_are_shown_to_be() -> None:
    """Of those whose loop has more rounds than are kept; with fewer nothing is left out of it."""
    found = Counter(looped.compared(seed) for seed in range(100))
    assert found["shown"] > 9 * found["not shown"]
    assert found["shown"] > 2 * found["short"]


def test_a_loop_in_order_is_shown_to_be() -> None:
    assert judged(f"{HEAD}{LOOP}@scalar .drain\n") == (True, True)


def test_a_store_that_may_be_in_flight_at_the_end_is_found_round_by_round() -> None:
    assert judged(f"{HEAD}{LOOP}") == (False, False)


ELSEWHERE = {
    "a read of what one round alone writes": "@gpsimd DmaCopy v, Y[5120 : +128, :]\n",
    "a write of it": "@gpsimd DmaCopy Y[5120 : +128, :], v\n",
    "a loop that meets it half-way": (
        f".loop q in 0..{ROUNDS}\n"
        f"@gpsimd DmaCopy v, Y[{(ROUNDS - 1) * 128} - q*128 : +128, :]\n.end\n"
    ),
}
LANDED = "@gpsimd .drain\n@scalar .drain\n"


@pytest.mark.parametrize("line", ELSEWHERE.values(), ids=ELSEWHERE)
@pytest.mark.parametrize("early", [True, False])
def test_a_race_of_one_round_in_the_middle_is_not_overlooked(line: str, early: bool) -> None:
    text = f"{HEAD}{line}{LOOP}" if early else f"{HEAD}{LOOP}{line}"
    assert judged(f"{text}{LANDED}") == (False, False)


HALF_WAY = f"@gpsimd DmaCopy v, Y[{(ROUNDS - 1) * 128} - k*128 : +128, :]"


@pytest.mark.parametrize(
    "line",
    [
        f"{HALF_WAY} after g[k - 1] post g[k]",
        f"{HALF_WAY} after store[k - 2] post g[k]",
        "@gpsimd DmaCopy v, Y[5120 : +128, :] after g[k - 1] post g[k]",
        "@gpsimd TensorCopy v, y",
    ],
)
def test_a_race_within_the_loop_is_not_overlooked(line: str) -> None:
    loop = LOOP.replace(".end", f"{line}\n.end")
    if "store" in line:
        loop = loop.replace("after made[k] post", "after made[k], g[k - 2] post")
    assert judged(f"{HEAD}{loop}{LANDED}") == (False, False)


@pytest.mark.parametrize("least", [KEPT, ROUNDS // 2, ROUNDS - 1, ROUNDS])
def test_what_waits_for_rounds_waits_for_as_many_as_it_says(least: int) -> None:
    loop = LOOP.replace(".end", "@vector EventSemaphore $done++\n.end")
    late = f"@gpsimd TensorCopy v, y $done >= {least}\n@gpsimd EventSemaphore $seen++\n"
    text = f"{HEAD}.sem done, seen\n{loop}{late}@scalar .drain\n"
    assert judged(text) == (least == ROUNDS, least == ROUNDS)


def test_without_any_one_wait_it_is_not_shown() -> None:
    text = f"{HEAD}{LOOP}@scalar .drain\n"
    program = assemble(Source("loops.nasm", text), TARGETS)
    away = [one for one in mutations(program) if (one.way, one.what) == (AWAY, "wait")]
    assert len(away) > 4
    for change in away:
        with changed(program, change):
            watch = looped.run(program)
            if watch is None:
                continue
            check = Check(Sources(program), watch, held=True)
            check.settle()
            if not clean(check):
                assert in_order(Sources(program), watch) is None, change


def test_a_run_reports_what_it_reports_round_by_round(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}{LOOP.replace(', store[k - 1]', '')}"
    reports = []
    for least in (1_000, 1 << 60):
        monkeypatch.setattr("nasm.analysis.hazards.ordering.LEAST", least)
        session = Session(assemble(Source("loops.nasm", text), TARGETS), values=False)
        report = session.run(hashes=False)
        reports.append((report.hazards, report.warnings))
    assert reports[0] == reports[1]
    assert [problem.code for problem in reports[0][0]] == ["E0502"]


# ---------------------------------------------------------------- longer than is remembered

LONG = 620


def long_run(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """The codes of hazards and warnings of a run of which little is remembered."""
    monkeypatch.setattr("nasm.order.observer.MOST", 3_000)
    monkeypatch.setattr("nasm.order.beyond.MOST", 2_000)
    program = assemble(Source("long.nasm", text), TARGETS)
    report = Session(program, values=False).run(hashes=False)
    return [p.code for p in report.hazards], [p.code for p in report.warnings]


def stretched(more: str = "") -> str:
    """The same loop with more rounds."""
    head = HEAD.replace(f"f32[{ROUNDS * 128},", f"f32[{LONG * 128},")
    return f"{head}{LOOP.replace(f'0..{ROUNDS}', f'0..{LONG}')}{more}@scalar .drain\n"


def test_a_long_loop_is_judged_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert long_run(stretched(), monkeypatch) == ([], [])


@pytest.mark.parametrize(
    "more",
    [
        "@gpsimd DmaCopy v, Y[38400 : +128, :]\n@gpsimd .drain\n",
        "@vector TensorScalar y, y, op0=add, operand0=1\n@gpsimd TensorCopy v, y\n",
    ],
)
def test_of_a_long_run_that_is_not_in_order_the_first_part_is_judged(
    more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "E0542" in long_run(stretched(more), monkeypatch)[1]


def test_a_long_run_that_went_back_is_judged_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nasm.order.observer.MOST", 3_000)
    monkeypatch.setattr("nasm.order.beyond.MOST", 2_000)
    session = Session(assemble(Source("long.nasm", stretched()), TARGETS), values=False)
    session.run(max_instructions=5_000, hashes=False)
    session.back(100)
    report = session.run(hashes=False)
    assert [p.code for p in report.warnings] == ["E0542"]


# ---------------------------------------------------------------- one step of it alone


def posting(rounds: int, wait: int) -> Order:
    """A queue that posts once in each round, and another one that waits for some of that."""
    order = Order(2, [])
    for number in range(rounds):
        order.take(Step(0, 2 * number, change=CounterChange(0, "+", 1)))
    order.take(Step(1, 0, wait=CounterWait(0, ">=", wait)))
    order.settle()
    return order


@pytest.mark.parametrize(("wait", "slope", "shown"), [(16, 0, False), (16, 1, True), (5, 0, True)])
def test_a_wait_elsewhere_grows_with_the_rounds_or_needs_only_the_first(
    wait: int, slope: int, shown: bool
) -> None:
    insertion = Insertion(posting(16, wait), Repeat((8, 0), (2, 0), 8), {(1, 0): slope})
    if shown:
        insertion.check()
    else:
        with pytest.raises(Unproved, match="depends on the number of rounds"):
            insertion.check()


@pytest.mark.parametrize("middle", [0, 1])
def test_bytes_that_jump_once_do_not_move_on_steadily(middle: int) -> None:
    whole = Region("0.sbuf", (0, 128, 1), 0, 16, 0, ((4, 4),), 4, area=0)
    at = [16 * n + middle * 4 * (n > 5) for n in range(12)]
    rows = [whole._replace(low=low, high=low + 16, start=low) for low in at]
    assert steady([((row,), ()) for row in rows]) == (not middle)
    assert steady([((), (row,)) for row in rows]) == (not middle)
    assert not steady([((whole,), ()), ((), (whole,))])
