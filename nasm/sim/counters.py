"""Semaphores: signed 32-bit counters that queues wait on."""

from __future__ import annotations

from nasm.problems import Refused

LOWEST, HIGHEST = -(2**31), 2**31 - 1

class Semaphore:
    """A counter, when it last changed, and who is parked on it."""

    __slots__ = ("before", "changed", "delay", "parked", "value")

    def __init__(self) -> None:
        self.value = 0
        self.before = 0
        self.changed = 0
        self.delay = 0
        self.parked: list[int] = []

    def post(self, op: str, value: int, now: int, delay: int) -> None:
        """Change the value; a waiter sees the change ``delay`` ticks later."""
        new = self.value + value if op == "+" else value
        if not LOWEST <= new <= HIGHEST:
            raise Refused(
                "E0504",
                f"a semaphore holds 32 bits, signed: {self.value} and {value} make {new}",
            )
        self.before, self.value, self.changed, self.delay = self.value, new, now, delay

    def visible(self, op: str, value: int, now: int) -> int | None:
        """When a condition is seen to hold, at the earliest ``now``; None if it does not hold."""
        if not holds(self.value, op, value):
            return None
        seen = self.changed + self.delay
        if seen > now and not holds(self.before, op, value):
            return seen
        return now


def holds(have: int, op: str, want: int) -> bool:
    """Whether a semaphore's value meets a wait."""
    return have >= want if op == ">=" else have == want
