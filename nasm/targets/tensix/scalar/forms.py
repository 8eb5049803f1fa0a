"""Instructions of several forms, by the arguments of their official macros.

Bits of a word say which form it is; each form is a function of its own fields.

Sources: their pages, one for each form, in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix.scalar import devices
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.configuring import REG2FLOP_ADC, Later, writing
from nasm.targets.tensix.scalar.gprs import halves, quad
from nasm.targets.tensix.scalar.memory import STOREIND_L1, stepped_offset
from nasm.targets.tensix.scalar.registers_of_devices import checked
from nasm.targets.tensix.scalar.unit import release
from nasm.targets.tensix.state import U32, UNPACKERS, Coprocessor
from nasm.targets.tensix.unit_queries import SRC


def SETDMAREG(
    core: Coprocessor,
    thread: int,
    Payload_SigSelSize: int,
    Payload_SigSel: int,
    SetSignalsMode: int,
    RegIndex16b: int,
) -> None:
    """Half a register from the word, or with ``SetSignalsMode`` what packers keep."""
    if not SetSignalsMode:
        value = Payload_SigSelSize << 14 | Payload_SigSel
        SETDMAREG_Immediate(core, thread, value, RegIndex16b)
        return
    packers, source, half = (Payload_SigSel >> 7 & 15, Payload_SigSel >> 3 & 15, Payload_SigSel & 7)
    SETDMAREG_Special(core, thread, Payload_SigSelSize, packers, source, half, RegIndex16b)


def REG2FLOP(
    core: Coprocessor,
    thread: int,
    SizeSel: int,
    TargetSel: int,
    ByteOffset: int,
    ContextId_2: int,
    FlopIndex: int,
    RegIndex: int,
) -> Callable[[], None] | None:
    """A register to an address counter if ``TargetSel`` is 2 or 3, to THCON's configuration if 0.

    3 overrides the thread. Raises Refused for 1.
    """
    if TargetSel == 1:
        raise Refused("E0701", "TargetSel 1 of REG2FLOP is not documented; wanted 0, 2 or 3")
    if TargetSel == 0:
        return REG2FLOP_Configuration(core, thread, SizeSel, FlopIndex & 0x7F, RegIndex)
    channel, unit, cr, xyzw = (
        FlopIndex >> 5 & 1,
        FlopIndex >> 3 & 3,
        FlopIndex >> 2 & 1,
        FlopIndex & 3,
    )
    REG2FLOP_ADC(
        core,
        thread,
        SizeSel,
        TargetSel & 1,
        ByteOffset,
        ContextId_2,
        channel,
        unit,
        cr,
        xyzw,
        RegIndex,
    )
    return None


def STOREIND(
    core: Coprocessor,
    thread: int,
    MemHierSel: int,
    SizeSel: int,
    RegSizeSel: int,
    OffsetIndex: int,
    AutoIncSpec: int,
    DataRegIndex: int,
    AddrRegIndex: int,
) -> Callable[[], None] | None:
    """To L1 if ``MemHierSel`` is set, else to devices if ``SizeSel`` is, else to SrcA or SrcB."""
    rest = OffsetIndex, AutoIncSpec, DataRegIndex, AddrRegIndex
    if MemHierSel:
        return STOREIND_L1(core, thread, SizeSel << 1 | RegSizeSel, *rest)
    if SizeSel:
        STOREIND_MMIO(core, thread, *rest)
    else:
        STOREIND_Src(core, thread, RegSizeSel, *rest)
    return None


def waits_to_store(
    core: Coprocessor, MemHierSel: int, SizeSel: int, RegSizeSel: int
) -> Blocked | None:
    """What keeps STOREIND from going on: for SrcA and SrcB, a bank of the matrix unit."""
    return None if MemHierSel or SizeSel else waits_for_bank(core, RegSizeSel)


_METADATA = {
    0: "the sizes of packed tiles",
    1: "the zero flags of packed tiles",
    2: "the header of a packed tile",
    3: "the header of a packed tile",
    4: "the header of a packed tile",
    5: "the header of a packed tile",
    8: "the zero flags of packed tiles",
}
"""What packers tell of the tiles they compressed, which is documented in part only."""

_HEADER = ((0x0000FFFF,), (0x00FF0000,), (0xFFFFFFFF,), (0,))
"""The bits of a tile's header, by word, that are not reserved."""


def SETDMAREG_Immediate(core: Coprocessor, thread: int, NewValue: int, ResultHalfReg: int) -> None:
    """Write 16 bits to half a register; half 2 * n is the low one of register n."""
    halves(core, thread)[ResultHalfReg] = NewValue


def SETDMAREG_Special(
    core: Coprocessor,
    thread: int,
    ResultSize: int,
    WhichPackers: int,
    InputSource: int,
    InputHalfReg: int,
    ResultHalfReg: int,
) -> None:
    """Write half a register, one or four from what packers keep; sources from 10 on are zero.

    Sizes: 0 a half to a half, 1 a word to a register, 2 four words to an aligned quad, 3 these
    without what a tile's header reserves. Raises Refused for what packers tell of compression.
    """
    values = _values(core, WhichPackers, InputSource)
    if ResultSize == 0:
        halves(core, thread)[ResultHalfReg] = values.view("<u2")[InputHalfReg]
    elif ResultSize == 1:
        core.threads[thread].registers[ResultHalfReg >> 1] = values[InputHalfReg >> 1]
    else:
        into = quad(core, thread, ResultHalfReg >> 1)
        bits = np.array([b for (b,) in _HEADER], np.uint32) if ResultSize == 3 else ~np.uint32(0)
        into[:] = values & bits | into & ~bits


