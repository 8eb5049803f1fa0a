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
from nasm.targets.tensix.memory_map import BLACKHOLE_MAP, WORMHOLE_MAP, AddressMap
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
class CoreUnits:
    """What differs in the RISC-V cores, and in front of the threads that they push to.

    A branch that goes where the core did not expect occupies the integer unit for ``mispredicted``
    cycles, a product for ``multiply``. So many ``loads`` from beyond the local memory are in
    flight. Results are taken as soon as they are there if instructions ``retire`` in order after
    that, else only as they leave the load/store unit. Stores to L1 next to each other are one if
    the queue ``coalesces``, and whether a load waits for a store is a question of all of its bytes;
    ``fences`` says that fence orders accesses. NC may have an ``instruction_memory``; where cores
    begin may be ``reset_registers`` rather than words of the configuration. Numbers of registers of
    ``streams`` may be known, and writes of the networks in line be ``unsafe_in_line``. ``depths``
    are those of the FIFOs before the expanders, of what is there alone, or of what has
    ``not_passed`` the gate.
    """

    mispredicted: int
    multiply: int
    loads: int
    retires: bool
    coalesces: bool
    fences: bool
    instruction_memory: bool
    reset_registers: bool
    streams: bool
    unsafe_in_line: bool
    depths: tuple[int, int, int]
    not_passed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Chip:
    """A generation, for what executes.

    ``name`` is that of the generation, ``title`` what documents call it. ``l1_bytes`` is the
    size of L1, ``mutexes`` are the numbers of those that there are. ``conditions`` are what waits
    at the gate wait for, by bit: units, or one of the words above; ``default_conditions`` what
    they wait for if none is selected. ``tiles`` is what differs in the units of tiles,
    ``cores`` in the RISC-V cores, and ``addresses`` are those that these reach.
    """

    name: str
    title: str
    layout: ConfigLayout
    l1_bytes: int
    mutexes: tuple[int, ...]
    conditions: tuple[str, ...]
    default_conditions: int
    tiles: TileUnits
    cores: CoreUnits
    addresses: AddressMap

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
    CoreUnits(
        mispredicted=3,
        multiply=2,
        loads=4,
        retires=False,
        coalesces=False,
        fences=False,
        instruction_memory=True,
        reset_registers=False,
        streams=False,
        unsafe_in_line=False,
        depths=(32, 16, 16),
        not_passed=False,
    ),
    WORMHOLE_MAP,
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
    CoreUnits(
        mispredicted=5,
        multiply=1,
        loads=8,
        retires=True,
        coalesces=True,
        fences=True,
        instruction_memory=False,
        reset_registers=True,
        streams=True,
        unsafe_in_line=True,
        depths=(29, 29, 29),
        not_passed=True,
    ),
    BLACKHOLE_MAP,
)  # fmt: skip

CHIPS: Final = {chip.name: chip for chip in (WORMHOLE, BLACKHOLE)}
"""By the name of the generation."""
