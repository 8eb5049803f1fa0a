"""Places: the regions that accesses touch, each once, with those that have bytes in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from nasm.views.regions import Region, overlap

Area = int | str


def area_of(region: Region) -> Area:
    """What tells a region from those that it cannot have a byte in common with."""
    return region.area if region.area >= 0 else region.place


class Place:
    """A region that is touched, and the places that it overlaps, itself first.

    What is kept of accesses is by column of a clock: the count that says that the last of them is
    over. ``written`` is the last instruction of each queue that writes it. ``low`` and ``high`` are
    its first byte and that after its last one; ``dense`` says that in each of its rows it is a
    plain run of them.
    """

    __slots__ = ("adds", "area", "dense", "high", "low", "near", "number", "reads", "region",
                 "writes", "written")  # fmt: skip

    def __init__(self, number: int, region: Region, area: Area, dense: bool) -> None:
        self.number, self.region, self.area, self.dense = number, region, area, dense
        self.low, self.high = region.low, region.high
        self.near: list[Place] = [self]
        self.reads: dict[int, int] = {}
        self.writes: dict[int, int] = {}
        self.adds: dict[int, int] = {}
        self.written: dict[int, int] = {}

    def supersede(self) -> None:
        """Forget the accesses so far, all of which come before the next one, a write."""
        if self.reads:
            self.reads.clear()
        if self.writes:
            self.writes.clear()
        if self.adds:
            self.adds.clear()


class Places:
    """All places, made when they are first touched.

    Those of an area are found by what they span, and of those that are columns of rows of one
    length, as tiles of a large tensor are, only the ones that are in the same columns.
    """

    def __init__(self) -> None:
        self.every: list[Place] = []
        self._by_region: dict[Region, Place] = {}
        self._spans: dict[Area, dict[int, _Buckets]] = {}
        self._columns: dict[tuple[Area, int], _Columns] = {}

    def of(self, regions: Iterable[Region]) -> tuple[Place, ...]:
        """The places of some regions."""
        known = self._by_region
        return tuple([known.get(r) or self._make(r) for r in regions])

    def forget(self) -> None:
        """No access of any place is kept."""
        for place in self.every:
            place.supersede()

    def _make(self, region: Region) -> Place:
        area, dense = area_of(region), region.dense
        place = self._by_region[region] = Place(len(self.every), region, area, dense)
        self.every.append(place)
        spans = self._spans.setdefault(area, {})
        low, high, rows = region.low, region.high, region.rows
        pitch, first, last = (0, 0, 0) if dense else _columns(region)
        for other, buckets in spans.items():
            if pitch and other == pitch:
                found = self._columns[area, pitch].find(first, last, low, high - 1)
            else:
                found = buckets.find(low, high - 1)
            for near in found:
                if near.low >= high or low >= near.high:
                    continue
                both = dense and near.dense
                if (both and near.region.rows == rows) or overlap(region, near.region, both):
                    place.near.append(near)
                    near.near.append(place)
        spans.setdefault(pitch, _Buckets()).add(place)
        if pitch:
            columns = self._columns.setdefault((area, pitch), _Columns())
            columns.add(first, last, place)
        return place


def _columns(region: Region) -> tuple[int, int, int]:
    """The length of rows, the first and the last column that it takes of several; or 0.

    Then it shares bytes with another such region only if it does so in columns.
    """
    box = region.box()
    if box is None or box[2] == 1:
        return 0, 0, 0
    length, pitch, _ = box
    first = region.low % pitch
    last = first + length - 1
    return (pitch, first, last) if last < pitch else (0, 0, 0)


class _Buckets:
    """Places by a range: on the level of its length one is in a bucket, or in two side by side."""

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, list[Place]]] = {}

    def add(self, place: Place) -> None:
        """Put one in."""
        low, high = place.low, place.high - 1
        level = (high - low).bit_length()
        buckets = self._levels.setdefault(level, {})
        for bucket in range(low >> level, (high >> level) + 1):
            if bucket in buckets:
                buckets[bucket].append(place)
            else:
                buckets[bucket] = [place]

    def find(self, low: int, high: int) -> list[Place]:
        """Those that may be within a range, each once: in the first of its buckets there."""
        found: list[Place] = []
        for level, buckets in self._levels.items():
            first, last = low >> level, high >> level
            if first in buckets:
                found += buckets[first]
            if first == last:
                continue
            for bucket in _wanted(buckets, first + 1, last):
                if bucket in buckets:
                    begin = bucket << level
                    found += [place for place in buckets[bucket] if place.low >= begin]
        return found


class _Columns:
    """The same by two ranges: the columns, and what is spanned."""

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, _Buckets]] = {}

    def add(self, first: int, last: int, place: Place) -> None:
        """Put one in."""
        level = (last - first).bit_length()
        buckets = self._levels.setdefault(level, {})
        for bucket in range(first >> level, (last >> level) + 1):
            buckets.setdefault(bucket, _Buckets()).add(place)

    def find(self, first: int, last: int, low: int, high: int) -> Iterable[Place]:
        """Those that may be within both, each once."""
        found: dict[int, Place] = {}
        for level, buckets in self._levels.items():
            for bucket in _wanted(buckets, first >> level, last >> level):
                if bucket in buckets:
                    found.update((p.number, p) for p in buckets[bucket].find(low, high))
        return found.values()


def _wanted(buckets: Collection[int], first: int, last: int) -> Iterable[int]:
    """The buckets from one to another, among which may be some that are none."""
    if last - first > len(buckets):
        return [bucket for bucket in buckets if first <= bucket <= last]
    return range(first, last + 1)
