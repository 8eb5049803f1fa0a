"""The instructions that move rows between Dst, SrcA and SrcB, or within one of these.

Sources: MOVA2D.md, MOVB2D.md, MOVD2A.md, MOVD2B.md, MOVDBGA2D.md, TRNSPSRCB.md, SHIFTXA.md,
SHIFTXB.md; MOVB2A has no page and does what the public simulator does. The format of SrcA decides
how bits change their places, in moves of SrcB too; which of its bits SrcB has, its own format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix import dst as rows_of_dst
from nasm.targets.tensix.matrix.arithmetic import dst_row
from nasm.targets.tensix.matrix.formats import (
    KEPT,
    U32,
    Format,
    Style,
    dst_from_src,
    src_from_dst,
    u32,
)
from nasm.targets.tensix.matrix.src import (
    bank_a,
    bank_b,
    masked_style,
    moved_style,
    source_format,
    unknown,
    wide_dst,
)
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import Bools, Coprocessor, RowCounters
from nasm.targets.tensix.words.word import Fields

_BLOCK_DEST_MOV = 9
"""The bit of LaneConfig that keeps an even column from being moved; the next is of odd ones."""

RIGHT, LEFT = 2, 3
"""Directions of SHIFTXA."""


def _moved_columns(core: Coprocessor) -> Bools:
    config = np.repeat(core.vector.lane_config, 2)
    blocked = config >> (_BLOCK_DEST_MOV + np.arange(16) % 2) & 1
    return np.asarray(blocked == 0)


def _flushed(core: Coprocessor, thread: int, x: U32) -> U32:
    """Elements whose exponent is 0 are 0, unless the configuration says to leave them."""
    if field(core, thread, "ALU_ACC_CTRL_Zero_Flag_disabled_src"):
        return x
    return np.where(x & 0xFF, x, np.uint32(0))


def to_dst(
    core: Coprocessor, thread: int, x: U32, rows: NDArray[np.int64], low: int, of_b: bool = False
) -> None:
    """Write elements of SrcA, or of SrcB where ``of_b``, (rows, 16) into rows of Dst."""
    m, x = core.matrix, _flushed(core, thread, x)
    form = source_format(core, thread, of_b)
    eight = moved_style(core, thread, of_b) is not Style.FP16
    half = dst_from_src(x, eight)
    if form is Format.TF32:
        wide, value = True, u32(half << 16 | (x >> 8 & 7) << 13 | (half if low else 0))
    elif low:
        wide, value = True, u32(rows_of_dst.read32(m, rows) & 0xFFFF0000 | half)
    else:
        wide, value = False, half
    if not core.vector.lane_config.any():
        rows_of_dst.write(m, rows, value, wide)
        return
    columns = np.flatnonzero(_moved_columns(core))
    rows_of_dst.write_columns(m, rows[:, None], columns, value[:, columns], wide)


def MOVA2D(
    core: Coprocessor,
    thread: int,
    UseDst32bLo: int,
    SrcRow: int,
    AddrMod: int,
    Move8Rows: int,
    DstRow: int,
) -> None:
    """One row, or eight, from SrcA to Dst."""
    rows = core.threads[thread].rows
    base = dst_row(core, thread, 0) - rows.dst
    source, to = _rows_of_a(rows, base, SrcRow, Move8Rows, DstRow)
    core.matrix.srca_row = source.start
    x = bank_a(core)[source.start : source.stop]
    to_dst(core, thread, x, np.array(to), UseDst32bLo)
    apply_addr_mod(core, thread, AddrMod)


def rows_of_a(fields: Fields, rows: RowCounters, base: int) -> tuple[range, range]:
    """The rows of SrcA that MOVA2D moves, and those of Dst, to whose counter a base is added."""
    return _rows_of_a(rows, base, fields["SrcRow"], fields["Move8Rows"], fields["DstRow"])


def _rows_of_a(
    rows: RowCounters, base: int, SrcRow: int, Move8Rows: int, DstRow: int
) -> tuple[range, range]:
    count, source = (8, 0x38) if Move8Rows else (1, 0x3F)
    first = rows.srca + SrcRow & source
    to = (DstRow + base + rows.dst & 0x3FF) & -count
    return range(first, first + count), range(to, to + count)


def MOVDBGA2D(
    core: Coprocessor,
    thread: int,
    UseDst32bLo: int,
    SrcRow: int,
    AddrMod: int,
    Move8Rows: int,
    DstRow: int,
) -> None:
    """As MOVA2D, whichever unit owns the bank."""
    MOVA2D(core, thread, UseDst32bLo, SrcRow, AddrMod, Move8Rows, DstRow)


def MOVB2D(
    core: Coprocessor,
    thread: int,
    UseDst32bLo: int,
    SrcRow: int,
    AddrMod: int,
    Move4Rows: int,
    Broadcast1RowTo8: int,
    BroadcastCol0: int,
    DstRow: int,
) -> None:
    """One row of SrcB, or four, or one to eight, to Dst; column 0 can be used for all columns."""
    counters = core.threads[thread].rows
    count = 8 if Broadcast1RowTo8 else 4 if Move4Rows else 1
    row = counters.srcb + SrcRow & (0x3C if count == 4 else 0x3F)
    x = bank_b(core)[row : row + (4 if count == 4 else 1)]
    x = _flushed(core, thread, np.broadcast_to(x[:, :1] if BroadcastCol0 else x, (count, 16)))
    x = u32(x & np.uint32(KEPT[masked_style(core, thread)]))
    core.matrix.srca_row = counters.srca
    to = (dst_row(core, thread, DstRow) & -count) + np.arange(count)
    to_dst(core, thread, x, to, UseDst32bLo, of_b=True)
    apply_addr_mod(core, thread, AddrMod)


def _from_dst(core: Coprocessor, thread: int, rows: Any, low: int, of_b: bool = False) -> U32:
    """Rows of Dst as elements of SrcA, or of SrcB where ``of_b``."""
    wide, style = wide_dst(core, thread), moved_style(core, thread, of_b)
    held = rows_of_dst.read(core.matrix, rows, wide)
    if not wide:
        if low:
            raise unknown("UseDst32bLo while Dst has 16 bits")
        if style is Style.TF32:
            raise unknown("a move from Dst of 16 bits while SrcA is TF32")
        return src_from_dst(held << 16, style)
    if not low:
        return src_from_dst(held, style)
    if style is Style.TF32:
        return np.asarray(held & 0x1FFF)
    return src_from_dst(held << 16, style)


def _to_src(core: Coprocessor, bank: U32, row: int, x: U32) -> None:
    columns = _moved_columns(core)
    bank[row : row + len(x), columns] = x[:, columns]


def MOVD2A(
    core: Coprocessor,
    thread: int,
    UseDst32bLo: int,
    SrcRow: int,
    AddrMod: int,
    Move4Rows: int,
    DstRow: int,
) -> None:
    """One row, or four, from Dst to SrcA; whichever unit owns the bank."""
    count = 4 if Move4Rows else 1
    row = core.threads[thread].rows.srca + SrcRow & 0x3F & -count
    core.matrix.srca_row = row
    rows = (dst_row(core, thread, DstRow) & -count) + np.arange(count)
    _to_src(core, bank_a(core), row, _from_dst(core, thread, rows, UseDst32bLo))
    apply_addr_mod(core, thread, AddrMod)


def MOVD2B(
    core: Coprocessor,
    thread: int,
    UseDst32bLo: int,
    SrcRow: int,
    AddrMod: int,
    Move4Rows: int,
    DstRow: int,
) -> None:
    """One row, or four, from Dst to SrcB; whichever unit owns the bank."""
    count = 4 if Move4Rows else 1
    counters = core.threads[thread].rows
    row = counters.srcb + SrcRow & 0x3F & -count
    core.matrix.srca_row = counters.srca
    rows = (dst_row(core, thread, DstRow) & -count) + np.arange(count)
    _to_src(core, bank_b(core), row, _from_dst(core, thread, rows, UseDst32bLo, of_b=True))
    apply_addr_mod(core, thread, AddrMod)


def MOVB2A(
    core: Coprocessor, thread: int, srca: int, addr_mode: int, instr_mod: int, srcb: int
) -> None:
    """Four rows from SrcB to SrcA. Only instr_mod 2 is known."""
    if instr_mod != 2:
        raise unknown(f"MOVB2A with instr_mod {instr_mod}; 2, which moves four rows, is known")
    counters = core.threads[thread].rows
    row, source = counters.srca + srca, counters.srcb + srcb
    if row % 4 or source % 4 or row >= 64 or source >= 64:
        raise unknown(f"MOVB2A from row {source} to row {row}; wanted multiples of 4 below 64")
    core.matrix.srca_row = row
    bank_a(core)[row : row + 4] = _flushed(core, thread, bank_b(core)[source : source + 4])
    apply_addr_mod(core, thread, addr_mode)


def TRNSPSRCB(core: Coprocessor, thread: int) -> None:
    """Transpose rows 16 to 31 of SrcB."""
    bank_b(core)[16:32] = bank_b(core)[16:32].T.copy()


def SHIFTXA(core: Coprocessor, thread: int, Direction: int) -> None:
    """Rows 0 to 15 of SrcA = 16 rows of it, one column to the right or left; a 0 comes in.

    Which 16 rows the instruction cannot say, by a fault of the hardware: those in which the latest
    instruction that computed a row of SrcA began.
    """
    if Direction not in (RIGHT, LEFT):
        raise unknown(f"SHIFTXA with direction {Direction}; wanted 2 (right) or 3 (left)")
    bank, start = bank_a(core), core.matrix.srca_row & 0x30
    shifted = np.zeros((16, 16), np.uint32)
    if Direction == RIGHT:
        shifted[:, 1:] = bank[start : start + 16, :-1]
    else:
        shifted[:, :-1] = bank[start : start + 16, 1:]
    bank[:16] = shifted


def SHIFTXB(core: Coprocessor, thread: int, AddrMod: int, ShiftInZero: int, SrcRow: int) -> None:
    """One row of SrcB goes one column to the left; column 0, or a 0, comes in at the right.

    The page's model leaves column 14 as it was, against its own summary, which holds here.
    """
    row = core.threads[thread].rows.srcb + SrcRow & 0x3F
    moved = np.roll(bank_b(core)[row], -1)
    if ShiftInZero:
        moved[15] = 0
    bank_b(core)[row] = moved
    apply_addr_mod(core, thread, AddrMod)
