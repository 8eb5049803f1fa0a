"""Where the time went: every tick of a queue is busy or waits for something named."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.session import Session
from nasm.sim.queues import Queue
from nasm.source_files import source_of

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_busy_and_waiting_ticks_are_all_there_are(path: Path) -> None:
    session = Session.load(source_of(path))
    session.run(hashes=False)
    for queue in session.machine.scheduler.queues:
        assert queue.busy + sum(queue.waiting.values()) == queue.busy_until, queue.engine


def test_idle_ticks_are_charged_to_the_cause_and_busy_ones_to_nobody() -> None:
    queue = Queue(0, "engine", 0, 1, lambda pc: pytest.fail("nothing is fetched"))
    queue.cause = "data"
    queue.account(1)  # tick 0 was idle
    assert queue.waiting["data"] == 1
    queue.busy_until = 5  # ticks 1 to 4 are busy
    queue.account(5)
    assert queue.waiting["data"] == 1
    queue.cause = "semaphore"
    queue.account(6)  # tick 5 was idle
    assert queue.waiting == {"data": 1, "semaphore": 1, "unit": 0, "core": 0}
