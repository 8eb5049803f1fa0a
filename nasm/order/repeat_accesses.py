"""Accesses of a loop of which any number of rounds may be put in: none of them races.

Rounds that touch the same bytes each time race as those that a run has do. Where the bytes move on
from round to round all have to move by as much: whether two rounds touch the same bytes follows
from how many are between them. Of rounds that are far apart the later one has to come after all of
the earlier, and so has everything after the loop, of the rounds that are put in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from nasm.base.records import dataclass
from nasm.order.accesses import ADD, READ, WRITE
from nasm.order.check import Check
from nasm.order.places import Area, area_of
from nasm.order.repeats import Insertion, Unproved
from nasm.views.regions import Region

Shift = tuple[int, int]
"""Rows and bytes from a region to one of the same form."""

STAYS: Shift = (0, 0)


@dataclass(frozen=True, slots=True)
class Touch:
    """An access: it is over when ``column`` of a clock has ``count``."""

    queue: int
    index: int
    kind: str
    moves: bool
    column: int
    count: int
    region: Region


def check_accesses(check: Check, insertion: Insertion) -> None:
    """Show that no access of rounds that are put in races; raises Unproved."""
    areas: dict[Area, list[Touch]] = {}
    for touch in _touches(check):
        areas.setdefault(area_of(touch.region), []).append(touch)
    for touches in areas.values():
        if any(touch.kind != READ for touch in touches):
            _Area(check, insertion, touches).check()


def shift(one: Region, other: Region) -> Shift | None:
    """How far a region is from another one of the same form; None if they differ in that."""
    if one == other:
        return STAYS
    by = other.low - one.low
    moved = one._replace(
        rows=(other.rows[0], *one.rows[1:]), low=one.low + by, high=one.high + by,
        start=one.start + by,
    )  # fmt: skip
    if one.runs or moved != other:
        return None
    return other.rows[0] - one.rows[0], by


def _touches(check: Check) -> Iterator[Touch]:
    """All accesses of a run."""
    queues, watch = check.order.queues, check.watch
    for queue, works in enumerate(watch.works):
        for index, work in enumerate(works):
            yield from _sides(queue, index, False, work.reads, READ, (queue, index + 1))
            over = queues + queue, index + 1
            yield from _sides(queue, index, False, work.writes, WRITE, over)
        for index, moved in watch.moved[queue].items():
            over = check.steps.ends[queue][index]
            yield from _sides(queue, index, True, moved.reads, READ, over)
            kind = ADD if moved.adds else WRITE
            yield from _sides(queue, index, True, moved.writes, kind, over)


def _sides(
    queue: int, index: int, moves: bool, regions: Iterable[Region], kind: str, over: tuple[int, int]
) -> Iterator[Touch]:
    for region in regions:
        yield Touch(queue, index, kind, moves, *over, region)


class _Area:
    """The accesses of one area."""

    def __init__(self, check: Check, insertion: Insertion, touches: Sequence[Touch]) -> None:
        self.check_, self.insertion, self.repeat = check, insertion, insertion.repeat
        repeat = self.repeat
        self.inside = [one for one in touches if repeat.within(one.queue, one.index)]
        self.outside = [one for one in touches if not repeat.within(one.queue, one.index)]

    def check(self) -> None:
        """Show that there is no race in it."""
        rows = list(self._rows())
        shifts = {by for row in rows for by in self._shifts(row)}
        if shifts <= {STAYS}:
            return
        if len(shifts) > 1 or None in shifts:
            raise Unproved("its rounds touch bytes that do not move by the same each time")
        for row in rows:
            self._far(row)

    def _rows(self) -> Iterator[Sequence[Touch]]:
        """What the rounds touch in the same place of each, in the order of rounds."""
        found: dict[tuple[int, int, str, bool, int], list[Touch]] = {}
        seen: dict[tuple[int, int, str, bool], int] = {}
        for one in self.inside:
            start, length = self.repeat.starts[one.queue], self.repeat.lengths[one.queue]
            place = one.queue, one.index, one.kind, one.moves
            nth = seen[place] = seen.get(place, -1) + 1
            phase = (one.index - start) % length
            found.setdefault((one.queue, phase, one.kind, one.moves, nth), []).append(one)
        for row in found.values():
            if len(row) != self.repeat.rounds:
                raise Unproved("its rounds touch different numbers of tiles")
            yield sorted(row, key=lambda one: one.index)

    def _shifts(self, row: Sequence[Touch]) -> Iterator[Shift | None]:
        """From round to round, but for those between which others are put in."""
        for number, (one, other) in enumerate(pairwise(row), 1):
            if number != self.repeat.middle:
                yield shift(one.region, other.region)

    def _far(self, row: Sequence[Touch]) -> None:
        """Each round of an access comes after what comes long before it."""
        middle, steps = self.repeat.middle, self.insertion.steps
        clocks = [self.check_.order.clock(one.queue, one.index) for one in row[1:]]
        known = clocks[middle - 2]
        for other in (*self.outside, *self.inside):
            number, column = self._round(other), other.column
            if number > 0 or not _conflict(other, row[0], self.check_.order.queues):
                continue
            if number == 0 and any(
                b[column] - a[column] != steps[column] for a, b in pairwise(clocks)
            ):
                raise Unproved("its rounds may touch the same bytes in any order")
            if known[column] < other.count and (number == 0 or not self._follows(other, row[0])):
                raise Unproved("what else touches the same bytes may do so in any order")

    def _round(self, one: Touch) -> int:
        """In which of the rounds an access is; -1 before and outside of them."""
        length = self.repeat.lengths[one.queue]
        if not length or not self.repeat.within(one.queue, one.index):
            return -1
        return (one.index - self.repeat.starts[one.queue]) // length

    def _follows(self, other: Touch, one: Touch) -> bool:
        """Whether an access comes after all rounds of another one that are put in."""
        if not _conflict(one, other, self.check_.order.queues):
            return True
        clock = self.check_.order.clock(other.queue, other.index)
        return clock[one.column] > self.insertion.cuts[one.column]


def _conflict(earlier: Touch, later: Touch, queues: int) -> bool:
    """Whether an access has to be over before a later one, if they touch the same bytes."""
    if earlier.kind == later.kind == ADD or earlier.kind == later.kind == READ:
        return False
    own = queues + later.queue
    return earlier.column != later.queue and (later.moves or earlier.column != own)
