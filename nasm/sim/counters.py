"""Semaphores, signed 32-bit counters that queues wait on, and events, which are one bit."""

from __future__ import annotations

from bisect import insort
from operator import attrgetter
from typing import Any, NamedTuple

from nasm.base.problems import Refused

LOWEST, HIGHEST = -(2**31), 2**31 - 1

_visible_at = attrgetter("at")

Who = tuple[int, int]
"""A queue and the pc of its instruction."""

TRANSFER = -1
"""In place of the number of a queue where a transfer posts."""


class Post(NamedTuple):
    """A change that waiters have yet to see: from a tick on, and who made it.

    ``by`` is the instruction, ``record`` the number of its start or of the shares that landed, and
    ``poster`` its queue, or :data:`TRANSFER`. Who changes it by hand is None, with no record.
    """

    at: int
    op: str
    value: int
    by: Who | None
    record: int
    poster: int | None


class Semaphore:
    """A counter: its value, what waiters see of it, and which queues wait for it.

    A post changes the value at once, and a waiter sees it some ticks later; posts with different
    delays are seen in the order in which these are over. ``seen`` is what was visible at the last
    tick that was asked about, ``pending`` what was not. ``last`` is the post that changed the value
    last, ``replaced`` the last one that did not add to it, with what the value had been before.
    """

    __slots__ = ("last", "parked", "pending", "replaced", "seen", "value")

    def __init__(self) -> None:
        self.value = 0
        self.seen = 0
        self.last: Post | None = None
        self.replaced: tuple[Post, int] | None = None
        self.pending: list[Post] = []
        self.parked: list[int] = []

    @property
    def by(self) -> Who | None:
        """The instruction that changed it last."""
        return self.last.by if self.last else None

    def post(self, post: Post, now: int) -> bool:
        """Change the value now; returns whether the post was proper, as one to a counter is."""
        if post.op == "+":
            new = self.value + post.value
        else:
            new, self.replaced = post.value, (post, self.value)
        if not LOWEST <= new <= HIGHEST:
            raise Refused(
                "E0504", f"a semaphore is a signed 32-bit integer: {self.value} would become {new}"
            )
        self.value, self.last = new, post
        pending = self.pending
        if pending:
            if pending[0].at <= now:
                self._settle(now)
            if pending and post.at < pending[-1].at:
                insort(pending, post, key=_visible_at)
            else:
                pending.append(post)
        elif post.at > now:
            pending.append(post)
        else:
            self.seen = new
        return True

    def put(self, value: int, now: int) -> None:
        """Change the value by hand: waiters see that at once."""
        post = Post(now, "=", value, None, -1, None)
        self.replaced, self.last = (post, self.value), post
        self.value = self.seen = value
        self.pending.clear()

    def _settle(self, now: int) -> None:
        """See what is visible by now of what is pending; the first of it is."""
        pending, count = self.pending, 0
        for post in pending:
            if post.at > now:
                break
            self.seen = self.seen + post.value if post.op == "+" else post.value
            count += 1
        del pending[:count]

    def visible(self, op: str, value: int, now: int) -> tuple[int, Post | None] | None:
        """When a condition is seen to hold, at the earliest ``now``, and which post makes it so.

        None if it does not hold, be that seen already or not; the post is None where it is seen
        to hold now.
        """
        have, least = self.value, op == ">="  # as holds does, which costs a call
        if have < value or (have > value and not least):
            return None
        pending = self.pending
        if pending and pending[0].at <= now:
            self._settle(now)
        seen = self.seen
        if seen >= value and (least or seen == value):
            return now, None
        for post in pending:
            seen = seen + post.value if post.op == "+" else post.value
            if seen >= value and (least or seen == value):
                return post.at, post
        return None

    def save(self) -> Any:
        """Everything that changes."""
        queues = tuple(self.pending), tuple(self.parked)
        return self.value, self.seen, self.last, self.replaced, *queues

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.value, self.seen, self.last, self.replaced, pending, parked = saved
        self.pending, self.parked = list(pending), list(parked)


class EventBit(Semaphore):
    """One bit. Setting it while it is set, or clearing it while it is clear, changes nothing."""

    __slots__ = ()

    def post(self, post: Post, now: int) -> bool:
        """Set or clear it; returns whether that changed it, as it should."""
        if post.value == self.value:
            return False
        return super().post(post._replace(op="="), now)


class Counters(dict[int, Semaphore]):
    """The semaphores and events of all cores by number, each made when it is first used.

    Those of a core have consecutive numbers: its ``semaphores``, then its events.
    """

    def __init__(self, semaphores: int, events: int) -> None:
        super().__init__()
        self.semaphores, self.per_core = semaphores, max(1, semaphores + events)

    def __missing__(self, number: int) -> Semaphore:
        kind = Semaphore if number % self.per_core < self.semaphores else EventBit
        made = self[number] = kind()
        return made

    def save(self) -> Any:
        """Every one that was made."""
        return {number: semaphore.save() for number, semaphore in self.items()}

    def restore(self, saved: Any) -> None:
        """As they were; those made since are made again when they are used."""
        for number in self.keys() - saved.keys():
            del self[number]
        for number, state in saved.items():
            self[number].restore(state)


def holds(have: int, op: str, want: int) -> bool:
    """Whether a semaphore's value satisfies a wait."""
    return have >= want if op == ">=" else have == want
