"""Between registers and Dst: SFPLOAD and SFPSTORE.

An address names a group of four rows of Dst and its even or its odd columns; lane i is in row
i // 8 and column 2 * (i % 8), or the next one. Addresses may be arrays, for registers with axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.lanes.dst_formats import (
    BF16,
    FP16,
    FP16_WITH_INFINITY,
    FP32,
    HI16_ONLY,
    INT32_ALL,
    LO16_ONLY,
    LOADED_32,
    SRCB,
    STORED_32,
    WORMHOLE,
    ZERO,
    DstFormats,
    flushed,
)
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import (
    BLOCK_DEST_WR_FROM_SFPU,
    BLOCK_SFPU_RD_FROM_DEST,
    CAPTURE_DEFAULT_DEST_INDEX,
    DEST_RD_COL_EXCHANGE,
    DEST_WR_COL_EXCHANGE,
    ENABLE_DEST_INDEX,
    ENABLE_FP16A_INF,
    Words,
    assign,
    both,
    configured,
    lanes,
    put,
    undefined,
)
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.dst_order import placed16, placed32
from nasm.targets.tensix.state import LANES, U16, Bools, Coprocessor, Vector

_LIKE_BF16 = frozenset({0, 4, 5, 6, 7, 8, 9, 15})
"""Formats of SrcB with which Dst has BF16: FP32, TF32, BF16, BFP8, BFP4, INT32, INT16, BFP2."""

_ROW = np.arange(LANES) // 8
_COLUMN = np.arange(LANES) % 8 * 2
_LOW = 8
"""How many rows below the high halves of 32 bits the low halves are."""

STACK_ROWS = 0x3FF
"""The mask of what counts rows of a stack, as wide as addresses of rows and its steps are."""


def SFPLOAD(core: Coprocessor, thread: int, VD: int, Mod0: int, AddrMod: int, Imm10: int) -> None:
    """VD = Dst, in the format Mod0; then the row counters move, but the fidelity phase.

    The group is at Imm10 plus MATH_Offset plus the counter Dst plus DEST_REGW_BASE; the last two
    count mod 4 for INT32_ALL, which heeds no flags either. The two formats of 16 bits that are
    called ONLY leave the other half of VD.
    """
    kind = resolved(core, thread, Mod0)
    load(core.vector, core.matrix.dst, VD, kind, address(core, thread, kind, Imm10))
    apply_addr_mod(core, thread, AddrMod, fidelity=False)


def SFPSTORE(
    core: Coprocessor,
    thread: int,
    VD: int,
    Mod0: int,
    AddrMod: int,
    Imm10: int,
    quirks: Quirks = DOCUMENTED,
) -> None:
    """Dst = VD, in the format Mod0, where SFPLOAD would read; then the row counters move."""
    kind = resolved(core, thread, Mod0)
    store(core, VD, kind, address(core, thread, kind, Imm10, stores=True), quirks)
    apply_addr_mod(core, thread, AddrMod, fidelity=False)


def resolved(core: Coprocessor, thread: int, Mod0: int) -> int:
    """The format that Mod0 means: 0 is FP32, BF16 or FP16, as the thread's configuration says."""
    if Mod0 != SRCB:
        return Mod0
    at = core.layout.dst
    held = core.config[int(core.threads[thread].config[at.state.word]) & 1]
    if int(held[at.wide.word]) >> at.wide.shift & 1:
        return FP32
    overrides = int(held[at.override.word]) >> at.override.shift & 1
    source, own = at.overridden if overrides else at.form, core.threads[thread].config
    form = int(held[source.word]) >> source.shift & source.mask
    on, mine = at.own_enabled, at.own_form
    if on is not None and mine is not None and int(own[on.word]) >> on.shift & 1:
        form = int(own[mine.word]) >> mine.shift & mine.mask
    return BF16 if form in _LIKE_BF16 else FP16


