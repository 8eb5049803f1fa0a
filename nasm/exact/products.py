"""Products of matrices in float32: the exact sum of the products, rounded once.

Products of two float32 numbers are exact in float64, and so are their sums if the numbers are
short and of like size: then no order of adding shows. Otherwise what a library adds up is off by
no more than a known bound. Where both ends of that bound round to the same float32 the exact sum
does too, and the few elements that are left are added up exactly (A. Ziv, 1991).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.exact.slices import BITS, Doubles, levels

Floats = NDArray[np.float32]

SHORT: Final = 24
"""How long an integer may be that a float32 holds exactly."""

FEW: Final = 128
"""Elements that are added up one by one; of more of them the product is taken in slices."""

BLOCK: Final = 128
"""Columns at a time, so that what lies between stays in the processor's cache."""

MOST_SLICES: Final = 16
"""More than a float32 can have: its bits stand for powers of two from -149 to 127."""

_HALF_ULP: Final = 2.0**-BITS
_INFINITY: Final = 0x7F80_0000


class Factor:
    """One side of a product: a float32 array [K, n], and how long its numbers are.

    Every element is a multiple of 2**low and below 2**high in magnitude; ``finite`` says whether
    all of them are numbers.
    """

    CACHES = ("_doubles", "_sizes")

    __slots__ = ("_doubles", "_sizes", "finite", "high", "low", "values")

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.low = self.high = 0
        self.finite = True
        self._doubles: Doubles | None = None
        self._sizes: Doubles | None = None
        bits = values.view(np.uint32)
        sizes = bits & np.uint32(0x7FFF_FFFF)
        most = int(sizes.max())
        if most >= _INFINITY:
            self.finite = False
        elif most:
            sizes -= np.uint32(1)  # zero, which has no length, becomes the largest
            least = int(sizes.min()) + 1
            used = int(np.bitwise_or.reduce(bits, axis=None)) | 1 << 23
            unused = (used & -used).bit_length() - 1  # last bits that no element has
            self.low = max(least >> 23, 1) - 150 + unused
            self.high = max(most >> 23, 1) - 126

    @property
    def doubles(self) -> Doubles:
        """The values in float64."""
        if self._doubles is None:
            self._doubles = self.values.astype(np.float64)
        return self._doubles

    @property
    def sizes(self) -> Doubles:
        """The Euclidean norm of each column [n], not less than it is."""
        if self._sizes is None:
            self._sizes = _norms(self.doubles)
        return self._sizes


def product(left: Factor, right: Factor) -> Floats:
    """left.T @ right: [m, n], each element the exact sum over K rounded once to float32.

    A sum of zero is +0. Where an element of either side is infinite or NaN, what it enters is what
    IEEE 754 makes of it, in whatever order. Wants ``np.errstate(all="ignore")`` around it.
    """
    if not (left.finite and right.finite):
        return _unbounded(left.values, right.values)
    low, high = left.low + right.low, left.high + right.high
    high += (len(left.values) - 1).bit_length()
    if high - low <= SHORT and low >= -126 and high <= 127:
        result: Floats = np.matmul(left.values.T, right.values)
        result += np.float32(0)  # some libraries start from the first term, which may be -0
        return result
    columns = right.values.shape[1]
    result = np.empty((left.values.shape[1], columns), np.float32)
    for start in range(0, columns, BLOCK):
        part = slice(start, start + BLOCK)
        _in_double(left, right.values[:, part].astype(np.float64), low, high, result[:, part])
    result += np.float32(0)
    return result


def _in_double(left: Factor, right: Doubles, low: int, high: int, out: Floats) -> None:
    """The product of some columns: exact where its sums are short."""
    sums = np.matmul(left.doubles.T, right)
    if high - low <= BITS:
        out[...] = sums
        return
    # By Cauchy and Schwarz no partial sum exceeds the product of the norms.
    sizes = _norms(right)
    if left.sizes.max() * sizes.max() <= math.ldexp(1.0, low + BITS):
        out[...] = sums
        return
    # K - 1 additions, each off by half an ulp of a partial sum, and three more for what follows
    bound = np.multiply.outer(left.sizes * ((len(right) + 2) * _HALF_ULP), sizes)
    doubtful = _settled(sums, bound, out)
    if np.count_nonzero(doubtful) > FEW:
        parts = levels(left.doubles.T, right, MOST_SLICES)
        assert parts is not None  # a float32 has less than 16 slices
        sums, bound = parts.pop(), np.zeros(())
        while parts:
            part = parts.pop()
            bound = bound + np.abs(sums)
            sums = part + sums
        doubtful = _settled(sums, (bound + np.abs(sums)) * (2 * _HALF_ULP), out)
    for m, n in np.argwhere(doubtful).tolist():
        out[m, n] = _exact(left.doubles[:, m], right[:, n])


def _settled(sums: Doubles, bound: Doubles, out: Floats) -> NDArray[np.bool_]:
    """Store sums as float32; tells where the bound of their error leaves open which it is."""
    out[...] = sums - bound
    bound += sums
    doubtful: NDArray[np.bool_] = bound.astype(np.float32) != out
    return doubtful


def _norms(x: Doubles) -> Doubles:
    """The Euclidean norm of each column, not less than it is."""
    norms: Doubles = np.sqrt(np.einsum("kn,kn->n", x, x)) * (1 + 2.0**-20)
    return norms


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
