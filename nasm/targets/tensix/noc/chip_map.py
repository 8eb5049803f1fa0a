"""Where the tiles of a Wormhole are, and the systems of coordinates that name them.

Source: the public ISA documentation of Wormhole B0, NoC: its figures of both networks, Coordinates,
and the broadcast opt-out of the memory map. Places are columns and rows of network 0, from 0 on.
"""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused, counted
from nasm.base.records import dataclass
from nasm.isa.tile_grid import TilePlace

SOURCE: Final = "Tenstorrent ISA documentation, Wormhole B0: NoC"

COLUMNS, ROWS = 10, 12
"""Routers of a network: a torus each."""

NETWORKS: Final = 2

TRANSLATED: Final = 16
"""The first translated coordinate; those below are a network's own."""

TENSIX, ETHERNET, DRAM, HOST, ARC, EMPTY = "T", "E", "D", "P", "A", "-"

_EDGE: Final = {
    0: (0, 0, None, HOST, None, 1, 1, 1, None, None, ARC, 0),
    5: (2, 2, 3, 4, 4, 5, 5, 5, 4, 3, 3, 2),
}
"""The columns without Tensix tiles, from the top: the number of a DRAM, or what else is there."""

_ETHERNET_ROWS: Final = (0, 6)

DRAM_BYTES: Final = 2 << 30

CHIPS: Final = 2
"""Chips of one program: those of an n300, which Ethernet joins."""


def kind_of(place: TilePlace) -> str:
    """What kind of tile is at a place."""
    x, y = place
    if x in _EDGE:
        found = _EDGE[x][y]
        return DRAM if isinstance(found, int) else str(found or EMPTY)
    return ETHERNET if y in _ETHERNET_ROWS else TENSIX


def dram_at(place: TilePlace) -> int:
    """The number of the DRAM of a place that has one; three places of a network share it."""
    found = _EDGE[place[0]][place[1]]
    assert isinstance(found, int)
    return found


DRAMS: Final = 6
"""DRAMs of 2 GiB, each with three places on either network."""

DRAM_MEMORIES: Final = tuple(f"dram{number}" for number in range(DRAMS))
HOST_MEMORY: Final = "host"


def homes(memory: str) -> list[TilePlace]:
    """The places of a memory that tiles share: of a DRAM, or the way to the host."""
    every = ((x, y) for x in _EDGE for y in range(ROWS))
    if memory == HOST_MEMORY:
        return [place for place in every if kind_of(place) == HOST]
    number = DRAM_MEMORIES.index(memory)
    return [place for place in every if kind_of(place) == DRAM and dram_at(place) == number]


TITLES: Final = {
    TENSIX: "a Tensix tile",
    ETHERNET: "an Ethernet tile",
    DRAM: "a DRAM tile",
    HOST: "the PCI Express tile",
    ARC: "the ARC tile",
    EMPTY: "an empty tile",
}

TENSIX_COLUMNS: Final = tuple(x for x in range(COLUMNS) if x not in _EDGE)
TENSIX_ROWS: Final = tuple(y for y in range(ROWS) if y not in _ETHERNET_ROWS)

_X_TABLE: Final = (0, 5, *TENSIX_COLUMNS)
_Y_TABLE: Final = (0, 6, *TENSIX_ROWS)
"""What translated coordinates mean, from 16 on: of a chip of which no row is fused off."""


def translated(place: TilePlace) -> TilePlace:
    """The translated coordinates of a place."""
    x, y = place
    return TRANSLATED + _X_TABLE.index(x), TRANSLATED + _Y_TABLE.index(y)


def of_network(network: int, place: TilePlace) -> TilePlace:
    """The coordinates of a place in a network's own system, or the place that these mean.

    Network 1 counts from the bottom right.
    """
    x, y = place
    return (COLUMNS - 1 - x, ROWS - 1 - y) if network else place


def place_of(network: int, x: int, y: int) -> TilePlace:
    """The place that coordinates mean for a network; raises Refused where there is no router.

    Each axis is translated by itself. A translated coordinate means the same on both networks.
    """
    x = _axis(x, network, _X_TABLE, COLUMNS, "column", f"{x}, {y}")
    y = _axis(y, network, _Y_TABLE, ROWS, "row", f"{x}, {y}")
    return x, y


def untranslated(network: int, x: int, y: int) -> tuple[int, int]:
    """Coordinates in a network's own system, as its interfaces look them up in their tables.

    Those below the translated ones are looked up as they are, those beyond them as 0.
    """

    def axis(value: int, table: tuple[int, ...], count: int) -> int:
        if value < TRANSLATED:
            return value
        found = dict(enumerate(table, TRANSLATED)).get(value)
        if found is None:
            return 0
        return count - 1 - found if network else found

    return axis(x, _X_TABLE, COLUMNS), axis(y, _Y_TABLE, ROWS)


def _axis(
    value: int, network: int, table: tuple[int, ...], count: int, what: str, whole: str
) -> int:
    if TRANSLATED <= value < TRANSLATED + len(table):
        return table[value - TRANSLATED]
    if 0 <= value < count:
        return count - 1 - value if network else value
    last = TRANSLATED + len(table) - 1
    raise Refused(
        "E0318",
        f"no tile {whole}: a network has {counted(count, what)}",
        f"a {what} is 0 to {count - 1}, or translated, {TRANSLATED} to {last}",
    )


@dataclass(frozen=True, slots=True)
class ChipMap:
    """The tiles of a chip that programs run on: those with a Tensix."""

    first: TilePlace = (TENSIX_COLUMNS[0], TENSIX_ROWS[0])

    def place(self, x: int, y: int) -> TilePlace:
        """The tile at coordinates of network 0, or translated; raises Refused for others."""
        place = place_of(0, x, y)
        if kind_of(place) != TENSIX:
            what = TITLES[kind_of(place)]
            raise Refused("E0318", f"{x}, {y} is {what}", "threads run on Tensix tiles")
        return place

    def logical(self, x: int, y: int) -> TilePlace:
        """A Tensix tile by its column and row among these; raises Refused."""
        columns, rows = len(TENSIX_COLUMNS), len(TENSIX_ROWS)
        if 0 <= x < columns and 0 <= y < rows:
            return TENSIX_COLUMNS[x], TENSIX_ROWS[y]
        message = f"no Tensix tile in column {x} and row {y} of those"
        raise Refused("E0318", message, f"there are {columns} columns and {rows} rows of them")


MAP: Final = ChipMap()
