"""The ALU operators on Python numbers, with IEEE 754's answers where Python raises an exception.

From NKI's 'Supported Math Operators'. Floats hold float32 values, and every result is rounded to
float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.neuron import scalar

WORD = 1 << 32


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power, or a negative number to a fraction
        if x != 0:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf


def _rsqrt(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0 or math.isnan(x) else 1 / math.sqrt(x)


def _mod(x: float, y: float) -> float:
    return math.nan if y == 0 or math.isinf(x) else x % y


def _relu(x: float) -> float:
    return x if math.isnan(x) or x > 0 else 0.0


UNARY: dict[str, Callable[[float], float]] = {**scalar.UNARY, "rsqrt": _rsqrt, "relu": _relu}
BINARY: dict[str, Callable[[float, float], float]] = {**scalar.BINARY, "power": _power, "mod": _mod}


def apply(op: str, x: float, y: float) -> float:
    """One operator on two float32 values."""
    return scalar.f(UNARY[op](x) if op in UNARY else BINARY[op](x, y))


def staged(op: str, x: float, y: float, reverse: bool) -> float:
    """An operator whose sides may be swapped; one of a single operand ignores it."""
    return apply(op, y, x) if reverse and op not in UNARY else apply(op, x, y)


EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "maximum": max,
    "minimum": min,
    "equal": lambda x, y: int(x == y),
    "not_equal": lambda x, y: int(x != y),
    "greater_equal": lambda x, y: int(x >= y),
    "greater": lambda x, y: int(x > y),
    "less_equal": lambda x, y: int(x <= y),
    "less": lambda x, y: int(x < y),
    "logical_and": lambda x, y: int(x != 0 and y != 0),
    "logical_or": lambda x, y: int(x != 0 or y != 0),
    "logical_xor": lambda x, y: int((x != 0) != (y != 0)),
}
"""Operators on whole numbers of any size."""


def wrapped(value: int, dtype: str) -> int:
    """A whole number as the 32 bits of int32 or uint32 hold it."""
    low = value % WORD
    return low - WORD if dtype == "int32" and low >= WORD // 2 else low


def exact(op: str, x: int, y: int, dtype: str) -> int:
    """One operator on 32-bit integers, modulo 2**32."""
    return wrapped(EXACT[op](x, y), dtype)


def as_words(values: Any, dtype: str) -> Any:
    """32-bit integers read as those of another dtype, one by one."""
    return np.array([[wrapped(int(v), dtype) for v in row] for row in values], dtype)
