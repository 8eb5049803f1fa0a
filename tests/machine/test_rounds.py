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

PIPELINE = """\
.target trn2
.const M = {m}, K = {k}, DEEP = {deep}
.hbm  A  f32[K*128, M*{wide}]  input
.hbm  B  f32[K*128, {tall}]  input
.hbm  C  f32[M*128, {tall}]  output
.sem  used, copied
.for i in 0..DEEP
.sbuf a{{i}} f32[128, {wide}]
.sbuf b{{i}} f32[128, {tall}]
.sem  loaded{{i}}
.end
.for i in 0..2
.psum p{{i}} f32[128, {tall}] @ bank i
.sbuf c{{i}} f32[128, {tall}]
.sem  stored{{i}}
.end
.for m in 0..M
.const o = m % 2
.for k in 0..K
.const i = m*K + k, b = i % DEEP
.const at = max(0, i - DEEP + 1)
@{first} DmaCopy a{{b}}, A[k*128 : +128, m*{wide} : +{wide}]  $used >= at $loaded{{b}} += 16
@{second} DmaCopy b{{b}}, B[k*128 : +128, :]  $used >= at $loaded{{b}} += 16
@tensor LoadStationary a{{b}}  $loaded{{b}} >= 32 * (i // DEEP + 1)
.if k == 0 and m >= 2
@tensor EventSemaphore $copied >= m - 1
.end
@tensor MultiplyMoving p{{o}}, b{{b}}, accumulate=(k > 0)  $used++
.end
.if m >= 2
@vector EventSemaphore $stored{{o}} >= 16 * (m // 2)
.end
@vector TensorCopy c{{o}}, p{{o}}  $used >= (m + 1) * K  $copied++
@{third} DmaCopy C[m*128 : +128, :], c{{o}}  $copied >= m + 1  $stored{{o}} += 16
.end
@{third} EventSemaphore $stored0 >= 16 * ((M + 1) // 2)
@{third} EventSemaphore $stored1 >= 16 * (M // 2)
"""


def text(seed: int) -> str:
    """A pipeline of random depth and widths, whose transfers come from random queues."""
    draw = random.Random(seed)
    queues = ["sync", "gpsimd", "scalar"]
    return PIPELINE.format(
        m=draw.choice((2, 4)), k=draw.choice((96, 112)), deep=draw.randint(2, 7),
        wide=draw.choice((32, 128)), tall=draw.choice((128, 384, 512)),
        first=draw.choice(queues), second=draw.choice(queues), third=draw.choice(queues),
    )  # fmt: skip


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


def test_what_is_first_occupied_after_rounds_does_not_confuse_them(repeated: list[int]) -> None:
    shape = {"m": 4, "k": 96, "deep": 3, "wide": 32, "tall": 128}
    text = PIPELINE.format(**shape, first="scalar", second="sync", third="gpsimd") + LATE
    known, found = (
        Execution(program, values=False) for program in [nasm.assemble(Source("late", text))] * 2
    )
    known.machine.scheduler.repeat(None)
    assert known.run() == found.run()
    assert repeated
    assert found.machine.summary.digest() == known.machine.summary.digest()
