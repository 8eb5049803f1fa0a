"""The events of all groups in the order in which one scheduler would process them.

At one tick that order is by rank, and then by when an event was pushed. Each group counts what it
pushes itself; what it has pushed first among all is known once the event that pushed it has its own
place, and that comes before. So one walk over the events of a time gives each its place, and what
it has pushed the numbers that one scheduler would give. Events of the networks are known by all
groups at once: their keys are the same everywhere.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

from nasm.sim.group_scheduler import KeptEvent
from nasm.sim.service import START

Place = tuple[int, int, Any]
"""A tick, a rank and what orders the events of that rank: comparable between groups."""


class Merging:
    """Puts the events of groups in order, some windows at a time, and passes on what they tell.

    ``queues`` is how many there are, ``owned`` the numbers of those of each group. ``tell`` gets
    each thing that is heard, and the numbers that records of its group have among all.
    """

    def __init__(
        self,
        queues: int,
        owned: Sequence[Sequence[int]],
        tell: Callable[[tuple[Any, ...], array[int]], None],
    ) -> None:
        self.last = START + queues
        self.tell = tell
        self.pushed = [array("q", (-1, *own)) for own in owned]
        self.records = [array("q") for _ in owned]
        self.pushes, self.numbered = queues, 0

    def merge(self, events: Sequence[Sequence[KeptEvent]]) -> None:
        """Take all events of a time, those of each group in its order."""
        heads: list[tuple[Place, int, KeptEvent]] = []
        streams = [iter(some) for some in events]
        for group, stream in enumerate(streams):
            self._next(heads, group, stream)
        while heads:
            _, group, event = heappop(heads)
            self._take(group, event)
            self._next(heads, group, streams[group])

    def _next(
        self, heads: list[tuple[Place, int, KeptEvent]], group: int, stream: Iterator[KeptEvent]
    ) -> None:
        event = next(stream, None)
        if event is not None:
            heappush(heads, (self._place(group, event), group, event))

    def _place(self, group: int, event: KeptEvent) -> Place:
        tick, rank, key = event[:3]
        if isinstance(key, tuple):
            return tick, rank, key
        return tick, min(rank, self.last), self.pushed[group][key]

    def _take(self, group: int, event: KeptEvent) -> None:
        _, _, _, pushes, records, heard = event
        if pushes:
            self.pushed[group].extend(range(self.pushes, self.pushes + pushes))
            self.pushes += pushes
        numbers = self.records[group]
        if records < 0:  # of what did not happen
            numbers.extend([-1] * -records)
        elif records:
            numbers.extend(range(self.numbered, self.numbered + records))
            self.numbered += records
        for one in heard:
            self.tell(one, numbers)
