"""The multiply-add of the vector unit of Blackhole: a * b + c, of 32 bits, bit for bit.

It is fused, but not quite, as that of Wormhole is: a product keeps 27 or 28 bits, whatever was cut
off ends in the last of them, and bits that an alignment shifts out entirely are forgotten. Other
than there zeros have the signs of IEEE 754, every NaN is the same one, and a result that is too
small is a zero of its sign. Source: the page of the fused multiply-add in the ISA documentation of
Blackhole A0, and the vendor's model of it, which that names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.state import U32, Bools

I64 = NDArray[np.int64]

_SIGN = 1 << 31
_INFINITY = 255 << 23
_NAN = 0x7FC00000
_ONE = 1 << 23
"""The significand of a power of two."""
_GUARD = 3
"""Bits that are kept below the last one of a significand."""
_WIDTH = 27
"""Bits of a sum that needs no shift: 24 and the guard bits."""


def fused(a: U32, b: U32, c: U32) -> U32:
    """The bits of a * b + c, of those of three floats, arrays of shapes that broadcast."""
    factors = [np.asarray(x, np.int64) for x in np.broadcast_arrays(a, b, c)]
    (ea, ma), (eb, mb), (ec, mc) = map(_parts, factors)
    x, y, z = factors
    negative, opposite = (x ^ y) & _SIGN != 0, z & _SIGN != 0
    whole = ma * mb
    product = (whole << _GUARD >> 23) | (whole & (1 << 20) - 1 != 0)
    exponent = ea + eb - 127
    special = (ea == 255) | (eb == 255) | (ec == 255) | (exponent >= 255)
    both = np.where(negative & opposite, _SIGN, 0)
    alone = np.where(mc > 0, z, both)
    found = _sum(product, exponent, negative, mc << _GUARD, ec, opposite, both)
    found = np.where((product == 0) | (exponent < 0), alone, found)
    invalid = (ea == 255) & ((ma != _ONE) | (mb == 0))
    invalid |= (eb == 255) & ((mb != _ONE) | (ma == 0))
    invalid |= (ec == 255) & (mc != _ONE)
    invalid |= (ec == 255) & ((ea == 255) | (eb == 255)) & (negative != opposite)
    infinite = np.where(ec == 255, z, np.where(negative, _SIGN, 0) | _INFINITY)
    found = np.where(special, np.where(invalid, _NAN, infinite), found)
    return found.astype(np.uint32)


def _parts(bits: I64) -> tuple[I64, I64]:
    """Exponents and significands; those of denormals are 0."""
    exponent = bits >> 23 & 255
    return exponent, np.where(exponent > 0, bits & _ONE - 1 | _ONE, 0)


def _sum(
    product: I64, its: I64, negative: Bools, addend: I64, own: I64, opposite: Bools, both: I64
) -> Any:
    """A product and an addend with guard bits, by exponents and signs, as a float.

    ``both`` is the sign of a sum that is zero.
    """
    exponent = np.maximum(its, own)
    product, addend = _aligned(product, exponent - its), _aligned(addend, exponent - own)
    total = np.where(negative, -product, product) + np.where(opposite, -addend, addend)
    minus, size = total < 0, np.abs(total)
    shift = np.frexp(size.astype(np.float64))[1] - _WIDTH
    exponent = exponent + shift
    small = exponent <= 0
    shift, exponent = shift + small, np.where(small, 0, exponent)
    right = np.maximum(shift, 0)
    lost = (size & (right | 1) != 0) & (right > 0)
    size = np.where(shift > 0, size >> right | lost, size << np.maximum(-shift, 0))
    result = (exponent << 23) + (size >> _GUARD & _ONE - 1)
    result += (size & 7) + (result & 1) > 4
    result = np.where(result >> 23 == 0, 0, result)
    result = np.where(exponent >= 255, _INFINITY, result)
    return np.where(total == 0, both, result | np.where(minus, _SIGN, 0))


def _aligned(size: I64, by: I64) -> Any:
    """Shifted to the right; what is lost is in the last bit, unless nothing else is left."""
    by = np.minimum(by, 62)
    left = size >> by
    return left | ((left > 0) & (left << by != size))
