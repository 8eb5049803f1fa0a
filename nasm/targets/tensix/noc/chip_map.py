"""Where the tiles of a chip are, and the systems of coordinates that name them, by generation.

Sources: the public ISA documentation of Wormhole B0 and of Blackhole A0, NoC: its figures of both
networks, Coordinates, and the broadcast opt-out of the memory map. Places are columns and rows of
network 0, from 0 on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from nasm.base.problems import Refused, counted
from nasm.base.records import dataclass, field
from nasm.isa.tile_grid import TilePlace

SOURCE: Final = "Tenstorrent ISA documentation, Wormhole B0: NoC"

NETWORKS: Final = 2

TRANSLATED: Final = 16
"""The first translated coordinate of Wormhole; those below are a network's own."""

TENSIX, ETHERNET, DRAM, HOST, ARC, EMPTY = "T", "E", "D", "P", "A", "-"
PROCESSORS, SECURITY = "C", "S"

HOST_MEMORY: Final = "host"

TITLES: Final = {
    TENSIX: "a Tensix tile",
    ETHERNET: "an Ethernet tile",
    DRAM: "a DRAM tile",
    HOST: "the PCI Express tile",
    ARC: "the ARC tile",
    EMPTY: "an empty tile",
    PROCESSORS: "an L2CPU tile",
    SECURITY: "the Security tile",
}
SILENT: Final = frozenset({EMPTY, ARC, PROCESSORS, SECURITY})
"""Tiles with nothing to read or write, as far as this is modelled."""


@dataclass(frozen=True, slots=True)
class ChipMap:
    """The tiles of a chip of a generation, its coordinates, and what its packets hold.

    ``kinds`` are those of all places, row by row, DRAMs by their numbers as ``drams``; ``host`` is
    the way to the host. A packet has at most ``most_bytes``, and a link carries ``flit`` of these a
    cycle. Of ``chips`` of one program there may be several, which Ethernet joins.
    """

    title: str
    kinds: tuple[str, ...]
    drams: Mapping[TilePlace, int] = field(hash=False)
    host: TilePlace
    dram_bytes: int
    flit: int
    most_bytes: int
    chips: int

    @property
    def columns(self) -> int:
        """Columns of routers of a network: a torus."""
        return len(self.kinds[0])

    @property
    def rows(self) -> int:
        """Rows of it."""
        return len(self.kinds)

    @property
    def tensix_columns(self) -> tuple[int, ...]:
        """The columns with Tensix tiles."""
        return tuple(x for x in range(self.columns) if any(row[x] == TENSIX for row in self.kinds))

    @property
    def tensix_rows(self) -> tuple[int, ...]:
        """The rows with such."""
        return tuple(y for y in range(self.rows) if TENSIX in self.kinds[y])

    @property
    def dram_memories(self) -> tuple[str, ...]:
        """The memories of its DRAMs."""
        return tuple(f"dram{number}" for number in sorted(set(self.drams.values())))

    @property
    def first(self) -> TilePlace:
        """The tile of a program that names none."""
        return self.tensix_columns[0], self.tensix_rows[0]

    # -- places

    def kind_of(self, place: TilePlace) -> str:
        """What kind of tile is at a place."""
        x, y = place
        return self.kinds[y][x]

    def dram_at(self, place: TilePlace) -> int:
        """The number of the DRAM of a place that has one; three places of a network share it."""
        return self.drams[place]

    def homes(self, memory: str) -> list[TilePlace]:
        """The places of a memory that tiles share: of a DRAM, or the way to the host."""
        if memory == HOST_MEMORY:
            return [self.host]
        number = self.dram_memories.index(memory)
        return [place for place, found in self.drams.items() if found == number]

    def of_network(self, network: int, place: TilePlace) -> TilePlace:
        """The coordinates of a place in a network's own system, or the place that these mean.

        Network 1 counts from the bottom right.
        """
        x, y = place
        return (self.columns - 1 - x, self.rows - 1 - y) if network else place

    def place(self, x: int, y: int) -> TilePlace:
        """The tile at coordinates of network 0, or translated; raises Refused for others."""
        place = self.place_of(0, x, y)
        if self.kind_of(place) != TENSIX:
            what = TITLES[self.kind_of(place)]
            raise Refused("E0318", f"{x}, {y} is {what}", "threads run on Tensix tiles")
        return place

    def logical(self, x: int, y: int) -> TilePlace:
        """A Tensix tile by its column and row among these; raises Refused."""
        columns, rows = self.tensix_columns, self.tensix_rows
        if 0 <= x < len(columns) and 0 <= y < len(rows):
            return columns[x], rows[y]
        message = f"no Tensix tile in column {x} and row {y} of those"
        hint = f"there are {len(columns)} columns and {len(rows)} rows of them"
        raise Refused("E0318", message, hint)

    # -- coordinates

    def translated(self, place: TilePlace) -> TilePlace:
        """The translated coordinates of a place, as firmware says it to its tile."""
        raise NotImplementedError

    def place_of(self, network: int, x: int, y: int) -> TilePlace:
        """The place that coordinates mean for a network; raises Refused where there is none."""
        raise NotImplementedError

    def named(self, network: int, place: TilePlace) -> tuple[int, int]:
        """Coordinates that mean a place for a network."""
        x, y = self.of_network(network, place)
        return x, y

    def untranslated(self, network: int, x: int, y: int) -> tuple[int, int]:
        """Coordinates as registers keep them once a request has started: here as they were."""
        return x, y

    def no_tile(self, whole: str, count: int, what: str, hint: str) -> Refused:
        """What refuses coordinates without a router."""
        return Refused("E0318", f"no tile {whole}: a network has {counted(count, what)}", hint)


