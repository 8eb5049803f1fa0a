"""The addresses of a tile: regions, what each is called, and where what is in them begins.

Source: the memory maps of the RISC-V cores in the public ISA documentation, with the latencies of
loads.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.targets.tensix.risc_state import NC, RISC_CORES, B

EVERY: Final = frozenset(range(RISC_CORES))
OF_THREADS: Final = frozenset(range(B))
PUSHING: Final = OF_THREADS | {B}
OTHERS: Final = frozenset({B, NC})
"""Cores, by their numbers: all, those of threads, those that reach the coprocessor, B and NC."""


class Block(Enum):
    """What lies at the addresses of a region, in words."""

    L1 = "L1"
    LOCAL = "the local memory of the core"
    TDMA = "TDMA-RISC"
    TILE = "the control, debug and status registers of the tile"
    INTERRUPTS = "the interrupt controller"
    SNAPSHOT = "where the cores are"
    SLOW_LOCAL = "the local memory of any core"
    DST = "Dst"
    NOC0 = "NoC 0"
    NOC1 = "NoC 1"
    OVERLAY = "the NoC overlay"
    EXPANDER = "the words of the MOP expander"
    REGISTERS = "the general registers of the thread"
    INSTRUCTIONS = "where instructions are pushed"
    CORE_B = "the queue from RISC-V B"
    SYNC = "TTSync"
    SEMAPHORES = "the semaphores"
    MAILBOXES = "the mailboxes"
    CONFIGURATION = "the configuration"


class MappedRegion(NamedTuple):
    """Addresses from the first to the last, and the cycles of a load there.

    ``least``: the page gives a lower bound. Without cycles there are no loads. Of the five cores
    ``cores`` have it.
    """

    block: Block
    first: int
    last: int
    cycles: int = 0
    least: bool = True
    cores: frozenset[int] = EVERY


@dataclass(frozen=True, slots=True, eq=False)
class AddressMap:
    """The regions of a generation's tile; where cores differ, those of threads come first."""

    regions: tuple[MappedRegion, ...]

    def region_at(self, address: int) -> MappedRegion:
        """The region of an address of a thread's core; raises Refused where there is none."""
        for region in self.regions:
            if region.first <= address <= region.last:
                return region
        raise Refused("E0701", f"the memory map has nothing at {address:#x}")

    def region_of(self, number: int, address: int) -> MappedRegion | None:
        """The region of an address of a core, by its number."""
        for region in self.regions:
            if region.first <= address <= region.last and number in region.cores:
                return region
        return None

    def local_bytes(self, number: int) -> int:
        """The bytes of a core's local memory."""
        region = next(r for r in self.regions if r.block is Block.LOCAL and number in r.cores)
        return region.last + 1 - region.first


_SHARED_REGISTERS: Final = (
    MappedRegion(Block.REGISTERS, 0xFFE00000, 0xFFE00FFF, 4, cores=PUSHING),
    MappedRegion(Block.INSTRUCTIONS, 0xFFE40000, 0xFFE4FFFF, cores=PUSHING),
    MappedRegion(Block.INSTRUCTIONS, 0xFFE50000, 0xFFE6FFFF, cores=frozenset({B})),
    MappedRegion(Block.CORE_B, 0xFFE80000, 0xFFE80003, 3, cores=OF_THREADS),
    MappedRegion(Block.SYNC, 0xFFE80004, 0xFFE8001F, 3, cores=OF_THREADS),
    MappedRegion(Block.SEMAPHORES, 0xFFE80020, 0xFFE8FFFF, 3, cores=OF_THREADS),
    MappedRegion(Block.CORE_B, 0xFFE80000, 0xFFEAFFFF, 3, cores=frozenset({B})),
    MappedRegion(Block.MAILBOXES, 0xFFEC0000, 0xFFEC3FFF, 3, cores=PUSHING),
    MappedRegion(Block.CONFIGURATION, 0xFFEF0000, 0xFFEFFFFF, 4, cores=PUSHING),
)
"""What both generations have at the same addresses, as their pages say."""

_NETWORKS: Final = (
    MappedRegion(Block.NOC0, 0xFFB20000, 0xFFB2FFFF, 7),
    MappedRegion(Block.NOC1, 0xFFB30000, 0xFFB3FFFF, 7),
    MappedRegion(Block.OVERLAY, 0xFFB40000, 0xFFB7FFFF, 7),
    MappedRegion(Block.EXPANDER, 0xFFB80000, 0xFFB80023, cores=OF_THREADS),
)

