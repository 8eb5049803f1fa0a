"""Products of matrices in float32: the exact sum of the products, rounded once.

Products of two float32 numbers are exact in float64, and so are their sums if the numbers are
short and of like size: then no order of adding shows. Otherwise what a library adds up is off by
no more than a known bound. Where both ends of that bound round to the same float32 the exact sum
does too, and the few elements that are left are added up exactly (A. Ziv, 1991).
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact.error_free import BITS, Doubles, levels

Floats = NDArray[np.float32]

SHORT: Final = 24
"""How long an integer may be that a float32 holds exactly."""

FEW: Final = 128
"""Elements that are added up one by one; of more of them the product is taken in slices."""

BLOCK: Final = 256
"""Columns at a time, so that what lies between stays in the processor's cache."""

MOST_SLICES: Final = 16
"""More than a float32 can have: its bits are powers of two from -149 to 127."""

LONGEST: Final = 2.0**BITS

_HALF_ULP: Final = 2.0**-BITS
_INFINITY: Final = 0x7F80_0000
_SIZE: Final = np.uint32(0x7FFF_FFFF)
_ONE: Final = np.uint32(1)


class Sizes(NamedTuple):
    """Of each column [n] the Euclidean norm, not less than it is, and the same in units of 2**low.

    By Cauchy and Schwarz no partial sum of a product exceeds the product of two norms; where that
    of two lengths does not exceed LONGEST, no sum of their products is rounded.
    """

    norms: Doubles
    lengths: Doubles


class Factor:
    """One side of a product: a float32 array [K, n], and how long its numbers are.

    Every element is a multiple of 2**low and below 2**high in magnitude; ``finite`` says whether
    all of them are numbers.
    """

    CACHES = ("_doubles", "_sizes")

    __slots__ = ("_doubles", "_sizes", "finite", "high", "low", "values")

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._doubles: Doubles | None = None
        self._sizes: Sizes | None = None
        bits = values.view(np.uint32)
        sizes = bits & _SIZE
        most = int(sizes.max())
        self.finite = most < _INFINITY
        self.high = max(most >> 23, 1) - 126
        sizes -= _ONE  # zero, which has no length, becomes the largest there is
        least = (int(sizes.min()) + 1) & 0xFFFF_FFFF
        used = int(np.bitwise_or.reduce(bits, axis=None)) | 1 << 23
        unused = (used & -used).bit_length() - 1  # last bits that no element has
        self.low = min(max(least >> 23, 1) - 150 + unused, self.high)

    @property
    def doubles(self) -> Doubles:
        """The values in float64."""
        if self._doubles is None:
            self._doubles = self.values.astype(np.float64)
        return self._doubles

    @property
    def sizes(self) -> Sizes:
        """The sizes of all columns."""
        if self._sizes is None:
            self._sizes = _sizes(self.values, self.doubles)
        return self._sizes


def product(left: Factor, right: Factor) -> Floats:
    """left.T @ right: [m, n], each element the exact sum over K rounded once to float32.

    A sum of zero is +0. Where an element of either side is infinite or NaN, what it enters is what
    IEEE 754 makes of it, in whatever order. Wants ``np.errstate(all="ignore")`` around it.
    """
    if not (left.finite and right.finite):
        return _unbounded(left.values, right.values)
    low = left.low + right.low
    high = left.high + right.high + (len(left.values) - 1).bit_length()
    if high - low <= SHORT and low >= -126 and high <= 127:
        result: Floats = np.matmul(left.values.T, right.values)
        result += np.float32(0)  # some libraries start from the first term, which may be -0
        return result
    columns = right.values.shape[1]
    result = np.empty((left.values.shape[1], columns), np.float32)
    for start in range(0, columns, BLOCK):
        part = slice(start, start + BLOCK)
        doubles = right.values[:, part].astype(np.float64)
        sums = np.matmul(left.doubles.T, doubles)
        result[:, part] = sums
        if high - low > BITS:
            sizes = _sizes(right.values[:, part], doubles)
            _check(left, doubles, sizes, sums, result[:, part])
    result += np.float32(0)
    return result


