"""Functions that are linear in pieces: SFPLUT and SFPLUTFP32, a * abs(L3) + c by the size of L3."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.lanes.arithmetic import INDIRECT_VD, store
from nasm.targets.tensix.lanes.multiply_add import multiply_add
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import Words, lanes
from nasm.targets.tensix.state import U32, Coprocessor

Combine = Callable[[U32, U32, U32], U32]
"""A multiply-add."""

_SIGN = np.uint32(0x80000000)
_SGN_RETAIN = 4
_SIX = 2
_THREE = 10
_LAST_IS_4 = 3

_CUTS = np.array([0x3F800000, 0x40000000], np.uint32)  # 1, 2
_SIX_CUTS = np.array([0x3F000000, *_CUTS[:1], 0x3FC00000, *_CUTS[1:], 0x40400000], np.uint32)
_SIX_CUTS_4 = np.array([*_SIX_CUTS[:-1], 0x40800000], np.uint32)


def _of_8_bits() -> Words:
    x = np.arange(256, dtype=np.uint32)
    values = ((x >> 7) << 31) | ((127 - (x >> 4 & 7)) << 23) | ((x & 15) << 19)
    values[255] = 0
    return values


def _of_16_bits() -> Words:
    x = np.arange(1 << 16, dtype=np.uint32)
    e = x >> 10 & 31
    return ((x >> 15) << 31) | (np.where(e == 31, 0, 112 + e) << 23) | ((x & 0x3FF) << 13)


LUT8 = _of_8_bits()
"""Entries of SFPLUT as floats, by their bits: sign, exponent below 127, four bits; 255 is 0."""

LUT16 = _of_16_bits()
"""Entries of SFPLUTFP32 as floats: as FP16, but exponent 31 is 0, and 0 an exponent as others."""


def SFPLUT(
    core: Coprocessor, thread: int, VD: int, Mod0: int = 0, *, combine: Combine = multiply_add
) -> None:
    """VD = a * abs(L3) + c, of entries of 8 bits, a above c, in L0 below 1, L1 below 2, else L2.

    Of Mod0 4 gives the result the sign of L3, 8 takes VD from L7 of each lane.
    """
    vector = core.vector
    held = vector.registers
    size = held[3] & ~_SIGN
    entries = _chosen(held[:3], np.searchsorted(_CUTS, size, "right"))
    result = combine(LUT8[entries >> 8 & 0xFF], size, LUT8[entries & 0xFF])
    if Mod0 & _SGN_RETAIN:
        result = (result & ~_SIGN) | (held[3] & _SIGN)
    store(vector, VD, result, lanes(vector), Mod0 & INDIRECT_VD)


def SFPLUTFP32(
    core: Coprocessor,
    thread: int,
    VD: int,
    Mod1: int = 0,
    quirks: Quirks = DOCUMENTED,
    *,
    combine: Combine = multiply_add,
) -> None:
    """VD = a * abs(L3) + c, with a in L0 to L2 and c in L4 to L6, by Mod1.

    0: entries of 32 bits, cut at 1 and 2. 2: of 16 bits, low and high halves, cut at .5, 1, 1.5, 2
    and 3. 3: the last cut is 4. 10: of 16 bits, a above c in L0 to L2, cut at 1 and 2. 4 gives the
    result the sign of L3, 8 takes VD from L7 of each lane; with 10 it does so too, which is a bug.
    """
    vector = core.vector
    held = vector.registers
    size = held[3] & ~_SIGN
    three = Mod1 & _THREE == _THREE
    if three:
        entries = _chosen(held[:3], np.searchsorted(_CUTS, size, "right"))
        a, c = LUT16[entries >> 16], LUT16[entries & 0xFFFF]
    elif Mod1 & _SIX:
        cuts = _SIX_CUTS_4 if Mod1 & _LAST_IS_4 == _LAST_IS_4 else _SIX_CUTS
        piece = np.searchsorted(cuts, size, "right")
        half = (piece & 1).astype(np.uint32) << 4
        a = LUT16[_chosen(held[:3], piece >> 1) >> half & 0xFFFF]
        c = LUT16[_chosen(held[4:7], piece >> 1) >> half & 0xFFFF]
    else:
        piece = np.searchsorted(_CUTS, size, "right")
        a, c = _chosen(held[:3], piece), _chosen(held[4:7], piece)
    result = combine(a, size, c)
    if Mod1 & _SGN_RETAIN:
        result = (result & ~_SIGN) | (held[3] & _SIGN)
    indirect = Mod1 & INDIRECT_VD if quirks.table_bug or not three else 0
    store(vector, VD, result, lanes(vector), indirect)


def _chosen(registers: Words, numbers: NDArray[np.intp]) -> Words:
    """Of each lane one of some registers."""
    return np.choose(numbers, registers)
