"""The last stage of the matrix unit's arithmetic: sums of products are added to Dst.

Three terms at most: two sums, and what Dst has. They are aligned at the largest exponent, rounded,
added as integers, and normalised. Sums round halves up, Dst rounds them away from zero. The public
documents give no exact model of it; the rules here are those of the public functional simulator,
restated, among them a sum of exactly -1 that is normalised 27 places too far.

All of it is computed in float64, and exact: terms are integers below 2^29, and what is scaled by
``_AWAY`` has at most 24 bits before, so that a half, and nothing below it, goes past the half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.formats import U32, Style, dst_from_bf16, dst_from_fp16, u32
from nasm.targets.tensix.matrix.formats import dst_from_fp32 as _dst_from_fp32

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

AWAY = 1 + 2.0**-40
"""Moves a half just past itself, so that rounding to even rounds halves away from zero."""

_SHIFTS = 2.0 ** -np.arange(1024.0)
_RAISED = _SHIFTS * 2**13
_SHIFTS_AWAY = _SHIFTS * AWAY
_COARSE, _FINE = 2.0**13, 2.0**-13


def _of_dst(dst: U32, style: Style, wide: bool) -> tuple[Ints, F64]:
    """Exponents, and signed significands of 24 bits; 0 where the exponent is 0."""
    if wide:
        exponent, sign = dst >> 16 & 0xFF, dst >> 31
        significand = dst >> 8 & 0x7F0000 | dst & 0xFFFF | 0x800000
    elif style is Style.FP16:
        exponent, sign = dst & 0x1F, dst >> 15
        significand = dst << 8 & 0x7FE000 | 0x800000
    else:
        exponent, sign = dst & 0xFF, dst >> 15 & 1
        significand = dst << 8 & 0x7F0000 | 0x800000
    value = significand.astype(np.float64)
    value[exponent == 0] = 0
    np.negative(value, out=value, where=sign != 0)
    return exponent.astype(np.int64), value


def _packed(total: F64, exponent: Ints, style: Style, wide: bool) -> U32:
    """The total, an integer in units of 2^(exponent - 23), in the layout of Dst."""
    fraction = 23 if wide else 10 if style is Style.FP16 else 7
    bits = np.abs(total).view(np.int64)
    field = (bits + (1 << 51 - fraction)) >> 52 - fraction
    field += (exponent - 1046) << fraction
    if wide:
        np.copyto(field, (exponent + 4) << 23, where=total == -1.0)
    if style is Style.FP16 and not wide:
        field[field >= 32 << 10] = 0x7FFF
    else:
        field[field >= 255 << fraction] = 255 << fraction
    nothing = (field < 1 << fraction) | (exponent <= 0) | (total == 0)
    field |= (total < 0).astype(np.int64) << (31 if wide else 15)
    field[nothing] = 0
    packed = field.astype(np.uint32)
    if wide:
        return _dst_from_fp32(packed)
    return dst_from_fp16(packed) if style is Style.FP16 else dst_from_bf16(packed)


def accumulate(sums: tuple[tuple[F64, Ints], ...], dst: Any, style: Style, wide: bool) -> U32:
    """What is in Dst after sums were added to it.

    Each of the sums is an array of integers, in units of 2^(exponent - 10), and one of exponents;
    ``dst`` and the result are as Dst stores them, 32 bits where ``wide``, else 16. FP16 sources
    have FP16 in 16 bits, all others BF16; 32 bits are FP32. All of the same shape.
    """
    dst_exponent, held = _of_dst(u32(dst), style, wide)
    top = dst_exponent
    for _, exponent in sums:
        top = np.maximum(top, exponent)
    total = np.rint(held * _SHIFTS_AWAY[top - dst_exponent])
    if not wide:
        total = np.rint(total * (_FINE * AWAY)) * _COARSE
    for value, exponent in sums:
        term = np.floor(value * _RAISED[top - exponent] + 0.5)
        if not wide:
            term = np.floor(term * _FINE + 0.5) * _COARSE
        total += term
    return _packed(total, top, style, wide)
