"""Instructions that clear rows and banks, set row counters, and release banks.

Sources: ZEROACC.md, ZEROSRC.md, SETRWC.md, INCRWC.md, CLEARDVALID.md, SETDVALID.md, GATESRCRST.md,
CLREXPHIST.md of the public ISA documentation.
"""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.matrix.arithmetic import dst_row
from nasm.targets.tensix.matrix.dst import undefine
from nasm.targets.tensix.matrix.formats import INFINITE
from nasm.targets.tensix.matrix.src import flip, hand_over, reset_banks, unknown, wide_dst
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.state import UNPACKERS, Coprocessor, RowCounters

ONE_ROW, SIXTEEN_ROWS, HALF, ALL = range(4)
"""Modes of ZEROACC."""


def ZEROACC(
    core: Coprocessor, thread: int, UseDst32b: int, Mode: int, Revert: int, AddrMod: int, Imm10: int
) -> None:
    """Make one row of Dst undefined, or 16, or half of them, or all."""
    if Mode != ONE_ROW and Revert:
        raise unknown(f"ZEROACC with Revert in mode {Mode}")
    clear(core, thread, Mode, Imm10, block=Imm10 & 0xFF, wide=bool(UseDst32b))
    if Mode in (ONE_ROW, SIXTEEN_ROWS):
        apply_addr_mod(core, thread, AddrMod)


def clear(core: Coprocessor, thread: int, mode: int, where: int, *, block: int, wide: bool) -> None:
    """Make rows of Dst undefined: a row, a block of 16 as 32 bits where ``wide``, a half, or all.

    There is nothing from the last block on.
    """
    m = core.matrix
    if mode == ONE_ROW:
        wide = wide_dst(core, thread)
        undefine(m, np.array([dst_row(core, thread, where)]), wide)
    elif mode == SIXTEEN_ROWS:
        if block < (32 if wide else 64):
            undefine(m, 16 * block + np.arange(16), wide)
    elif mode == HALF:
        m.defined[512:] = m.defined[512:] & (not where & 1)
        m.defined[:512] = m.defined[:512] & bool(where & 1)
    else:
        m.defined[:] = False


def ZEROSRC(
    core: Coprocessor,
    thread: int,
    NegativeInfSrcA: int,
    SingleBankMatrixUnit: int,
    BothBanks: int,
    ClearSrcB: int,
    ClearSrcA: int,
) -> None:
    """Clear a bank of SrcA and SrcB, the matrix unit's or the unpackers', or both banks."""
    m = core.matrix
    if ClearSrcA:
        one = m.matrix_a if SingleBankMatrixUnit else m.unpack_a
        bank = m.srca if BothBanks else m.srca[one]
        bank[...] = INFINITE if NegativeInfSrcA else 0
    if ClearSrcB:
        one = m.matrix_b if SingleBankMatrixUnit else m.unpack_b
        bank = m.srcb if BothBanks else m.srcb[one]
        bank[...] = 0


def SETRWC(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    DstCtoCr: int,
    DstCr: int,
    SrcBCr: int,
    SrcACr: int,
    DstVal: int,
    SrcBVal: int,
    SrcAVal: int,
    Fidelity: int,
    Dst: int,
    SrcB: int,
    SrcA: int,
) -> None:
    """Set row counters, with their carriage returns or from these; perhaps release banks."""
    rows = core.threads[thread].rows
    set_rows(
        rows, DstCtoCr, DstCr, SrcBCr, SrcACr, DstVal, SrcBVal, SrcAVal, Fidelity, Dst, SrcB, SrcA
    )
    flip(core, thread, FlipSrcA, FlipSrcB)


def set_rows(
    rows: RowCounters,
    DstCtoCr: int,
    DstCr: int,
    SrcBCr: int,
    SrcACr: int,
    DstVal: int,
    SrcBVal: int,
    SrcAVal: int,
    Fidelity: int,
    Dst: int,
    SrcB: int,
    SrcA: int,
) -> None:
    """What SETRWC does to row counters."""
    if SrcA:
        rows.srca = rows.srca_cr = SrcAVal + (rows.srca_cr if SrcACr else 0) & 0x3F
    if SrcB:
        rows.srcb = rows.srcb_cr = SrcBVal + (rows.srcb_cr if SrcBCr else 0) & 0x3F
    if Dst or DstCtoCr:
        before = rows.dst if DstCtoCr else rows.dst_cr if DstCr else 0
        rows.dst = rows.dst_cr = DstVal + before & 0x3FF
    if Fidelity:
        rows.fidelity = 0


def INCRWC(
    core: Coprocessor,
    thread: int,
    DstCr: int,
    SrcBCr: int,
    SrcACr: int,
    DstInc: int,
    SrcBInc: int,
    SrcAInc: int,
) -> None:
    """Increment row counters, or their carriage returns, which they then take."""
    increment_rows(core.threads[thread].rows, DstCr, SrcBCr, SrcACr, DstInc, SrcBInc, SrcAInc)


def increment_rows(
    rows: RowCounters, DstCr: int, SrcBCr: int, SrcACr: int, DstInc: int, SrcBInc: int, SrcAInc: int
) -> None:
    """What INCRWC does to row counters."""
    if SrcACr:
        rows.srca_cr = rows.srca = rows.srca_cr + SrcAInc & 0x3F
    else:
        rows.srca = rows.srca + SrcAInc & 0x3F
    if SrcBCr:
        rows.srcb_cr = rows.srcb = rows.srcb_cr + SrcBInc & 0x3F
    else:
        rows.srcb = rows.srcb + SrcBInc & 0x3F
    if DstCr:
        rows.dst_cr = rows.dst = rows.dst_cr + DstInc & 0x3FF
    else:
        rows.dst = rows.dst + DstInc & 0x3FF


def CLEARDVALID(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    KeepReadingSameSrc: int,
    Reset: int,
) -> None:
    """Hand the matrix unit's banks to the unpackers, and move on or stay; or reset all banks."""
    m = core.matrix
    if Reset:
        reset_banks(core)
        return
    if FlipSrcA:
        m.owner_a[m.matrix_a] = UNPACKERS
        m.matrix_a ^= not KeepReadingSameSrc
    if FlipSrcB:
        m.owner_b[m.matrix_b] = UNPACKERS
        m.matrix_b ^= not KeepReadingSameSrc


def SETDVALID(core: Coprocessor, thread: int, FlipSrcB: int, FlipSrcA: int) -> None:
    """Hand the unpackers' banks to the matrix unit, as an unpack does that ends with it."""
    for unpacker, wanted in enumerate((FlipSrcA, FlipSrcB)):
        if wanted:
            hand_over(core, thread, unpacker)()


def GATESRCRST(core: Coprocessor, thread: int, InvalidateSrcBCache: int) -> None:
    """Forget the operand that is cached of SrcB; nothing here is cached."""


def CLREXPHIST(core: Coprocessor, thread: int) -> None:
    """Clear the histograms of exponents of all packers."""
    for packer in core.packers:
        packer.histogram[:] = 0
        packer.largest_exponent = 0
