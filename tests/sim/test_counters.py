"""Semaphores: what a waiter sees of posts, each after its own delay."""

from __future__ import annotations

import pytest

from nasm.sim.counters import Post, Semaphore
from nasm.sim.scheduler import Scheduler
from tests.sim.test_events import Bench, work


def posted(semaphore: Semaphore, now: int, delay: int, value: int = 1, op: str = "+") -> Post:
    post = Post(now + delay, op, value, (0, 0), now, 0)
    assert semaphore.post(post, now)
    return post


def test_a_post_changes_the_value_at_once_and_is_seen_later() -> None:
    semaphore = Semaphore()
    post = posted(semaphore, 10, 40)
    assert semaphore.value == 1
    assert semaphore.visible(">=", 1, 12) == (50, post)
    assert semaphore.visible(">=", 1, 50) == (50, None)
    assert semaphore.visible(">=", 2, 50) is None


def test_each_of_several_posts_is_seen_after_its_own_delay() -> None:
    semaphore = Semaphore()
    slow = posted(semaphore, 0, 300, 16)
    quick = posted(semaphore, 10, 40)
    assert semaphore.visible(">=", 1, 20) == (50, quick)
    assert semaphore.visible(">=", 17, 20) == (300, slow)
    assert semaphore.visible(">=", 1, 60) == (60, None)
    assert semaphore.visible(">=", 2, 60) == (300, slow)


def test_a_later_post_does_not_hurry_an_earlier_one() -> None:
    semaphore = Semaphore()
    first = posted(semaphore, 0, 40)
    posted(semaphore, 30, 40)
    assert semaphore.visible(">=", 1, 35) == (40, first)


def test_what_holds_no_more_is_not_seen_to_hold() -> None:
    semaphore = Semaphore()
    posted(semaphore, 0, 40)
    posted(semaphore, 5, 40, 0, "=")
    assert semaphore.visible(">=", 1, 40) is None
    assert semaphore.visible("==", 0, 50) == (50, None)


def test_what_is_saved_comes_back() -> None:
    semaphore = Semaphore()
    posted(semaphore, 0, 40)
    saved = semaphore.save()
    posted(semaphore, 1, 40)
    semaphore.visible(">=", 2, 60)
    semaphore.restore(saved)
    assert (semaphore.value, semaphore.visible(">=", 1, 0)) == (1, (40, semaphore.pending[0]))


@pytest.mark.parametrize(("quick", "at"), [(3, 7), (60, 50)])
def test_a_queue_that_was_to_go_on_later_goes_on_with_a_quicker_post(quick: int, at: int) -> None:
    bench = Bench(delay=1)
    scheduler: Scheduler = bench.scheduler

    def later(now: int) -> None:
        scheduler.waits.post(2, "+", 1, 50 - now)  # seen at 50

    bench.queue({"work": work(start=later)})
    bench.queue({"ticks": quick + 3, "update": (2, "+", 1, False)})
    bench.queue({"wait": (2, ">=", 1)})
    (start,) = (line for line in bench.ran("started") if line[1] == 2)
    assert start[3:] == (at, "semaphore", (1, 0) if at == 7 else (0, 0))
