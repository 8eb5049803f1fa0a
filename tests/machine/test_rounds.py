"""Rounds that repeat themselves are one event, and what comes of them is as one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import nasm
from nasm.base.source import Source
from nasm.runs.execution import Execution
from nasm.sim.rounds import RoundFinder
from nasm.sim.shifts import NotedMoment, pass_over
from tests.machine import pipelines
from tests.machine.pipelines import text


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pcs of the anchor after each repetition."""
    found: list[int] = []
    made: Callable[..., bool] = RoundFinder.made

    def noted(rounds: RoundFinder) -> bool:
        done = made(rounds)
        if done:
            found.append(rounds.anchor.pc)
        return done

    monkeypatch.setattr(RoundFinder, "made", noted)
    return found


def run(program: Any, one_by_one: bool, checked: bool = False, **limits: int) -> Execution:
    """A run without values, to its end or to its limits."""
    execution = Execution(program, values=False, checked=checked)
    scheduler = execution.machine.scheduler
    for queue in scheduler.queues:  # what they occupy is named in one order
        for pc in range(queue.length):
            queue.fetch(pc)
    if one_by_one:
        scheduler.repeat(None)
    execution.run(**limits)
    return execution


def state(execution: Execution) -> tuple[Any, ...]:
    """All numbers that a machine remembers, the trace's hash, and the report."""
    machine = execution.machine
    moment = NotedMoment(machine.scheduler.now)
    pass_over(machine.scheduler, moment, Unseen())
    flights = [flight.touched.both for flight in machine.scheduler.service.transfers.values()]
    ready = [engine.ready for engine in machine.state.engines]
    counts = [machine.summary.completed(queue).tolist() for queue in range(len(machine.tasks))]
    digest = machine.summary.digest()
    return moment.numbers, flights, ready, counts, digest, machine.transfers.launched


class Unseen:
    """What a machine remembers in addition to its scheduler, which is compared by itself."""

    launched = 0

    def pass_over(self, visitor: Any) -> None:
        """Show nothing."""

    def touched(self, origin: Any) -> Any:
        """Nothing is asked."""
        raise NotImplementedError


def watched(execution: Execution) -> tuple[Any, ...]:
    """What is kept of a run to judge its order."""
    watch = execution.machine.watch
    assert watch is not None
    columns = [[column.tolist() for column in watch.columns(q)] for q in range(len(watch.works))]
    touched = [[(work.reads, work.writes) for work in works] for works in watch.works]
    moved = [[(n, one._replace(pattern=0)) for n, one in q.items()] for q in watch.moved]
    patterns = [one.pattern for q in watch.moved for one in q.values()]
    alike = [patterns.index(pattern) for pattern in patterns]
    landed = watch.flights.tolist(), watch.landings.tolist()
    return watch.queues.tolist(), columns, touched, moved, alike, landed


REPEATED = (0, 2, 3, 4, 5, 13, 14, 15, 16, 17, 18, 20)
"""Pipelines that settle into rounds; others never do the same twice before they end."""

NEVER = (1, 6, 7)


def seeds(few: Sequence[int], many: Sequence[int]) -> list[Any]:
    """A few, and many more in a thorough test."""
    more = [pytest.param(seed, marks=pytest.mark.thorough) for seed in many if seed not in few]
    return [*few, *more]


@pytest.mark.parametrize("seed", seeds((2, 3, 4, 18, 1), [*REPEATED, *NEVER]))
def test_rounds_are_as_one_by_one(seed: int, repeated: list[int]) -> None:
    program = nasm.assemble(Source("rounds", text(seed)))
    known, found = run(program, True), run(program, False)
    assert bool(repeated) == (seed in REPEATED)
    assert state(found) == state(known)
    assert found.report() == known.report()


