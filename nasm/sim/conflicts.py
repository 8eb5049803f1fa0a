"""What really orders the instructions of a queue, besides their sequence.

Two accesses are in conflict if they touch a byte in common and one of them writes. Such accesses
keep their order, and what one of them waits for in a run is what the other one had done then:
completed, or only started.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.problems import Refused
from nasm.sim.history import INSTRUCTION, SHARES, History
from nasm.sim.recording import Issued, Recording
from nasm.views.regions import REGISTERS, Region, overlap

STARTED, OCCUPIED, FINISHED, LANDED, POSTED = range(5)
"""What something may have to wait for: a record that starts, frees its unit or finishes, shares of
a transfer that have all landed, or a post that is seen."""

MOST = 4_000_000
"""Pairs of places in memory that are compared."""


ALL = -2
"""In the place of a queue: the ties of every queue, each of which keeps its order."""

Regions = tuple[Region, ...]


class Tie(NamedTuple):
    """A record waits until something has happened, and for some ticks more.

    ``what`` is a record, or a transfer, or of posts a semaphore and which one.
    """

    record: int
    kind: int
    what: int | tuple[int, int]
    delay: int


class ActiveAccess(NamedTuple):
    """An instruction or its transfer, at work on some bytes."""

    record: int
    writes: bool
    flight: Issued | None


class _Place:
    """A region that something touches: who wrote it last and has read it since.

    Of a queue that keeps its order only the last reader counts, of its transfers on a ring, too.
    """

    __slots__ = ("near", "readers", "region", "writer")

    def __init__(self, region: Region) -> None:
        self.region = region
        self.near: list[_Place] = [self]
        self.writer: ActiveAccess | None = None
        self.readers: dict[object, ActiveAccess] = {}


class Conflicts:
    """The ties of a queue that may start in any order, to itself and to the other queues.

    An engine's values and what it keeps in registers is its own: a register that is written again
    is another one. A record that branches goes before all later ones; one that meets another core,
    or sets semaphores, also after all before it; and those that post to one semaphore keep their
    order. ``delay`` is how much later a waiter sees the post of an engine.
    """

    def __init__(self, history: History, recording: Recording, free: int, delay: int) -> None:
        self.history, self.recording = history, recording
        self.free, self.delay = free, delay
        self._places: dict[Region, _Place] = {}
        self._by_memory: dict[str, list[_Place]] = {}
        self._written: dict[str, tuple[int, int]] = {}
        self._pairs = 0
        self._loaded: set[Region] = set()
        self._landed = self._landings()
        self._setters = {
            record
            for posts in history.posts.values()
            for record, sets in zip(posts.records, posts.sets, strict=True)
            if sets
        }

    def _landings(self) -> dict[Issued, int]:
        """When all of each transfer had landed."""
        found: dict[Issued, int] = {}
        history = self.history
        names = ("kind", "issuer", "queue", "finish")
        columns = (history.column(name).tolist() for name in names)
        for kind, issuer, queue, finish in zip(*columns, strict=True):
            if kind == SHARES:
                found[issuer, queue] = max(finish, found.get((issuer, queue), 0))
        return found

    def ties(self) -> Iterator[Tie]:
        """Every tie that the free queue is one end of."""
        for record in self.recording.tasks:
            for writes, region in self._touched(record):
                if writes:
                    low, high = self._written.get(region.place, (region.low, region.high))
                    bounds = min(low, region.low), max(high, region.high)
                    self._written[region.place] = bounds
        own = _Own(self)
        for record in self.recording.tasks:
            self._follow(record)
            row = self.history[record]
            if row.queue == self.free:
                yield from own.ties(record)
            yield from self._conflicts(record, row.queue)

    def _flight(self, record: int) -> Issued | None:
        """The transfer that an instruction issued, or that was issued when it met another."""
        row = self.history[record]
        if (record, row.queue) in self.recording.flights:
            return record, row.queue
        if row.arrival >= 0:
            issued = self.history.released_by(row), row.queue
            return issued if issued in self.recording.flights else None
        return None

    def _touched(self, record: int) -> Iterator[tuple[bool, Region]]:
        """What an instruction and its transfer write and read."""
        work = self.recording.tasks[record].work
        flight = self._flight(record)
        sides = [(self.recording.reads(record), work.writes)]
        if flight is not None:
            moved = self.recording.flights[flight]
            sides.append((moved.reads, moved.writes))
        for reads, writes in sides:
            yield from ((False, region) for region in reads)
            yield from ((True, region) for region in writes)

    def _follow(self, record: int) -> None:
        """Refuse a branch that depends on memory: in another order it could go elsewhere."""
        work = self.recording.tasks[record].work
        of_registers = [r for r in work.writes if r.place.startswith(REGISTERS)]
        if not of_registers and not work.branches:
            return
        known = any(
            region in self._loaded or not region.place.startswith(REGISTERS)
            for region in self.recording.reads(record)
        )
        if work.branches and known:
            raise Refused("E0518", "it branches on what it loads from memory")
        (self._loaded.update if known else self._loaded.difference_update)(of_registers)

    def _conflicts(self, record: int, queue: int) -> Iterator[Tie]:
        work, flight = self.recording.tasks[record].work, self._flight(record)
        sides: list[tuple[Issued | None, Regions, Regions]] = [
            (None, self.recording.reads(record), work.writes)
        ]
        if flight is not None:
            moved = self.recording.flights[flight]
            sides.append((flight, moved.reads, moved.writes))
        for issued, reads, writes in sides:
            for region in reads:
                yield from self._read(ActiveAccess(record, False, issued), region, queue)
            for region in writes:
                yield from self._write(ActiveAccess(record, True, issued), region, queue)

    def _read(self, access: ActiveAccess, region: Region, queue: int) -> Iterator[Tie]:
        place = self._place(region)
        for near in place.near:
            yield from self._tie(access.record, queue, near.writer, region)
        key: object = access.record
        if queue != self.free:
            ring = self.recording.flights[access.flight].ring if access.flight else None
            key = queue, ring
        place.readers[key] = access

    def _write(self, access: ActiveAccess, region: Region, queue: int) -> Iterator[Tie]:
        place = self._place(region)
        if not region.place.startswith(REGISTERS):
            for near in place.near:
                yield from self._tie(access.record, queue, near.writer, region)
                for reader in near.readers.values():
                    yield from self._tie(access.record, queue, reader, region)
        place.writer = access
        place.readers.clear()

    def _tie(
        self, record: int, queue: int, earlier: ActiveAccess | None, region: Region
    ) -> Iterator[Tie]:
        """What a record has to wait for of an access that is in conflict with it."""
        if earlier is None or earlier.record == record:
            return
        before = self.history[earlier.record]
        if self.free == ALL:
            if before.queue == queue and earlier.flight is None:
                return
        elif self.free not in (queue, before.queue):
            return
        start = self.history[record].start
        if earlier.flight is not None:
            flight = self.recording.flights[earlier.flight]
            if self._landed.get(earlier.flight, start + 1) <= start:
                yield Tie(record, LANDED, earlier.flight, flight.notify)
                return
        elif (earlier.writes or self.free == ALL) and before.finish <= start:
            delay = 0 if before.queue == queue else self.delay
            yield Tie(record, FINISHED, earlier.record, delay)
            return
        yield Tie(record, STARTED, earlier.record, 0)

    def _place(self, region: Region) -> _Place:
        """A region, with those that it has bytes in common with and that matter."""
        found = self._places.get(region)
        if found is not None:
            return found
        found = self._places[region] = _Place(region)
        low, high = self._written.get(region.place, (0, 0))
        if region.low >= high or region.high <= low:
            return found
        others = self._by_memory.setdefault(region.place, [])
        self._pairs += len(others)
        if self._pairs > MOST:
            raise Refused("E0518", "it touches too many places to compare them all")
        for other in others:
            if overlap(region, other.region):
                found.near.append(other)
                other.near.append(found)
        others.append(found)
        return found


class _Own:
    """What orders the records of the free queue among themselves, besides the bytes they touch."""

    def __init__(self, conflicts: Conflicts) -> None:
        self.conflicts = conflicts
        self.branch = self.fence = -1
        self.since: list[int] = []
        self.posted: dict[int, int] = {}
        self.values: dict[str, tuple[int, list[int]]] = {}

    def ties(self, record: int) -> Iterator[Tie]:
        """The ties of the next record."""
        conflicts = self.conflicts
        row, task = conflicts.history[record], conflicts.recording.tasks[record]
        assert row.kind == INSTRUCTION
        if row.nth >= 0:
            yield Tie(record, POSTED, (row.semaphore, row.nth), 0)
        if self.branch >= 0:
            yield Tie(record, OCCUPIED, self.branch, 0)
        if self.fence >= 0:
            yield Tie(record, STARTED, self.fence, 0)
        flight = conflicts._flight(record)
        posts = [] if task.update is None else [task.update[0]]
        if flight is not None and conflicts.recording.flights[flight].semaphore is not None:
            posts.append(conflicts.recording.flights[flight].semaphore)  # type: ignore[arg-type]
        for number in posts:
            if number in self.posted:
                yield Tie(record, STARTED, self.posted[number], 0)
            self.posted[number] = record
        yield from self._values(record, task.work.uses, task.work.sets)
        if row.arrival >= 0 or record in conflicts._setters:
            yield from (Tie(record, STARTED, before, 0) for before in self.since)
            self.fence, self.since = record, []
        else:
            self.since.append(record)
        if task.work.branches:
            self.branch = record

    def _values(self, record: int, uses: tuple[str, ...], sets: tuple[str, ...]) -> Iterator[Tie]:
        for name in uses:
            setter, users = self.values.setdefault(name, (-1, []))
            if setter >= 0:
                yield Tie(record, OCCUPIED, setter, 0)
            users.append(record)
        for name in sets:
            setter, users = self.values.get(name, (-1, []))
            yield from (
                Tie(record, STARTED, before, 0)
                for before in (setter, *users)
                if before not in (-1, record)
            )
            self.values[name] = (record, [])
