"""Accesses that conflict and are in no order: races.

An access begins with the start of its instruction. It ends then if an instruction reads, at its
completion if it writes, or if what it reads has to stay until then, and when the last share has
landed if a transfer does either. Two accesses conflict if they have a byte in common and one of
them writes; instructions of one queue are in order, and so are transfers that add to one place.

Of each place the last access of each queue, and of each stream of transfers, is all that has to be
compared: what comes after the last comes after all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from nasm.order.observer import TransferTouches
from nasm.order.places import Area, Place, Places, area_of
from nasm.order.posts import Clock
from nasm.views.regions import Region

READ, WRITE, ADD = "read", "write", "add"
"""What an access does; to add is to write where others may add, too."""

MOVES = -1
"""Instead of the column of an instruction's completion: of a transfer that is no column."""


class ByteAccess(NamedTuple):
    """What an instruction, or the transfer that it issued, does to some bytes."""

    queue: int
    index: int  # type: ignore[assignment]  # tuples have a method of that name
    kind: str
    moves: bool
    region: Region

    @property
    def writes(self) -> bool:
        """Whether it changes the bytes."""
        return self.kind != READ


Report = Callable[[Place, int, int, str, ByteAccess], None]
"""Called with a conflict in no order: where the earlier access was, its column and count, its kind,
and the later access."""

Touched = tuple[tuple[Place, ...], tuple[Place, ...]]
"""The places that something reads, and those that it writes."""

NOTHING: Touched = ((), ())


class Accesses:
    """Takes accesses in the order of their starts, and compares each with those before it.

    ``queues`` is how many queues there are; if engines are ``held`` a queue reads what its own
    instructions have written, all of it. An access that comes before a write of the same place is
    not compared with what comes later, unless ``every`` one is. ``kept`` are the places of what has
    a number that have to be compared. Two that add to one place are reported once, where it is not
    ``summed``: no race, but their sum may round differently. Where ``only`` some areas have to be
    looked at, the others are known to be in order.
    """

    def __init__(self, queues: int, held: bool, report: Report, every: bool = False) -> None:
        self.queues, self.held, self.every, self._report = queues, held, every, report
        self._raced = False
        self.places = Places()
        self.shared: set[Area] = set()
        self.only: Collection[Area] | None = None
        self._by_work: dict[int, Touched] = {}
        self.kept: dict[int, Touched] = {}
        self.summed: set[int] = set()

    def report(self, near: Place, column: int, count: int, kind: str, now: ByteAccess) -> None:
        """Tell of a conflict in no order."""
        self._raced = True
        self._report(near, column, count, kind, now)

    def touched(
        self, number: int, reads: tuple[Region, ...], writes: tuple[Region, ...]
    ) -> Touched:
        """The places of what has a number; what has none of its own is below 0."""
        if number == -1:
            return self.places.of(reads), self.places.of(writes)
        found = self._by_work.get(number)
        if found is None:
            found = self._by_work[number] = self.places.of(reads), self.places.of(writes)
        return found

    def compared(
        self, number: int, reads: tuple[Region, ...], writes: tuple[Region, ...]
    ) -> Touched:
        """Of the places of what has a number those that have to be compared."""
        found = self.kept.get(number)
        if found is None:
            found = self._shared(reads), self._shared(writes)
            if number != -1:
                self.kept[number] = found
        return found

    def _shared(self, regions: tuple[Region, ...]) -> tuple[Place, ...]:
        """The places of those regions that several touch."""
        return self.places.of([region for region in regions if area_of(region) in self.shared])

    def restart(self) -> None:
        """Compare all accesses once more."""
        self.places.forget()
        self.kept.clear()
        self.summed.clear()

    def instruction(
        self,
        queue: int,
        index: int,
        clock: Clock,
        touched: Touched,
        reads_on: bool = False,
        end: tuple[int, int] | None = None,
    ) -> None:
        """An instruction starts, with a clock; it may read until it completes.

        What it does is over once it completes, or when a column has a count, the ``end``.
        """
        reads, writes = touched
        mine, over = (self.queues + queue, index + 1) if end is None else end
        if reads:
            own = mine if self.held or end is not None else queue
            self._compare(reads, READ, clock, queue, index, own)
        if writes:
            self._compare(writes, WRITE, clock, queue, index, mine)
        for place in reads:
            place.reads[mine if reads_on or end is not None else queue] = over
        for place in writes:
            place.writes[mine] = over

    def transfer(
        self, queue: int, index: int, clock: Clock, moved: TransferTouches, column: int, count: int
    ) -> None:
        """A transfer is issued by an instruction that starts with a clock.

        Once ``column`` of a clock has reached ``count`` it is over.
        """
        reads, writes = self.compared(moved.pattern, moved.reads, moved.writes)
        kind = ADD if moved.adds else WRITE
        if reads:
            self._compare(reads, READ, clock, queue, index, MOVES)
        if writes:
            self._compare(writes, kind, clock, queue, index, MOVES)
        for place in reads:
            place.reads[column] = count
        for place in writes:
            (place.adds if kind is ADD else place.writes)[column] = count

    def look(
        self, queue: int, index: int, clock: Clock, touched: Touched, moved: TransferTouches | None
    ) -> None:
        """Report what an instruction and its transfer would conflict with, if that were its clock.

        Nothing is remembered of it.
        """
        every, self.every = self.every, True
        mine = self.queues + queue
        for kind, places in zip((READ, WRITE), touched, strict=True):
            own = mine if kind is WRITE or self.held else queue
            self._compare(places, kind, clock, queue, index, own)
        if moved is not None:
            pair = self.compared(moved.pattern, moved.reads, moved.writes)
            for kind, places in zip((READ, ADD if moved.adds else WRITE), pair, strict=True):
                self._compare(places, kind, clock, queue, index, MOVES)
        self.every = every

    def _compare(
        self, places: tuple[Place, ...], kind: str, clock: Clock, queue: int, index: int, own: int
    ) -> None:
        """Report what is kept of places nearby, and not over where a later access begins.

        Column ``own`` is of the same queue as well, and in order; it is ``MOVES`` of a transfer.
        """
        for place in places:
            self._raced = False
            for near in place.near:
                for column, count in near.writes.items():
                    if clock[column] < count and column != queue and column != own:
                        now = ByteAccess(queue, index, kind, own == MOVES, place.region)
                        self.report(near, column, count, WRITE, now)
                if near.reads and kind is not READ:
                    for column, count in near.reads.items():
                        if clock[column] < count and column not in (queue, own):
                            now = ByteAccess(queue, index, kind, own == MOVES, place.region)
                            self.report(near, column, count, READ, now)
                if near.adds and (kind is not ADD or near.number not in self.summed):
                    for column, count in near.adds.items():
                        if clock[column] < count and column != queue:
                            now = ByteAccess(queue, index, kind, own == MOVES, place.region)
                            self.report(near, column, count, ADD, now)
            if kind is WRITE and not (self._raced or self.every):
                place.supersede()
