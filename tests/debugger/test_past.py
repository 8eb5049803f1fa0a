"""Going to and fro ends where a plain run is, and is there as a plain run would be."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from nasm.base.source import Source
from nasm.debugger.moving import past
from nasm.debugger.moving.past import Moment
from nasm.debugger.session import Session
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from tests.cli.programs import HALVES
from tests.debugger.journeys import (
    CASES,
    CYCLES,
    LOOP,
    Traveller,
    checked,
    differing,
    ends,
    made,
    programs,
    session,
    standing,
)
from tests.parts import part
from tests.tables import each

KEEPS = (0, 100 << 10, 1 << 20, 256 << 20)
"""What is kept of the past: nothing, hardly anything, some of it, all."""


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is taken whenever one can be, and that is often."""
    monkeypatch.setattr(past, "EVERY", 0.0)
    monkeypatch.setattr(past, "SHARE", 0)
    monkeypatch.setattr(past, "FIRST", 3)
    monkeypatch.setattr(past, "MOST", 11)


@each(("kind", "seed"), part(CASES, 5))
def test_any_mix_of_moves_ends_as_a_plain_run_does(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None:
            return
        for keep in draw.sample(KEEPS, 1 + (kind == "file")):
            one = session(given, keep=keep)
            traveller = Traveller(one, draw)
            for n in range(12):
                traveller.move()
                if n % 3 == 0:
                    checked(given, one, traveller.went)
            assert one.run(max_cycles=CYCLES) == ended, traveller.went


@pytest.mark.parametrize(("kind", "seed"), part(CASES[::2], 5))
def test_changes_by_hand_are_made_again_and_can_all_be_undone(kind: str, seed: int) -> None:
    draw = random.Random(f"by hand {kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None:
            return
        one = session(given, keep=draw.choice(KEEPS))
        traveller = Traveller(one, draw)
        for _ in range(4):
            traveller.move()
            traveller.change()
            one.mark("here")
            there = standing(one)
            for _ in range(3):
                traveller.move()
            one.goto("here")
            assert not (found := differing(there, standing(one))), f"{found} {traveller.went}"
        while one.undo() is not None:
            pass
        checked(given, one, traveller.went)
        report = one.run(max_cycles=CYCLES)
        assert replace(report, memory_hash=ended.memory_hash) == ended, traveller.went
        checked(given, one, traveller.went)


@pytest.mark.parametrize("seed", part(range(8), 2))
def test_a_mark_leads_to_its_own_future(seed: int) -> None:
    draw = random.Random(f"marks {seed}")
    one = session(made(LOOP), keep=draw.choice(KEEPS))
    traveller, marked = Traveller(one, draw), {}
    for n in range(8):
        traveller.move()
        if draw.random() < 0.7:
            traveller.change()
        one.mark(f"here{n}")
        marked[f"here{n}"] = one.moment, standing(one)
    for _ in range(12):
        name = draw.choice(list(marked))
        one.goto(name)
        moment, there = marked[name]
        assert one.moment == moment
        assert not (found := differing(there, standing(one))), f"{found} {traveller.went}"
        for _ in range(draw.randrange(3)):
            traveller.move()


class Starved(Observer):
    """Finds no memory when an instruction starts."""

    def started(self, queue: Queue, task: Task, now: int) -> None:
        raise MemoryError


def test_an_instruction_of_the_past_that_breaks_off_leaves_the_present_as_it_was() -> None:
    one, other = (Session(Source("halves.nasm", HALVES)) for _ in range(2))
    for run in (one, other):
        run.step()
        run.step()

    def look() -> None:
        with one.past.excursion() as now:
            one.past.goto(Moment(0, 0, 0, False))
            one.past.replay(now, Starved())

    with pytest.raises(MemoryError):
        look()
    assert one.now == other.now
    assert one.run() == other.run()


class Point:
    """What of a checkpoint decides whether it is kept."""

    def __init__(self) -> None:
        self.work, self.pinned = 0.02, False


def thinned(count: int) -> list[float]:
    """What is between checkpoints when so many are left of a hundred."""
    points = [Point() for _ in range(100)]
    while len(points) > count:
        for point, after in past.Past._cheapest_to_drop(points):
            after.work += point.work
            points.remove(point)
    return [point.work for point in points]


def test_no_moment_gets_further_than_its_reach_while_there_is_room() -> None:
    works = thinned(35)
    assert sum(works) == pytest.approx(2.0)
    assert max(works) <= past.REACH


def test_where_there_is_no_room_what_is_long_ago_goes_first() -> None:
    works = thinned(10)
    assert max(works[:5]) > 2 * max(works[-3:])
