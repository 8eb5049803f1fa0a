"""What an unpacker makes of a number in L1: the bits that SrcA, SrcB or Dst get.

Source: UNPACR_Regular.md. FP32 can become narrower, by truncation; every other format must stay
what it is. Pure functions of arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import formats as f
from nasm.targets.tensix.matrix.bfp import unpacked, widened
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, FIVE_BIT_EXPONENT, Bits, Format
from nasm.targets.tensix.state import U8

WIDE = frozenset({Format.FP32, Format.TF32, Format.INT32})
"""Formats that Dst gets with 32 bits."""


def fp16_from_fp32(x: Any) -> Bits:
    """FP32 bits as FP16 bits: what is too large is the largest, what is below 2^-15 is 0.

    The mantissa is cut off; an exponent field of 0 keeps it.
    """
    x = f.u32(x)
    exponent = (x >> 23 & 0xFF).astype(np.int32) - 112
    inside = exponent.clip(0, 31).astype(np.uint32) << 10 | x >> 13 & 0x3FF
    rest = np.where(exponent < 0, 0, np.where(exponent > 31, 0x7FFF, inside))
    return f.u32(x >> 16 & 0x8000 | rest)


def numbers(data: U8, form: Format) -> Bits:
    """Bytes of L1 as the bits of the numbers in them; little-endian."""
    bits = BITS[form]
    if bits <= 8:
        return unpacked(data, form)
    return f.u32(data.view(np.uint32 if bits == 32 else np.uint16))


def checked(source: Format, target: Format, to_dst: bool) -> None:
    """Refuse conversions that unpackers do not have."""
    if source is Format.FP32:
        fits = target in (Format.TF32, Format.BF16, Format.FP16) or (
            target is Format.FP32 and to_dst
        )
    else:
        fits = source is target and (to_dst or source not in WIDE)
    if not fits:
        where = "Dst" if to_dst else "SrcA or SrcB"
        raise Refused(
            "E0701",
            f"no unpacker makes {target.name} in {where} of {source.name} in L1",
            "FP32 becomes TF32, BF16 or FP16, in Dst FP32 as well; other formats stay what they "
            "are, and those of 32 bits go to Dst only",
        )


def _int8(x: Bits, unsigned: bool) -> Bits:
    """INT8 as FP16 bits: the magnitude in the mantissa, under an exponent of 16 if not 0."""
    sign = np.zeros_like(x) if unsigned else x & 0x80
    magnitude = x - sign
    return np.where(magnitude, magnitude | 16 << 10, 0).astype(np.uint32) | sign << 8


def fp16_from_fp8(x: Bits, four_bits: bool | None) -> Bits:
    """FP8 bits as FP16 bits: an exponent of 5 bits, or of 4.

    Where there is a choice, a number of all ones has ones in the bits that FP16 has more. None,
    where there is none, is 5 bits, of which zeros follow whatever the number.
    """
    largest = x & 0x7F == 0x7F
    if four_bits is None:
        return x << 8
    if not four_bits:
        return np.where(largest, x << 8 | 0xFF, x << 8).astype(np.uint32)
    exponent = x >> 3 & 15
    half = np.where(exponent, exponent + 8, 0) << 10 | (x & 7) << 7 | np.where(largest, 0x7F, 0)
    return f.u32((x & 0x80) << 8 | half.astype(np.uint32))


def _halves(
    x: Bits,
    exponents: Bits | None,
    source: Format,
    target: Format,
    unsigned: bool,
    four_bits: bool | None,
) -> Bits:
    """Numbers as BF16 or FP16 bits."""
    if source is Format.FP32:
        if target is Format.FP16:
            return fp16_from_fp32(x)
        return np.where(x & 0x7F800000, x, x & 0x80000000) >> 16
    if source in BLOCK_FLOATS:
        return widened(x, exponents, source)
    if source is Format.FP8:
        return fp16_from_fp8(x, four_bits)
    return _int8(x, unsigned) if source is Format.INT8 else x


def converted(
    x: Bits,
    exponents: Bits | None,
    source: Format,
    target: Format,
    *,
    to_dst: bool,
    unsigned: bool = False,
    four_bits: bool | None = None,
) -> Bits:
    """Numbers as SrcA, SrcB or Dst store them: 19, or 32 or 16 bits.

    ``x`` are their bits in L1, ``exponents`` those of block floats, number by number; ``checked``
    has passed. ``unsigned`` says what INT8 is, ``four_bits`` what FP8, as ``fp16_from_fp8``.
    """
    if source is Format.INT16:
        return x if to_dst else f.src_from_int16(x)
    if source in WIDE and target in WIDE:
        return f.dst_from_fp32(x) if to_dst else f.src_from_tf32(x >> 13)
    half = _halves(x, exponents, source, target, unsigned, four_bits)
    five = (target if source is Format.FP32 else source) in FIVE_BIT_EXPONENT
    if to_dst:
        return f.dst_from_fp16(half) if five else f.dst_from_bf16(half)
    return f.src_from_fp16(half) if five else f.src_from_bf16(half)