def address(core: Coprocessor, thread: int, Mod0: int, Imm10: int, *, stores: bool = False) -> int:
    """Where a load finds Dst now, or where a store puts something.

    That is a group of four rows in bits 2 to 9, and odd columns in 1. Where there is a stack of
    rows, INT32_ALL is at its top, to which a load comes after it has moved down.
    """
    offset, base = bases(core, thread)
    rows = core.threads[thread].rows
    field = core.layout.dst.stack
    if field is not None:
        bank = int(core.threads[thread].config[core.layout.dst.state.word]) & 1
        first = int(core.config[bank, field.word])
        if Mod0 == INT32_ALL:
            offset += first + (rows.stack if stores else below(core, thread))
        else:
            offset += first + rows.stack & 3
    return placed(Mod0, Imm10 + offset, rows.dst + base)


def below(core: Coprocessor, thread: int) -> int:
    """Where the stack of rows of a thread is after a load; at 0 it stays."""
    top = core.threads[thread].rows.stack
    return top - _stack_step(core, thread) & STACK_ROWS if top else 0


def above(core: Coprocessor, thread: int) -> int:
    """Where it is after a store."""
    return core.threads[thread].rows.stack + _stack_step(core, thread) & STACK_ROWS


def _stack_step(core: Coprocessor, thread: int) -> int:
    at = core.layout.fields["SFPU_STACK_Incr"]
    return int(core.threads[thread].config[at.word]) >> at.shift & at.mask


def check_put_off(core: Coprocessor, Mod0: int) -> None:
    """Refuse a store in a macro that may move the stack of rows, as no source says whether."""
    if Mod0 == INT32_ALL and core.layout.dst.stack is not None:
        message = (
            f"a store that a macro puts off has Mod0 {INT32_ALL}, and no document of "
            f"{core.chip.title} says whether that moves the stack of rows"
        )
        raise undefined(message, "Mod0 4 is INT32")


def bases(core: Coprocessor, thread: int) -> tuple[int, int]:
    """MATH_Offset, and DEST_REGW_BASE, which counts as the counter Dst does."""
    config, at = core.threads[thread].config, core.layout.dst
    bank = int(config[at.state.word]) & 1
    offset, base = int(config[at.offset.word] & at.offset.mask), core.config[bank, at.base.word]
    return offset, int(base & at.base.mask)


def placed(Mod0: int, fixed: int, moved: int) -> int:
    """The address of a part that stays and one that moves, of which INT32_ALL has two bits."""
    return fixed + (moved & 3 if Mod0 == INT32_ALL else moved) & 0x3FF


def load(
    vector: Vector,
    dst: U16,
    VD: int,
    Mod0: int,
    at: Any,
    formats: DstFormats = WORMHOLE,
    order: int = 0,
) -> None:
    """VD = the value at an address of Dst, in a format that is resolved.

    Args:
        vector: The registers.
        dst: The rows of Dst, (1024, 16).
        VD: The number of the register; from 8 on nothing happens.
        Mod0: The format.
        at: An address, or as many as registers have rows of lanes before their last axis.
        formats: What loads make of formats.
        order: Where rows of Dst are.
    """
    if VD >= 8:
        return
    where = None if Mod0 == INT32_ALL else lanes(vector)
    blocked = configured(vector, BLOCK_SFPU_RD_FROM_DEST)
    if blocked is not None:
        where = both(where, ~blocked)
    first, columns = _places(vector, at, DEST_RD_COL_EXCHANGE)
    if Mod0 in LOADED_32:
        high = placed32(first, order)
        x: Words = _read(dst, high, columns).astype(np.uint32) << 16
        value = formats.loaded_32[Mod0](x | _read(dst, high + _LOW, columns))
    else:
        x16 = _read(dst, placed16(first, order), columns)
        value = _value(vector, VD, Mod0, x16, formats)
    put(vector, VD, value, where)
    indexed = configured(vector, ENABLE_DEST_INDEX)
    captured = configured(vector, CAPTURE_DEFAULT_DEST_INDEX)
    if VD < 4 and indexed is not None and captured is not None:
        rows = np.asarray(first)[..., None] + _ROW
        if isinstance(columns, slice):
            columns = _COLUMN + columns.start
        place = (rows << 4 | columns).astype(np.uint32)
        assign(vector.registers[VD + 4], place, both(where, indexed & captured))


