"""Places that have bytes in common are near each other, against the bytes themselves."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from nasm.order.places import Place, Places
from nasm.views.regions import Region
from tests.parts import part

PITCH, ROWS = 24, 5
"""Elements of a row of a tensor, and how many rows there are."""


def tile(chance: Random) -> Region:
    """Columns of some rows of a tensor, side by side in a memory without partitions."""
    first = chance.randrange(PITCH)
    count = chance.randrange(1, PITCH + 1 - first)
    row = chance.randrange(ROWS)
    rows = chance.randrange(1, ROWS + 1 - row)
    low = row * PITCH + first
    dims = ((PITCH, rows), (1, count))
    return made(low, low + (rows - 1) * PITCH + count, dims)


def thin(chance: Random) -> Region:
    """The same of one to three columns: there are several lengths of ranges for one of these."""
    first = chance.randrange(PITCH - 3)
    count = chance.randrange(1, 4)
    return made(first, first + PITCH * (ROWS - 1) + count, ((PITCH, ROWS), (1, count)))


def run(chance: Random) -> Region:
    """A plain run: it may begin in one row and end in another."""
    low = chance.randrange(PITCH * ROWS)
    count = chance.randrange(1, PITCH * ROWS + 1 - low)
    return made(low, low + count, ((1, count),))


def stepped(chance: Random) -> Region:
    """Elements a step apart, which is no length of a row."""
    low, step = chance.randrange(30), chance.choice((2, 3, 7))
    count = chance.randrange(1, 12)
    return made(low, low + (count - 1) * step + 1, ((step, count),))


def crossing(chance: Random) -> Region:
    """Runs that lie a row apart and reach over the ends of rows."""
    first = chance.randrange(PITCH // 2, PITCH)
    count = chance.randrange(PITCH - first + 1, PITCH)
    rows = chance.randrange(2, ROWS)
    return made(first, first + (rows - 1) * PITCH + count, ((PITCH, rows), (1, count)))


def made(low: int, high: int, dims: tuple[tuple[int, int], ...]) -> Region:
    return Region("hbm", (0, 1, 1), low, high, low, dims, 1, area=3)


KINDS = (tile, thin, run, stepped, crossing)


def bytes_of(region: Region) -> frozenset[int]:
    """Those that it touches, one after the other."""
    found = {region.start}
    for step, count in region.dims:
        found = {at + n * step for at in found for n in range(count)}
    return frozenset(found)


def near(place: Place) -> set[int]:
    """The places that one is compared with, each of them once."""
    found = [one.number for one in place.near]
    assert len(found) == len(set(found))
    return set(found)


def judged(regions: list[Region]) -> None:
    places = Places().of(regions)
    for place in places:
        mine = bytes_of(place.region)
        wanted = {other.number for other in places if mine & bytes_of(other.region)}
        assert near(place) == wanted, place.region


@pytest.mark.parametrize("kinds", [(kind,) for kind in KINDS] + [KINDS])
def test_places_that_have_a_byte_in_common_are_near(
    kinds: tuple[Callable[[Random], Region], ...],
) -> None:
    for seed in part(range(60), 12):
        chance = Random(seed)
        judged([chance.choice(kinds)(chance) for _ in range(chance.choice((3, 10, 30)))])


def test_every_two_ranges_of_columns() -> None:
    """Whichever buckets two ranges of columns are put in, and whichever of them comes first."""
    rows, width = 2, 7
    tiles = [
        made(first, first + width * (rows - 1) + count, ((width, rows), (1, count)))
        for first in range(width)
        for count in range(1, width + 1 - first)
    ]
    judged(tiles)
    judged(tiles[::-1])


def test_areas_have_no_byte_in_common() -> None:
    one = made(0, 8, ((1, 8),))
    places = Places().of([one, one._replace(area=4), one._replace(area=-1), one])
    assert [near(place) for place in places] == [{0}, {1}, {2}, {0}]
    assert places[0] is places[3]