# -- Wormhole

_EDGE: Final = {
    0: (0, 0, None, HOST, None, 1, 1, 1, None, None, ARC, 0),
    5: (2, 2, 3, 4, 4, 5, 5, 5, 4, 3, 3, 2),
}
"""The columns without Tensix tiles, from the top: the number of a DRAM, or what else is there."""


def _wormhole_kind(x: int, y: int) -> str:
    if x in _EDGE:
        found = _EDGE[x][y]
        return DRAM if isinstance(found, int) else str(found or EMPTY)
    return ETHERNET if y in (0, 6) else TENSIX


class WormholeMap(ChipMap):
    """Coordinates of Wormhole: each axis is translated by itself, from 16 on.

    A translated coordinate means the same on both networks. No row is fused off.
    """

    @property
    def _tables(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What translated coordinates mean."""
        return (0, 5, *self.tensix_columns), (0, 6, *self.tensix_rows)

    def translated(self, place: TilePlace) -> TilePlace:
        """The translated coordinates of a place."""
        x, y = place
        of_x, of_y = self._tables
        return TRANSLATED + of_x.index(x), TRANSLATED + of_y.index(y)

    def place_of(self, network: int, x: int, y: int) -> TilePlace:
        """The place that coordinates mean for a network; raises Refused where there is none."""
        of_x, of_y = self._tables
        x = self._axis(x, network, of_x, self.columns, "column", f"{x}, {y}")
        y = self._axis(y, network, of_y, self.rows, "row", f"{x}, {y}")
        return x, y

    def untranslated(self, network: int, x: int, y: int) -> tuple[int, int]:
        """Coordinates in a network's own system, as its interfaces look them up in tables.

        Those below the translated ones are looked up as they are, those beyond them as 0.
        """

        def axis(value: int, table: tuple[int, ...], count: int) -> int:
            if value < TRANSLATED:
                return value
            found = dict(enumerate(table, TRANSLATED)).get(value)
            if found is None:
                return 0
            return count - 1 - found if network else found

        of_x, of_y = self._tables
        return axis(x, of_x, self.columns), axis(y, of_y, self.rows)

    def _axis(
        self, value: int, network: int, table: tuple[int, ...], count: int, what: str, whole: str
    ) -> int:
        if TRANSLATED <= value < TRANSLATED + len(table):
            return table[value - TRANSLATED]
        if 0 <= value < count:
            return count - 1 - value if network else value
        last = TRANSLATED + len(table) - 1
        hint = f"a {what} is 0 to {count - 1}, or translated, {TRANSLATED} to {last}"
        raise self.no_tile(whole, count, what, hint)


WORMHOLE: Final = WormholeMap(
    "Wormhole B0",
    tuple("".join(_wormhole_kind(x, y) for x in range(10)) for y in range(12)),
    {
        (x, y): number
        for x, column in _EDGE.items()
        for y, number in enumerate(column)
        if isinstance(number, int)
    },
    host=(0, 3),
    dram_bytes=2 << 30,
    flit=32,
    most_bytes=8192,
    chips=2,
)

# -- Blackhole

_DRAM_ROWS: Final = (0, 0, 1, 1, 2, 3, 3, 3, 2, 2, 1, 0)
"""The number of the DRAM in each row of column 0; those of column 9 are four more."""

_MIDDLE: Final = "A-SC-C-C-C--"
"""Column 8, from the top."""

_HOSTS: Final = (2, 11)
"""Columns of the tiles for PCI Express in row 0, of which the first is in use."""

_DRAM_AT: Final = (0, 1, 11, 2, 10, 3, 5, 7, 6, 9, 4, 8)
"""Rows of DRAM tiles by their translated rows, from 12 on, as the public simulator has them."""


def _blackhole_kind(x: int, y: int) -> str:
    if x in (0, 9):
        return DRAM
    if x == 8:
        return _MIDDLE[y]
    if y == 0:
        return HOST if x == _HOSTS[0] else EMPTY
    return ETHERNET if y == 1 else TENSIX


class BlackholeMap(ChipMap):
    """Coordinates of Blackhole, which firmware has translated by both axes together.

    Those of Tensix tiles mean the same on both networks, where no column is fused off. Of the two
    rows above them columns are those of a network itself. DRAMs, the host and column 8 have others
    besides, as the page lists them; which place of a DRAM each means is as the public simulator has
    it, as the page gives only an example. Ethernet tiles have none here.
    """

    def translated(self, place: TilePlace) -> TilePlace:
        """The translated coordinates of a place: of a Tensix tile its own."""
        return place

    def place_of(self, network: int, x: int, y: int) -> TilePlace:
        """The place that coordinates mean for a network; raises Refused where there is none."""
        if 0 <= x < self.columns and 0 <= y < 2:
            return (self.columns - 1 - x, y) if network else (x, y)
        if 0 <= x < self.columns and y < self.rows and y >= 0:
            return x, y
        found = _FURTHER.get((x, y))
        if found is None:
            hint = "columns are 0 to 16 and rows 0 to 11; DRAMs also 17, 12 to 18, 23"
            raise self.no_tile(f"{x}, {y}", self.columns, "column", hint)
        return found

    def named(self, network: int, place: TilePlace) -> tuple[int, int]:
        """Coordinates that mean a place for a network."""
        x, y = place
        return (self.columns - 1 - x if network and y < 2 else x), y


def _further() -> Iterator[tuple[TilePlace, TilePlace]]:
    """Translated coordinates that are no network's own, and what they mean."""
    for column, x in ((17, 9), (18, 0)):
        for at, y in enumerate(_DRAM_AT, 12):
            yield (column, at), (x, y)
    yield (19, 24), (_HOSTS[0], 0)
    for at, y in enumerate((3, 9, 5, 7)):
        yield (8, 26 + at), (8, y)
    yield (8, 30), (8, 2)


_FURTHER: Final = dict(_further())

BLACKHOLE: Final = BlackholeMap(
    "Blackhole A0",
    tuple("".join(_blackhole_kind(x, y) for x in range(17)) for y in range(12)),
    {(x, y): number + 4 * (x == 9) for x in (0, 9) for y, number in enumerate(_DRAM_ROWS)},
    host=(_HOSTS[0], 0),
    dram_bytes=4 << 30,
    flit=64,
    most_bytes=16384,
    chips=1,
)

MAPS: Final[Mapping[str, ChipMap]] = {"wormhole": WORMHOLE, "blackhole": BLACKHOLE}
"""By the name of the generation."""
