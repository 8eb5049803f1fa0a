"""Where the time went: every tick of a queue is busy or waits for something named."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.api import source_of
from nasm.session import Session
from nasm.sim.queues import Queue, Task
from nasm.sim.scheduler import Scheduler
from nasm.sim.trace import Trace

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_busy_and_waiting_ticks_are_all_there_are(path: Path) -> None:
    session = Session.load(source_of(path))
    session.run(hashes=False)
    for queue in session.machine.scheduler.queues:
        assert queue.busy + sum(queue.waiting.values()) == queue.busy_until, queue.name


def test_idle_ticks_are_charged_to_the_cause_and_busy_ones_to_nobody() -> None:
    queue = Queue(0, "engine", 0, 1, lambda pc: Task(0, lambda now: None, print, 1, 1), 1)
    queue.cause = "data"
    queue.account(1)  # tick 0 was idle
    assert queue.waiting["data"] == 1
    queue.busy_until = 5  # ticks 1 to 4 are busy
    queue.account(5)
    assert queue.waiting["data"] == 1
    queue.cause = "semaphore"
    queue.account(6)  # tick 5 was idle
    assert queue.waiting == {"data": 1, "semaphore": 1, "unit": 0, "core": 0}


# -- units with parts, and spare ones


class Silent:
    """Nobody is told of anything."""

    def race(self, *_: object) -> None:
        raise AssertionError("no access was declared")

    def twice(self, *_: object) -> None:
        raise AssertionError("no event was declared")


def timed(*tasks: Task) -> list[int]:
    """When tasks start that come one after the other on one queue."""
    queue = Queue(0, "engine", 0, len(tasks), lambda pc: tasks[pc], 8)
    scheduler = Scheduler([], 1, [], 0, Silent(), Trace())
    scheduler.add_queue(queue)
    scheduler.run(1000)
    return [started for _, _, _, _, started, _ in scheduler.trace.instructions]


def busy(ticks: int, unit: int = 1, parts: tuple[int, ...] = (), spare: int = 0) -> Task:
    return Task(0, lambda now: None, lambda *_: None, ticks, ticks, unit, parts=parts, spare=spare)


def test_tasks_in_different_parts_of_a_unit_run_side_by_side() -> None:
    assert timed(busy(10, parts=(2,)), busy(10, parts=(3,)), busy(10, parts=(2,))) == [0, 1, 10]


def test_the_whole_unit_waits_for_every_part_and_a_part_for_the_whole() -> None:
    tasks = busy(10, parts=(2,)), busy(30, parts=(3,)), busy(5), busy(5, parts=(2,))
    assert timed(*tasks) == [0, 1, 31, 36]


def test_a_part_that_overlaps_two_others_waits_for_both() -> None:
    tasks = busy(10, parts=(2,)), busy(30, parts=(3,)), busy(5, parts=(2, 3)), busy(5, parts=(4,))
    assert timed(*tasks) == [0, 1, 31, 32]


def test_a_spare_unit_serves_while_the_unit_is_busy() -> None:
    tasks = [busy(10, 1, spare=2)] * 4
    assert timed(*tasks) == [0, 1, 10, 11]
    assert timed(busy(10, 2), busy(10, 1, spare=2), busy(10, 2)) == [0, 1, 10]
