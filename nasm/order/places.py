"""Places: the regions that accesses touch, each once, with those that have bytes in common."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.sim.regions import Region, overlap

Area = int | str


def area_of(region: Region) -> Area:
    """What tells a region from those that it cannot have a byte in common with."""
    return region.area if region.area >= 0 else region.place


class Place:
    """A region that is touched, and the places that it overlaps, itself first.

    What is kept of accesses is by column of a clock: the count that says that the last of them is
    over. ``written`` is the last instruction of each queue that writes it.
    """

    __slots__ = ("adds", "area", "near", "number", "reads", "region", "writes", "written")

    def __init__(self, number: int, region: Region, area: Area) -> None:
        self.number, self.region, self.area = number, region, area
        self.near: list[Place] = [self]
        self.reads: dict[int, int] = {}
        self.writes: dict[int, int] = {}
        self.adds: dict[int, int] = {}
        self.written: dict[int, int] = {}

    def supersede(self) -> None:
        """Forget the accesses so far, all of which come before the next one, a write."""
        self.reads.clear()
        self.writes.clear()
        self.adds.clear()


class Places:
    """All places, made when they are first touched.

    Those of an area are found by what they span: on the level of its size a place is in one bucket,
    or in two that lie side by side.
    """

    def __init__(self) -> None:
        self.every: list[Place] = []
        self._by_region: dict[Region, Place] = {}
        self._levels: dict[Area, dict[int, dict[int, list[Place]]]] = {}

    def of(self, regions: Iterable[Region]) -> tuple[Place, ...]:
        """The places of some regions."""
        return tuple([self._by_region.get(region) or self._make(region) for region in regions])

    def forget(self) -> None:
        """No access of any place is kept."""
        for place in self.every:
            place.supersede()

    def _make(self, region: Region) -> Place:
        area = area_of(region)
        place = self._by_region[region] = Place(len(self.every), region, area)
        self.every.append(place)
        levels = self._levels.setdefault(area, {})
        low, high = region.low, region.high - 1
        for level, buckets in levels.items():
            for other in _within(buckets, low >> level, high >> level):
                if overlap(region, other.region):
                    place.near.append(other)
                    other.near.append(place)
        level = (high - low).bit_length()
        mine = levels.setdefault(level, {})
        for bucket in range(low >> level, (high >> level) + 1):
            mine.setdefault(bucket, []).append(place)
        return place


def _within(buckets: dict[int, list[Place]], first: int, last: int) -> Iterable[Place]:
    """The places in a range of buckets, each once: one is in two buckets at most."""
    if first == last:
        return buckets.get(first, ())
    wanted: Iterable[int] = range(first, last + 1)
    if last - first > len(buckets):
        wanted = [bucket for bucket in buckets if first <= bucket <= last]
    found = {place.number: place for bucket in wanted for place in buckets.get(bucket, ())}
    return found.values()
