"""Products of matrices in float32: the exact sum of the products, rounded once.

Products of two float32 numbers are exact in float64, and so are their sums if the numbers are
short and of like size: then no order of adding shows. Otherwise what a library adds up is off by
no more than a known bound. Where both ends of that bound round to the same float32 the exact sum
does too, and the few elements that are left are added up exactly (A. Ziv, 1991).
"""

from __future__ import annotations

import math
import threading
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact.error_free import BITS, Doubles, levels

Array = NDArray[Any]
Floats = NDArray[np.float32]

SHORT: Final = 24
"""How long an integer may be that a float32 holds exactly."""

FEW: Final = 128
"""Elements that are added up one by one; of more of them the product is taken in slices."""

BLOCK: Final = 512
"""Columns at a time, so that what lies between stays in the processor's cache."""

MOST_SLICES: Final = 16
"""More than a float32 can have: its bits are powers of two from -149 to 127."""

LONGEST: Final = 2.0**BITS

_HALF_ULP: Final = 2.0**-BITS


class BitSpan(NamedTuple):
    """How long the numbers of a factor are, as their exponents tell.

    Every element is a multiple of 2**low and below 2**high in magnitude, those of column n even of
    2**lows[n], which is its unit: none is more than ``widest`` bits long in that. ``finite`` says
    whether all elements are numbers.
    """

    finite: bool
    low: int
    high: int
    widest: int
    lows: NDArray[np.int64]


class Sizes(NamedTuple):
    """Of each column [n] the Euclidean norm, not less than it is, and the same in its unit.

    By Cauchy and Schwarz no partial sum of a product exceeds the product of two norms; where that
    of two lengths does not exceed LONGEST, no sum of their products is rounded. Otherwise it is off
    by no more than the product of the norms times ``lost``.
    """

    norms: Doubles
    lengths: Doubles
    longest: float
    lost: float


class Factor:
    """One side of a product: [K, n] of float32 or bfloat16, and how long its numbers are."""

    CACHES = ("_doubles", "_sizes", "_span")

    __slots__ = ("_doubles", "_sizes", "_span", "held")

    def __init__(self, held: Array) -> None:
        self.held = held
        self._span: BitSpan | None = None
        self._sizes: Sizes | None = None
        self._doubles: Doubles | None = None

    @classmethod
    def of(cls, values: Factor | Array) -> Factor:
        """The factor of an array, or one that is there already."""
        return values if isinstance(values, Factor) else cls(values)

    def copy(self) -> Factor:
        """The same numbers, in an array of their own."""
        made = Factor(self.held.copy())
        made._span, made._sizes = self.span, self._sizes
        return made

    @property
    def rows(self) -> int:
        """How many terms each sum has: K."""
        return len(self.held)

    @property
    def values(self) -> Floats:
        """The numbers in float32."""
        return self.held.astype(np.float32, copy=False)

    @property
    def span(self) -> BitSpan:
        """How long its numbers are."""
        if self._span is None:
            self._span = _span(self.held)
        return self._span

    @property
    def doubles(self) -> Doubles:
        """The values in float64."""
        if self._doubles is None:
            self._doubles = self.held.astype(np.float64)
        return self._doubles

    @property
    def sizes(self) -> Sizes:
        """The sizes of all columns."""
        if self._sizes is None:
            doubles = self.held.astype(np.float64) if self._doubles is None else self._doubles
            norms = np.sqrt(np.einsum("kn,kn->n", doubles, doubles)) * (1 + 2.0**-20)
            lengths = np.ldexp(norms, -self.span.lows)
            # K - 1 additions, each off by half an ulp of a partial sum, and three more of the bound
            lost = (self.rows + 2) * _HALF_ULP
            self._sizes = Sizes(norms, lengths, float(lengths.max()), lost)
        return self._sizes


class Scratch(threading.local):
    """Arrays for what lies between, which each thread uses again and again.

    Fresh ones of this size may each be mapped, and their pages cleared, by the operating system:
    that takes a quarter of a product.
    """

    def __init__(self) -> None:
        self._kept = [np.empty(0), np.empty(0)]

    def array(self, number: int, shape: tuple[int, ...]) -> Doubles:
        """One of them, with anything in it, until it is asked for again."""
        size = math.prod(shape)
        if size > BLOCK * BLOCK:
            return np.empty(shape)
        if self._kept[number].size < size:
            self._kept[number] = np.empty(size)
        return self._kept[number][:size].reshape(shape)


