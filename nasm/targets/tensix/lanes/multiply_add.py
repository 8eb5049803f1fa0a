"""The multiply-add of the vector unit: a * b + c, of 32 bits, bit for bit.

It is fused, but not quite: a product keeps 27 or 28 bits, whatever was cut off ends in the last of
them, and bits that an alignment shifts out entirely are forgotten. Denormals are zeros, a result
that is zero or too small is +0. So a product alone and a sum alone round as IEEE 754 does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.state import U32

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

_AT_ONCE = 1 << 12
"""Elements of which the intermediate arrays stay in a cache."""

_SAFE = 190
"""The product of two numbers with at most this exponent is not too large."""

_INFINITY = 0x7F800000
_NAN = 0x7F800001
_SIGN = 1 << 31

_POINTS = np.array([127 + 46, 127 + 23])
"""Exponents, biased, of the last bits of a product of significands and of one."""

_NORMAL = np.float32(2.0**-126)
_LEAST = 2.0**-126 - 2.0**-151
"""The least product that 24 bits round to a normal number."""

ZERO, ONE = np.zeros(1, np.uint32), np.full(1, 0x3F800000, np.uint32)


def multiply_add(a: U32, b: U32, c: U32) -> U32:
    """The bits of a * b + c, of those of three floats, arrays of any shapes that broadcast.

    A NaN that results is of the sign of the product, or of c if that is the NaN, and has the last
    bit of its mantissa set; other bits are what the sum left there.
    """
    shape = a.shape
    if not shape == b.shape == c.shape:
        shape = np.broadcast_shapes(shape, b.shape, c.shape)
    if math.prod(shape) <= _AT_ONCE:
        v = np.empty((3, *shape), np.uint32)
        v[0], v[1], v[2] = a, b, c
        return _multiply_add(v)
    flat = [np.broadcast_to(x, shape).reshape(-1) for x in (a, b, c)]
    result = np.empty(len(flat[0]), np.uint32)
    for at in range(0, len(result), _AT_ONCE):
        v = np.array([x[at : at + _AT_ONCE] for x in flat], np.uint32)
        result[at : at + _AT_ONCE] = _multiply_add(v)
    return result.reshape(shape)


def multiply(a: U32, b: U32) -> U32:
    """The bits of a * b + 0: as ``multiply_add`` has them, but mostly by the host's floats."""
    if _denormals(a) or _denormals(b):
        return multiply_add(a, b, ZERO)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = np.multiply(a.view(np.float32), b.view(np.float32), dtype=np.float64)
        result = exact.astype(np.float32)
    result[np.abs(exact) < _LEAST] = 0
    return result.view(np.uint32) if _finite(result) else multiply_add(a, b, ZERO)


def add(b: U32, c: U32) -> U32:
    """The bits of 1 * b + c, likewise."""
    if _denormals(b) or _denormals(c):
        return multiply_add(ONE, b, c)
    with np.errstate(over="ignore", invalid="ignore"):
        result = b.view(np.float32) + c.view(np.float32)
    result[np.abs(result) < _NORMAL] = 0
    return result.view(np.uint32) if _finite(result) else multiply_add(ONE, b, c)


def _denormals(x: U32) -> bool:
    """Whether there is one."""
    return bool(np.count_nonzero((x & 0x7FFFFFFF) - 1 < 0x7FFFFF))


def _finite(x: NDArray[np.float32]) -> bool:
    return bool(np.count_nonzero(np.isfinite(x)) == x.size)


def _multiply_add(v: U32) -> U32:
    """``v[0] * v[1] + v[2]``."""
    e: I32 = ((v >> 23) & 255).view(np.int32)
    normal = e > 0
    exponent = e[1:]
    largest = e.max(initial=0)
    exponent[0] += e[0]
    exponent[0] -= 127
    if largest > _SAFE and (largest == 255 or exponent[0].max() >= 255):
        return _with_specials(v, exponent)
    x: F64 = v.view(np.float32).astype(np.float64)
    x *= normal
    x[1] *= x[0]
    return _sum(x[1:], exponent)


def _sum(terms: F64, exponent: I32) -> U32:
    """The bits of a sum, of a magnitude that is at most infinity.

    Args:
        terms: A product and an addend, exactly; changed.
        exponent: Their biased exponents, of the product that of its factors together; changed.
    """
    terms[0] *= exponent[0] >= 0
    exponent[0] *= terms[0] != 0
    largest = np.maximum(exponent[0], exponent[1])
    scale = np.subtract(1023 + 153, largest, dtype=np.int64)
    scale <<= 52
    terms *= scale.view(np.float64)
    whole = np.floor(terms)
    kept = whole.astype(np.int32)
    kept |= whole != terms
    kept *= np.abs(terms) >= 1
    total: I32 = kept[0] + kept[1]
    size = np.abs(total)
    size -= (size >> 27) & size & 2  # of a sum of 29 bits only the last one is kept
    bits: U32 = size.astype(np.float32).view(np.uint32)
    largest -= 153
    largest <<= 23
    bits += largest.view(np.uint32)
    normal = (bits - 0x800000 < 0xA0000000) & (size > 0)
    np.minimum(bits, _INFINITY, out=bits)
    bits |= total.view(np.uint32) & _SIGN
    bits *= normal
    return bits


def _with_specials(v: U32, exponent: I32) -> U32:
    """The same where an exponent is the largest, or that of the product is too large.

    An infinity and a NaN count as numbers with the next exponent where they are added.
    """
    e = ((v >> 23) & 255).astype(np.int32)
    m = (v & 0x7FFFFF | 0x800000) * (e > 0)
    negative = v >> 31 > 0
    negative[1] ^= negative[0]
    one = 0x800000
    a, b, c = e == 255
    endless = a | b | (exponent[0] >= 255)
    invalid = (a & ((m[0] != one) | (m[1] == 0))) | (b & ((m[1] != one) | (m[0] == 0)))
    invalid |= c & (m[2] == one) & endless & (negative[1] != negative[2])
    nan = invalid | (c & (m[2] != one))
    np.minimum(exponent[0], 255, out=exponent[0])
    terms = np.ldexp(
        (m[0] * m[1].astype(np.float64), m[2]), exponent - _POINTS.reshape(2, *[1] * (e.ndim - 1))
    )
    finite = _sum(np.where(negative[1:], -terms, terms), exponent)
    signs = (negative[1:] * np.uint32(_SIGN)).astype(np.uint32)
    undefined = np.where(invalid, signs[0], signs[1]) | _NAN | (finite & 0x7FFFFFFF)
    infinite = np.where(c, v[2], signs[0] | _INFINITY)
    result = np.where(nan, undefined, np.where(endless | c, infinite, finite))
    return np.asarray(result, np.uint32)
