"""LoadStationary and MultiplyMoving as plain loops, written from nki.isa.nc_matmul.

Nothing here comes from nasm. Values are Python floats; sums are exact (``math.fsum``) and rounded
to float32 once, so a caller whose values are small whole numbers may compare exactly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.neuron.scalar import NUMPY, f, out, tfloat32

Array = Any


def widened(value: Any, dtype: str) -> float:
    """An element as the array reads it: tfloat32 has ten mantissa bits."""
    if dtype == "tfloat32":
        return tfloat32(float(value))
    with np.errstate(all="ignore"):
        return float(np.float32(value))


def rows(tile: Array) -> list[list[Any]]:
    """Partitions with their free axes as one."""
    return [list(row.reshape(-1)) for row in tile]


def product(stationary: Array, moving: Array, dtypes: tuple[str, str], pairs: bool) -> Array:
    """dst[m, n] = sum over k of W[k, m] * moving[k, n]; ``pairs``: over k and l of [k, l, m]."""
    first, second = (
        [[widened(v, dtype) for v in row] for row in rows(tile)]
        for tile, dtype in ((stationary, dtypes[0]), (moving, dtypes[1]))
    )
    halves = 2 if pairs else 1
    m_size, n_size = len(first[0]) // halves, len(second[0]) // halves
    result = np.zeros((m_size, n_size), np.float32)
    for m in range(m_size):
        for n in range(n_size):
            result[m, n] = f(
                _summed(
                    first[k][at * m_size + m] * second[k][at * n_size + n]
                    for k in range(len(first))
                    for at in range(halves)
                )
            )
    return result


def _summed(terms: Any) -> float:
    """An exact sum; infinities and NaN as IEEE 754 has them."""
    numbers = list(terms)
    if all(math.isfinite(x) for x in numbers):
        return math.fsum(numbers)
    total = 0.0
    for x in numbers:
        total += x
    return total


def written(before: Array | None, result: Array, dtype: str) -> Array:
    """What dst holds afterwards: the result, or its sum with what dst held, rounded once."""
    kind = NUMPY[dtype]
    stored = np.zeros(result.shape, kind)
    for m in range(result.shape[0]):
        for n in range(result.shape[1]):
            value = float(result[m, n])
            if before is not None:
                value = f(float(np.float32(before[m, n])) + value)
            stored[m, n] = out(value, dtype)
    return stored


def transposed(stationary: Array, order: list[int]) -> Array:
    """Transpose mode from v3 on: column n of dst is row order[n] of the stationary tile."""
    source = rows(stationary)
    width = stationary.dtype.itemsize
    bits = [[v.tobytes() for v in row] for row in source]
    wide = 2 if width == 1 else width
    result = [[bits[k][m] + bytes(wide - width) for k in order] for m in range(len(source[0]))]
    return np.frombuffer(b"".join(b"".join(row) for row in result), f"u{wide}").reshape(
        len(result), len(order)
    )
