"""Numbers of semaphores and events: chosen by the program, or the next one that is free."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.isa.generation import Generation


class CounterAllocation:
    """Which semaphores and events of which core are taken, and by whom."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._holders: dict[int, tuple[str, bool]] = {}
        self._next: dict[tuple[int, bool], int] = {}

    def free(self, core: int, event: bool, number: int | None) -> int:
        """The index among those of all cores of a number, or of the next one that is free."""
        generation = self._generation
        what = "event" if event else "semaphore"
        count = generation.events if event else generation.semaphores
        base = core * generation.counters + (generation.semaphores if event else 0)
        if number is not None and not 0 <= number < count:
            text = f"a core has 0 to {count - 1}" if count else f"{generation.summary} has none"
            raise Refused("E0312", f"{what} {number}: {text}")
        if number is not None and base + number in self._holders:
            name, chosen = self._holders[base + number]
            raise Refused(
                "E0312",
                f"{what} {number} {'is already' if chosen else 'was already given to'} ${name}",
                "" if chosen else f"declare numbered {what}s before those without a number",
            )
        if number is None:
            number = self._next.get((core, event), 0)
            while base + number in self._holders:
                number += 1
            self._next[core, event] = number
        if number >= count:
            text = f"a core has {count} {what}s, and all are declared"
            raise Refused("E0312", text if count else f"{generation.summary} has no {what}s")
        return base + number

    def give(self, name: str, index: int, chosen: bool) -> None:
        """Let a name have one; ``chosen`` says that the program chose the number."""
        self._holders[index] = (name, chosen)
