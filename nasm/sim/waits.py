"""Waits of queues for semaphores, and the posts that end them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from nasm.sim.counters import TRANSFER, Counters, Post, Who, holds
from nasm.sim.queues import NEVER, Queue

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time


class WaitHost(Protocol):
    """What waits and posts need of a scheduler."""

    now: int
    acting: Who
    record: int
    queues: list[Queue]
    listeners: Mapping[str, tuple[Callable[..., None], ...]]
    """The observers of an event."""

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""


class Waits:
    """Parks queues until a semaphore is as they want it, and wakes them."""

    def __init__(self, host: WaitHost, semaphores: Counters) -> None:
        self.host, self.semaphores = host, semaphores

    def over(self, queue: Queue, now: int) -> bool:
        """Whether the wait of a queue's head is over; if not, parks the queue or tries again."""
        assert queue.wait is not None
        number, op, value = queue.wait
        semaphore = self.semaphores[number]
        if not queue.parked:
            found = semaphore.visible(op, value, now)
            if found is None or found[1] is not None:
                queue.parked, queue.due = True, NEVER
                queue.cause, queue.poster, queue.because = "semaphore", None, -1
                queue.blocker = semaphore.by
                semaphore.parked.append(queue.index)
                if found is not None:
                    self._wake(queue, found)
                return False
        else:
            queue.parked = False
            semaphore.parked.remove(queue.index)
        queue.waited = True
        for tell in self.host.listeners["waited"]:
            tell(queue, number, semaphore.by if queue.cause != "semaphore" else queue.blocker, now)
        return True

    def vain(self, queue: Queue) -> bool:
        """Whether a queue's next task waits for what its semaphore is not."""
        if queue.wait is None or queue.waited:
            return False
        number, op, value = queue.wait
        return self.semaphores[number].visible(op, value, self.host.now) is None

    def _wake(self, queue: Queue, found: tuple[int, Post | None]) -> None:
        """Let a parked queue continue at the tick at which it sees what it waits for."""
        at, post = found
        assert post is not None
        queue.blocker = post.by
        queue.because, queue.poster = post.record, post.poster
        self.host.retry(queue, at)

    def post(self, number: int, op: str, value: int, delay: int, poster: int | None = None) -> None:
        """Change a semaphore now; a queue that waits for it may start ``delay`` later.

        ``poster`` is the queue that acts, or ``TRANSFER``.
        """
        host, semaphore = self.host, self.semaphores[number]
        now, acting = host.now, host.acting
        who = acting[0] if poster is None else poster
        post = _tuple(Post, (now + delay, op, value, acting, host.record, who))
        if not semaphore.post(post, now):
            for tell in host.listeners["unchanged"]:
                tell(number, semaphore, acting, now)
            return
        for tell in host.listeners["posted"]:
            tell(number, semaphore, now)
        for index in semaphore.parked:
            queue = host.queues[index]
            assert queue.wait is not None
            _, compare, want = queue.wait
            if semaphore.value < want:
                continue
            found = semaphore.visible(compare, want, now)
            if found is not None and found[0] < queue.due:
                self._wake(queue, (found[0], found[1] or post))

    def put(self, number: int, value: int) -> None:
        """Change a semaphore by hand: queues that wait for it see that at once."""
        now, semaphore = self.host.now, self.semaphores[number]
        semaphore.put(value, now)
        for tell in self.host.listeners["posted"]:
            tell(number, semaphore, now)
        for index in semaphore.parked:
            queue = self.host.queues[index]
            assert queue.wait is not None
            if not holds(value, *queue.wait[1:]):
                queue.due, queue.blocker = NEVER, None
                queue.because, queue.poster = -1, None
            elif queue.due != now:
                assert semaphore.last is not None
                self._wake(queue, (now, semaphore.last))

    def count(self, number: int, shares: int, notify: int) -> None:
        """Post 1 for each of some shares: at once, unless a queue waits for one of the values."""
        for index in self.semaphores[number].parked:
            wait = self.host.queues[index].wait
            if wait is not None and wait[1] == "==":
                break
        else:
            self.post(number, "+", shares, notify, TRANSFER)
            return
        for _ in range(shares):
            self.post(number, "+", 1, notify, TRANSFER)