WORMHOLE_MAP: Final = AddressMap((
    MappedRegion(Block.L1, 0, (1464 << 10) - 1, 8),
    MappedRegion(Block.LOCAL, 0xFFB00000, 0xFFB007FF, 2, least=False, cores=OF_THREADS),
    MappedRegion(Block.LOCAL, 0xFFB00000, 0xFFB00FFF, 2, least=False, cores=OTHERS),
    MappedRegion(Block.TDMA, 0xFFB11000, 0xFFB11FFF, 7),
    MappedRegion(Block.TILE, 0xFFB12000, 0xFFB12FFF, 7),
    MappedRegion(Block.INTERRUPTS, 0xFFB13000, 0xFFB13FFF, 7),
    *_NETWORKS,
    *_SHARED_REGISTERS,
))  # fmt: skip

_SLOW: Final = tuple(
    MappedRegion(Block.SLOW_LOCAL, first, last, 8)
    for first, last in (
        (0xFFB14000, 0xFFB15FFF),
        (0xFFB16000, 0xFFB17FFF),
        (0xFFB18000, 0xFFB1DFFF),
    )
)
"""The local memories of B, of NC, and of the threads' cores, as every core reaches them."""

BLACKHOLE_MAP: Final = AddressMap((
    MappedRegion(Block.L1, 0, (1536 << 10) - 1, 8),
    MappedRegion(Block.LOCAL, 0xFFB00000, 0xFFB00FFF, 2, least=False, cores=OF_THREADS),
    MappedRegion(Block.LOCAL, 0xFFB00000, 0xFFB01FFF, 2, least=False, cores=OTHERS),
    MappedRegion(Block.TDMA, 0xFFB11000, 0xFFB11FFF, 4, cores=PUSHING),
    MappedRegion(Block.TILE, 0xFFB12000, 0xFFB12FFF, 7),
    MappedRegion(Block.INTERRUPTS, 0xFFB13000, 0xFFB13137, 7),
    MappedRegion(Block.SNAPSHOT, 0xFFB13138, 0xFFB1314B, 7),
    *_SLOW,
    *_NETWORKS,
    MappedRegion(Block.DST, 0xFFBD8000, 0xFFBDFFFF, cores=OF_THREADS),
    *_SHARED_REGISTERS,
))  # fmt: skip

ATOMIC_CYCLES: Final = 12
"""The latency of an atomic operation of a core, at least."""

_FIRST: Final = {region.block: region.first for region in reversed(WORMHOLE_MAP.regions)}

REGFILE: Final = _FIRST[Block.REGISTERS]
EXPANDER: Final = _FIRST[Block.EXPANDER]
LOCAL: Final = _FIRST[Block.LOCAL]
SLOW_LOCAL: Final = 0xFFB14000
INSTRUCTIONS: Final = _FIRST[Block.INSTRUCTIONS]
CORE_B: Final = _FIRST[Block.CORE_B]
SEMAPHORES: Final = _FIRST[Block.SEMAPHORES]
MAILBOXES: Final = _FIRST[Block.MAILBOXES]
OVERLAY: Final = _FIRST[Block.OVERLAY]
CONFIGURATION: Final = _FIRST[Block.CONFIGURATION]
COPROCESSOR_DONE: Final = 0xFFE80004
EXPANDER_DONE: Final = 0xFFE80008
PACKED_SIZE: Final = 0xFFB1101C
TDMA_STATUS: Final = 0xFFB11014
DEBUG_CONTROL: Final = 0xFFB12080
DEBUG_VALUE: Final = 0xFFB12084
DEBUG_ECHO: Final = 0xFFB12088
DEBUG_RESULT: Final = 0xFFB1208C
SOFT_RESET: Final = 0xFFB121B0
KEPT_IN_RESET: Final = 0xFFB12224
RESET_PC: Final = 0xFFB12228
"""Of Blackhole: what resets leave as it is, and the first of six registers where cores begin."""
CLOCK_LOW: Final = 0xFFB121F0
CLOCK_NOW: Final = 0xFFB121F4
CLOCK_HIGH: Final = 0xFFB121F8

QUEUE_BYTES: Final = 0x10000
"""Bytes of the addresses of each queue from RISC-V B, and of each where it pushes instructions."""

BOX_BYTES: Final = 0x1000
"""Bytes of the addresses of one mailbox; the first is that of RISC-V B."""


RESET_PCS: Final = (
    "TRISC0_RESET_PC", "TRISC1_RESET_PC", "TRISC2_RESET_PC", "TRISC_RESET_PC_OVERRIDE",
    "NCRISC_RESET_PC", "NCRISC_RESET_PC_OVERRIDE",
)  # fmt: skip
"""Registers of Blackhole that say where cores begin, in the order of their addresses."""
