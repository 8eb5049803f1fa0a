"""Counters that go below 0: more was taken than had been posted."""

from __future__ import annotations

from typing import Any

from nasm.program.program import Program
from nasm.sim.counters import Post, Semaphore, Who
from nasm.sim.events import Observer

SHOWN = 3
"""How many instructions that took from a counter are shown."""


class BelowZero(Observer):
    """Remembers of each counter that went below 0 when it did, how far, and who took from it.

    ``needed`` says whether the program can do so at all.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.needed = self.would(program)
        self.first: dict[int, tuple[int, int]] = {}
        self.lowest: dict[int, int] = {}
        self.takers: dict[int, tuple[Who, ...]] = {}

    @staticmethod
    def would(program: Program) -> bool:
        """Whether something in a program takes from a counter."""
        return any(u and u.op == "+" and u.value < 0 for u in program.updates)

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Notice who takes what is not there."""
        if semaphore.last is not None:
            self.changed(number, now, semaphore.value, semaphore.last)

    def changed(self, number: int, now: int, value: int, last: Post) -> None:
        """A post has made a counter what it is."""
        if value >= 0 or last.op != "+" or last.value >= 0:
            return
        assert last.by is not None
        self.first.setdefault(number, (now, value - last.value))
        self.lowest[number] = min(value, self.lowest.get(number, 0))
        takers = self.takers.get(number, ())
        if len(takers) < SHOWN and last.by not in takers:
            self.takers[number] = (*takers, last.by)

    def save(self) -> Any:
        """What it has seen."""
        return dict(self.first), dict(self.lowest), dict(self.takers)

    def restore(self, saved: Any) -> None:
        """Forget what it has seen since."""
        self.first, self.lowest, self.takers = (dict(part) for part in saved)
