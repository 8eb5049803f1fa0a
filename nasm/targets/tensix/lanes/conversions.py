"""Immediates, and conversions with their rounding: SFPLOADI, SFPCAST, SFP_STOCH_RND."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.lanes.integers import leading_zeros
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.randoms import advance
from nasm.targets.tensix.lanes.unit import Words, lanes, put, undefined
from nasm.targets.tensix.state import Bools, Coprocessor, Vector

I64 = NDArray[np.int64]

_SIGN = np.uint32(0x80000000)
_HALF = 0x400000
"""What is cut off, aligned to 23 bits, rounds up from here on."""

_LARGEST = {2: 255, 3: 127, 6: 65535, 7: 32767}
"""Of conversions to integers, by mode; odd ones keep the sign."""

_LOADED = {
    0: lambda x: x << 16,
    1: lambda x: ((x >> 15) << 31) | ((x & 0x7FFF) + (112 << 10) << 13),
    2: lambda x: x,
    4: lambda x: (x ^ 0x8000) - 0x8000 & 0xFFFFFFFF,
}


def SFPLOADI(core: Coprocessor, thread: int, VD: int, Mod0: int, Imm16: int) -> None:
    """VD = Imm16: by Mod0 0 as a BF16, 1 an FP16, 2 without and 4 with a sign, 8 high, 10 low half.

    8 and 10 leave the other half as it is.

    Raises:
        Refused: Another Mod0.
    """
    vector = core.vector
    if Mod0 in _LOADED:
        put(vector, VD, np.uint32(_LOADED[Mod0](Imm16)), lanes(vector))
    elif Mod0 in (8, 10):
        held = vector.registers[VD]
        high = held & 0xFFFF | np.uint32(Imm16 << 16)
        put(vector, VD, high if Mod0 == 8 else held & 0xFFFF0000 | Imm16, lanes(vector))
    else:
        raise undefined(f"SFPLOADI: Mod0 is {Mod0}", "it is 0, 1, 2, 4, 8 or 10")


def SFPCAST(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = VC, sign and magnitude, as a float: to nearest, ties to even; of Mod1 1 at random."""
    vector = core.vector
    where = lanes(vector)
    c = vector.registers[VC]
    size = c & ~_SIGN
    zeros = leading_zeros(size)
    scaled = size << (zeros & 31)
    exponent = np.where(size > 0, 157 - zeros, 0).astype(np.uint32) << 23
    result = (c & _SIGN) + exponent + (scaled >> 8)
    if Mod1 & 1:
        up = (scaled & 0xFE) > (advance(vector, where) >> 9 & 0xFE)
    else:
        up = (scaled & 0x80 > 0) & (scaled & 0x17F > 0)
    put(vector, VD, result + up, where)


def SFP_STOCH_RND(
    core: Coprocessor,
    thread: int,
    StochasticRounding: int,
    Imm5: int,
    VB: int,
    VC: int,
    VD: int,
    UseImm5: int,
    Mod1: int,
    quirks: Quirks = DOCUMENTED,
) -> None:
    """VD = VC with fewer bits, ties away from zero, or at random, by Mod1.

    0: a float with 10 bits of mantissa, 1: with 7. 2, 3, 6 and 7: a float as an integer, at most
    255, 127 with its sign, 65535, 32767 with its sign. 4 and 5: an integer shifted to the right by
    VB, or by Imm5 if UseImm5, at most 255 or 127 with its sign.
    """
    vector = core.vector
    where = lanes(vector)
    drawn: Any = np.uint32(_HALF)
    if StochasticRounding:
        drawn = advance(vector, where) & 0x7FFFFF
        if not quirks.rounding_bias:
            drawn = drawn + 1
    elif quirks.rounding_always_draws:
        advance(vector, where)
    put(vector, VD, rounded(vector, VC, VB, Imm5, UseImm5, Mod1, drawn), where)


def rounded(
    vector: Vector, VC: int, VB: int, Imm5: int, UseImm5: int, Mod1: int, least: Any
) -> Words:
    """VC rounded, by Mod1, where what is cut off is at least something, of 23 bits."""
    c = vector.registers[VC]
    if Mod1 < 2:
        return narrowed(c, 13 + 3 * Mod1, least)
    if Mod1 in _LARGEST:
        return to_integer(c, _LARGEST[Mod1], Mod1 & 1, least)
    by = np.uint32(Imm5) if UseImm5 else vector.registers[VB] & 31
    return reduced(c, by, 127 if Mod1 & 1 else 255, Mod1 & 1, least)


def narrowed(values: Words, cut: int, least: Any) -> Words:
    """Floats without some bits of their mantissas, rounded up if these are at least something.

    Denormals and zeros become +0, NaNs infinities. ``least`` is of 23 bits.
    """
    low = values & np.uint32((1 << cut) - 1)
    up: Bools = (low << (23 - cut)) >= least
    result = values - low + (up.astype(np.uint32) << cut)
    exponent = values & 0x7F800000
    result = np.where(exponent == 0x7F800000, values & 0xFF800000, result)
    return np.where(exponent == 0, np.uint32(0), result)


def to_integer(values: Words, largest: int, signed: int, least: Any) -> Words:
    """Floats as integers, sign and magnitude; below a half always 0, from 2**16 on the largest."""
    exponent = (values >> 23 & 255).astype(np.int64) - 127
    size = (values & 0x7FFFFF).astype(np.int64) | 0x800000
    size = size << np.clip(exponent, 0, 16) >> (exponent < 0)
    size = np.where(exponent >= 16, largest << 23, size)
    return _bounded(values, _rounded(size, least) * (exponent >= -1), largest, signed)


def reduced(values: Words, by: Any, largest: int, signed: int, least: Any) -> Words:
    """Integers in sign and magnitude shifted to the right, and at most the largest."""
    size = (values & 0x7FFFFFFF).astype(np.int64) << 23 >> by
    return _bounded(values, _rounded(size, least), largest, signed)


def _rounded(size: Any, least: Any) -> Any:
    """Without the low 23 bits, one more where these are at least something."""
    return (size >> 23) + ((size & 0x7FFFFF) >= least)


def _bounded(values: Words, size: I64, largest: int, signed: int) -> Words:
    """Magnitudes that are at most the largest, with signs of values if asked and not 0."""
    result = np.minimum(size, largest).astype(np.uint32)
    return result | np.where(result > 0, values & _SIGN, 0) if signed else result
