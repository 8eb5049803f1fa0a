"""Places: the regions that accesses touch, each once, with those that have bytes in common."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.sim.regions import Region, overlap

WIDE = 64
"""Buckets of an area that a region is entered in one by one; a wider one is looked at always."""

BUCKET = 9
"""Bytes of a bucket, as a power of 2, to begin with; ever wider for areas of more places."""

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
        """Forget the accesses so far: what comes after the next one comes after them."""
        self.reads.clear()
        self.writes.clear()
        self.adds.clear()


class Places:
    """All places, made when they are first touched."""

    def __init__(self) -> None:
        self.every: list[Place] = []
        self._by_region: dict[Region, Place] = {}
        self._buckets: dict[tuple[Area, int], list[Place]] = {}
        self._wide: dict[Area, list[Place]] = {}
        self._areas: dict[Area, list[Place]] = {}

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
        first, last = region.low >> BUCKET, (region.high - 1) >> BUCKET
        others = self._areas.setdefault(area, [])
        near: Iterable[Place] = others
        if last - first >= WIDE:
            self._wide.setdefault(area, []).append(place)
        else:
            keys = [(area, bucket) for bucket in range(first, last + 1)]
            if len(others) > WIDE:
                found = {p.number: p for key in keys for p in self._buckets.get(key, ())}
                near = [*self._wide.get(area, ()), *(found[n] for n in sorted(found))]
            for key in keys:
                self._buckets.setdefault(key, []).append(place)
        for other in near:
            if overlap(region, other.region):
                place.near.append(other)
                other.near.append(place)
        others.append(place)
        return place
