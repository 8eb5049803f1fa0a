"""Products of the matrix unit: its multipliers have 5 bits for SrcA and 7 for SrcB.

A fidelity phase chooses which bits of the significands meet: bit 0 the high or the next five of
SrcA, bit 1 the high seven or the last four of SrcB (SrcASrcB.md). In a product of matrices eight
products are aligned at their largest exponent, rounded (halves away from zero) and added; two such
sums go to Dst. NaN and infinities are large numbers here, and denormals are 0. The order and the
roundings are those of the public functional simulator, restated.

Computed in float64 and exact: a product has 12 bits, and 41 more of the factor ``AWAY``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.accumulate import AWAY, F64, Ints, accumulate
from nasm.targets.tensix.matrix.formats import (
    U32,
    Style,
    dst_from_integers,
    integers_from_dst,
    integers_from_src,
    u32,
)

_ZERO = -2000
"""The exponent of a zero where exponents are compared: below all others."""

_SCALES = 2.0 ** -np.arange(1024.0) * AWAY

INT8_A = (0x4E0FF, 0x41FFF)
INT8_B = (0x7F0FF, 0x40FFF)
"""Bits of an element of style INT8 that a phase multiplies, by its bit 0 and its bit 1."""


@cache
def _parts(style: Style, of_b: bool, low: bool) -> F64:
    """The signed part of a significand that is multiplied, by sign and mantissa: 11 bits."""
    index = np.arange(2048)
    mantissa = index & (0x3F8 if style is Style.BF16 else 0x3FF)
    significand = mantissa | 0x400
    if of_b:
        part = (significand & 15) << 3 if low else significand >> 4
    else:
        part = significand >> 1 & 31 if low else significand >> 6
    return np.where(index >> 10, -part, part).astype(np.float64)


@cache
def _exponents(style: Style) -> tuple[F64, NDArray[np.int16]]:
    """Powers of two, and exponents to compare, by the field of 8 bits; a zero's are 0."""
    field = np.arange(256)
    if style is Style.FP16:
        field &= 31
    zero = field == 0
    return np.where(zero, 0.0, 2.0**field), np.where(zero, _ZERO, field).astype(np.int16)


def _factors(x: Any, style: Style, of_b: bool, phase: int) -> tuple[F64, NDArray[np.int16]]:
    """Values of elements, scaled by their exponents without bias, and these exponents."""
    x = u32(x)
    powers, exponents = _exponents(style)
    field = x & 0xFF
    value = _parts(style, of_b, bool(phase & (2 if of_b else 1)))[x >> 8]
    value *= powers[field]
    return value, exponents[field]


def bias(style: Style, wide: bool, phase: int) -> int:
    """What is added to the sum of two exponent fields for that of a product in Dst."""
    least = -127 if style is not Style.FP16 else 97 if wide else -15
    return least - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)


def products(
    a: Any, b: Any, style: Style, wide: bool, phase: int
) -> tuple[tuple[F64, Ints], tuple[F64, Ints]]:
    """Sums of products of rows of SrcB and columns of SrcA, for ``accumulate``.

    ``a`` (..., 16, 16) is [k, column], ``b`` (..., rows, 16) is [row, k], both of 19 bits; of k 0
    to 7 and 8 to 15 there are values and exponents, each (..., rows, 16).
    """
    adjust = bias(style, wide, phase)
    value_a, exponent_a = _factors(a, style, of_b=False, phase=phase)
    value_b, exponent_b = _factors(np.swapaxes(u32(b), -1, -2), style, of_b=True, phase=phase)
    shape_a = (*value_a.shape[:-2], 2, 8, 1, 16)
    shape_b = (*value_b.shape[:-2], 2, 8, value_b.shape[-1], 1)
    highest = (exponent_a.reshape(shape_a) + exponent_b.reshape(shape_b)).max(axis=-3)
    top = np.maximum(highest.astype(np.int64) + adjust, max(adjust, 0))
    scale = _SCALES[top - adjust]
    scale[top <= 0] = 0
    terms = value_a.reshape(shape_a) * value_b.reshape(shape_b)
    terms *= scale[..., None, :, :]
    total = np.rint(terms, out=terms).sum(axis=-3)
    return ((total[..., 0, :, :], top[..., 0, :, :]), (total[..., 1, :, :], top[..., 1, :, :]))


def mvmul(a: Any, b: Any, dst: Any, style: Style, wide: bool, phase: int) -> U32:
    """Dst after ``dst += b @ a``, as MVMUL, GAPOOL and DOTPV compute it.

    ``a`` (..., 16, 16) and ``b`` (..., rows, 16) are elements of SrcA and SrcB; ``dst`` and the
    result (..., rows, 16) as Dst stores them, 32 bits where ``wide``, else 16; INT8 is always wide.
    """
    if style is not Style.INT8:
        return accumulate(products(a, b, style, wide, phase), dst, style, wide)
    left = integers_from_src(b, INT8_B[phase >> 1]).astype(np.float64)
    right = integers_from_src(a, INT8_A[phase & 1]).astype(np.float64)
    return add_integers(np.matmul(left, right).astype(np.int64), dst)


def mvmuls(a: Any, b: Any, dst: Any, style: Style, wide: bool, phase: int) -> U32:
    """Dst after several products, one after the other: the first axis of ``a`` and ``b`` is time.

    ``a`` (steps, ..., 16, 16) and ``b`` (steps, ..., rows, 16), else as for ``mvmul``, whose result
    it is step by step; the products are computed at once.
    """
    held = u32(dst)
    if style is Style.INT8:
        for left, right in zip(a, b, strict=True):
            held = mvmul(left, right, held, style, wide, phase)
        return held
    (low, low_top), (high, high_top) = products(a, b, style, wide, phase)
    for step in zip(low, low_top, high, high_top, strict=True):
        held = accumulate((step[:2], step[2:]), held, style, wide)
    return held


def add_integers(x: Ints, dst: Any) -> U32:
    """Integers added to what Dst has, saturated."""
    return dst_from_integers(x + integers_from_dst(u32(dst)))


def elwmul(a: Any, b: Any, dst: Any, style: Style, wide: bool, phase: int) -> U32:
    """Dst after ``dst += a * b``, element by element; arrays of one shape, as for ``mvmul``."""
    if style is Style.INT8:
        left = integers_from_src(a, INT8_A[phase & 1]).astype(np.int64)
        return add_integers(left * integers_from_src(b, INT8_B[phase >> 1]), dst)
    adjust = bias(style, wide, phase)
    value_a, exponent_a = _factors(a, style, of_b=False, phase=phase)
    value_b, exponent_b = _factors(b, style, of_b=True, phase=phase)
    exponent = exponent_a.astype(np.int64) + exponent_b + adjust
    nothing = exponent <= 0
    top = np.where(nothing, max(adjust, 0), exponent)
    value = np.rint(value_a * value_b * _SCALES[np.maximum(top - adjust, 0)])
    value[nothing] = 0
    return accumulate(((value, top),), dst, style, wide)
