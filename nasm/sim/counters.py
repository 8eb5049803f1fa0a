"""Semaphores, signed 32-bit counters that queues wait on, and events, which are one bit."""

from __future__ import annotations

from typing import Any

from nasm.problems import Refused

LOWEST, HIGHEST = -(2**31), 2**31 - 1

Who = tuple[int, int]
"""A queue and the pc of its instruction."""

TRANSFER = -1
"""Stands for the number of a queue where a transfer posts."""


class Semaphore:
    """A counter, when and by whom it was last changed, and which queues are parked on it.

    ``by`` is the instruction that changed it, ``record`` the number of its start or of the shares
    that landed, and ``poster`` the queue, or :data:`TRANSFER`.
    """

    __slots__ = ("before", "by", "changed", "delay", "parked", "poster", "record", "value")

    def __init__(self) -> None:
        self.value = 0
        self.before = 0
        self.changed = 0
        self.delay = 0
        self.by: Who | None = None
        self.record = -1
        self.poster: int | None = None
        self.parked: list[int] = []

    def post(self, op: str, value: int, now: int, delay: int, by: Who) -> bool:
        """Change the value; a waiter sees the change ``delay`` ticks later.

        Returns whether the post was proper, as one to a counter always is.
        """
        new = self.value + value if op == "+" else value
        if not LOWEST <= new <= HIGHEST:
            raise Refused(
                "E0504", f"a semaphore is a signed 32-bit integer: {self.value} would become {new}"
            )
        self.before, self.value, self.changed, self.delay = self.value, new, now, delay
        self.by = by
        return True

    def visible(self, op: str, value: int, now: int) -> int | None:
        """When a condition is seen to hold, at the earliest ``now``; None if it does not hold."""
        if not holds(self.value, op, value):
            return None
        seen = self.changed + self.delay
        if seen > now and not holds(self.before, op, value):
            return seen
        return now

    def save(self) -> Any:
        """Everything that changes."""
        numbers = (self.value, self.before, self.changed, self.delay)
        return numbers, (self.by, self.record, self.poster), tuple(self.parked)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        numbers, (self.by, self.record, self.poster), parked = saved
        self.value, self.before, self.changed, self.delay = numbers
        self.parked = list(parked)


class Event(Semaphore):
    """One bit. Setting it while it is set, or clearing it while it is clear, changes nothing."""

    __slots__ = ()

    def post(self, op: str, value: int, now: int, delay: int, by: Who) -> bool:
        """Set or clear it; returns whether that changed it, as it should."""
        if value == self.value:
            return False
        return super().post("=", value, now, delay, by)


class Counters(dict[int, Semaphore]):
    """The semaphores and events of all cores by number, each made when it is first used.

    Those of a core have consecutive numbers: its ``semaphores``, then its events.
    """

    def __init__(self, semaphores: int, events: int) -> None:
        super().__init__()
        self.semaphores, self.per_core = semaphores, max(1, semaphores + events)

    def __missing__(self, number: int) -> Semaphore:
        kind = Semaphore if number % self.per_core < self.semaphores else Event
        made = self[number] = kind()
        return made

    def save(self) -> Any:
        """Every one that was made."""
        return {number: semaphore.save() for number, semaphore in self.items()}

    def restore(self, saved: Any) -> None:
        """As they were; those made since are made anew when they are used."""
        for number in self.keys() - saved.keys():
            del self[number]
        for number, state in saved.items():
            self[number].restore(state)


def holds(have: int, op: str, want: int) -> bool:
    """Whether a semaphore's value satisfies a wait."""
    return have >= want if op == ">=" else have == want
