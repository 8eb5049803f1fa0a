"""Sums of products without rounding: numbers are cut into slices that are short.

Slice by slice the integers are so small that no sum of their products needs more than the 53 bits
of a float64, in whatever order a library adds them. The technique is Ozaki's (K. Ozaki, T. Ogita,
S. Oishi, S. M. Rump: Error-free transformations of matrix multiplication, 2012).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

BITS: Final = 53
"""How long an integer may be that a float64 holds exactly."""


def levels(a: Doubles, b: Doubles, most: int) -> list[Doubles] | None:
    """Products [..., M, N], each exact, of which ``a @ b`` is the exact sum; the largest first.

    ``a`` is [..., M, K] and ``b`` [..., K, N], finite, and of magnitudes whose products and their
    slices are normal numbers. None if that would take more than ``most`` slices of either.
    """
    for count in range(1, most + 1):
        # The products of a level are added up too: there are as many of them as slices.
        each = (BITS - (a.shape[-1] * count - 1).bit_length()) // 2
        lefts = _cut(a, -1, count, each)
        rights = _cut(b, -2, count, each) if lefts else None
        if lefts and rights:
            return [_level(lefts, rights, n) for n in range(len(lefts) + len(rights) - 1)]
    return None


def _level(lefts: list[Doubles], rights: list[Doubles], level: int) -> Doubles:
    """The sum of the products whose units are equal: one product of slices side by side."""
    pairs = [(i, level - i) for i in range(len(lefts)) if 0 <= level - i < len(rights)]
    left = np.concatenate([lefts[i] for i, _ in pairs], axis=-1)
    right = np.concatenate([rights[j] for _, j in pairs], axis=-2)
    return np.asarray(np.matmul(left, right))


def _cut(x: Doubles, axis: int, count: int, each: int) -> list[Doubles] | None:
    """At most ``count`` slices whose sum is x, of ``each`` bits along an axis; None if it is more.

    A slice is the rest rounded to a multiple of a unit: adding and subtracting a number so large
    that its last bit is that unit does it. Of n bits are integers up to 2**n, that included.
    """
    tops = np.frexp(np.abs(x).max(axis=axis, keepdims=True))[1].astype(np.int64)
    units = tops - each
    parts: list[Doubles] = []
    rest = x
    for _ in range(count):
        shift = np.ldexp(1.5, units + (BITS - 1))
        part = rest + shift
        part -= shift
        parts.append(part)
        rest = rest - part
        if not rest.any():
            return parts
        units -= each + 1
    return None
