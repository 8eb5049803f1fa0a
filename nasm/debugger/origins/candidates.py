"""Which stretches of a run may hold a write, known from the pcs of its queues at both ends.

What a queue without branches executed in a stretch follows from how many of its instructions had
started and completed. So most stretches need not be run again to say that they hold no write.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass
from nasm.debugger.origins.elements import TensorElements
from nasm.debugger.origins.origins import EngineElements, Place, RegisterOrigin
from nasm.isa.effects import Jump, RankExchange, Rendezvous
from nasm.machine import Machine
from nasm.machine.writers import Writers
from nasm.program.program import Program
from nasm.sim.counters import Who
from nasm.views.regions import Region
from nasm.views.view import Reg

Pcs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RunPosition:
    """The position of a machine: by queue how many instructions have completed and started.

    ``flying`` issued the transfers in flight; ``records`` counts the starts of all kinds.
    """

    completed: tuple[int, ...]
    started: tuple[int, ...]
    flying: frozenset[Who]
    records: int

    @staticmethod
    def of(machine: Machine) -> RunPosition:
        """Its position now."""
        scheduler = machine.scheduler
        return RunPosition(
            tuple(queue.count for queue in scheduler.queues),
            tuple(queue.started for queue in scheduler.queues),
            frozenset(flight.origin for flight in scheduler.transfers.values()),
            scheduler.records,
        )


class Chances:
    """What may have been written between two moments of a run."""

    def __init__(self, program: Program, writers: Writers) -> None:
        self.program, self.writers = program, writers
        self.straight = [_straight(program, queue) for queue in range(len(program.queues))]

    def writing(self, place: Place, regions: tuple[Region, ...]) -> list[tuple[Pcs, Pcs, Pcs]]:
        """By queue the pcs that write a place: when they start, complete, or their data lands."""
        numbers = self._numbers(place, regions)
        instructions = self.program.instructions
        moving = {n for n in numbers if instructions[n].row.moves}
        at_start = numbers if isinstance(place, EngineElements) else set()
        of = None if isinstance(place, TensorElements) else place.queue
        found = []
        for queue, lines in enumerate(self.program.queues):
            mine = np.asarray(lines.instructions, np.int64)
            if of not in (None, queue):
                mine = mine[:0]
            parts = (at_start, numbers - moving - at_start, moving)
            found.append(tuple(np.flatnonzero(np.isin(mine, list(part))) for part in parts))
        return found  # type: ignore[return-value]

    def _numbers(self, place: Place, regions: tuple[Region, ...]) -> set[int]:
        if isinstance(place, TensorElements):
            return self.writers.numbers(regions)
        every = enumerate(self.program.instructions)
        if isinstance(place, RegisterOrigin):
            reg = Reg(place.number)
            return {n for n, i in every if any(i.operand(o.name) == reg for o in i.row.writes)}
        return {
            n
            for n, i in every
            if any(getattr(o.kind, "name", "") == place.name for o in i.row.writes)
        }

    def possible(
        self, writing: list[tuple[Pcs, Pcs, Pcs]], begin: RunPosition, end: RunPosition
    ) -> bool:
        """Whether any of these may have written between two moments."""
        for queue, (starting, completing, moving) in enumerate(writing):
            if not self.straight[queue]:
                if begin.started[queue] != end.started[queue] or begin.flying or end.flying:
                    return True
                if begin.completed[queue] != end.completed[queue]:
                    return True
                continue
            started = begin.started[queue], end.started[queue]
            completed = begin.completed[queue], end.completed[queue]
            if _within(starting, *started) or _within(moving, *started):
                return True
            if _within(completing, *completed):
                return True
            if any((queue, int(pc)) in begin.flying for pc in moving):
                return True
        return False


def _straight(program: Program, queue: int) -> bool:
    """Whether a queue executes its instructions one after the other, each for itself."""
    numbers = set(program.queues[queue].instructions)
    apart = (Jump, Rendezvous, RankExchange)
    return not any(program.instructions[n].row.effect in apart for n in numbers)


def _within(pcs: Pcs, low: int, high: int) -> bool:
    """Whether any of ascending pcs is in [low, high)."""
    return bool(np.searchsorted(pcs, low) < np.searchsorted(pcs, high))
