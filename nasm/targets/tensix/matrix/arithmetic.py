"""The instructions of the matrix unit that compute, with the documentation's fields.

Sources: MVMUL.md, DOTPV.md, GAPOOL.md, ELWMUL.md, ELWADD.md, ELWSUB.md, GMPOOL.md; that SrcB has a
style of its own is of the public simulator. Which banks must be the matrix unit's is in
``ownership``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.matrix import dst as rows_of_dst
from nasm.targets.tensix.matrix import multiply
from nasm.targets.tensix.matrix.accumulate import accumulate
from nasm.targets.tensix.matrix.formats import (
    KEPT,
    U32,
    Style,
    Styles,
    dst_from_integers,
    integers_from_dst,
    integers_from_src,
    tf32_from_src,
    u32,
)
from nasm.targets.tensix.matrix.pools import gmpool
from nasm.targets.tensix.matrix.src import (
    ROWS,
    bank_a,
    bank_b,
    computed_styles,
    flip,
    unknown,
    wide_dst,
)
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import Coprocessor

_FP16_IN_FP32 = 112
"""The difference of the biases of exponents of 8 and 5 bits."""


def _read(x: Any, style: Style) -> U32:
    """Elements as {sign, exponent 8, mantissa 10}; 0 where the exponent is 0."""
    bits = tf32_from_src(u32(x) & np.uint32(KEPT[style]))
    return np.where(bits & 0x3FC00, bits, np.uint32(0))


def elwadd(
    a: Any, b: Any, dst: Any, styles: Styles, wide: bool, phase: int, *, minus: bool, add: bool
) -> U32:
    """Dst after ``a + b``, or ``a - b`` where ``minus``, was written, or added to it where ``add``.

    Arrays of one shape: elements of SrcA and SrcB, and Dst as it is stored, 32 bits where ``wide``,
    else 16. The smaller magnitude is aligned, halves up; a fidelity phase divides what comes out
    by 32 and by 128 (ELWADD.md).
    """
    style = styles.a
    if style is Style.INT8:
        left, right = integers_from_src(a).astype(np.int64), integers_from_src(b)
        whole = left - right if minus else left + right
        return dst_from_integers(whole + integers_from_dst(u32(dst)) if add else whole)
    x, y = _read(a, style), _read(b, styles.b)
    y = np.where(y, y ^ np.uint32(minus << 18), y)
    swap = (x & 0x3FFFF) < (y & 0x3FFFF)
    large, small = np.where(swap, y, x), np.where(swap, x, y)
    exponent = (large >> 10 & 0xFF).astype(np.int64)
    shift = exponent - (small >> 10 & 0xFF)
    mantissa = np.where(large, large & 0x3FF | 0x400, 0).astype(np.int64)
    other = np.where(small, small & 0x3FF | 0x400, 0).astype(np.int64)
    other = np.where(
        shift > 11, 0, (2 * other + (1 << np.minimum(shift, 12))) >> shift.clip(0, 12) + 1
    )
    other = np.where((large ^ small) >> 18, -other, other)
    value = (mantissa + other) * np.where(large >> 18, -1, 1)
    if wide and style is Style.FP16:
        exponent = np.where(exponent, exponent + _FP16_IN_FP32, _FP16_IN_FP32 - 15)
    scaled = exponent - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)
    power = np.ldexp(1.0, np.maximum(scaled, 0))
    term = np.where(scaled > 0, value, 0) * (power * 2.0**-10)
    held = u32(dst) if add else np.zeros_like(u32(dst))
    return accumulate((term,), power, held, styles, wide)


def dst_row(core: Coprocessor, thread: int, row: int) -> int:
    """The row of Dst that an instruction means by one of its fields; raises Refused."""
    follow_order(core, thread)
    offset = field(core, thread, "DEST_TARGET_REG_CFG_MATH_Offset")
    base = field(core, thread, "DEST_REGW_BASE_Base")
    return row + offset + core.threads[thread].rows.dst + base & 0x3FF


def phase_of(core: Coprocessor, thread: int) -> int:
    """The fidelity phase."""
    return core.threads[thread].rows.fidelity + field(core, thread, "FIDELITY_BASE_Phase") & 3


def _matrix_a(core: Coprocessor, thread: int, mask: int) -> U32:
    """Sixteen rows of SrcA, from that of the row counter on."""
    row = core.threads[thread].rows.srca & mask
    if row + 16 > ROWS:
        raise unknown(f"16 rows of SrcA from row {row} on; there are {ROWS}")
    core.matrix.srca_row = row
    return bank_a(core)[row : row + 16]


def _done(core: Coprocessor, thread: int, flip_a: int, flip_b: int, addr_mod: int) -> None:
    flip(core, thread, flip_a, flip_b)
    apply_addr_mod(core, thread, addr_mod)


def _product(core: Coprocessor, thread: int, b: U32, rows: Any) -> None:
    """Dst += b @ SrcA, for as many rows as ``b`` has."""
    styles, wide = computed_styles(core, thread), wide_dst(core, thread)
    a, phase = _matrix_a(core, thread, 0x38), phase_of(core, thread)
    held = rows_of_dst.read(core.matrix, rows, wide)
    result = multiply.mvmul(a, b, held, styles, wide, phase)
    rows_of_dst.write(core.matrix, rows, result, wide)


def MVMUL(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    BroadcastSrcBRow: int,
    AddrMod: int,
    DstRow: int,
) -> None:
    """8 rows of Dst += 8 rows of SrcB @ 16 rows of SrcA.

    With one row of SrcB for all, rows 0, 2, 4 and 6 of seven of Dst are written.
    """
    row, source = dst_row(core, thread, DstRow), core.threads[thread].rows.srcb
    if BroadcastSrcBRow:
        b = np.broadcast_to(bank_b(core)[source], (4, 16))
        _product(core, thread, b, (row & 0x3F9) + np.arange(0, 8, 2))
    else:
        b = bank_b(core)[source & 0x38 : (source & 0x38) + 8]
        _product(core, thread, b, (row & 0x3F8) + np.arange(8))
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)


def DOTPV(
    core: Coprocessor, thread: int, FlipSrcB: int, FlipSrcA: int, AddrMod: int, DstRow: int
) -> None:
    """As MVMUL without broadcast."""
    MVMUL(core, thread, FlipSrcB, FlipSrcA, 0, AddrMod, DstRow)


def GAPOOL(
    core: Coprocessor, thread: int, FlipSrcB: int, FlipSrcA: int, AddrMod: int, DstRow: int
) -> None:
    """As MVMUL with the first 4 of the 8 rows of SrcB, to 4 rows of Dst."""
    row, source = dst_row(core, thread, DstRow), core.threads[thread].rows.srcb & 0x38
    b = bank_b(core)[source : source + 4]
    _product(core, thread, b, (row & 0x3FC) + np.arange(4))
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)


def _elements(core: Coprocessor, thread: int, one_row: int, one_column: int) -> tuple[U32, U32]:
    """8 rows of SrcA, and of SrcB, of which one row or one column may be used for all."""
    counters = core.threads[thread].rows
    row = counters.srca & 0x38
    core.matrix.srca_row = row
    a = bank_a(core)[row : row + 8]
    source = counters.srcb if one_row else counters.srcb & 0x38
    b = bank_b(core)[source : source + (1 if one_row else 8)]
    return a, np.broadcast_to(b[:, :1] if one_column else b, (8, 16))


def ELWMUL(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    BroadcastSrcBRow: int,
    BroadcastSrcBCol0: int,
    AddrMod: int,
    DstRow: int,
) -> None:
    """8 rows of Dst += SrcA * SrcB, element by element."""
    styles, wide = computed_styles(core, thread), wide_dst(core, thread)
    rows = (dst_row(core, thread, DstRow) & 0x3F8) + np.arange(8)
    a, b = _elements(core, thread, BroadcastSrcBRow, BroadcastSrcBCol0)
    held = rows_of_dst.read(core.matrix, rows, wide)
    result = multiply.elwmul(a, b, held, styles, wide, phase_of(core, thread))
    rows_of_dst.write(core.matrix, rows, result, wide)
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)


def _sum(
    core: Coprocessor, thread: int, row: int, one: tuple[int, int], *, minus: bool, add: int
) -> None:
    """8 rows of Dst = SrcA + SrcB or their difference, or += that."""
    styles, wide = computed_styles(core, thread), wide_dst(core, thread)
    rows = (dst_row(core, thread, row) & 0x3F8) + np.arange(8)
    a, b = _elements(core, thread, *one)
    held = rows_of_dst.read(core.matrix, rows, wide)
    phase = phase_of(core, thread)
    result = elwadd(a, b, held, styles, wide, phase, minus=minus, add=bool(add))
    rows_of_dst.write(core.matrix, rows, result, wide)


def ELWADD(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    AddDst: int,
    BroadcastSrcBRow: int,
    BroadcastSrcBCol0: int,
    AddrMod: int,
    DstRow: int,
) -> None:
    """8 rows of Dst = SrcA + SrcB, or += with AddDst."""
    one = BroadcastSrcBRow, BroadcastSrcBCol0
    _sum(core, thread, DstRow, one, minus=False, add=AddDst)
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)


def ELWSUB(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    AddDst: int,
    BroadcastSrcBRow: int,
    BroadcastSrcBCol0: int,
    AddrMod: int,
    DstRow: int,
) -> None:
    """8 rows of Dst = SrcA - SrcB, or += with AddDst."""
    one = BroadcastSrcBRow, BroadcastSrcBCol0
    _sum(core, thread, DstRow, one, minus=True, add=AddDst)
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)


def GMPOOL(
    core: Coprocessor,
    thread: int,
    FlipSrcB: int,
    FlipSrcA: int,
    AddrMod: int,
    ArgMax: int,
    DstRow: int,
) -> None:
    """A row of Dst = the largest of each column of 16 rows of SrcA and of it; three more are 0."""
    style, wide = computed_styles(core, thread).a, wide_dst(core, thread)
    rows = (dst_row(core, thread, DstRow) & 0x3FC) + np.arange(4)
    a = _matrix_a(core, thread, 0x30)
    b = bank_b(core)[core.threads[thread].rows.srcb & 0x38]
    ones = 0xFFFFFFFF if wide else 0xFFFF
    held = rows_of_dst.read(core.matrix, rows, wide, undefined=ones)
    new = np.zeros_like(held)
    new[0] = gmpool(a, b, held[0] if wide else held[0] << 16, style, wide, bool(ArgMax))
    if wide and ArgMax:
        new[1:] = held[1:] + np.uint32(0x100) & 0xF00
    rows_of_dst.write(core.matrix, rows, new if wide else new >> 16, wide)
    _done(core, thread, FlipSrcA, FlipSrcB, AddrMod)
