"""Races that are reported, each shown by a run; and no report where all schedules agree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import nasm
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.runs.schedules.races import races_of, witnesses
from tests.parts import part
from tests.schedules.programs import FIVE, HEAD, InOrder
from tests.schedules.test_schedules import ran

ROOT = Path(__file__).parents[2]


def waits(program: Program) -> list[tuple[int, int]]:
    """Where waits stand: queues and pcs."""
    return [
        (queue, pc)
        for queue, lines in enumerate(program.queues)
        for pc in range(len(lines))
        if program.waits[lines.waits[pc]] is not None
    ]


@pytest.mark.parametrize("name", FIVE)
def test_what_is_right_by_luck_is_one_race_that_is_shown(name: str) -> None:
    session = ran(HEAD + FIVE[name])
    assert races_of(session) == 1
    ((problem, found),) = witnesses(session)
    assert problem.code == "E0502"
    assert found.shows
    assert found.tried <= 2


@pytest.mark.parametrize("name", ["matmul", "softmax", "embedding_gather"])
def test_a_race_of_a_program_that_lacks_a_wait_is_shown(name: str) -> None:
    program = nasm.assemble(ROOT / "programs" / f"{name}.nasm")
    none, raced = program.waits.index(None), 0
    for queue, pc in waits(program):
        column = program.queues[queue].waits
        kept, column[pc] = column[pc], none
        session = Session(program, reruns=True)
        session.run(hashes=False)
        for _, found in witnesses(session):
            raced += 1
            assert found.shows, str(found)
        column[pc] = kept
    assert raced


def test_without_a_race_there_is_nothing_to_show() -> None:
    session = ran(ROOT / "programs" / "softmax.nasm")
    assert (races_of(session), list(witnesses(session))) == (0, [])


@pytest.mark.parametrize("seed", part(range(25), 4))
def test_what_no_race_is_reported_of_leads_to_the_same_under_12_timings(seed: int) -> None:
    """One wait is taken away from a program in order, which may have been of no use."""
    lines = InOrder(seed).text.splitlines()
    there = [n for n, line in enumerate(lines) if "EventSemaphore" in line]
    del lines[random.Random(seed).choice(there)]
    session = ran("\n".join(lines) + "\n")
    assert session.status is Status.FINISHED
    found = nasm.schedules(session, 12, seed)
    raced = [p.code for p in (*session.report().hazards, *session.report().warnings)]
    assert found.same or raced, str(found)
