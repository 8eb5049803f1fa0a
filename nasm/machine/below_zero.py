"""Counters that go below 0: more was taken than had been posted."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Note, Problem, Severity
from nasm.program.program import Program
from nasm.sim.counters import Semaphore, Who
from nasm.sim.events import Observer

BELOW_ZERO = "E0520"

SHOWN = 3
"""How many instructions that took from a counter are shown."""


class BelowZero(Observer):
    """Remembers of each counter that went below 0 when it did, how far, and who took from it.

    ``needed`` says whether the program can do so at all.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.needed = self.would(program)
        self._first: dict[int, tuple[int, int]] = {}
        self._lowest: dict[int, int] = {}
        self._takers: dict[int, tuple[Who, ...]] = {}

    @staticmethod
    def would(program: Program) -> bool:
        """Whether something in a program takes from a counter."""
        return any(u and u.op == "+" and u.value < 0 for u in program.updates)

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Notice who takes what is not there."""
        last = semaphore.last
        if semaphore.value >= 0 or last is None or last.op != "+" or last.value >= 0:
            return
        assert last.by is not None
        before = semaphore.value - last.value
        self._first.setdefault(number, (now, before))
        self._lowest[number] = min(semaphore.value, self._lowest.get(number, 0))
        takers = self._takers.get(number, ())
        if len(takers) < SHOWN and last.by not in takers:
            self._takers[number] = (*takers, last.by)

    def warnings(self) -> tuple[Problem, ...]:
        """One for each counter that was below 0."""
        return tuple(self._warning(number) for number in self._first)

    def _warning(self, number: int) -> Problem:
        program = self.program
        (now, before), takers = self._first[number], self._takers[number]
        name, lowest = f"${program.semaphore_name(number)}", self._lowest[number]
        queue, pc = takers[0]
        update = program.updates[program.queues[queue].updates[pc]]
        assert update is not None
        said = (
            f"{self._who(takers[0])} takes {-update.value} from {name} when it is {before} "
            f"(at {now / program.generation.ticks:.3f} µs): it goes below 0"
        )
        if lowest < before + update.value:
            said += f", and to {lowest} later"
        notes = tuple(
            Note(f"{self._who(who)} takes what is not there, too", program.span(*who), excerpt=True)
            for who in takers[1:]
        )
        wait = program.waits[program.queues[queue].waits[pc]]
        hint = f"let it wait until {-update.value} is there: {name} >= {-update.value}"
        if wait is not None and wait.semaphore == number:
            hint = (
                "a wait takes nothing: several may pass with what one of them takes; let each wait "
                "for a counter of its own, or let one queue take for all"
            )
        return Problem(BELOW_ZERO, said, program.span(queue, pc), hint, notes, Severity.WARNING)

    def _who(self, who: Who) -> str:
        name = self.program.instruction(*who).row.name
        return f"{self.program.queue_name(who[0])} pc {who[1]} ({name})"

    def save(self) -> Any:
        """What it has seen."""
        return dict(self._first), dict(self._lowest), dict(self._takers)

    def restore(self, saved: Any) -> None:
        """Forget what it has seen since."""
        self._first, self._lowest, self._takers = (dict(part) for part in saved)
