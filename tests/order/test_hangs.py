"""Hangs that are found are hangs, and none is missed that a walk through every state finds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import nasm
from nasm.apps.cli import main
from nasm.machine.records import Status
from nasm.order.hangs import Hang, HangSearch, Undecided
from nasm.order.skeleton import CounterChange, CounterWait, Step
from tests.order.oracle import TooLarge, Walk
from tests.order.skeletons import EVENTS, PURSES, RISING, SETS, SMALL, drawn
from tests.parts import part

STATES = 30_000


@pytest.mark.parametrize("kind", [RISING, EVENTS, PURSES, SETS])
def test_a_search_finds_what_a_walk_through_every_state_does(kind: str) -> None:
    found = Counter[str]()
    for seed in part(range(1000), 60):
        one = drawn(seed, kind, SMALL)
        with suppress(TooLarge):
            walk = Walk(one.skeleton, STATES)
            got = HangSearch([step for queue in one.skeleton for step in queue]).decide()
            assert not isinstance(got, Undecided), seed
            assert isinstance(got, Hang) == bool(walk.stuck), seed
            found[type(got).__name__] += 1
    assert found["NoneType"] > 10


def test_the_interlock_keeps_what_starts_from_being_overwritten_by_what_is_before_it() -> None:
    """The one at the end sets at its start, and by then what the one before it cleared is clear."""
    clears = Step(0, 0, None, CounterChange(0, "=", 0))
    sets = Step(0, 1, None, CounterChange(0, "=", 1, at_start=True), after=0)
    waits = Step(1, 0, CounterWait(0, ">=", 1))
    for after, hangs in ((0, False), (-1, True)):
        queues = [[clears, replace(sets, after=after)], [waits]]
        found = HangSearch([step for queue in queues for step in queue]).decide()
        assert isinstance(found, Hang) == bool(Walk(queues, STATES).stuck) == hangs


PEEK = """.target trn2
.sem credit, done
@sync   EventSemaphore  $credit += {posted}
@vector EventSemaphore  $credit >= 1  $done++
@scalar Nop
@scalar Nop
@scalar EventSemaphore  $credit >= 1  $credit--
@gpsimd EventSemaphore  $done >= 1
"""


def test_a_queue_that_only_looks_at_a_credit_which_another_takes_may_wait_forever() -> None:
    assert nasm.run(PEEK.format(posted=1)).report.status is Status.FINISHED
    (problem,) = nasm.check(PEEK.format(posted=1)).errors
    assert problem.code == "E0544"
    assert problem.span is not None
    assert problem.span.line == 4
    assert "vector pc 0 (EventSemaphore) waits forever for $credit >= 1" in problem.message
    assert "scalar pc 2 (EventSemaphore) completes" in problem.notes[-1].message
    assert nasm.check(PEEK.format(posted=2)).ok


def test_a_search_ends_after_so_many_moves() -> None:
    found = Counter[str]()
    for seed in range(40):
        one = drawn(seed, PURSES, SMALL)
        steps = [step for queue in one.skeleton for step in queue]
        found[type(HangSearch(steps, moves=1).decide()).__name__] += 1
    assert found["Undecided"]


def test_what_is_not_decided_is_noted_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nasm.order.hangs.STATES", 0)
    search = HangSearch([], states=0)
    assert search.decide() is None
    rounds = ".for k in 0..6\n@vector EventSemaphore $a >= 1 $a--\n"
    rounds += "@scalar EventSemaphore $a >= 1 $a--\n@sync Nop $a += 2\n.end\n"
    found = nasm.check(".target trn2\n.sem a\n" + rounds)
    assert found.ok


def test_a_witness_shows_it_by_one_event_that_is_held_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "peek.nasm"
    path.write_text(PEEK.format(posted=1), encoding="utf-8")
    assert main(["run", str(path), "--witness"]) == 1
    shown = capsys.readouterr().out
    assert "hazard[E0544]: under another timing it hangs: vector pc 0" in shown
    assert "with the start of vector pc 0 (EventSemaphore of line 4) delayed until" in shown
    assert "deadlock instead of finished (E0510: deadlock: @vector is blocked forever" in shown
    path.write_text(PEEK.format(posted=2), encoding="utf-8")
    assert main(["run", str(path), "--witness"]) == 0
    assert "E0544" not in capsys.readouterr().out
