"""What a whole run touches, as columns, and whether all that conflicts is in order.

Of each place and each one that it overlaps the last write before an access, and the first after a
read, are all that has to be compared: what comes after the last write comes after all before it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from nasm.order.column_clocks import ColumnClocks
from nasm.order.places import Area, Places, area_of
from nasm.order.run_columns import Mask, Numbers, RunColumns, gathered
from nasm.order.touched_columns import TouchedColumns
from nasm.views.regions import Region


class AccessColumns:
    """Accesses: by which instruction, of which place, whether they write, and when they are over.

    Those of transfers are ``moving``. One is over when a ``column`` of a clock has a ``count``.
    """

    def __init__(
        self,
        by: Numbers,
        place: Numbers,
        writes: Mask,
        moving: Mask,
        column: Numbers,
        count: Numbers,
    ) -> None:
        self.by, self.place, self.writes, self.moving = by, place, writes, moving
        self.column, self.count = column, count

    def some(self, which: Mask | Numbers) -> AccessColumns:
        """Some of them."""
        return AccessColumns(
            self.by[which], self.place[which], self.writes[which], self.moving[which],
            self.column[which], self.count[which],
        )  # fmt: skip


class TouchedPlaces:
    """The places of what a run touches, of areas that are shared, and of queues that are held.

    A queue that is held waits for what it has written itself, where that is not known already.
    """

    def __init__(self, run: RunColumns, touched: TouchedColumns) -> None:
        self.run, self.touched = run, touched
        self.places = Places()
        self.shared = touched.shared()
        held = {queue for queue, held in enumerate(run.sources.tracked) if held}
        kept = touched.by_queues(held)
        self._known: dict[int, int] = {}
        sides = ([both[side] for both in touched.sides] for side in (0, 1))
        self._of = [self._places(rows, kept) for rows in sides]
        every_place = self.places.every
        self.compared = np.array([place.area in self.shared for place in every_place], bool)
        near = [near.number for place in every_place for near in place.near]
        self.near = _Rows([len(place.near) for place in every_place], near)
        self.held = np.isin(run.queue, sorted(held))

    def _places(self, rows: Sequence[Sequence[Region]], kept: Collection[int]) -> _Rows:
        """The places of some rows of regions, all of those that are kept."""
        known, counts, flat = self._known, list[int](), list[int]()
        for number, regions in enumerate(rows):
            before = len(flat)
            for region in regions:
                place = known.get(id(region))
                if place is None:
                    place = known[id(region)] = self._shared(region)
                if place >= 0:
                    flat.append(place)
                elif number in kept:
                    flat.append(self._place(region))
            counts.append(len(flat) - before)
        return _Rows(counts, flat)

    def _shared(self, region: Region) -> int:
        """The place of a region; -1 if nothing in its area has to be compared."""
        return self._place(region) if area_of(region) in self.shared else -1

    def _place(self, region: Region) -> int:
        return self.places.of((region,))[0].number

    def touches(self) -> AccessColumns:
        """All accesses that have to be compared."""
        run, touched = self.run, self.touched
        instructions = np.flatnonzero(touched.works >= 0)
        works = touched.works[instructions]
        parts: list[tuple[Numbers, ...]] = []
        for side, rows in enumerate(self._of):
            of, places = rows.of(works)
            by = instructions[of]
            late = side or touched.reads_on[works[of]]
            column = run.queue[by] + np.where(late, run.queues, 0)
            parts.append((by, places, column, run.index[by] + 1))
            of, places = rows.of(touched.transfers)
            parts.append((run.issued[of], places, run.column[of], run.count[of]))
        by, place, column, count = map(np.concatenate, zip(*parts, strict=True))
        counts = [len(part[0]) for part in parts]
        return AccessColumns(
            by,
            place,
            np.repeat([False, False, True, True], counts),
            np.repeat([False, True, False, True], counts),
            column,
            count,
        )

    def known(self, every: AccessColumns) -> tuple[Numbers, Numbers]:
        """The instructions that wait for their own queue, and how much of it is complete then."""
        some = every.some(self.held[every.by] & ~every.moving)
        written, reading = some.some(some.writes), some.some(~some.writes)
        nothing = np.empty(0, np.int64)
        if not (len(written.by) and len(reading.by)):
            return nothing, nothing
        keys = np.sort(written.place * self.run.size + written.by)
        read, nearby = self.near.of(reading.place)
        by = reading.by[read]
        last = np.searchsorted(keys, nearby * self.run.size + by) - 1
        there = keys[last] >= nearby * self.run.size + np.array(self.run.firsts)[self.run.queue[by]]
        there &= last >= 0
        by, count = by[there], self.run.index[keys[last[there]] % self.run.size] + 1
        order = np.lexsort((count, by))
        by, count = by[order], count[order]
        offset = self.run.queue[by] * (self.run.size + 1)
        most = np.maximum.accumulate(count + offset) - offset
        new = np.ones(len(by), bool)
        new[1:] = (most[1:] > most[:-1]) | (offset[1:] > offset[:-1])
        return by[new], most[new]

    def unordered(self, every: AccessColumns, clocks: ColumnClocks) -> frozenset[Area]:
        """The areas in which something that conflicts may be in no order."""
        run = self.run
        wide = run.size
        key = every.place * wide + run.at[every.by]
        order = np.argsort(key)
        if len(key):
            order = order[self.compared[every.place[order]]]
        touches, key = every.some(order), key[order]
        writes = np.flatnonzero(touches.writes)
        if not len(writes):
            return frozenset()
        keys, when = key[writes], key - touches.place * wide
        row, queue = clocks.row(touches.by), run.queue[touches.by]
        now, place = self.near.of(touches.place)
        begin = place * wide
        next_ = np.searchsorted(keys, begin + when[now])
        last = next_ - 1
        there = (last >= 0) & (keys[last] >= begin)
        pair = writes[last[there]], now[there]
        found = self._left(touches, clocks, row, queue, *pair)
        there = (next_ < len(keys)) & ~touches.writes[now]
        next_[~there] = 0
        there &= keys[next_] < begin + wide
        pair = now[there], writes[next_[there]]
        found = np.concatenate((found, self._left(touches, clocks, row, queue, *pair)))
        return frozenset(self.places.every[place].area for place in set(found.tolist()))

    def _left(
        self,
        touches: AccessColumns,
        clocks: ColumnClocks,
        row: Numbers,
        queue: Numbers,
        earlier: Numbers,
        later: Numbers,
    ) -> Numbers:
        """The places of accesses that may not be over where later ones begin.

        Those of the same queue are in order, but for transfers.
        """
        column = touches.column[earlier]
        over = clocks.known(row[later], column) >= touches.count[earlier]
        left = np.flatnonzero(~over)
        column, later, earlier = column[left], later[left], earlier[left]
        own = column == queue[later]
        own |= (column == queue[later] + self.run.queues) & ~touches.moving[later]
        found: Numbers = touches.place[earlier[~own]]
        return found


class _Rows:
    """Rows of the numbers of places, of different lengths."""

    def __init__(self, counts: Sequence[int], flat: Sequence[int]) -> None:
        self.counts, self.flat = np.array(counts, np.int64), np.array(flat, np.int64)
        self.firsts = np.cumsum(self.counts) - self.counts

    def of(self, which: Numbers) -> tuple[Numbers, Numbers]:
        """All of some rows: of which of these each is, and what."""
        of, at = gathered(self.counts[which], self.firsts[which])
        return of, self.flat[at]