def _values(core: Coprocessor, which: int, source: int) -> U32:
    """The 128 bits of a source."""
    text = _METADATA.get(source)
    if text is not None:
        raise Refused(
            "E0601", f"SETDMAREG from source {source} reads {text}, which nasm does not keep"
        )
    values = np.zeros(4, np.uint32)
    if source in (6, 7):
        first = 16 * (source - 6)
        values[:] = core.packers[which & 3].histogram[first : first + 16].view("<u4")
    elif source == 9:
        values[0] = core.packers[0].largest_exponent
    return values


def waits_for_bank(core: Coprocessor, StoreToSrcB: int) -> Blocked | None:
    """What keeps the store from going on: a bank that the unpackers have given away."""
    m = core.matrix
    name, owners, bank = (
        ("SrcB", m.owner_b, m.unpack_b) if StoreToSrcB else ("SrcA", m.owner_a, m.unpack_a)
    )
    if owners[bank] == UNPACKERS:
        return None
    return Blocked("src", f"bank {bank} of {name} belongs to the matrix unit", on=(SRC,))


def STOREIND_Src(
    core: Coprocessor,
    thread: int,
    StoreToSrcB: int,
    OffsetHalfReg: int,
    OffsetIncrement: int,
    DataReg: int,
    AddrReg: int,
) -> None:
    """Write four elements of a row of the unpackers' bank; raises Refused outside of its rows.

    The address counts groups of four. The low halves of the registers are in the order of Dst,
    with the exponent lowest; the high halves are plain BF16. Row 4 of the address is row 0 of
    SrcA: what goes to rows 0 to 3 is lost.
    """
    m, own = core.matrix, core.threads[thread]
    datums = _datums(quad(core, thread, DataReg)[:2])
    base = int(own.registers[AddrReg])
    address = base + (int(halves(core, thread)[OffsetHalfReg]) >> 4) & 0xFFFFF
    column, row = 4 * (address & 3), address >> 2
    if StoreToSrcB:
        _row(row, 16, "SrcB")
        row += own.src_row[1]
        m.srcb[m.unpack_b, row, column : column + 4] = datums
    elif row >= 4:
        row -= 4
        if field(core, thread, "SRCA_SET_SetOvrdWithAddr"):
            _row(row, 64, "SrcA")
        else:
            _row(row, 16, "SrcA")
            row += own.src_row[0]
        m.srca[m.unpack_a, row, column : column + 4] = datums
    stepped_offset(core, thread, OffsetHalfReg, OffsetIncrement)
    release(core, thread)


def _row(row: int, rows: int, source: str) -> None:
    if row >= rows:
        raise Refused(
            "E0701", f"STOREIND to row {row} of {source}; rows 0 to {rows - 1} are documented"
        )


def _datums(words: U32) -> U32:
    """Four elements of 19 bits: sign, 10 of mantissa, 8 of exponent."""
    low = (words & 0x8000) << 3 | (words & 0x7F00) << 3 | words & 0xFF
    high = words >> 31 << 18 | (words >> 16 & 0x7F) << 11 | words >> 23 & 0xFF
    return np.stack((low, high), axis=-1).reshape(4)


def STOREIND_MMIO(
    core: Coprocessor,
    thread: int,
    OffsetHalfReg: int,
    OffsetIncrement: int,
    DataReg: int,
    AddrReg: int,
) -> None:
    """Store to a register of a device; raises Refused with the device's name.

    The address is a register and what is left of a half after four bits; that is then stepped.
    """
    registers = core.threads[thread].registers
    base, value = int(registers[AddrReg]), int(registers[DataReg])
    offset = base + (int(halves(core, thread)[OffsetHalfReg]) >> 4)
    address = checked("STOREIND", devices.WINDOW + (offset & 0xFFFFC))
    devices.store(core, address, value)
    stepped_offset(core, thread, OffsetHalfReg, OffsetIncrement)


def REG2FLOP_Configuration(
    core: Coprocessor, thread: int, SizeSel: int, ThConCfgIndex: int, InputReg: int
) -> Later:
    """Write a register, or with size 0 an aligned quad, to words of THCON of the thread's bank.

    They are written at completion, after what an earlier write of such words writes: that takes no
    longer, and contending for THCON's configuration makes this the later one.
    """
    own = core.threads[thread].registers
    values = (quad(core, thread, InputReg) if SizeSel == 0 else own[InputReg:][:1]).tolist()
    return writing(core, thread, written_by_REG2FLOP(core, SizeSel, ThConCfgIndex), values)


def written_by_REG2FLOP(core: Coprocessor, SizeSel: int, ThConCfgIndex: int) -> range:
    """The words of the bank that a move of a register writes; raises Refused outside of THCON."""
    layout = core.layout
    last = layout.shared - layout.scalar - 1
    if ThConCfgIndex > last:
        raise Refused("E0701", f"REG2FLOP writes words 0 to {last} of THCON; found {ThConCfgIndex}")
    first, count = (ThConCfgIndex & ~3, 4) if SizeSel == 0 else (ThConCfgIndex, 1)
    return range(layout.scalar + first, layout.scalar + first + count)
