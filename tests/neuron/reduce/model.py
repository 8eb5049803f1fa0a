"""TensorReduce and Max8 as loops over a partition's elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.neuron import operators, scalar
from tests.neuron.elementwise.model import widened


def _groups(data: Any, axes: int, fold: Callable[[list[Any]], Any], dtype: str) -> Any:
    """[P, groups]: the elements of the last axes, in row-major order, folded."""
    size = int(np.prod(data.shape[data.ndim - axes :]))
    flat = data.reshape(len(data), -1)
    made = np.empty((len(data), flat.shape[1] // size), scalar.NUMPY[dtype])
    for p in range(len(data)):
        for g in range(made.shape[1]):
            made[p, g] = fold([flat[p, g * size + n] for n in range(size)])
    return made


def arithmetic(data: Any, op: str, axes: int, negate: bool, dtype: str) -> Any:
    """nki.isa.tensor_reduce: r = f(x0) op f(x1) op …, times -1 if asked."""

    def fold(values: list[Any]) -> Any:
        total = widened(values[0])
        for value in values[1:]:
            total = operators.apply(op, total, widened(value))
        return scalar.out(-1.0 * total if negate else total, dtype)

    return _groups(data, axes, fold, dtype)


def exact(data: Any, op: str, axes: int, negate: bool, dtype: str) -> Any:
    """The same on GpSimd's 32-bit integers."""
    name = str(data.dtype)

    def fold(values: list[Any]) -> Any:
        total = int(values[0])
        for value in values[1:]:
            total = operators.exact(op, total, int(value), name)
        return operators.wrapped(-total if negate else total, dtype)

    return _groups(data, axes, fold, dtype)


def bits(data: Any, op: str, axes: int, dtype: str) -> Any:
    """The same with bitwise operators: integers of one width as they are."""
    name = str(data.dtype)

    def fold(values: list[Any]) -> Any:
        total = int(values[0])
        for value in values[1:]:
            total = scalar.bitwise(op, total, int(value), name)
        return scalar.bitwise("bitwise_or", total, 0, dtype)

    return _groups(data, axes, fold, dtype)


def place(x: float) -> tuple[float, float]:
    """What orders numbers, and zeros by their sign."""
    return x, math.copysign(1, x)


def max8(src: Any, dtype: str) -> Any:
    """nki.isa.max8: the 8 largest, descending, duplicates kept; NaN before every number.

    +0 comes before -0, as IEEE 754-2019 orders them.
    """
    made = np.empty((len(src), 8), scalar.NUMPY[dtype])
    for p in range(len(src)):
        left = [widened(v) for v in src[p]]
        for slot in range(8):
            best = 0
            for n in range(1, len(left)):
                if left[best] == left[best] and not place(left[n]) <= place(left[best]):
                    best = n
            made[p, slot] = scalar.out(left.pop(best), dtype)
    return made
