"""Accesses that conflict and are in no order: races.

An access begins with the start of its instruction. It ends then if an instruction reads, at its
completion if it writes, and when the last share has landed if a transfer does either. Two accesses
conflict if they have a byte in common and one of them writes; instructions of one queue are in
order, and so are transfers that add to one place.

Of each place the last access of each queue, and of each stream of transfers, is all that has to be
compared: what comes after the last comes after all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nasm.order.places import Area, Place, Places
from nasm.order.posts import Clock
from nasm.order.watch import Moved
from nasm.sim.queues import Work
from nasm.sim.regions import Region

READ, WRITE, ADD = "read", "write", "add"
"""What an access does; to add is to write where others may add, too."""


@dataclass(frozen=True, slots=True)
class Access:
    """What an instruction, or the transfer that it issued, does to some bytes."""

    queue: int
    index: int
    kind: str
    moves: bool
    region: Region

    @property
    def writes(self) -> bool:
        """Whether it changes the bytes."""
        return self.kind != READ


Report = Callable[[Place, int, int, str, Access], None]
"""Told of a conflict in no order: where the earlier access was, its column and count, its kind, and
the later access."""

Touched = tuple[tuple[Place, ...], tuple[Place, ...]]


class Accesses:
    """Takes accesses in the order of their starts, and compares each with those before it.

    ``queues`` is how many queues there are; if engines are ``held`` a queue reads what its own
    instructions have written, all of it. An access that comes before a write of the same place is
    not compared with what comes later, unless ``every`` one is.
    """

    def __init__(self, queues: int, held: bool, report: Report, every: bool = False) -> None:
        self.queues, self.held, self.every, self._told = queues, held, every, report
        self._raced = False
        self.places = Places()
        self.shared: set[Area] = set()
        self._by_work: dict[int, Touched] = {}
        self._kept: dict[int, Touched] = {}

    def report(self, near: Place, column: int, count: int, kind: str, now: Access) -> None:
        """Tell of a conflict in no order."""
        self._raced = True
        self._told(near, column, count, kind, now)

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

    def compared(self, work: Work) -> Touched | None:
        """What has to be compared of what an instruction touches; None if nothing has."""
        found = self._kept.get(work.number)
        if found is None:
            reads, writes = self.touched(work.number, work.reads, work.writes)
            shared = self.shared
            found = (
                tuple(place for place in reads if place.area in shared),
                tuple(place for place in writes if place.area in shared),
            )
            if work.number >= 0:
                self._kept[work.number] = found
        return found if found[0] or found[1] else None

    def restart(self) -> None:
        """Compare all accesses once more."""
        self.places.forget()
        self._kept.clear()

    def instruction(self, queue: int, index: int, clock: Clock, touched: Touched) -> None:
        """An instruction starts, with a clock."""
        reads, writes = touched
        mine, over = self.queues + queue, index + 1
        own = mine if self.held else -1
        for place in reads:
            for near in place.near:
                for column, count in near.writes.items():
                    if clock[column] < count and column != own and column != queue:
                        now = Access(queue, index, READ, False, place.region)
                        self.report(near, column, count, WRITE, now)
                if near.adds:
                    self._compare(
                        near, near.adds, ADD, clock, Access(queue, index, READ, False, place.region)
                    )
        for place in writes:
            self._raced = False
            for near in place.near:
                for column, count in near.writes.items():
                    if clock[column] < count and column != mine and column != queue:
                        now = Access(queue, index, WRITE, False, place.region)
                        self.report(near, column, count, WRITE, now)
                for column, count in near.reads.items():
                    if clock[column] < count and column != queue:
                        now = Access(queue, index, WRITE, False, place.region)
                        self.report(near, column, count, READ, now)
                if near.adds:
                    self._compare(
                        near,
                        near.adds,
                        ADD,
                        clock,
                        Access(queue, index, WRITE, False, place.region),
                    )
            if not (self._raced or self.every):
                place.supersede()
        for place in reads:
            place.reads[queue] = over
        for place in writes:
            place.writes[mine] = over

    def transfer(
        self, queue: int, index: int, clock: Clock, moved: Moved, column: int, count: int
    ) -> None:
        """A transfer is issued by an instruction that starts with a clock.

        Once ``column`` of a clock has reached ``count`` it is over.
        """
        reads, writes = self.touched(moved.pattern, moved.reads, moved.writes)
        kind = ADD if moved.adds else WRITE
        shared = self.shared
        for place in reads:
            if place.area not in shared:
                continue
            now = Access(queue, index, READ, True, place.region)
            for near in place.near:
                self._compare(near, near.writes, WRITE, clock, now)
                self._compare(near, near.adds, ADD, clock, now)
        for place in writes:
            if place.area not in shared:
                continue
            now = Access(queue, index, kind, True, place.region)
            self._raced = False
            for near in place.near:
                self._compare(near, near.writes, WRITE, clock, now)
                self._compare(near, near.reads, READ, clock, now)
                if kind != ADD:
                    self._compare(near, near.adds, ADD, clock, now)
            if kind != ADD and not (self._raced or self.every):
                place.supersede()
        for place in reads:
            place.reads[column] = count
        for place in writes:
            (place.adds if kind == ADD else place.writes)[column] = count

    def _compare(
        self, near: Place, kept: dict[int, int], kind: str, clock: Clock, now: Access
    ) -> None:
        """Report what is kept of a place and not over where a later access begins."""
        for column, count in kept.items():
            if clock[column] < count and column != now.queue:
                if not now.moves and column == self.queues + now.queue:
                    continue
                self.report(near, column, count, kind, now)
