"""Where nothing of the past is kept many instructions are one event, and moments are the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest

import nasm
from nasm.base.source import Source
from nasm.program.program import Program
from tests.parts import part

SMALL = """\
.target trn1
.sbuf t f32[128, 512]
@vector Memset t, 1.0
.for i in 0..40
.for j in 0..50
@vector TensorScalar t[:, j*8 : +8], t[:, j*8 : +8], op0=multiply, operand0=1.0
.end
.end
"""
REPLAYS = """\
.target wormhole
@t1
    REPLAY  Index=0, Count=2, Exec=1, Load=1
    SFPMAD  VA=0, VB=1, VC=2, VD=3
    SFPNOP
.for p in 0..400
    REPLAY  Index=0, Count=2
.end
"""
PROGRAMS = ("rounds", "small", "replays")


@cache
def program(name: str) -> Program:
    """One that repeats rounds with transfers, small instructions of one engine, or micros."""
    if name != "rounds":
        return nasm.assemble(Source(name, SMALL if name == "small" else REPLAYS))
    sizes = {"M": 128, "N": 512, "K": 16384, "D": 4}
    return nasm.assemble("programs/published/matmul_naive.nasm", defines=sizes)


def pair(made: Program) -> tuple[nasm.Session, nasm.Session]:
    """A session that keeps nothing, and one that goes event by event."""
    merging, single = (
        nasm.Session(made, values=made.target.name == "tensix", keep=keep) for keep in (0, None)
    )
    return merging, single


def same(merging: nasm.Session, single: nasm.Session) -> None:
    assert merging.status is single.status
    assert merging.report() == single.report()
    assert merging.execution.moment == single.execution.moment


MOVES: dict[str, Callable[[nasm.Session, int], object]] = {
    "run": lambda session, _: session.run(),
    "cycles": lambda session, n: session.run(max_cycles=session.now // 1000 + n * 50),
    "instructions": lambda session, n: session.run(max_instructions=n),
    "step": lambda session, n: session.step(count=1 + n % 3),
    "advance": lambda session, n: session.advance(n),
    "back": lambda session, n: session.back(1 + n % 20),
    "goto": lambda session, n: session.goto(str(n * 20)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("seed", part([*range(12)], 2))
def test_any_moves_lead_to_the_same_moments(name: str, seed: int) -> None:
    on = random.Random(seed)
    merging, single = pair(program(name))
    for _ in range(12):
        move, number = on.choice([*MOVES]), on.randrange(1, 400)
        for session in (merging, single):
            MOVES[move](session, number)
        if on.random() < 0.4:
            same(merging, single)
    same(merging, single)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_has_fewer_events_until_a_moment_is_asked_for(name: str) -> None:
    merging, single = pair(program(name))
    for session in (merging, single):
        session.run()
    few, many = (s.execution.machine.scheduler.position for s in (merging, single))
    assert few * 3 < many * 2
    same(merging, single)
    assert merging.execution.machine.scheduler.position == many


def test_a_run_with_a_breakpoint_goes_event_by_event() -> None:
    merging, single = pair(program("rounds"))
    for session in (merging, single):
        session.run(max_instructions=20)
        session.break_at("MultiplyMoving", ignore=100)
        session.run()
        assert session.hits
    same(merging, single)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_that_was_cut_short_is_where_it_was(name: str) -> None:
    merged = 0
    for events in range(10, 1100, 160):
        session, single = pair(program(name))
        scheduler = session.execution.machine.scheduler
        session.execution.process(events)
        merged += scheduler.merged
        before = scheduler.now, scheduler.records, scheduler.retired
        assert session.execution.moment.tick == before[0]
        assert (scheduler.now, scheduler.records, scheduler.retired) == before
        for one in (session, single):
            one.run()
        same(session, single)
    assert merged