def _check(left: Factor, right: Doubles, sizes: Sizes, sums: Doubles, out: Floats) -> None:
    """See to the sums that may be long, of some columns of the right side."""
    longest = left.sizes.lengths * sizes.lengths.max() > LONGEST
    if not longest.any():
        return
    rows = np.flatnonzero(longest)
    # K - 1 additions, each off by half an ulp of a partial sum, and three more for what follows
    bound = np.multiply.outer(left.sizes.norms[rows] * ((len(right) + 2) * _HALF_ULP), sizes.norms)
    bound[np.multiply.outer(left.sizes.lengths[rows], sizes.lengths) <= LONGEST] = 0
    doubtful = _doubtful(sums[rows], bound)
    if np.count_nonzero(doubtful) > FEW:
        doubles = left.doubles[:, rows]
        total, bound = _in_slices(doubles.T, right)
        out[rows] = total
        doubtful = _doubtful(total, bound)
    for m, n in np.argwhere(doubtful).tolist():
        out[rows[m], n] = _exact(left.doubles[:, rows[m]], right[:, n])


def _in_slices(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """``a @ b``, and a bound of what it is off: zero where nothing was lost."""
    parts = levels(a, b, MOST_SLICES)
    assert parts is not None  # a float32 has less slices
    additions = len(parts)
    total = parts.pop()
    lost, seen = np.zeros_like(total), np.abs(total)
    while parts:
        part = parts.pop()
        seen += np.abs(part)
        added = part + total
        back = added - part
        lost += np.abs((part - (added - back)) + (total - back))  # D. E. Knuth's two-sum
        total = added
    return total, np.where(lost > 0, seen * (additions * 2 * _HALF_ULP), 0)


def _doubtful(sums: Doubles, bound: Doubles) -> NDArray[np.bool_]:
    """Where the bound of their error leaves open to which float32 sums round."""
    low = (sums - bound).astype(np.float32)
    found: NDArray[np.bool_] = (sums + bound).astype(np.float32) != low
    return found


def _sizes(values: Floats, doubles: Doubles) -> Sizes:
    bits = values.view(np.uint32)
    least = ((bits & _SIZE) - _ONE).min(axis=0) + _ONE
    used = np.bitwise_or.reduce(bits, axis=0) | np.uint32(1 << 23)
    unused = np.frexp((used & (~used + _ONE)).astype(np.float32))[1] - 1
    lows = np.maximum(least >> np.uint32(23), 1).astype(np.int64) - 150 + unused
    norms: Doubles = np.sqrt(np.einsum("kn,kn->n", doubles, doubles)) * (1 + 2.0**-20)
    return Sizes(norms, np.ldexp(norms, -lows))


def _exact(a: Doubles, b: Doubles) -> float:
    """The sum of a * b for float32 numbers a and b [K], rounded to float32."""
    terms = (a * b).tolist()
    total = math.fsum(terms)  # the exact sum rounded to float64: twice is once, but for a tie
    near = np.float32(total)
    beyond = np.nextafter(near, np.float32(math.copysign(math.inf, total - float(near))))
    if math.isfinite(near) and total - float(near) == float(beyond) - total:
        rest = math.fsum([*terms, -total])
        if rest:
            return float(max(near, beyond) if rest > 0 else min(near, beyond))
    return float(near)


def _unbounded(a: Any, b: Any) -> Floats:
    """A product with infinities or NaN: by counts of what meets what, which are exact."""
    good = np.isfinite(a), np.isfinite(b)
    result = product(Factor(np.where(good[0], a, 0)), Factor(np.where(good[1], b, 0)))

    def met(*pairs: tuple[Any, Any]) -> Any:
        return sum(x.T.astype(np.float32) @ y.astype(np.float32) for x, y in pairs) > 0

    up, down = met(*_signed(a, b, 1)), met(*_signed(a, b, -1))
    nan = met((np.isnan(a), np.ones_like(b)), (np.ones_like(a), np.isnan(b)))
    nan |= met((np.isinf(a), b == 0), (a == 0, np.isinf(b))) | (up & down)
    result[up], result[down], result[nan] = np.inf, -np.inf, np.nan
    return result


def _signed(a: Any, b: Any, sign: int) -> list[tuple[Any, Any]]:
    """Where an infinity of one side meets a number of the other, and the product has a sign."""
    pairs = []
    for s in (1, -1):
        one, other = s * a > 0, s * sign * b > 0
        pairs += [(one & np.isinf(a), other), (one, other & np.isinf(b))]
    return pairs
