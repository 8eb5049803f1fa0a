"""Products of the matrix unit: its multipliers have 5 bits for SrcA and 7 for SrcB.

A fidelity phase chooses which bits of the significands meet: bit 0 the high or the next five of
SrcA, bit 1 the high seven or the last four of SrcB (SrcASrcB.md). In a product of matrices eight
products are aligned at their largest exponent, rounded (halves away from zero) and added; two such
sums go to Dst. NaN and infinities are large numbers here, and denormals are 0. The order and the
roundings are those of the public functional simulator, restated.

Many products of matrices are computed at once, of blocks of rows that they share (``Batch``). A
product of elements has 12 bits; float32 holds it, and the factor ``_AWAY``, where exponents are not
too far apart, else float64: both are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.accumulate import F64, Ints, accumulate
from nasm.targets.tensix.matrix.formats import (
    U32,
    Style,
    Styles,
    dst_from_integers,
    integers_from_dst,
    integers_from_src,
    u32,
)

Floats = NDArray[Any]
"""float32 or float64."""

_AWAY = 1 + 2.0**-20
"""Moves a half of a product just past itself, and nothing else past a half."""

_NEAR = 100
"""By how much exponents of products may differ for float32, and for 16 to their power."""

_NEAR_CODES, _FAR_CODES = 257, 1024
"""Codes of exponents, up to the largest of all: of sums of float64, as they are made; of others."""

_NONE = -1 << 12
"""The exponent of a zero where exponents are compared: below all others."""

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


def bias(style: Style, wide: bool, phase: int) -> int:
    """What is added to the sum of two exponent fields for that of a product in Dst."""
    least = -127 if style is not Style.FP16 else 97 if wide else -15
    return least - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)


@lru_cache(maxsize=64)
def _tables(style: Style, of_b: bool, low: bool, most: int, single: bool) -> tuple[Floats, Floats]:
    """What is multiplied, by sign and mantissa and by exponent, in units of 2^``most``."""
    dtype = np.float32 if single else np.float64
    field = np.arange(256)
    power = np.where((field == 0) | (field > most), 0, 2.0 ** np.clip(field - most, -1000, 0))
    if single:
        power[power < 2.0**-_NEAR] = 0
    parts = _parts(style, of_b, low) * (1 if of_b else _AWAY)
    return parts.astype(dtype), power.astype(dtype)


@lru_cache(maxsize=256)
def _sixteen(most: int, times: int) -> F64:
    """16 to the power of an exponent field, in units of 16^``most``, times a factor; 0 of zeros."""
    field = np.arange(256)
    power = times * 16.0 ** (field - most).clip(-_NEAR, 0)
    return np.where(field == 0, 0.0, power)


class _Elements:
    """Elements of SrcA or SrcB: exponent fields, and signs with mantissas.

    ``most`` and ``least`` are the exponents of those that are not 0.
    """

    def __init__(self, x: U32, style: Style, of_b: bool) -> None:
        self.style, self.of_b = style, of_b
        self.field = (x & (0x1F if style is Style.FP16 else 0xFF)).astype(np.intp)
        self.rest = (x >> 8).astype(np.intp)
        self.most = int(self.field.max())
        self.least = int(self.field.min())
        if not self.least:
            self.least = int(np.where(self.field, self.field, self.most).min())

    def values(self, lows: Sequence[bool], single: bool) -> Floats:
        """What is multiplied: (lows * rows, 16)."""
        found = []
        for low in lows:
            parts, powers = _tables(self.style, self.of_b, low, self.most, single)
            found.append(parts.take(self.rest))
            found[-1] *= powers.take(self.field)
        return found[0] if len(found) == 1 else np.concatenate(found)


class Batch(NamedTuple):
    """Products of matrices, by rows of SrcA and SrcB.

    A block is 16 rows of SrcA, or rows of SrcB, as one phase multiplies them. ``lows`` say which
    parts of significands there are, for SrcA and SrcB; rows of the second come after those of the
    first. ``blocks_a`` [k, group, block] and ``blocks_b`` [block, row] are rows of these parts,
    ``of_a`` and ``of_b`` the blocks of each product; ``rows_a`` [product, k] and ``rows_b``
    [product, row] are rows of elements. ``phases`` is that of each product, ``different`` has each
    once, and ``turn`` [product, 1, 1] where it has that of a product.
    """

    blocks_a: Ints
    blocks_b: Ints
    of_a: Ints
    of_b: Ints
    rows_a: Ints
    rows_b: Ints
    lows: tuple[tuple[bool, ...], tuple[bool, ...]]
    phases: Ints
    different: tuple[int, ...]
    turn: Ints


Product = tuple[tuple[int, ...], tuple[int, ...], int]
"""Rows of SrcA, rows of SrcB, a phase."""


def batch(products: Sequence[Product], count_a: int, count_b: int) -> Batch:
    """Products of elements of which SrcA and SrcB have so many rows."""
    phases = np.array([phase for *_, phase in products])
    different, turn = np.unique(phases, return_inverse=True)
    low_a = sorted({bool(phase & 1) for *_, phase in products})
    low_b = sorted({bool(phase & 2) for *_, phase in products})
    by_a: dict[tuple[tuple[int, ...], bool], int] = {}
    by_b: dict[tuple[tuple[int, ...], bool], int] = {}
    of_a = [by_a.setdefault((a, bool(phase & 1)), len(by_a)) for a, _, phase in products]
    of_b = [by_b.setdefault((b, bool(phase & 2)), len(by_b)) for _, b, phase in products]
    blocks_a = np.array([[low_a.index(low) * count_a + row for row in a] for a, low in by_a])
    blocks_b = np.array([[low_b.index(low) * count_b + row for row in b] for b, low in by_b])
    return Batch(
        np.ascontiguousarray(blocks_a.reshape(-1, 2, 8).transpose(2, 1, 0)),
        blocks_b,
        np.array(of_a),
        np.array(of_b),
        np.array([a for a, *_ in products]),
        np.array([b for _, b, _ in products]),
        (tuple(low_a), tuple(low_b)),
        phases,
        tuple(different.tolist()),
        turn[:, None, None],
    )


def products(a: U32, b: U32, which: Batch, styles: Styles, wide: bool) -> tuple[F64, F64]:
    """Sums of products of rows of SrcB and columns of SrcA, for ``added``.

    ``a`` and ``b`` (rows, 16) are elements, [k, column] and [row, k]. The terms are of k 0 to 7 and
    8 to 15: (2, products, rows, 16); their largest powers (products, rows, 16).
    """
    left, right = _Elements(a, styles.a, of_b=False), _Elements(b, styles.b, of_b=True)
    most = left.most + right.most
    near = most - left.least - right.least <= _NEAR
    code = (_highest if near else _highest_of_far)(left, right, which)
    if len(which.different) > 1:
        code += which.turn * (_NEAR_CODES if near else _FAR_CODES)
    scales, powers = _scales(styles.a, wide, which.different, most, near)
    terms = _terms(left, right, which, scales.take(code)).astype(np.float64)
    power = powers.take(code)
    terms *= power
    largest = np.maximum(power[0], power[1])
    largest *= 2.0**10
    return terms, largest


@lru_cache(maxsize=1 << 10)
def _scales(
    style: Style, wide: bool, phases: tuple[int, ...], most: int, near: bool
) -> tuple[Floats, F64]:
    """By codes of exponents, phase after phase: what scales products, and units of their sums.

    The last code is that of the exponent ``most``, and 0 of zeros.
    """
    count = _NEAR_CODES if near else _FAR_CODES
    adjust = np.array([[bias(style, wide, phase)] for phase in phases])
    code = np.arange(count)
    highest = np.where(code, code + most - count + 1, _NONE) + adjust
    top = np.maximum(highest, np.maximum(adjust, 0))
    distance = np.minimum(count - 1 - code, _NEAR if near else count)
    scale = np.where(top > 0, np.ldexp(1.0, distance), 0)
    return scale.astype(np.float32 if near else np.float64).ravel(), np.ldexp(1.0, top - 10).ravel()


def _highest(left: _Elements, right: _Elements, which: Batch) -> Ints:
    """Codes of the highest exponents of eight products, from sums of 16 to their power.

    A sum of eight is less than 16 times the largest: its own exponent tells.
    """
    a, b = _sixteen(left.most, 2).take(left.field), _sixteen(right.most, 1).take(right.field)
    count = len(which.phases)
    rows_a = a.take(which.rows_a, axis=0).reshape(count, 2, 8, 16).transpose(1, 0, 2, 3)
    rows_b = b.take(which.rows_b, axis=0).reshape(count, -1, 2, 8).transpose(2, 0, 1, 3)
    found: Ints = np.matmul(rows_b, rows_a).view(np.int64)
    found >>= 54
    return found


def _highest_of_far(left: _Elements, right: _Elements, which: Batch) -> Ints:
    """The same of any exponents."""
    a = np.where(left.field, left.field - left.most, _NONE)[which.rows_a]
    b = np.where(right.field, right.field - right.most, _NONE)[which.rows_b]
    count = len(which.phases)
    rows_a = a.reshape(count, 2, 8, 1, 16).transpose(2, 1, 0, 3, 4)
    rows_b = b.reshape(count, -1, 2, 8, 1).transpose(3, 2, 0, 1, 4)
    found: Ints = (rows_a + rows_b).max(axis=0)
    return np.maximum(found + _FAR_CODES - 1, 0)


def _terms(left: _Elements, right: _Elements, which: Batch, scale: Floats) -> Floats:
    """Sums of rounded products."""
    single = scale.dtype == np.float32
    a = left.values(which.lows[0], single).take(which.blocks_a, axis=0)
    b = right.values(which.lows[1], single).take(which.blocks_b, axis=0)
    rows = b.shape[1]
    wide_a = np.empty((*a.shape[:3], rows, 16), a.dtype)
    wide_a[...] = a[:, :, :, None, :]
    b = b.reshape(-1, rows, 2, 8).transpose(3, 2, 0, 1)
    wide_b = np.repeat(b.ravel(), 16).reshape(*b.shape, 16)
    terms = wide_a.take(which.of_a, axis=2)
    terms *= wide_b.take(which.of_b, axis=2)
    terms *= scale
    np.rint(terms, out=terms)
    total: Floats = np.add.reduce(terms, axis=0)
    return total


def integer_products(a: U32, b: U32, which: Batch) -> Ints:
    """Products of style INT8: (products, rows, 16)."""
    left = _integers(a, INT8_A, which.lows[0])[_with_parts(which.rows_a, which, 0, len(a))]
    right = _integers(b, INT8_B, which.lows[1])[_with_parts(which.rows_b, which, 1, len(b))]
    found: Ints = np.matmul(right, left).astype(np.int64)
    return found


def _integers(x: U32, masks: tuple[int, int], lows: tuple[bool, ...]) -> Floats:
    """Integers of 10 bits: sums of 16 of their products are exact in float32."""
    parts = [integers_from_src(x, masks[low]) for low in lows]
    return np.concatenate(parts).astype(np.float32)


def _with_parts(rows: Ints, which: Batch, operand: int, count: int) -> Ints:
    """Rows of elements as rows of those parts that a phase multiplies."""
    if len(which.lows[operand]) == 1:
        return rows
    return rows + (which.phases >> operand & 1)[:, None] * count


@lru_cache(maxsize=64)
def _each(count: int, rows: int, phase: int) -> Batch:
    """Products of which none shares rows with another."""
    a, b = np.arange(16 * count).reshape(-1, 16), np.arange(rows * count).reshape(-1, rows)
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return batch([(tuple(x), tuple(y), phase) for x, y in pairs], 16 * count, rows * count)


def mvmul(a: Any, b: Any, dst: Any, styles: Styles, wide: bool, phase: int) -> U32:
    """Dst after ``dst += b @ a``, as the matrix unit computes it.

    ``a`` (..., 16, 16) and ``b`` (..., rows, 16) are elements of SrcA and SrcB; ``dst`` and the
    result (..., rows, 16) as Dst stores them, 32 bits where ``wide``, else 16; INT8 is always wide.
    """
    held = u32(dst)
    shape, rows = held.shape, held.shape[-2]
    flat_a, flat_b = u32(a).reshape(-1, 16), u32(b).reshape(-1, 16)
    which = _each(len(flat_a) // 16, rows, phase)
    held = held.reshape(-1, rows, 16)
    if styles.a is Style.INT8:
        return add_integers(integer_products(flat_a, flat_b, which), held).reshape(shape)
    terms, largest = products(flat_a, flat_b, which, styles, wide)
    return accumulate(terms, largest, held, styles, wide).reshape(shape)


def add_integers(x: Ints, dst: Any) -> U32:
    """Integers added to what Dst has, saturated."""
    return dst_from_integers(x + integers_from_dst(u32(dst)))


def elwmul(a: Any, b: Any, dst: Any, styles: Styles, wide: bool, phase: int) -> U32:
    """Dst after ``dst += a * b``, element by element; arrays of one shape, as for ``mvmul``."""
    style = styles.a
    if style is Style.INT8:
        left = integers_from_src(a, INT8_A[phase & 1]).astype(np.int64)
        return add_integers(left * integers_from_src(b, INT8_B[phase >> 1]), dst)
    adjust = bias(style, wide, phase)
    value_a, exponent_a = _element(a, style, of_b=False, low=bool(phase & 1))
    value_b, exponent_b = _element(b, styles.b, of_b=True, low=bool(phase & 2))
    exponent = exponent_a + exponent_b + adjust
    nothing = (exponent_a == 0) | (exponent_b == 0) | (exponent <= 0)
    power = np.ldexp(1.0, np.where(nothing, max(adjust, 0), exponent))
    value = np.where(nothing, 0.0, value_a * value_b)
    return accumulate((value * (power * 2.0**-10),), power, dst, styles, wide)


def _element(x: Any, style: Style, of_b: bool, low: bool) -> tuple[F64, Ints]:
    """The parts of significands that are multiplied, and exponent fields."""
    x = u32(x)
    field = (x & (0x1F if style is Style.FP16 else 0xFF)).astype(np.int64)
    return _parts(style, of_b, low)[x >> 8], field
