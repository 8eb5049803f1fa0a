"""``a @ b`` in float64, the same on every host."""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.base.exact.error_free import Doubles, levels

MODERATE: Final = 240
"""Exponents up to which products of slices, and the units of these, stay normal numbers."""

MOST_SLICES: Final = 8


def multiply(a: Doubles, b: Doubles) -> Doubles:
    """``np.matmul(a, b)`` of arrays whose shapes fit, without a dependence on the host.

    Exact sums are added in a stated order, so that the result is within a few units in the last
    place of the largest of them. Infinities, NaN, and numbers too far apart are multiplied and
    added term by term, in order of K.
    """
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    result = _exactly(left, right) if _moderate(left) and _moderate(right) else None
    if result is None:
        result = _in_order(left, right)
    if a.ndim == 1:
        result = result[..., 0, :]
    if b.ndim == 1:
        result = result[..., 0]
    return result


def _moderate(x: Doubles) -> bool:
    if not np.isfinite(x).all():
        return False
    exponents = np.frexp(x)[1]
    return bool(abs(exponents.min()) <= MODERATE and abs(exponents.max()) <= MODERATE)


def _exactly(a: Doubles, b: Doubles) -> Doubles | None:
    parts = levels(a, b, MOST_SLICES)
    if parts is None:
        return None
    total = parts.pop()
    while parts:
        total = parts.pop() + total
    return total + 0.0  # some libraries start a sum from its first term, which may be -0


def _in_order(a: Doubles, b: Doubles) -> Doubles:
    total = np.zeros((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]))
    with np.errstate(all="ignore"):
        for k in range(a.shape[-1]):
            total += a[..., :, k, None] * b[..., None, k, :]
    return total
