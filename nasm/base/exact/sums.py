"""Sums of arrays, element by element: exact, in float64 to odd, so that one rounding is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def total(terms: Sequence[Doubles]) -> Doubles:
    """The sum of arrays [...] of one shape, whose elements are float32 numbers or integers.

    It is exact, or where float64 cannot hold it one of the two neighbours, the one whose last bit
    is 1 (S. Boldo, G. Melquiond, 2008): rounding that to fewer bits gives what rounding the exact
    sum gives. What is infinite or NaN is as IEEE 754 has it. A sum of -0 alone is -0.
    """
    result = np.array(terms[0], np.float64)
    lost = np.zeros(result.shape, bool)
    with np.errstate(all="ignore"):
        for term in terms[1:]:
            before = result
            result = before + term
            back = result - before
            rest = (before - (result - back)) + (term - back)  # D. E. Knuth's two-sum
            lost |= rest != 0  # NaN where something is not finite, which is looked at below
    lost &= np.isfinite(result)
    if lost.any():
        flat: Any = [np.asarray(term)[lost].tolist() for term in terms]
        result[lost] = [_to_odd(numbers) for numbers in zip(*flat, strict=True)]
    return result


def _to_odd(numbers: Sequence[float]) -> float:
    """The exact sum of finite numbers, to odd."""
    near = math.fsum(numbers)
    rest = math.fsum([*numbers, -near])
    if not rest or int(np.float64(near).view(np.int64)) & 1:
        return near
    return math.nextafter(near, math.copysign(math.inf, rest))