_SCRATCH = Scratch()


def product(left: Factor, right: Factor) -> Floats:
    """left.T @ right: [m, n], each element the exact sum over K rounded once to float32.

    A sum of zero is +0. Where an element of either side is infinite or NaN, what it enters is what
    IEEE 754 makes of it, in whatever order. Wants ``np.errstate(all="ignore")`` around it.
    """
    a, b = left.span, right.span
    if not (a.finite and b.finite):
        return _unbounded(left.values, right.values)
    additions = (left.rows - 1).bit_length()
    low, high = a.low + b.low, a.high + b.high + additions
    if high - low <= SHORT and low >= -126 and high <= 127:
        result: Floats = np.matmul(left.values.T, right.values)
        result += np.float32(0)  # some libraries start from the first term, which may be -0
        return result
    long = None if a.widest + b.widest + additions <= BITS else _long(left.sizes, right.sizes)
    columns, lefts = right.held.shape[1], left.doubles.T
    result = np.empty((len(lefts), columns), np.float32)
    for start in range(0, columns, BLOCK):
        part = slice(start, start + BLOCK)
        held = right.held[:, part]
        doubles = _SCRATCH.array(0, held.shape)
        doubles[...] = held
        sums = np.matmul(lefts, doubles, out=_SCRATCH.array(1, (len(lefts), held.shape[1])))
        result[:, part] = sums
        if long is not None:
            first, last = long.columns.searchsorted((start, start + BLOCK)).tolist()
            if first < last:
                few = Long(long.rows, long.columns[first:last] - start, long.bounds[:, first:last])
                _check(few, left, doubles, sums, result[:, part])
    result += np.float32(0)
    return result


class Long(NamedTuple):
    """The rows and columns of a product that have sums which may be long.

    ``bounds`` says for each of these sums what a library's may be off; zero if it is not long.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    bounds: Doubles


def _long(left: Sizes, right: Sizes) -> Long | None:
    """The sums that may be long; None if there is none."""
    if left.longest * right.longest <= LONGEST:
        return None
    (rows,) = (left.lengths * right.longest > LONGEST).nonzero()
    (columns,) = (right.lengths * left.longest > LONGEST).nonzero()
    short = np.multiply.outer(left.lengths[rows], right.lengths[columns]) <= LONGEST
    if short.all():
        return None
    bounds = np.multiply.outer(left.norms[rows] * left.lost, right.norms[columns])
    bounds[short] = 0
    return Long(rows, columns, bounds)


def _check(long: Long, left: Factor, right: Doubles, sums: Doubles, out: Floats) -> None:
    """See to the sums that may be long."""
    rows, columns, bound = long
    doubtful = _doubtful(sums[rows[:, None], columns], bound)
    if not doubtful.any():
        return
    right = right[:, columns]
    if np.count_nonzero(doubtful) > FEW:
        total, bound = _in_slices(left.doubles[:, rows].T, right)
        out[rows[:, None], columns] = total
        doubtful = _doubtful(total, bound)
    for m, n in np.argwhere(doubtful).tolist():
        out[rows[m], columns[n]] = _exact(left.doubles[:, rows[m]], right[:, n])


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


def _span(held: Array) -> BitSpan:
    """How long the numbers of each column are: from the first bit of any to the last."""
    kind: Any
    kind, fraction = (np.uint16, 7) if held.itemsize == 2 else (np.uint32, 23)
    infinity = kind(0xFF << fraction)
    bits = held.view(kind)
    sizes = bits & kind((0x100 << fraction) - 1)
    most = sizes.max(axis=0)
    sizes -= kind(1)  # zero, which has no length, becomes the largest there is
    least = sizes.min(axis=0) + kind(1)
    used = np.bitwise_or.reduce(bits, axis=0) | kind(1 << fraction)
    used &= ~used + kind(1)
    unused = np.frexp(used.astype(np.float32))[1] - 1  # last bits that no element has
    highs = np.maximum(most >> fraction, 1).astype(np.int64) - 126
    lows = np.maximum(least >> fraction, 1).astype(np.int64) - (127 + fraction) + unused
    lows = np.minimum(lows, highs)
    finite = bool(most.max() < infinity)
    return BitSpan(finite, int(lows.min()), int(highs.max()), int((highs - lows).max()), lows)


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
