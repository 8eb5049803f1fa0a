"""Everything that a Tensix coprocessor holds: what its instructions read and write.

Sizes and reset values are of the public ISA documentation. Nothing here says what an
instruction does; who does changes the arrays in place. All of it is saved and restored together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass, field
from nasm.isa.core_state import EngineLines
from nasm.targets.tensix.chips import WORMHOLE, Chip
from nasm.targets.tensix.layouts.layout import ConfigLayout
from nasm.targets.tensix.mutable_state import MutableState
from nasm.targets.tensix.risc_state import IRAM_BYTES, RISC_CORES, DebugPort, RiscCore

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
Bools = NDArray[np.bool_]

THREADS = 3
PACKERS = 4
LANES = 32
COLUMNS = 8


UNPACKERS, MATRIX = 0, 1
"""Who owns a bank of SrcA or SrcB."""

RESET_WORDS = 8
"""Registers that say where cores begin: one for each core, and which of them hold."""

STREAMS, STREAM_WORDS = 64, 7
"""Streams of the NoC overlay of a tile, and the words that each keeps (``streams.py``)."""

INITIATORS, INITIATOR_WORDS = 4, 17
"""Request initiators of each network interface of a tile, and the words of their registers."""

NO_FORMAT = -1
"""The format of a bank of SrcA or SrcB that nothing was unpacked to."""

NO_STREAM = -1
"""The stream of a wait for anything else."""

NO_THREAD = -1
"""The owner of a free mutex, and the mutex that a thread wants which waits for none."""

NO_LINES: Final = (None,) * THREADS
"""The lines of threads whose RISC-V cores push none."""


class L1Bytes(Protocol):
    """L1, by byte address. Addresses out of range are refused by the memory that has the bytes."""

    def read(self, address: int, count: int) -> U8:
        """A copy of some bytes."""

    def write(self, address: int, data: U8) -> None:
        """Put bytes at an address."""


def _words(*shape: int) -> Callable[[], U32]:
    return lambda: np.zeros(shape, np.uint32)


def _registers() -> U32:
    """L0 to L16 at reset: the constants are 8 to 15."""
    held = np.zeros((17, LANES), np.uint32)
    constants = {8: 0x3F56594B, 10: 0x3F800000, 11: 0xBF800000, 12: 0x37800000}
    for number, value in {**constants, 13: 0xBF2CC4C7, 14: 0xBEB08FF9}.items():
        held[number] = value
    held[15] = 2 * np.arange(LANES)
    return held


@dataclass(slots=True, eq=False)
class Vector(MutableState):
    """The vector unit: 32 lanes, lane i in row i // 8 and column i % 8 of a 4 by 8 grid.

    ``registers[n, lane]`` is L0 to L15, and 16, which macros alone reach; 11 to 14 can
    be set. A lane executes where ``flag`` is set or ``uses_flag`` is not. ``stack`` has what was
    pushed, the latest last: both of these, as bytes. ``lane_config`` and what macros are made of,
    ``templates[n, column]``, ``sequences[n, column]``, ``macro_misc[column]``, are by column: all
    rows have the same. ``rotated`` is what was rotated last. ``pending`` are instructions
    that a macro has scheduled, records of ``lanes/macros.py``.
    """

    registers: U32 = field(default_factory=_registers)
    flag: Bools = field(default_factory=lambda: np.zeros(LANES, np.bool_))
    uses_flag: Bools = field(default_factory=lambda: np.zeros(LANES, np.bool_))
    stack: tuple[tuple[bytes, bytes], ...] = ()
    lane_config: U32 = field(default_factory=_words(COLUMNS))
    templates: U32 = field(default_factory=_words(4, COLUMNS))
    sequences: U32 = field(default_factory=_words(4, COLUMNS))
    macro_misc: U32 = field(default_factory=_words(COLUMNS))
    random: U32 = field(default_factory=_words(LANES))
    rotated: U32 = field(default_factory=_words(LANES))
    pending: tuple[object, ...] = ()


@dataclass(slots=True, eq=False)
class Matrix(MutableState):
    """What the matrix unit works on: Dst, and two banks each of SrcA and SrcB.

    ``dst[row, column]`` are the 1024 rows of 16 bits as they are stored; ``defined`` says by row
    whether it was written. Elements of SrcA and SrcB have 19 bits: sign, 10 of mantissa, 8 of
    exponent. ``owner_a[bank]`` is ``UNPACKERS`` or ``MATRIX``; the pointers are banks. The latest
    instruction that computed a row of SrcA started at ``srca_row``. ``implied_a[bank]`` is the code
    of the format that a bank was unpacked to, where banks have one, or ``NO_FORMAT``. ``order`` is
    where rows of Dst are, as what used them last found it (``scalar/dst_order.py``).
    """

    dst: U16 = field(default_factory=lambda: np.zeros((1024, 16), np.uint16))
    defined: Bools = field(default_factory=lambda: np.zeros(1024, np.bool_))
    srca: U32 = field(default_factory=_words(2, 64, 16))
    srcb: U32 = field(default_factory=_words(2, 64, 16))
    owner_a: U8 = field(default_factory=lambda: np.zeros(2, np.uint8))
    owner_b: U8 = field(default_factory=lambda: np.zeros(2, np.uint8))
    matrix_a: int = 0
    matrix_b: int = 0
    unpack_a: int = 0
    unpack_b: int = 0
    srca_row: int = 0
    implied_a: NDArray[np.int8] = field(default_factory=lambda: np.full(2, NO_FORMAT, np.int8))
    implied_b: NDArray[np.int8] = field(default_factory=lambda: np.full(2, NO_FORMAT, np.int8))
    order: int = 0


@dataclass(slots=True, eq=False)
class Packer(MutableState):
    """What one packer keeps from one instruction to the next.

    ``addresses`` are the next bytes of L1 for row starts, exponents and data, which are taken again
    where ``needs_address`` is set. Until 16 bytes of a stream are together they wait in ``buffers``
    (``buffered`` counts them). ``position`` is X, Y and Z in the tile; the RISC-V side adds
    ``offset`` to addresses.
    """

    needs_address: Bools = field(default_factory=lambda: np.ones(3, np.bool_))
    addresses: U32 = field(default_factory=_words(3))
    buffers: U8 = field(default_factory=lambda: np.zeros((3, 16), np.uint8))
    buffered: U8 = field(default_factory=lambda: np.zeros(3, np.uint8))
    position: tuple[int, int, int] = (0, 0, 0)
    histogram: U8 = field(default_factory=lambda: np.zeros(32, np.uint8))
    largest_exponent: int = 0
    offset: int = 0


@dataclass(slots=True, eq=False)
class RowCounters(MutableState):
    """RWC of a thread: rows of Dst, SrcA and SrcB, each with its carriage return.

    ``stack`` is where its stack of rows of Dst is, on generations that have one.
    """

    dst: int = 0
    dst_cr: int = 0
    srca: int = 0
    srca_cr: int = 0
    srcb: int = 0
    srcb_cr: int = 0
    fidelity: int = 0
    extra_addr_mod: int = 0
    stack: int = 0


@dataclass(slots=True, eq=False)
class ReplayRecording(MutableState):
    """What recording for replays waits for: ``left`` words, the next of them for ``index``."""

    left: int = 0
    index: int = 0
    executes: bool = False


@dataclass(slots=True, eq=False)
class Latch(MutableState):
    """The wait instruction that the gate of a thread remembers; none where ``block`` is 0.

    ``conditions`` are C0 to C14 of units, or C0 and C1 of semaphores if ``of_semaphores`` is set,
    about the semaphores that are selected, or C0 and C1 of a ``stream``, whose phase or count of
    messages is to reach a ``target``. Cycles: when it was latched, when the gate ``looked``
    at it last, and when its conditions were ``met``, or -1. ``ordering`` are the bits of what comes
    after a wait for units, until something has, and ``units`` its conditions.
    """

    block: int = 0
    conditions: int = 0
    semaphores: int = 0
    of_semaphores: bool = False
    stream: int = NO_STREAM
    target: int = 0
    since: int = 0
    looked: int = 0
    met: int = -1
    ordering: int = 0
    units: int = 0


@dataclass(slots=True, eq=False)
class Thread(MutableState):
    """What belongs to one of the three threads.

    ``config`` are its words of 16 bits; ``adc[who, channel, dimension, cr]``: unpacker 0 and 1
    and the packers, X, Y, Z and W, the counter and its carriage return. ``mop`` are the nine
    words of the MOP expander; ``replay`` the 32 words that were
    recorded, ``recorded`` the places of what was. ``src_row`` and
    ``context`` are rows and context counters of the two unpackers. ``requests`` are those of the
    scalar unit to memory that are in flight; ``wants`` the mutex that the thread waits for.
    """

    registers: U32 = field(default_factory=_words(64))
    config: U16 = field(default_factory=lambda: np.zeros(WORMHOLE.layout.thread_words, np.uint16))
    rows: RowCounters = field(default_factory=RowCounters)
    adc: U32 = field(default_factory=_words(3, 2, 4, 2))
    mop: U32 = field(default_factory=_words(9))
    mop_mask_high: int = 0
    replay: U32 = field(default_factory=_words(32))
    recorded: tuple[tuple[int, int] | None, ...] = (None,) * 32
    recording: ReplayRecording = field(default_factory=ReplayRecording)
    latch: Latch = field(default_factory=Latch)
    src_row: tuple[int, int] = (0, 0)
    context: tuple[int, int] = (0, 0)
    requests: int = 0
    wants: int = NO_THREAD


@dataclass(slots=True, eq=False)
class Coprocessor(MutableState):
    """The Tensix coprocessor of one tile.

    ``chip`` says of which generation it is. ``config[bank, word]``: words from the first global one
    on are the same in both banks.
    ``semaphores[i]`` is a value and its maximum; ``mutexes[i]`` the thread that holds one, or
    ``NO_THREAD``. ``scalar_owner`` is the thread whose instruction waits in the scalar unit, and
    keeps others out. ``srcb_as_srca`` says that the format of SrcA holds for SrcB too. ``lines``
    are those of threads whose RISC-V core pushes them, ``riscs`` all such cores, ``coded`` those
    that execute RISC-V code. ``overwritten`` are words of their code, from the address
    ``code_low`` on, which are others now, ``altered`` how many. ``debug`` is how their debug
    registers are reached. ``initiators[network, i]`` are the registers with which cores start
    requests, which wait until the cycle ``sending[network, i]``. ``reset_pcs`` are registers that
    say where cores begin, where there are such (``scalar/devices.py``), ``streams`` what registers
    of streams hold. ``iram`` is the instruction
    memory of NC, of which the bytes that were written are known. ``soft_reset`` is what is held in
    reset, ``clock_high`` the upper half of the wall clock when the lower one was read last;
    ``now`` is the cycle up to which everything has happened.
    """

    CACHES: ClassVar[tuple[str, ...]] = ("l1", "srcb_as_srca", "lines", "chip", "coded", "code_low")

    l1: L1Bytes
    vector: Vector = field(default_factory=Vector)
    matrix: Matrix = field(default_factory=Matrix)
    packers: tuple[Packer, ...] = field(
        default_factory=lambda: tuple(Packer() for _ in range(PACKERS))
    )
    threads: tuple[Thread, ...] = field(
        default_factory=lambda: tuple(Thread() for _ in range(THREADS))
    )
    config: U32 = field(default_factory=_words(2, WORMHOLE.layout.words))
    semaphores: U8 = field(default_factory=lambda: np.zeros((8, 2), np.uint8))
    mutexes: NDArray[np.int8] = field(default_factory=lambda: np.full(8, NO_THREAD, np.int8))
    scalar_owner: int = NO_THREAD
    srcb_as_srca: bool = False
    lines: tuple[EngineLines | None, ...] = NO_LINES
    riscs: tuple[RiscCore, ...] = field(
        default_factory=lambda: tuple(RiscCore() for _ in range(RISC_CORES))
    )
    coded: tuple[bool, ...] = (False,) * RISC_CORES
    overwritten: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    altered: int = 0
    code_low: int = 0
    debug: DebugPort = field(default_factory=DebugPort)
    iram: U8 = field(default_factory=lambda: np.zeros(IRAM_BYTES, np.uint8))
    initiators: U32 = field(default_factory=_words(2, INITIATORS, INITIATOR_WORDS))
    sending: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, INITIATORS), np.int64))
    streams: U32 = field(default_factory=_words(STREAMS, STREAM_WORDS))
    reset_pcs: U32 = field(default_factory=_words(RESET_WORDS))
    iram_known: Bools = field(default_factory=lambda: np.zeros(IRAM_BYTES, np.bool_))
    soft_reset: int = 0
    clock_high: int = 0
    now: int = 0
    chip: Chip = WORMHOLE

    def __post_init__(self) -> None:
        layout = self.chip.layout
        for number, risc in enumerate(self.riscs):
            risc.local = np.zeros(self.chip.addresses.local_bytes(number) // 4, np.uint32)
        if self.chip is not WORMHOLE:
            self.config = np.zeros((2, layout.words), np.uint32)
            for thread in self.threads:
                thread.config = np.zeros(layout.thread_words, np.uint16)

    def streams_changed(self) -> None:
        """A register of a stream may have changed."""

    def passed(self, thread: int, parts: tuple[str, ...]) -> None:
        """A thread has waited for parts to be as they are."""

    def restart(self, number: int) -> None:
        """Let a RISC-V core that has reached its end begin again once its reset ends."""

    def discard(self, thread: int) -> None:
        """Give up what the core of a thread has pushed and the MOP expander has not taken."""

    @property
    def layout(self) -> ConfigLayout:
        """Where everything is in its configuration."""
        return self.chip.layout
