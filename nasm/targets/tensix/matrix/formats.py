"""How numbers are laid out: formats by their code, and the bits of SrcA, SrcB and Dst.

Sources: SrcASrcB.md, Dst.md and FloatBitPatterns.md of the public ISA documentation. All functions
are of integer arrays of any shape, bit by bit: none of them rounds.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
Bits = NDArray[Any]
"""Unsigned integers, whatever their width."""


class Format(IntEnum):
    """A data format, by its code in configuration words."""

    FP32 = 0
    FP16 = 1
    BFP8A = 2
    BFP4A = 3
    TF32 = 4
    BF16 = 5
    BFP8 = 6
    BFP4 = 7
    INT32 = 8
    INT16 = 9
    FP8 = 10
    BFP2A = 11
    INT8 = 14
    BFP2 = 15


class Style(IntEnum):
    """What the matrix unit takes elements of SrcA and SrcB for."""

    BF16 = 0
    TF32 = 1
    FP16 = 2
    INT8 = 3


class Styles(NamedTuple):
    """What arithmetic takes elements of SrcA for, and elements of SrcB.

    ``loses_one`` says that sums of minus one unit of the last place have a fault of the hardware.
    """

    a: Style
    b: Style
    loses_one: bool = True


KEPT = {Style.BF16: 0x7F8FF, Style.TF32: 0x7FFFF, Style.FP16: 0x7FF1F}
"""Bits of an element that its style has."""

BITS = {
    Format.FP32: 32, Format.TF32: 32, Format.INT32: 32, Format.FP16: 16, Format.BF16: 16,
    Format.INT16: 16, Format.FP8: 8, Format.INT8: 8, Format.BFP8: 8, Format.BFP8A: 8,
    Format.BFP4: 4, Format.BFP4A: 4, Format.BFP2: 2, Format.BFP2A: 2,
}  # fmt: skip
"""Bits of one number in L1; the exponents of BFP formats come on top."""

BLOCK_FLOATS = frozenset(f for f in Format if f.name.startswith("BFP"))
"""Formats of which 16 numbers share an exponent."""

FIVE_BIT_EXPONENT = frozenset(
    {Format.FP16, Format.FP8, Format.BFP8A, Format.BFP4A, Format.BFP2A, Format.INT8}
)
"""Formats that become FP16, or are laid over it."""

INFINITE = 0x7FFFF
"""An element of SrcA that every pool takes for minus infinity."""


def u32(x: Any) -> U32:
    """Integers as uint32."""
    bits: U32 = np.asarray(x).astype(np.uint32, copy=False)
    return bits


def src_from_tf32(x: Any) -> U32:
    """19 bits {sign, exponent 8, mantissa 10} as an element of SrcA or SrcB."""
    x = u32(x)
    return u32(x & 0x40000 | (x & 0x3FF) << 8 | x >> 10 & 0xFF)


def src_from_bf16(x: Any) -> U32:
    """BF16 bits as elements of SrcA or SrcB: the low three bits of the mantissa are 0."""
    found: U32 = _all_from_bf16().take(x)
    return found


@cache
def _all_from_bf16() -> U32:
    """The element of each BF16 number, by its bits."""
    return src_from_tf32(np.arange(1 << 16, dtype=np.uint32) << 3)


def src_from_fp16(x: Any) -> U32:
    """FP16 bits as elements of SrcA or SrcB: the exponent has 5 bits there too."""
    x = u32(x)
    return src_from_tf32((x & 0x8000) << 3 | x & 0x7FFF)


def src_from_int16(x: Any) -> U32:
    """16 bits that are only moved, as elements of SrcA or SrcB."""
    x = u32(x)
    return u32((x & 0xFF00) << 3 | x & 0xFF)


def tf32_from_src(x: Any) -> U32:
    """Elements of SrcA or SrcB as 19 bits {sign, exponent 8, mantissa 10}."""
    x = u32(x)
    return u32(x & 0x40000 | (x & 0xFF) << 10 | x >> 8 & 0x3FF)


def dst_from_bf16(x: Any) -> U32:
    """BF16 bits as 16 bits of Dst: {sign, mantissa 7, exponent 8}."""
    x = u32(x)
    return u32(x & 0x8000 | (x & 0x7F) << 8 | x >> 7 & 0xFF)


def bf16_from_dst(x: Any) -> U32:
    """16 bits of Dst as BF16 bits."""
    x = u32(x)
    return u32(x & 0x8000 | (x & 0xFF) << 7 | x >> 8 & 0x7F)


def dst_from_fp16(x: Any) -> U32:
    """FP16 bits as 16 bits of Dst: {sign, mantissa 10, exponent 5}."""
    x = u32(x)
    return u32(x & 0x8000 | (x & 0x3FF) << 5 | x >> 10 & 0x1F)


def fp16_from_dst(x: Any) -> U32:
    """16 bits of Dst as FP16 bits."""
    x = u32(x)
    return u32(x & 0x8000 | (x & 0x1F) << 10 | x >> 5 & 0x3FF)


def dst_from_fp32(x: Any) -> U32:
    """FP32 or INT32 bits as 32 bits of Dst: the high half is laid out like BF16."""
    x = u32(x)
    return u32(dst_from_bf16(x >> 16) << 16 | x & 0xFFFF)


def fp32_from_dst(x: Any) -> U32:
    """32 bits of Dst as FP32 or INT32 bits."""
    x = u32(x)
    return u32(bf16_from_dst(x >> 16) << 16 | x & 0xFFFF)


def dst_from_src(x: Any, eight: bool) -> U32:
    """Elements of SrcA or SrcB as 16 bits of Dst, with an exponent of 8 bits or of 5."""
    x = u32(x)
    if eight:
        return u32(x >> 3 & 0xFF00 | x & 0xFF)
    return u32(x >> 3 & 0xFFE0 | x & 0x1F)


def src_from_dst(x: Any, style: Style) -> U32:
    """32 bits of Dst, of which the narrow styles take the high 16, as elements of SrcA or SrcB."""
    x = u32(x)
    if style is Style.BF16:
        return u32(x >> 13 & 0x7F800 | x >> 16 & 0xFF)
    if style is Style.FP16:
        return u32(x >> 13 & 0x7FF00 | x >> 16 & 0x1F)
    return u32(x >> 13 & 0x7F800 | x >> 5 & 0x700 | x >> 16 & 0xFF)


def integers_from_src(x: Any, mask: int = 0x7FFFF) -> NDArray[np.int32]:
    """The numbers -1023 to 1023 that elements of style INT8 are; ``mask`` cuts bits off first."""
    x = u32(x) & np.uint32(mask)
    magnitude = (x >> 8 & 0x3FF).astype(np.int32)
    signed: NDArray[np.int32] = np.where(x & 0x40000, -magnitude, magnitude)
    return signed


def integers_from_dst(x: Any) -> NDArray[np.int64]:
    """32 bits of Dst, sign and magnitude, as integers."""
    bits = fp32_from_dst(x)
    magnitude = (bits & 0x7FFFFFFF).astype(np.int64)
    return np.where(bits >> 31, -magnitude, magnitude)


def dst_from_integers(x: Any) -> U32:
    """Integers, saturated at plus and minus 2^31 - 1, as 32 bits of Dst."""
    x = np.asarray(x)
    magnitude = np.minimum(np.abs(x), 0x7FFFFFFF).astype(np.uint32)
    return dst_from_fp32(magnitude | (x < 0).astype(np.uint32) << 31)
