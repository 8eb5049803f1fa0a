"""The instructions as plain loops over Python numbers, written from the pages of nki.isa.

Nothing here comes from nasm. Numbers are Python floats that hold float32 values; ``f`` rounds to
float32 after every step. A float64 result of +, -, * or / of two float32 values, rounded to
float32, is the correctly rounded one: float64 has more than twice the digits.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

Row = Sequence[Any]
Table = list[list[Any]]

NUMPY: dict[str, Any] = {
    "float8_e3m4": ml_dtypes.float8_e3m4,
    "float8_e4m3": ml_dtypes.float8_e4m3,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "tfloat32": np.float32,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
}
LIMITS = {
    dtype: (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for dtype, kind in NUMPY.items()
    if np.issubdtype(kind, np.integer)
}


def f(value: float) -> float:
    """The nearest float32; overflow is an infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def out(value: float, dtype: str) -> Any:
    """Storing: nearest even, floats overflow, integers saturate (SDK 2.32), NaN to 0 (assumed)."""
    kind = NUMPY[dtype]
    if dtype not in LIMITS:
        with np.errstate(all="ignore"):
            return np.float32(value).astype(kind)
    low, high = LIMITS[dtype]
    if math.isnan(value):
        return kind(0)
    if math.isinf(value):
        return kind(high if value > 0 else low)
    return kind(min(max(round(value), low), high))


def truth(test: Callable[[float, float], bool]) -> Callable[[float, float], float]:
    return lambda x, y: float(test(x, y))


def divided(x: float, y: float) -> float:
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1, y)


def larger(x: float, y: float) -> float:
    """IEEE 754-2019: NaN if either is, and +0 of two zeros."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    return max(x, y, key=lambda v: (v, math.copysign(1, v)))


def smaller(x: float, y: float) -> float:
    """The same, and -0 of two zeros."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    return min(x, y, key=lambda v: (v, math.copysign(1, v)))


BINARY: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": divided,
    "mod": lambda x, y: x % y if y else math.nan,
    "maximum": larger,
    "minimum": smaller,
    "equal": truth(operator.eq),
    "not_equal": truth(operator.ne),
    "greater_equal": truth(operator.ge),
    "greater": truth(operator.gt),
    "less_equal": truth(operator.le),
    "less": truth(operator.lt),
    "logical_and": lambda x, y: float(x != 0 and y != 0),
    "logical_or": lambda x, y: float(x != 0 or y != 0),
    "logical_xor": lambda x, y: float((x != 0) != (y != 0)),
    "abs_max": lambda x, y: x if abs(x) > abs(y) else y,
    "abs_min": lambda x, y: x if abs(x) < abs(y) else y,
    "power": lambda x, y: math.pow(x, y),
}
UNARY: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "square": lambda x: x * x,
    "relu": lambda x: max(x, 0.0),
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: divided(1.0, x),
    "bypass": lambda x: x,
}


def arithmetic(op: str, x: float, y: float) -> float:
    return f(UNARY[op](x) if op in UNARY else BINARY[op](x, y))


def bitwise(op: str, x: int, y: int, dtype: str) -> int:
    """A bitvec operator on two elements of an integer dtype."""
    bits = 8 * np.dtype(NUMPY[dtype]).itemsize
    signed = dtype.startswith("i")
    a, b = x % 2**bits, y % 2**bits
    if op == "arith_shift_right":  # the top bit is the sign, whatever the dtype calls itself
        made = (a - 2**bits if a >= 2 ** (bits - 1) else a) >> b
    else:
        made = {
            "bitwise_and": lambda: a & b,
            "bitwise_or": lambda: a | b,
            "bitwise_xor": lambda: a ^ b,
            "invert": lambda: ~a,
            "left_shift": lambda: a << b if b < bits else 0,
            "arith_shift_left": lambda: a << b if b < bits else 0,
            "right_shift": lambda: a >> b,
        }[op]()
    made %= 2**bits
    return made - 2**bits if signed and made >= 2 ** (bits - 1) else made


def each(shape: tuple[int, ...], element: Callable[[int, int], Any], dtype: str) -> Any:
    """A [P, N] array, element by element."""
    made = np.empty(shape, NUMPY[dtype])
    for p in range(shape[0]):
        for n in range(shape[1]):
            made[p, n] = element(p, n)
    return made


def tensor_tensor(x: Any, y: Any, op: str, dtype: str) -> Any:
    """One operator: dst = out(op(f(data1), f(data2)))."""

    def element(p: int, n: int) -> Any:
        return out(arithmetic(op, f(float(x[p, n])), f(float(y[p, n]))), dtype)

    return each(x.shape, element, dtype)


def stage(op: str, x: float, operand: float, reverse: bool) -> float:
    if reverse and op not in UNARY:
        return arithmetic(op, operand, x)
    return arithmetic(op, x, operand)


def reduced(op: str, row: Row) -> float:
    """The float32 fold r = x0 op x1 op x2 …, from the first to the last."""
    total = f(float(row[0]))
    for value in row[1:]:
        total = arithmetic(op, total, f(float(value)))
    return total


def find_index8(data: Row, vals: Row) -> list[int]:
    """nki.isa.nc_find_index8: positions of eight values; -1 for a missing one."""
    taken: set[int] = set()
    found = []
    for want in vals:
        places = (i for i, have in enumerate(data) if float(have) == float(want) and i not in taken)
        at = next(places, -1)
        taken.add(at)
        found.append(at)
    return found


def matmul(stationary: Any, moving: Any) -> Any:
    """The exact S[m, n] = sum over k of W[k, m] * moving[k, n], in float64 without rounding."""
    k, m = stationary.shape
    n = moving.shape[1]
    made = np.empty((m, n))
    for i in range(m):
        for j in range(n):
            made[i, j] = math.fsum(float(stationary[x, i]) * float(moving[x, j]) for x in range(k))
    return made


def tfloat32(value: float) -> float:
    """Ten mantissa bits, to nearest even."""
    if value == 0 or not math.isfinite(value):
        return value
    fraction, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(fraction, 11)), exponent - 11)


SIGMOID: Callable[[float], float] = lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0  # noqa: E731
PHI: Callable[[float], float] = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))  # noqa: E731

ACTIVATION: dict[str, Callable[[float], float]] = {
    "copy": lambda x: x,
    "square": lambda x: x * x,
    "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "relu": lambda x: max(x, 0.0),
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sin": math.sin,
    "arctan": math.atan,
    "tanh": math.tanh,
    "sigmoid": SIGMOID,
    "silu": lambda x: x * SIGMOID(x),
    "silu_dx": lambda x: SIGMOID(x) + x * SIGMOID(x) * SIGMOID(-x),
    "gelu": lambda x: x * PHI(x),
    "gelu_dx": lambda x: PHI(x) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    "gelu_apprx_tanh": lambda x: (
        0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "gelu_apprx_sigmoid": lambda x: x * SIGMOID(1.702 * x),
    "gelu_apprx_sigmoid_dx": lambda x: SIGMOID(1.702 * x) * (1 + 1.702 * x * SIGMOID(-1.702 * x)),
    "softplus": lambda x: math.log1p(math.exp(x)),
    "mish": lambda x: x * math.tanh(math.log1p(math.exp(x))),
    "erf": math.erf,
    "erf_dx": lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
}
POSITIVE = ("log", "sqrt", "rsqrt", "reciprocal")
"""Functions that are tried on positive arguments only."""
