"""Loads and stores of the scalar unit to L1, and its atomics.

Sources: the pages of the instructions in the public ISA documentation of Wormhole B0. Addresses and
what is stored are taken when an instruction starts; it returns a function that does what memory
does later. Until then the request is in flight, and the gate and the scalar unit can wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix.scalar.gprs import data, halves, quad
from nasm.targets.tensix.scalar.unit import release
from nasm.targets.tensix.state import U8, Coprocessor, Thread

Later = Callable[[], None]
STEPS: Final = (0, 2, 4, 16)
"""What OffsetIncrement adds to the offset."""
BYTES: Final = (16, 4, 2, 1)
"""By the size that loads and stores name."""


def stepped_offset(core: Coprocessor, thread: int, half: int, increment: int) -> int:
    """The offset in half a register, which is then stepped."""
    offsets = halves(core, thread)
    offset = int(offsets[half])
    offsets[half] = offset + STEPS[increment] & 0xFFFF
    return offset


def _request(own: Thread, does: Later) -> Later:
    """A request of a thread that is in flight until memory has done it."""
    own.requests += 1

    def done() -> None:
        does()
        own.requests -= 1

    return done


def _base(core: Coprocessor, thread: int, register: int, offset: int) -> int:
    """An address in L1: a register in units of 16 bytes, and an offset in bytes."""
    address = (int(core.threads[thread].registers[register]) * 16 + offset) & 0xFFFFFFFF
    size = core.chip.l1_bytes
    if address >= size:
        raise Refused(
            "E0701",
            f"{address:#x} is beyond the end of L1, which has {size:#x} bytes",
            f"register {register} counts in units of 16 bytes",
        )
    return address


def LOADIND(
    core: Coprocessor,
    thread: int,
    Size: int,
    OffsetHalfReg: int,
    OffsetIncrement: int,
    ResultReg: int,
    AddrReg: int,
) -> Later:
    """Load 16, 4, 2 or 1 bytes into an aligned quad or the low end of a register.

    The address is rounded down to a multiple of the size; the offset is stepped at once.
    """
    offset = int(halves(core, thread)[OffsetHalfReg])
    address = _base(core, thread, AddrReg, offset) & -BYTES[Size]
    stepped_offset(core, thread, OffsetHalfReg, OffsetIncrement)
    own = core.threads[thread]

    def load() -> None:
        into = quad(core, thread, ResultReg) if Size == 0 else own.registers[ResultReg:][:1]
        into.view("u1")[: BYTES[Size]] = core.l1.read(address, BYTES[Size])

    return _request(own, load)


def STOREIND_L1(
    core: Coprocessor,
    thread: int,
    Size: int,
    OffsetHalfReg: int,
    OffsetIncrement: int,
    DataReg: int,
    AddrReg: int,
) -> Later:
    """Store 16, 4, 2 or 1 bytes of an aligned quad or of the low end of a register.

    The offset is stepped before the data are taken.
    """
    offset = int(halves(core, thread)[OffsetHalfReg])
    address = _base(core, thread, AddrReg, offset) & -BYTES[Size]
    stepped_offset(core, thread, OffsetHalfReg, OffsetIncrement)
    own = core.threads[thread]
    words = quad(core, thread, DataReg) if Size == 0 else own.registers[DataReg:][:1]
    stored = data(words)[: BYTES[Size]].copy()
    return _request(own, lambda: core.l1.write(address, stored))


def ATSWAP(
    core: Coprocessor, thread: int, SingleDataReg: int, Mask: int, DataReg: int, AddrReg: int
) -> Later:
    """Store those of eight halves that a mask selects; nothing is read back.

    They come from an aligned quad, or from one register of it with zeros for the others.
    """
    address = _base(core, thread, AddrReg, 0)
    words = quad(core, thread, DataReg).copy()
    if SingleDataReg:
        words[[i for i in range(4) if i != DataReg & 3]] = 0
    chosen = np.unpackbits(np.uint8(Mask), bitorder="little").view(np.bool_)

    def swap() -> None:
        line = core.l1.read(address, 16)
        line.view("<u2")[chosen] = words.view("<u2")[chosen]
        core.l1.write(address, line)

    return _request(core.threads[thread], swap)


def ATINCGET(
    core: Coprocessor, thread: int, IntWidth: int, Ofs: int, InOutReg: int, AddrReg: int
) -> Later:
    """Add a register to the low ``IntWidth`` + 1 bits of a word, whose old value it then gets."""
    address = _base(core, thread, AddrReg, 4 * Ofs)
    own = core.threads[thread]
    step, bits = int(own.registers[InOutReg]), (2 << IntWidth) - 1 & 0xFFFFFFFF

    def increment() -> None:
        old = _word(core, address)
        _set_word(core, address, old + step & bits | old & ~bits)
        own.registers[InOutReg] = old

    return _request(own, increment)


def ATINCGETPTR(
    core: Coprocessor,
    thread: int,
    NoIncr: int,
    IncrLog2: int,
    IntWidth: int,
    Ofs: int,
    ResultReg: int,
    AddrReg: int,
) -> None:
    """Step a counter of a FIFO by a power of two, modulo 2**IntWidth; a register gets the old one.

    ``waits_for_fifo`` has found room, or an element.
    """
    address = _base(core, thread, AddrReg, 0) + 4 * Ofs
    old, bits = _word(core, address), (1 << IntWidth) - 1
    step = 0 if NoIncr else 1 << IncrLog2
    _set_word(core, address, old + step & bits | old & ~bits)
    core.threads[thread].registers[ResultReg] = old
    release(core, thread)


def waits_for_fifo(
    core: Coprocessor, thread: int, IntWidth: int, Ofs: int, AddrReg: int
) -> Blocked | None:
    """What keeps ATINCGETPTR from going on: a FIFO that is full, or, for an even counter, empty."""
    address = _base(core, thread, AddrReg, 0)
    read, write = _word(core, address), _word(core, address + 4)
    held = write - read & 0xFFFFFFFF
    where = f"the FIFO at {address:#x}"
    if not Ofs & 1:
        return None if held else Blocked("atomic", f"{where} is empty: both counters are {read}")
    capacity = 1 << IntWidth - 1 if IntWidth else 0x8000
    if held and held % capacity == 0:
        return Blocked("atomic", f"{where} is full: it holds {held}, its capacity is {capacity}")
    return None


def ATCAS(core: Coprocessor, thread: int, SetVal: int, Ofs: int, AddrReg: int) -> None:
    """Set a word of L1; ``waits_for_word`` has found in it what was wanted."""
    _set_word(core, _base(core, thread, AddrReg, 4 * Ofs), SetVal)
    release(core, thread)


def waits_for_word(
    core: Coprocessor, thread: int, CmpVal: int, Ofs: int, AddrReg: int
) -> Blocked | None:
    """What keeps ATCAS from going on: a word, all 32 bits of it, that is not the one wanted."""
    address = _base(core, thread, AddrReg, 4 * Ofs)
    found = _word(core, address)
    if found == CmpVal:
        return None
    return Blocked("atomic", f"the word at {address:#x} is {found}, not {CmpVal}")


def _word(core: Coprocessor, address: int) -> int:
    return int.from_bytes(core.l1.read(address, 4).tobytes(), "little")


def _set_word(core: Coprocessor, address: int, value: int) -> None:
    core.l1.write(address, _bytes(value))


def _bytes(value: int) -> U8:
    return np.frombuffer(value.to_bytes(4, "little"), np.uint8)
