"""What the RISC-V cores of a tile hold, and how their debug registers are reached."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass, field
from nasm.isa.core_state import Place
from nasm.targets.tensix.mutable_state import MutableState

U32 = NDArray[np.uint32]

RISC_REGISTERS = 32

RISC_CORES = 5
"""T0, T1 and T2, by their threads, then B and NC."""

IRAM_BYTES = 16 << 10
"""Bytes of the instruction memory of NC."""

B, NC = 3, 4
"""The numbers of the RISC-V cores that have no thread."""

STATUS_WORDS, STATUS_CONFIG = 14, 1
"""Words that status registers keep, and that of cfg0, whose merge timer is 16 at reset."""


def _status() -> U32:
    found = _words(STATUS_WORDS)
    found[STATUS_CONFIG] = 16 << 13
    return found


def _words(count: int) -> U32:
    return np.zeros(count, np.uint32)


StoreKey = tuple[str, int]
"""What a core stores to: "register" or "word" of the configuration, and its number."""


class CoreStore(NamedTuple):
    """A store of a core: of what, by which instruction, and after how many pushes.

    Once it is ``settled`` what is pushed cannot overtake it any more.
    """

    key: StoreKey
    place: Place
    line: int
    settled: bool = False

    @property
    def what(self) -> str:
        """What it writes, in words."""
        kind, number = self.key
        return f"register {number}" if kind == "register" else f"word {number} of the configuration"


def _ticks() -> NDArray[np.int64]:
    return np.zeros(RISC_REGISTERS, np.int64)


class LateAccess(NamedTuple):
    """A load or store of a core that has entered its load/store unit, and is not processed.

    It is of some bytes at an address, by the instruction at a place. A load is for register ``rd``,
    maybe ``signed``; a store is of a ``value``.
    """

    loads: bool
    address: int
    size: int
    place: Place
    rd: int = 0
    signed: bool = False
    value: int = 0


class QueuedStore(NamedTuple):
    """An entry of the store queue: when it leaves, and the bytes from its address to its end.

    The latest of its stores, which may be several, is at ``start``.
    """

    tick: int
    address: int
    end: int
    start: int

    @classmethod
    def of(cls, tick: int, address: int, size: int) -> QueuedStore:
        """A store alone."""
        return cls(tick, address, address + size, address)


class InUnit(NamedTuple):
    """An instruction in the load/store unit: its register, when it entered, when it may leave.

    ``access`` is the number of its late load among these, -1 of others.
    """

    rd: int
    entered: int
    ready: int
    access: int = -1


@dataclass(slots=True, eq=False)
class RiscPipeline(MutableState):
    """What is in the load/store unit of a RISC-V core, as far as later instructions wait for it.

    All times are ticks. ``ready`` is, for each register, when what writes it leaves that unit;
    ``latest`` is when the latest instruction entered it, and ``forwarded`` the register that it
    writes. ``leaving`` is when each of the last instructions leaves it, ``left`` when the latest
    that writes a register does, where results are taken before, ``loads`` the same of loads from
    beyond the local memory, ``stores`` what each of the last stores is. The integer unit is
    ``free`` from a tick on, and a load of TTSync is over at ``sync``. ``late`` are accesses in the
    order of their instructions, and ``window`` is what is in the unit from the first late load on;
    see ``riscv/late.py``.
    """

    ready: NDArray[np.int64] = field(default_factory=_ticks)
    left: NDArray[np.int64] = field(default_factory=_ticks)
    latest: int = -1
    forwarded: int = 0
    leaving: tuple[int, ...] = (0,)
    loads: tuple[int, ...] = ()
    stores: tuple[QueuedStore, ...] = ()
    free: int = 0
    sync: int = 0
    late: tuple[LateAccess, ...] = ()
    window: tuple[InUnit, ...] = ()

    def clear(self, now: int) -> None:
        """Nothing is in it."""
        self.ready[:] = self.left[:] = now
        self.latest, self.forwarded, self.leaving = -1, 0, (now,)
        self.loads, self.stores, self.free, self.sync = (), (), now, now
        self.late, self.window = (), ()


@dataclass(slots=True, eq=False)
class RiscCore(MutableState):
    """A RISC-V core: that which pushes to a thread, or B, or NC.

    ``registers`` are x0, which is 0, to x31; ``local`` is its local memory. ``boxes`` are the
    mailboxes to it, by the core that writes them. ``stores`` are those that what it pushes may
    read. ``base`` is the address of its first line, ``entry`` the one at which it begins: that of
    its reset where they are -1. What it executes next ``begins`` there, as reset left it; else it
    is at a ``line`` of its code. ``debug`` are its debug registers, ``status`` what its status
    registers keep; ``cycles`` is when its counter of cycles was 0, and ``executed`` how many
    instructions it counts. ``reason`` are the bits that say why it is paused; ``watched`` says that
    it has breakpoints, ``stepping`` that it pauses after its next instruction. ``pc_buffer`` is
    what B has sent it, for which it ``listens`` if it waits for that. One that is ``paused`` waits
    for a debugger; one that has ``ended`` executes nothing more.
    """

    registers: U32 = field(default_factory=lambda: _words(RISC_REGISTERS))
    local: U32 = field(default_factory=lambda: _words(512))
    boxes: tuple[tuple[int, ...], ...] = ((),) * RISC_CORES
    stores: tuple[CoreStore, ...] = ()
    pipeline: RiscPipeline = field(default_factory=lambda: RiscPipeline())
    base: int = -1
    entry: int = -1
    line: int = 0
    begins: bool = True
    paused: bool = False
    ended: bool = False
    pc_buffer: tuple[int, ...] = ()
    listens: bool = False
    debug: U32 = field(default_factory=lambda: _words(18))
    status: U32 = field(default_factory=_status)
    cycles: int = 0
    executed: int = 0
    reason: int = 0
    watched: bool = False
    stepping: bool = False


@dataclass(slots=True, eq=False)
class DebugPort(MutableState):
    """The registers by which debug registers of cores are reached.

    ``control`` and ``value`` are what was stored there, ``result`` what was read last, which is
    ``valid`` until the next access.
    """

    control: int = 0
    value: int = 0
    result: int = 0
    valid: bool = False
