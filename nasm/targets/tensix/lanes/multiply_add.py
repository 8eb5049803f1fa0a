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

I64 = NDArray[np.int64]

_AT_ONCE = 1 << 12
"""Elements of which the intermediate arrays stay in a cache."""

_SAFE = 190
"""The product of two numbers with at most this exponent is not too large."""

_INFINITY = 0x7F800000
_NAN = 0x7F800001
_SIGN = 1 << 31

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
        v = np.empty((3, *shape), np.int64)
        v[0], v[1], v[2] = a, b, c
        return _multiply_add(v)
    flat = [np.broadcast_to(x, shape).reshape(-1) for x in (a, b, c)]
    result = np.empty(len(flat[0]), np.uint32)
    for at in range(0, len(result), _AT_ONCE):
        v = np.array([x[at : at + _AT_ONCE] for x in flat], np.int64)
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


def _multiply_add(v: I64) -> U32:
    """``v[0] * v[1] + v[2]``."""
    e = (v >> 23) & 255
    m = (v & 0x7FFFFF) | 0x800000
    m *= e > 0
    negative = v >> 31
    negative[1] ^= negative[0]
    largest = np.maximum.reduce(e, None, initial=0)
    exponent = e[1:]
    exponent[0] += e[0] - 127
    if largest > _SAFE and (largest == 255 or exponent[0].max() >= 255):
        return _with_specials(v, e[0], m, exponent, negative[1:])
    magnitude, below = _sum(m, exponent, negative[1:])
    return magnitude | below * np.uint32(_SIGN)


def _sum(m: I64, exponent: I64, negative: I64) -> tuple[U32, NDArray[np.bool_]]:
    """The bits of the magnitude of a sum, at most those of infinity, and whether it is negative.

    Args:
        m: Significands of 24 bits of two factors and an addend.
        exponent: Biased exponents of the product and the addend; changed.
        negative: Whether the product and the addend are.
    """
    product = m[0] * m[1]
    terms = m[1:] << 3
    terms[0] = (product >> 20) | ((product & 0xFFFFF) > 0)
    terms[0] *= exponent[0] >= 0
    exponent[0] *= terms[0] > 0
    largest = np.maximum(exponent[0], exponent[1])
    shift = largest - exponent
    kept = terms >> shift
    kept |= ((kept << shift) != terms) & (kept > 0)
    kept *= 1 - 2 * negative
    total = kept[0] + kept[1]
    size = np.abs(total)
    size -= (size >> 27) & size & 2  # of a sum of 29 bits only the last one is kept
    bits: I64 = size.astype(np.float32).view(np.int32) + ((largest - 153) << 23)
    bits *= (bits >= 0x800000) & (size > 0)
    np.minimum(bits, _INFINITY, out=bits)
    return bits.astype(np.uint32), (total < 0) & (bits > 0)


def _with_specials(v: I64, e_a: I64, m: I64, exponent: I64, negative: I64) -> U32:
    """The same where an exponent is the largest, or that of the product is too large."""
    e_p, e_c = exponent.copy()
    e_b = (v[1] >> 23) & 255
    one = 0x800000
    a, b, c = e_a == 255, e_b == 255, e_c == 255
    endless = a | b | (e_p >= 255)
    invalid = (a & ((m[0] != one) | (m[1] == 0))) | (b & ((m[1] != one) | (m[0] == 0)))
    invalid |= c & (m[2] == one) & endless & (negative[0] != negative[1])
    nan = invalid | (c & (m[2] != one))
    np.minimum(exponent[0], 255, out=exponent[0])
    magnitude, below = _sum(m, exponent, negative)
    sign = np.where(invalid, negative[0], negative[1]) << 31
    finite = magnitude | (below.astype(np.int64) << 31)
    infinite = np.where(c, v[2], (negative[0] << 31) | _INFINITY)
    result = np.where(nan, sign | _NAN | magnitude, np.where(endless | c, infinite, finite))
    return np.asarray(result, np.uint32)
