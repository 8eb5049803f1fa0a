"""Sums and differences of the matrix unit, element by element, beside products (``multiply``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.matrix.accumulate import accumulate
from nasm.targets.tensix.matrix.formats import (
    U32,
    Style,
    dst_from_integers,
    integers_from_dst,
    integers_from_src,
    tf32_from_src,
    u32,
)

_KEPT = {Style.BF16: 0x7F8FF, Style.TF32: 0x7FFFF, Style.FP16: 0x7FF1F}
"""Bits of an element that its style has."""

_FP16_IN_FP32 = 112
"""The difference of the biases of exponents of 8 and 5 bits."""


def _read(x: Any, style: Style) -> U32:
    """Elements as {sign, exponent 8, mantissa 10}; 0 where the exponent is 0."""
    bits = tf32_from_src(u32(x) & np.uint32(_KEPT[style]))
    return np.where(bits & 0x3FC00, bits, np.uint32(0))


def elwadd(
    a: Any, b: Any, dst: Any, style: Style, wide: bool, phase: int, *, minus: bool, add: bool
) -> U32:
    """Dst after ``a + b``, or ``a - b`` where ``minus``, was written, or added to it where ``add``.

    Arrays of one shape: elements of SrcA and SrcB, and Dst as it is stored, 32 bits where ``wide``,
    else 16. The smaller magnitude is aligned, halves up; a fidelity phase divides what comes out
    by 32 and by 128 (ELWADD.md).
    """
    if style is Style.INT8:
        left, right = integers_from_src(a).astype(np.int64), integers_from_src(b)
        whole = left - right if minus else left + right
        return dst_from_integers(whole + integers_from_dst(u32(dst)) if add else whole)
    x, y = _read(a, style), _read(b, style)
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
    return accumulate((term,), power, held, style, wide)
