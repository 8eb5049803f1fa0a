"""Between registers and between lanes: SFPSWAP, SFPTRANSP, SFPSHFT2."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.integers import shifted, shifted_by, signed12
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import (
    ENABLE_DEST_INDEX,
    EXCHANGE_SRCB_SRCC,
    Words,
    assign,
    both,
    configured,
    lanes,
    put,
    undefined,
)
from nasm.targets.tensix.state import COLUMNS, LANES, Bools, Coprocessor, Vector

_ROWS = LANES // COLUMNS
_MINIMA = (None, 0xF, 0x3, 0x5, 0x9, 0x1, 0x2, 0x4, 0x8, 0x0)
"""By Mod1 of SFPSWAP: rows in which VD gets the lesser value; in others it gets the greater one."""
_GREATEST = 15
"""Another Mod1 of which VD gets the greater value in all rows; tt-llk writes it in templates."""

COPY4, CHAINED_COPY4, ROTATE_AND_COPY4, ROTATE, SHIFT, SHIFT_BITS, SHIFT_BITS_BY = range(7)
"""Modes of SFPSHFT2."""


def SFPSWAP(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """Exchange VC and VD; by Mod1 only so that VD gets the lesser one, or in some rows the greater.

    Mod1 1: the lesser in all rows, 2 to 8: in rows 0 1, 0 2, 0 3, 0, 1, 2, 3, 9: in none. A greater
    one is exchanged for an equal one too. EXCHANGE_SRCB_SRCC inverts what is exchanged, but of mode
    0. Mod1 15 is as 9. With ENABLE_DEST_INDEX L0 to L3 are written, and with them L4 to L7 of the
    same places.

    Raises:
        Refused: Another Mod1.
    """
    vector = core.vector
    held, where = vector.registers, lanes(vector)
    if Mod1 >= len(_MINIMA) and Mod1 != _GREATEST:
        raise undefined(f"SFPSWAP: Mod1 is {Mod1}", "it is 0 to 9, or 15")
    minima = 0 if Mod1 == _GREATEST else _MINIMA[Mod1]
    if minima is not None:
        less = _ordered(held[VC]) < _ordered(held[VD])
        rows = np.repeat(minima >> np.arange(_ROWS) & 1 != 0, COLUMNS)
        swap: Bools = less == rows
        inverted = configured(vector, EXCHANGE_SRCB_SRCC)
        where = both(where, swap if inverted is None else swap ^ inverted)
    indexed = configured(vector, ENABLE_DEST_INDEX)
    if indexed is None:
        _exchange(vector, VC, VD, 8, where)
    else:
        _exchange(vector, VC, VD, 4, both(where, indexed))
        _exchange(vector, 4 + (VC & 3), 4 + (VD & 3), 8, both(where, indexed))
        _exchange(vector, VC, VD, 8, both(where, ~indexed))


def _exchange(vector: Vector, VC: int, VD: int, below: int, where: Bools | None) -> None:
    """Exchange two registers in some lanes; one that is not below a number stays as it is."""
    held = vector.registers
    c, d = held[VC].copy(), held[VD].copy()
    if below > VC:
        assign(held[VC], d, where)
    if below > VD:
        assign(held[VD], c, where)


def _ordered(values: Words) -> Words:
    """Numbers in the order of sign and magnitude: -NaN, -Inf, ... -0, +0, ... Inf, NaN."""
    signed = values.view(np.int32)
    return signed ^ (signed >> 31 & 0x7FFFFFFF)


def SFPTRANSP(core: Coprocessor, thread: int) -> None:
    """In each column transpose the rows of L0 to L3, and of L4 to L7, as two 4 by 4 matrices."""
    vector = core.vector
    where = lanes(vector)
    for first in (0, 4):
        four = vector.registers[first : first + 4]
        rows = four.reshape(*four.shape[:-1], _ROWS, COLUMNS)
        assign(four, np.swapaxes(rows, 0, -2).copy().reshape(four.shape), where)


def SFPSHFT2(
    core: Coprocessor,
    thread: int,
    Imm12: int,
    VC: int,
    VD: int,
    Mod1: int,
    quirks: Quirks = DOCUMENTED,
    *,
    VB: int | None = None,
) -> None:
    """Move registers, lanes or bits, by Mod1. VB are the low four bits of Imm12, but in macros.

    0: L0 to L3 = L1, L2, L3, 0. 1: L3 is the old L0, moved up a row. 2: L3 is VC, each row rotated
    to the right. 3: VD is that. 4: VD is VC, each row shifted to the right; a bug puts into the
    first lane what modes 2 and 3 rotated last. 5: VD = VB shifted by VC, 6: by Imm12.

    Raises:
        Refused: Another Mod1.
    """
    vector = core.vector
    held, where = vector.registers, lanes(vector)
    b = held[Imm12 & 15 if VB is None else VB]
    c = held[VC].copy()
    if Mod1 in (ROTATE_AND_COPY4, ROTATE) and VD < 12:
        vector.rotated[...] = c
    if Mod1 <= ROTATE_AND_COPY4:
        last = held[0].copy()
        last[..., : LANES - COLUMNS] = last[..., COLUMNS:]
        last[..., LANES - COLUMNS :] = 0
        last = (np.zeros_like(last), last, _rotated(c))[Mod1]
        assign(held[:4], np.concatenate((held[1:4], last[None])), where)
    elif Mod1 == ROTATE:
        put(vector, VD, _rotated(c), where)
    elif Mod1 == SHIFT:
        result = _rotated(c)
        first = _rotated(vector.rotated)[..., ::COLUMNS] if quirks.shift_bug else 0
        result[..., ::COLUMNS] = first
        put(vector, VD, result, where)
    elif Mod1 == SHIFT_BITS:
        put(vector, VD, shifted(b, c), where)
    elif Mod1 == SHIFT_BITS_BY:
        put(vector, VD, shifted_by(b, signed12(Imm12)), where)
    else:
        raise undefined(f"SFPSHFT2: Mod1 is {Mod1}", "it is 0 to 6")


def _rotated(values: Words) -> Words:
    """Each row of eight lanes rotated by one: lane 7 comes first."""
    rows = values.reshape(*values.shape[:-1], _ROWS, COLUMNS)
    return np.roll(rows, 1, -1).reshape(values.shape)
