"""Products of matrices in float32: the exact sum of the products, rounded once.

Products of two float32 numbers are exact in float64, and so are their sums if the numbers are
short and of like size: then no order of adding shows. Otherwise what a library adds up is off by
no more than a known bound. Where both ends of that bound round to the same float32 the exact sum
does too, and the few elements that are left are added up exactly (A. Ziv, 1991).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact.error_free import BITS, Doubles, levels
from nasm.base.exact.factors import HALF_ULP, SCRATCH, Array, Factor, Floats, Sizes

SHORT: Final = 24
"""How long an integer may be that a float32 holds exactly."""

SMALLEST: Final = -149
"""The power of two that every float32 is a multiple of."""

LARGEST: Final = 127
"""The power of two up to which a float32 is finite."""

FEW: Final = 128
"""Elements that are added up one by one; of more of them the product is taken in slices."""

MANY: Final = 16
"""One of so many sums that may be doubtful are too many to be looked at one by one."""

BLOCK: Final = 32
"""Rows at a time, so that what lies between stays in the processor's cache."""

MOST_SLICES: Final = 16
"""More than a float32 can have: its bits are powers of two from -149 to 127."""

LONGEST: Final = 2.0**BITS

Indices = NDArray[np.intp]

NOWHERE: Final = np.empty((2, 0), np.intp)


def product(left: Factor, right: Factor) -> Floats:
    """left.T @ right: [m, n], each element the exact sum over K rounded once to float32.

    A sum of zero is +0. Where an element of either side is infinite or NaN, what it enters is what
    IEEE 754 makes of it, in whatever order. Wants ``np.errstate(all="ignore")`` around it.
    """
    return unrounded(left, right).astype(np.float32, copy=False)


def unrounded(left: Factor, right: Factor) -> Array:
    """The same in float32, or in float64 with numbers that round to it.

    Those in float64 round to numbers, none of them to -0.
    """
    a, b = left.span, right.span
    if not (a.finite and b.finite):
        return _unbounded(left.values, right.values)
    additions = (left.rows - 1).bit_length()
    low, high = a.low + b.low, a.high + b.high + additions
    if high - low <= SHORT and low >= -126 and high <= LARGEST:
        result: Floats = np.matmul(left.values.T, right.values)
        result += np.float32(0)  # some libraries start from the first term, which may be -0
        return result
    rights = right.as_doubles()
    shape = left.held.shape[1], right.held.shape[1]
    sums = out = np.matmul(left.doubles.T, rights, out=SCRATCH.array(shape))
    tame = low >= SMALLEST and high <= LARGEST
    if not tame:
        out = sums.astype(np.float32)
    if a.widest + b.widest + additions > BITS:
        _check(left, right, rights, sums, out)
    if not (tame and _starts_from_zero(left.rows, *shape)):
        out += 0
    return out


@cache
def _starts_from_zero(rows: int, m: int, n: int) -> bool:
    """Whether the library's sums of -0 are +0 in products of this shape."""
    found = np.matmul(np.full((rows, m), -0.0).T, np.ones((rows, n)))
    return not np.signbit(found).any()


def _check(left: Factor, right: Factor, rights: Doubles, sums: Doubles, out: Array) -> None:
    """See to the sums that may be long."""
    a, b = left.sizes(), right.sizes()
    if a.longest * b.longest <= LONGEST:
        return
    doubtful = _doubtful_of_few(a, b, sums)
    if doubtful is None:
        doubtful = _really_doubtful(a, b, sums, *_roughly_doubtful(a, b, sums))
    if len(doubtful[0]):
        _settle(left, rights, sums, out, doubtful)


def _doubtful_of_few(a: Sizes, b: Sizes, sums: Doubles) -> tuple[Indices, Indices] | None:
    """The places of the doubtful sums, if only few are long; otherwise None.

    A few Python numbers take less time than a few calls of NumPy.
    """
    found: list[tuple[int, int]] = []
    long, left = (a.lengths > LONGEST / b.longest).nonzero()[0], FEW
    if len(long) > FEW:
        return None
    for row in long.tolist():
        most, bound = LONGEST / a.lengths.item(row), a.norms.item(row) * a.lost
        for length, norm, column in b.ranked:
            if length <= most:
                break
            left -= 1
            total, lost = sums.item(row, column), bound * norm
            if np.float32(total - lost) != np.float32(total + lost):
                found.append((row, column))
        else:
            return None
        if left < 0:
            return None
    rows, columns = np.array(found, np.intp).reshape(-1, 2).T if found else NOWHERE
    return rows, columns


def _roughly_doubtful(a: Sizes, b: Sizes, sums: Doubles) -> tuple[Indices, Indices]:
    """The places of all sums that are doubtful, and of some that are not.

    One bound for each row is more than that of each of its elements, and quicker to add.
    """
    bounds = (a.norms * (a.lost * float(b.norms.max())))[:, None]
    found = np.empty(sums.shape, np.bool_)
    low, high = np.empty((2, min(BLOCK, len(sums)), sums.shape[1]), np.float32)
    for start in range(0, len(sums), BLOCK):
        part = slice(start, start + BLOCK)
        some, bound = sums[part], bounds[part]
        np.subtract(some, bound, out=low[: len(some)], casting="same_kind")
        np.add(some, bound, out=high[: len(some)], casting="same_kind")
        np.not_equal(low[: len(some)], high[: len(some)], out=found[part])
    if np.count_nonzero(found) * MANY > found.size:
        found = _doubtful(sums, np.multiply.outer(a.norms * a.lost, b.norms))
    rows, columns = np.divmod(np.flatnonzero(found), sums.shape[1])
    return rows, columns


def _really_doubtful(
    a: Sizes, b: Sizes, sums: Doubles, rows: Indices, columns: Indices
) -> tuple[Indices, Indices]:
    """Those of some places whose own bound leaves open to what the sum rounds."""
    chosen = a.lengths[rows] * b.lengths[columns] > LONGEST
    chosen &= _doubtful(sums[rows, columns], a.norms[rows] * a.lost * b.norms[columns])
    return rows[chosen], columns[chosen]


def _settle(
    left: Factor, right: Doubles, sums: Doubles, out: Array, doubtful: tuple[Indices, Indices]
) -> None:
    """Put what the exact sums round to where that is doubtful."""
    rows, columns = doubtful
    if len(rows) > FEW:
        lines, row = np.unique(rows, return_inverse=True)
        uprights, column = np.unique(columns, return_inverse=True)
        total, bound = _in_slices(left.doubles[:, lines].T, right[:, uprights])
        values, bounds = total[row, column], bound[row, column]
        out[rows, columns] = values.astype(np.float32) + np.float32(0)
        again = _doubtful(values, bounds)
        rows, columns = rows[again], columns[again]
    for m, n in zip(rows.tolist(), columns.tolist(), strict=True):
        out[m, n] = _exact(left.doubles[:, m], right[:, n])


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
    return total, np.where(lost > 0, seen * (additions * 2 * HALF_ULP), 0)


def _doubtful(sums: Doubles, bound: Doubles) -> NDArray[np.bool_]:
    """Where the bound of their error leaves open to which float32 sums round."""
    low = (sums - bound).astype(np.float32)
    found: NDArray[np.bool_] = (sums + bound).astype(np.float32) != low
    return found


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
