"""Observers that gather what a profile needs of a run, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region

KNOWN = 100_000
"""Patterns of regions of which it is remembered what they are in sum."""


class Traffic:
    """What was moved: transfers, ticks of all channels together, bytes, descriptors, channels.

    ``channels`` has a bit for each that moved something.
    """

    __slots__ = ("busy", "bytes", "channels", "descriptors", "transfers")

    def __init__(self) -> None:
        self.transfers = self.busy = self.bytes = self.descriptors = self.channels = 0

    def add(self, flight: Flight, channels: int) -> None:
        """Count a transfer, and the channels that it moves something on."""
        self.transfers += 1
        self.busy += flight.busy
        self.bytes += flight.bytes
        self.descriptors += flight.descriptors
        self.channels |= channels

    def save(self) -> Any:
        """Everything."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def restore(self, saved: Any) -> None:
        """As it was."""
        for name, value in zip(self.__slots__, saved, strict=True):
            setattr(self, name, value)


class Moves(Observer):
    """What DMA moved: ``rings`` by core and ring, that of None all of a core."""

    def __init__(self) -> None:
        self.rings: dict[tuple[int, int | None], Traffic] = {}

    def issued(self, flight: Flight, now: int) -> None:
        """Count a transfer."""
        channels = 0
        for portion in flight.portions:
            if portion.bytes:
                channels |= portion.channels
        core = flight.core
        for key in ((core, None), (core, flight.ring)):
            if key not in self.rings:
                self.rings[key] = Traffic()
            self.rings[key].add(flight, channels)

    def save(self) -> Any:
        """What every ring moved."""
        return {key: ring.save() for key, ring in self.rings.items()}

    def restore(self, saved: Any) -> None:
        """As it was."""
        self.rings = {}
        for key, state in saved.items():
            self.rings[key] = Traffic()
            self.rings[key].restore(state)


class Shared(Observer):
    """How long each unit was busy that the queues of a core share, and with how many instructions.

    ``busy`` is by core and unit: ticks, and instructions.
    """

    def __init__(self, units: Iterable[str]) -> None:
        self.units = frozenset(units)
        self.busy: dict[tuple[int, str], tuple[int, int]] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Count what an instruction occupies."""
        if task.unit.name in self.units:
            key = queue.core, task.unit.name
            ticks, count = self.busy.get(key, (0, 0))
            self.busy[key] = ticks + queue.interval, count + 1

    def save(self) -> Any:
        """What every unit did."""
        return dict(self.busy)

    def restore(self, saved: Any) -> None:
        """As it was."""
        self.busy = dict(saved)


class TouchedMemory(Observer):
    """Which bytes of outer memory were read and written, and how often in all.

    ``places`` are the names of that memory among regions. ``reads`` and ``writes`` have each region
    once, in the order of first use; ``read`` and ``written`` count every use.
    """

    def __init__(self, places: frozenset[str]) -> None:
        self.places = places
        self.reads: dict[Region, None] = {}
        self.writes: dict[Region, None] = {}
        self.read_bytes = self.written_bytes = 0
        self._known: dict[int, tuple[int, int]] = {}

    def issued(self, flight: Flight, now: int) -> None:
        """Add what a transfer reads and writes."""
        self._touch(flight.pattern, flight.reads, flight.writes)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Add what an instruction reads and writes."""
        work = task.work
        self._touch(work.number, work.reads, work.writes)

    def _touch(self, key: int, reads: Sequence[Region], writes: Sequence[Region]) -> None:
        known = self._known.get(key)
        if known is None:
            known = self._sum(reads, self.reads), self._sum(writes, self.writes)
            if len(self._known) >= KNOWN:
                self._known.clear()
            if key != -1:
                self._known[key] = known
        if known != (0, 0):
            self.read_bytes += known[0]
            self.written_bytes += known[1]

    def _sum(self, regions: Sequence[Region], seen: dict[Region, None]) -> int:
        total = 0
        for region in regions:
            if region.place in self.places:
                seen[region] = None
                total += region.size
        return total

    def save(self) -> Any:
        """How many regions there were, and the sums."""
        return len(self.reads), len(self.writes), self.read_bytes, self.written_bytes

    def restore(self, saved: Any) -> None:
        """Drop what was touched first since."""
        reads, writes, self.read_bytes, self.written_bytes = saved
        for seen, count in ((self.reads, reads), (self.writes, writes)):
            for region in list(seen)[count:]:
                del seen[region]
        self._known.clear()