@pytest.mark.parametrize("seed", seeds((18,), REPEATED[-4:]))
def test_a_run_that_is_stopped_is_as_one_by_one(seed: int, repeated: list[int]) -> None:
    """At a cycle, or after as many instructions, and run on from there."""
    program = nasm.assemble(Source("rounds", text(seed)))
    cycles = run(program, True).machine.scheduler.now
    draw = random.Random(seed)
    for _ in range(3):
        for limits in (
            {"max_cycles": draw.randint(1, cycles)},
            {"max_instructions": draw.randint(1, len(program))},
        ):
            known, found = (run(program, one_by_one, **limits) for one_by_one in (True, False))
            assert state(found) == state(known), limits
            for execution in (known, found):
                execution.run()
            assert state(found) == state(known), limits
    assert repeated


@pytest.mark.parametrize("seed", seeds((2, 3), REPEATED[:6]))
def test_what_is_judged_is_as_one_by_one(seed: int, repeated: list[int]) -> None:
    program = nasm.assemble(Source("rounds", text(seed)))
    known, found = (run(program, one_by_one, checked=True) for one_by_one in (True, False))
    assert repeated
    assert watched(found) == watched(known)
    assert found.report() == known.report()


def test_a_checkpoint_is_not_changed_by_what_is_repeated(repeated: list[int]) -> None:
    program = nasm.assemble(Source("rounds", text(3)))
    execution = run(program, False, max_instructions=len(program) // 4)
    before, checkpoint = state(execution), execution.checkpoint()
    execution.run()
    end = state(execution)
    execution.back_to(checkpoint)
    assert state(execution) == before
    execution.run()
    assert state(execution) == end
    assert repeated


def test_rounds_are_found_where_nothing_is_bound_yet(repeated: list[int]) -> None:
    """To find them some are bound, which names what they occupy: before a moment is noted."""
    program = nasm.assemble(Source("rounds", text(0)))
    execution = Execution(program, values=False, checked=False)
    execution.run()
    assert execution.report().ok
    assert repeated


ALIKE = """\
.target trn2
.hbm  A  f32[128, 512]  input
.sem  used, added
.for i in 0..4
.sbuf a{i} f32[128, 512]
.sem  loaded{i}
.end
.sbuf s f32[128, 512]
@vector Memset s, 0.0
.for c in 0..240
.const b = c % 4
.if c >= 4
@sync EventSemaphore $used >= c - 3
.end
@sync DmaCopy a{b}, A  $loaded{b} += 16
@scalar EventSemaphore $loaded{b} >= 16 * (c // 4 + 1)  $added++
@vector EventSemaphore $added >= c + 1
.for i in 0..12
@vector TensorTensor s, s, s, op=add
.end
@vector TensorTensor s, s, s, op=add  $used++
.end
"""
"""Rounds of one queue are all alike, and only every fourth is of the others."""


def test_rounds_of_several_turns_are_found(repeated: list[int]) -> None:
    program = nasm.assemble(Source("alike", ALIKE))
    known, found = run(program, True), run(program, False)
    assert repeated
    assert repeated[0] > len(program) // 2
    assert state(found) == state(known)
    assert found.report() == known.report()


LATE = "@scalar Activation c0, c0, op=exp  $copied >= M\n"
"""The first of an engine that only started transfers before."""

UNSEEN = """\
.sem last
@sync EventSemaphore $last >= 1
@scalar EventSemaphore $last++
.for n in 0..12
@sync Nop
.end
"""
"""A semaphore that nothing has changed before."""


@pytest.mark.parametrize("late", [LATE, UNSEEN])
def test_what_is_new_after_rounds_does_not_confuse_them(repeated: list[int], late: str) -> None:
    shape = {"m": 4, "k": 96, "deep": 3, "wide": 32, "tall": 128}
    text = pipelines.PIPELINE.format(**shape, first="scalar", second="sync", third="gpsimd") + late
    known, found = (
        Execution(program, values=False) for program in [nasm.assemble(Source("late", text))] * 2
    )
    known.machine.scheduler.repeat(None)
    assert known.run() == found.run()
    assert repeated
    assert found.machine.summary.digest() == known.machine.summary.digest()
