"""What differs between generations for what executes, as data: the configuration, sizes, counts.

A coprocessor has one of these records. What differs in words of instructions is in ``isa/``, what
programs and people see of it in ``generation.py``.
"""

from __future__ import annotations

from typing import Final

from nasm.base.records import dataclass
from nasm.targets.tensix.layouts.blackhole import BLACKHOLE_LAYOUT
from nasm.targets.tensix.layouts.layout import ConfigLayout
from nasm.targets.tensix.layouts.wormhole import WORMHOLE_LAYOUT
from nasm.targets.tensix.memory_map import WORMHOLE_MAP, MemoryMap
from nasm.targets.tensix.words import TABLES, WordTable

REQUESTS: Final = "requests"
"""A condition: requests of the scalar unit to memory are in flight."""

CONFIGURING: Final = "cfg"
"""A condition: the configuration unit has an instruction of any thread in its pipeline."""

BANK_CONDITIONS: Final = "SrcA to fill", "SrcB to fill", "SrcA to use", "SrcB to use"
"""Conditions: the unpackers, or the matrix unit, do not own their banks."""


@dataclass(frozen=True, slots=True, eq=False)
class TileUnits:
    """What differs in the units that move and multiply tiles.

    ``implied_formats`` says that each bank of SrcA and SrcB has the format that it was unpacked to,
    which holds instead of that of the configuration. ``loses_one`` says that a negative sum of one
    unit of the last place comes out 2^27 times too large, by a fault. ``packers`` is how many there
    are, ``interfaces`` how many rows of Dst one reads at once where a word says which, or 0;
    ``output_bytes`` says that the strides of what they write are in bytes, and not in units of 16.
    ``row_of_wide`` is after how many numbers of more than 8 bits an unpacker reads the next row,
    ``speed`` the index of that at which it reads if nothing sets another, or -1. ``counters`` are
    the masks of X, Y, Z and W of address counters.
    """

    implied_formats: bool
    loses_one: bool
    packers: int
    interfaces: int
    output_bytes: bool
    row_of_wide: int
    speed: int
    counters: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Chip:
    """A generation, for what executes.

    ``name`` is that of the generation, ``title`` what documents call it. ``l1_bytes`` is the
    size of L1, ``mutexes`` are the numbers of those that there are. ``conditions`` are what waits
    at the gate wait for, by bit: units, or one of the words above; ``default_conditions`` what
    they wait for if none is selected. ``tiles`` is what differs in the units of tiles,
    ``addresses`` are those that cores reach.
    """

    name: str
    title: str
    layout: ConfigLayout
    l1_bytes: int
    mutexes: tuple[int, ...]
    conditions: tuple[str, ...]
    default_conditions: int
    tiles: TileUnits
    addresses: MemoryMap = WORMHOLE_MAP

    @property
    def docs(self) -> str:
        """The documents that describe it."""
        return f"Tenstorrent ISA documentation, {self.title}"

    @property
    def words(self) -> WordTable:
        """Its instruction words."""
        return TABLES[self.name]


WORMHOLE: Final = Chip(
    "wormhole",
    "Wormhole B0",
    WORMHOLE_LAYOUT,
    1464 << 10,
    (0, *range(2, 8)),
    (
        REQUESTS, "unpack0", "unpack1", "pack0", "pack1", "pack2", "pack3", "matrix",
        *BANK_CONDITIONS, "mover", "host", "vector",
    ),
    0x7F,
    TileUnits(
        implied_formats=False,
        loses_one=True,
        packers=4,
        interfaces=0,
        output_bytes=False,
        row_of_wide=16,
        speed=-1,
        counters=(0x3FFFF, 0x1FFF, 0xFF, 0xFF),
    ),
)  # fmt: skip

BLACKHOLE: Final = Chip(
    "blackhole",
    "Blackhole A0",
    BLACKHOLE_LAYOUT,
    1536 << 10,
    (0, *range(2, 5)),
    (
        REQUESTS, "unpack0", "unpack1", "pack0", "matrix",
        *BANK_CONDITIONS, "mover", "host", "vector", CONFIGURING,
    ),
    0x0F,
    TileUnits(
        implied_formats=True,
        loses_one=False,
        packers=1,
        interfaces=4,
        output_bytes=True,
        row_of_wide=32,
        speed=2,
        counters=(0x3FFFF, 0x1FFF, 0x1FFF, 0x1FFF),
    ),
)  # fmt: skip

CHIPS: Final = {chip.name: chip for chip in (WORMHOLE, BLACKHOLE)}
"""By the name of the generation."""
