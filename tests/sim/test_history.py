"""The history of a run: a row for every record, by its number, and back to a checkpoint."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.sim.counters import TRANSFER, Post
from nasm.sim.events import Observer
from nasm.sim.history import (
    ARRIVAL,
    CAUSES,
    INSTRUCTION,
    MADE,
    NO_QUEUE,
    READY,
    SHARES,
    History,
    PostHistory,
)
from nasm.sim.queues import Queue, Task
from nasm.sim.recording import Recording
from tests.machine.everything import differences, everything
from tests.parts import part
from tests.sim.random_runs import Run, drawn

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


class Numbers(Observer):
    """The numbers of all starts, by queue and pc."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, int, int]] = []

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.found.append((queue.record, queue.index, queue.pc, now))


def test_the_row_of_a_record_is_at_its_number() -> None:
    kinds: set[int] = set()
    for seed in part(range(200), 40):
        history, numbers = History(), Numbers()
        run = Run(drawn(random.Random(seed)), history, numbers)
        assert len(history) == run.scheduler.records
        for number, queue, pc, now in numbers.found:
            row = history[number]
            assert (row.kind, row.queue, row.pc, row.start) == (INSTRUCTION, queue, pc, now)
        for row in map(history.__getitem__, range(len(history))):
            kinds.add(row.kind)
            assert row.head <= row.start <= row.until
            assert row.start <= row.own <= row.finish
            assert row.until <= row.finish
    assert kinds == {INSTRUCTION, READY, ARRIVAL, MADE, SHARES}


MOVED = """\
.target trn2
.hbm X f32[128, 64] input = iota
.sbuf a f32[128, 64]
.sem loaded
@sync   DmaCopy a, X, queue=3 $loaded += 16
@vector TensorCopy a, a       $loaded >= 16
"""


def test_a_row_says_what_let_its_record_happen_and_how_long_that_took() -> None:
    session, history = Session(MOVED), History()
    session.machine.scheduler.observe(history)
    session.run()
    issue, shares, copy = (history[n] for n in range(3))
    assert len(history) == 3
    assert (issue.kind, issue.start, issue.because, issue.poster) == (INSTRUCTION, 0, -1, NO_QUEUE)
    assert (shares.kind, shares.because, shares.issuer, shares.ring) == (SHARES, 0, 0, 3)
    assert (shares.channels, shares.bytes) == (2**16 - 1, 128 * 64 * 4)
    assert CAUSES[shares.cause] == "arrival"
    assert CAUSES[copy.cause] == "semaphore"
    assert (copy.because, copy.poster) == (1, TRANSFER)
    posts = history.posts[copy.semaphore]
    assert (posts.ticks[copy.nth], posts.seen[copy.nth]) == (shares.finish, copy.start)
    assert posts.values[copy.nth] == 16
    assert history.column("start").tolist() == [0, shares.start, copy.start]
    with pytest.raises(IndexError, match="record 3 of 3"):
        history[3]


def made(posts: PostHistory, *given: tuple[int, str, int, int]) -> PostHistory:
    """With posts, each as the tick at which it is made, what it does, and when that is seen."""
    for record, (now, op, value, at) in enumerate(given):
        posts.add(Post(at, op, value, (0, 0), record, 0), now)
    return posts


def test_a_wait_is_for_the_post_since_which_it_has_held() -> None:
    posts = made(PostHistory(), (1, "+", 1, 2), (2, "+", 2, 3), (4, "=", 1, 5), (6, "+", 4, 7))
    assert list(posts.values) == [1, 3, 1, 5]
    assert posts.since(">=", 0, 9) == -1  # always
    assert posts.since(">=", 1, 9) == 0
    assert posts.since(">=", 2, 9) == 3  # it held before, and then not
    assert posts.since(">=", 2, 4) == 1
    assert posts.since("==", 1, 5) == 2


def test_posts_are_in_the_order_in_which_they_are_seen() -> None:
    posts = made(PostHistory(), (1, "+", 1, 9), (2, "+", 2, 5), (3, "=", 7, 10))
    assert list(posts.records) == [1, 0, 2]
    assert list(posts.values) == [2, 3, 7]
    made(posts, (4, "+", 1, 6))
    assert list(posts.values) == [2, 3, 4, 7]


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda path: path.stem)
def test_a_history_goes_back_to_a_checkpoint(path: Path) -> None:
    def rows(history: History) -> list[Any]:
        return [history[n] for n in range(len(history))]

    session = Session.load(source_of(path))
    observers = History(), Recording()
    for observer in observers:
        session.machine.scheduler.observe(observer)
    start = session.checkpoint()
    while session.machine.run(50):
        pass
    ended, count = rows(observers[0]), len(observers[0])
    session.back_to(start)
    assert len(observers[0]) == 0
    session.machine.run(count)
    middle, then = session.checkpoint(), everything(observers)
    session.machine.run(count)
    session.back_to(middle)
    assert differences(then, everything(observers)) == []
    while session.machine.run(50):
        pass
    assert rows(observers[0]) == ended


def test_a_history_of_a_program_without_instructions_is_empty() -> None:
    session, history = Session.load(Source("empty", ".target trn2\n")), History()
    session.machine.scheduler.observe(history)
    session.run()
    assert len(history) == 0
