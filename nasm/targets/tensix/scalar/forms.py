"""Instructions of several forms, by the arguments of their official macros.

Which form a word is, is said by bits of it; each form is a function of its own fields.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.problems import Refused
from nasm.isa.held import Blocked
from nasm.targets.tensix.scalar.configuring import REG2FLOP_ADC, REG2FLOP_Configuration
from nasm.targets.tensix.scalar.memory import STOREIND_L1
from nasm.targets.tensix.scalar.packer_state import SETDMAREG_Immediate, SETDMAREG_Special
from nasm.targets.tensix.scalar.registers_of_devices import STOREIND_MMIO
from nasm.targets.tensix.scalar.source_stores import STOREIND_Src, waits_for_bank
from nasm.targets.tensix.state import Coprocessor


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
    STOREIND_Src(core, thread, RegSizeSel, *rest)
    return None


def waits_to_store(
    core: Coprocessor, MemHierSel: int, SizeSel: int, RegSizeSel: int
) -> Blocked | None:
    """What keeps STOREIND from going on: for SrcA and SrcB, a bank of the matrix unit."""
    return None if MemHierSel or SizeSel else waits_for_bank(core, RegSizeSel)
