"""Where the time went: every tick of a queue is busy or waits for something named."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.sim.counters import TRANSFER
from nasm.sim.queues import Queue
from tests.parts import part

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


@pytest.mark.parametrize("path", part(PROGRAMS, 8), ids=lambda path: path.stem)
def test_busy_and_waiting_ticks_are_all_there_are(path: Path) -> None:
    session = Session.load(source_of(path))
    session.run(hashes=False)
    for queue in session.machine.scheduler.queues:
        busy, idle = queue.times(session.now)
        assert busy + sum(idle.values()) == session.now, queue.engine
        assert queue.busy + sum(queue.waiting.values()) == queue.busy_until, queue.engine


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda path: path.stem)
def test_so_they_are_wherever_a_run_is_stopped(path: Path) -> None:
    session = Session.load(source_of(path))
    total = Session.load(source_of(path)).run(hashes=False).ticks
    for until in range(0, total, total // 50):
        session.machine.run(10**9, until)
        for queue in session.machine.scheduler.queues:
            busy, idle = queue.times(session.now)
            assert busy + sum(idle.values()) == session.now == until, queue.engine
            assert min([busy, *idle.values()]) >= 0


def test_idle_ticks_are_charged_to_the_cause_and_busy_ones_to_nothing() -> None:
    queue = Queue(0, "engine", 0, 1, lambda pc: pytest.fail("nothing is fetched"))
    queue.cause = "data"
    queue.account(1)  # tick 0 was idle
    assert queue.waiting["data", None] == 1
    queue.busy_until = 5  # ticks 1 to 4 are busy
    queue.account(5)
    assert queue.waiting["data", None] == 1
    queue.cause, queue.poster = "semaphore", 3
    queue.account(6)  # tick 5 was idle
    assert queue.waiting == {("data", None): 1, ("semaphore", 3): 1}


def test_a_wait_is_charged_to_what_posted_last_and_what_comes_after_the_end_to_nothing() -> None:
    text = """\
.target trn2
.hbm X f32[128, 64] input = iota
.sbuf a f32[128, 64]
.sbuf b f32[128, 64]
.sem loaded, filled, done
@sync   DmaCopy a, X         $loaded += 16
@gpsimd Memset b, 1.0        $filled++
@vector TensorCopy a, a      $loaded >= 16   $done++
@scalar Activation b, b, op=copy  $filled >= 1
@tensor EventSemaphore       $done >= 1
"""
    session = Session.load(Source("waits", text))
    session.run()
    idle = {q.engine: q.times(session.now)[1] for q in session.machine.scheduler.queues}
    index = {q.engine: q.index for q in session.machine.scheduler.queues}
    assert set(idle["vector"]) == {("semaphore", TRANSFER), ("empty", None)}
    assert set(idle["scalar"]) == {("semaphore", index["gpsimd"]), ("empty", None)}
    assert set(idle["tensor"]) == {("semaphore", index["vector"])}
    assert set(idle["sync"]) == {("empty", None)}