def _value(vector: Vector, VD: int, Mod0: int, x: U16, formats: DstFormats) -> Words:
    """16 bits of Dst as a register has them."""
    value = formats.loaded_16[Mod0][x]
    if Mod0 == LO16_ONLY:
        return vector.registers[VD] & 0xFFFF0000 | value
    if Mod0 == HI16_ONLY:
        return vector.registers[VD] & 0xFFFF | value
    infinite = configured(vector, ENABLE_FP16A_INF) if Mod0 == FP16 else None
    return value if infinite is None else np.where(infinite, FP16_WITH_INFINITY[x], value)


def store(
    core: Coprocessor,
    VD: int,
    Mod0: int,
    at: Any,
    quirks: Quirks = DOCUMENTED,
    formats: DstFormats = WORMHOLE,
) -> None:
    """Dst = VD at an address, in a format that is resolved. Rows that are written become defined.

    Args:
        core: Its registers and Dst.
        VD: The number of the register.
        Mod0: The format.
        at: An address, or as many as registers have rows of lanes before their last axis.
        quirks: Whether FP32 loses denormals.
        formats: What stores make of formats.
    """
    vector, dst, order = core.vector, core.matrix.dst, core.matrix.order
    where = None if Mod0 == INT32_ALL else lanes(vector)
    blocked = configured(vector, BLOCK_DEST_WR_FROM_SFPU)
    if blocked is not None:
        where = both(where, ~blocked)
    x = vector.registers[VD]
    if Mod0 == FP32 and quirks.store_flushes_denormals:
        x = flushed(x)
    x = formats.stored[Mod0](x)
    first, columns = _places(vector, at, DEST_WR_COL_EXCHANGE)
    halves: tuple[tuple[Any, Words], ...] = ((placed16(first, order), x),)
    if Mod0 in STORED_32:
        high = placed32(first, order)
        halves = ((high, x >> 16), (high + _LOW, x & 0xFFFF))
    for start, half in halves:
        _write(dst, start, columns, half.astype(np.uint16), where)
        _define(core.matrix.defined, start, where)


def rows_read(Mod0: int, at: int, order: int = 0) -> tuple[int, ...]:
    """Rows of storage that a load in a resolved format reads; they should be defined."""
    if Mod0 == ZERO:
        return ()
    first = at & ~3
    if Mod0 not in LOADED_32:
        first = placed16(first, order)
        return tuple(range(first, first + 4))
    high = placed32(first, order)
    return (*range(high, high + 4), *range(high + _LOW, high + _LOW + 4))


def _places(vector: Vector, at: Any, exchange: int) -> tuple[Any, Any]:
    """The first rows, and the columns: a slice, if it is one address and the same in all lanes."""
    exchanged = configured(vector, exchange)
    if exchanged is None and isinstance(at, int):
        return at & ~3, slice(at >> 1 & 1, None, 2)
    at = np.asarray(at)
    odd = (at >> 1 & 1)[..., None] | (0 if exchanged is None else exchanged)
    return at & ~3, _COLUMN + odd


def _read(dst: U16, first: Any, columns: Any) -> U16:
    if isinstance(columns, slice):
        return dst[first : first + 4, columns].reshape(LANES)
    return np.asarray(dst[np.asarray(first)[..., None] + _ROW, columns])


def _write(dst: U16, first: Any, columns: Any, values: U16, where: Bools | None) -> None:
    if isinstance(columns, slice):
        block = dst[first : first + 4, columns]
        assign(
            block,
            values.reshape(block.shape),
            None if where is None else where.reshape(block.shape),
        )
        return
    rows = np.asarray(first)[..., None] + _ROW
    if where is None:
        dst[rows, columns] = values
    else:
        some = np.broadcast_to(where, rows.shape)
        dst[rows[some], np.broadcast_to(columns, rows.shape)[some]] = np.broadcast_to(
            values, rows.shape
        )[some]


def _define(defined: Bools, first: Any, where: Bools | None) -> None:
    """Mark the rows of which a lane is written."""
    if where is None and isinstance(first, int):
        defined[first : first + 4] = True
        return
    rows = np.asarray(first)[..., None] + _ROW
    defined[rows if where is None else rows[np.broadcast_to(where, rows.shape)]] = True
