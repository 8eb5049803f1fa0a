"""The fewest semaphores that do, where one is used after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nasm.base.records import replace
from nasm.order.check import Check
from nasm.order.sharing import chains, precedes, uses
from nasm.program.program import Program, Update, Wait
from nasm.runs.waits.edits import Place, WaitEdits
from nasm.runs.waits.records import SemaphoreUse, SharedSemaphore

MOST = 400
"""Semaphores of a core that are compared in pairs."""


class SemaphoreSharing:
    """Which semaphores of a run that is in order can be one."""

    def __init__(self, program: Program, check: Check) -> None:
        self.program, self.order = program, check.order
        self.uses = uses(check.order)
        self.cores: dict[int, list[int]] = {}
        for counter in sorted(self.uses):
            core, _, event = program.generation.counter(counter)
            if not event:
                self.cores.setdefault(core, []).append(counter)
        self.clears = check.sources.clears
        self.groups = {core: list(self._groups(some)) for core, some in self.cores.items()}

    def _groups(self, counters: list[int]) -> Iterator[list[int]]:
        """The chains of a core's semaphores; what is apart is one of its own."""
        free = [c for c in counters if not self.uses[c].apart and not self.clears]
        if len(free) > MOST:
            free = []
        known: dict[tuple[int, int], bool] = {}

        def before(one: int, two: int) -> bool:
            found = known.get((one, two))
            if found is None:
                found = known[one, two] = precedes(self.order, self.uses[one], self.uses[two])
            return found

        yield from chains(free, before)
        yield from ([counter] for counter in counters if counter not in free)

    def records(self) -> tuple[SemaphoreUse, ...]:
        """What is found, a record for each core."""
        return tuple(
            SemaphoreUse(
                core,
                len(self.cores[core]),
                len(groups),
                tuple(self._shared(group) for group in groups if len(group) > 1),
                tuple(self._names(c for c in self.cores[core] if self.uses[c].apart)),
            )
            for core, groups in sorted(self.groups.items())
        )

    def _names(self, counters: Iterable[int]) -> Iterator[str]:
        return map(self.program.semaphore_name, counters)

    def _shared(self, group: list[int]) -> SharedSemaphore:
        return SharedSemaphore(tuple(self._names(group)), tuple(self._more(group)))

    def _more(self, group: list[int]) -> Iterator[int]:
        more = 0
        for counter in group:
            yield more
            more += self.uses[counter].total

    def edits(self) -> WaitEdits:
        """The program with the first semaphore of each chain in the place of all of it."""
        instead: dict[int, tuple[int, int]] = {}
        for groups in self.groups.values():
            for group in groups:
                for counter, more in zip(group, self._more(group), strict=True):
                    if counter != group[0]:
                        instead[counter] = group[0], more
        waits: dict[Place, Wait | None] = {}
        updates: dict[Place, Update | None] = {}
        for queue, lines in enumerate(self.program.queues):
            for pc in range(len(lines)):
                wait = self.program.waits[lines.waits[pc]]
                update = self.program.updates[lines.updates[pc]]
                if wait is not None and wait.semaphore in instead:
                    number, more = instead[wait.semaphore]
                    waits[queue, pc] = Wait(number, wait.op, wait.value + more)
                if update is not None and update.semaphore in instead:
                    number, _ = instead[update.semaphore]
                    updates[queue, pc] = replace(update, semaphore=number)
        return WaitEdits(waits, updates)
