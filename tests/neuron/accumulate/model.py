"""Accumulators and what uses them, from nki.isa's pages on reduce_cmd, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.neuron.elementwise.model import widened
from tests.neuron.operators import apply
from tests.neuron.scalar import BINARY, arithmetic, f, reduced

Rows = list[list[float]]
Start = float | Sequence[float] | None
IDENTITY = {
    "add": 0.0,
    "subtract": 0.0,
    "multiply": 1.0,
    "maximum": -math.inf,
    "minimum": math.inf,
    "abs_max": 0.0,
    "abs_min": math.inf,
}
FP32_MIN = -(2.0**128 - 2.0**104)


def rows_of(values: Any) -> Rows:
    """A tile's elements in float32, one row per partition, in row-major order."""
    flat = values.reshape(values.shape[0], -1)
    return [[widened(v) for v in row] for row in flat]


def per_lane(value: Any, count: int) -> list[float]:
    """A number, or a [P, 1] tile, as one float32 per partition."""
    if isinstance(value, float | int):
        return [f(float(value))] * count
    return [widened(v) for v in value.reshape(-1)]


class Lanes:
    """The 128 accumulators of an engine; None is a value nobody knows."""

    def __init__(self) -> None:
        self.values: list[float | None] = [None] * 128

    def forget(self) -> None:
        self.values = [None] * 128

    def knows(self, first: int, count: int) -> bool:
        return None not in self.values[first : first + count]

    def start(self, command: str, op: str, lane: int, init: Start, p: int) -> float:
        """What a command begins with in one lane, partition p of the instruction."""
        if command in ("reset", "reset_reduce"):
            return IDENTITY[op]
        if command == "load_reduce":
            assert init is not None
            return init if isinstance(init, float) else init[p]
        acc = self.values[lane]
        assert acc is not None, "the test reads what nobody knows"
        return acc

    def run(self, command: str, op: str, first: int, rows: Rows, init: Start = None) -> None:
        """Reset, load or keep, then join what the elements reduce to."""
        for p, row in enumerate(rows):
            acc = self.start(command, op, first + p, init, p)
            if command != "reset":
                acc = arithmetic(op, acc, reduced(op, row))
            self.values[first + p] = acc

    def read(self, first: int, count: int) -> list[float]:
        found = self.values[first : first + count]
        assert None not in found, "the test reads what nobody knows"
        return [v for v in found if v is not None]


def tensor_scalar(rows: Rows, op: str, operand: Any) -> Rows:
    """nki.isa.tensor_scalar_reduce: y = op0(f(data), a0)."""
    column = per_lane(0.0 if operand is None else operand, len(rows))
    return [[apply(op, x, column[p]) for x in row] for p, row in enumerate(rows)]


def cumulative(lanes: Lanes, first: int, rows: Rows, op: str, command: str, init: Start) -> Rows:
    """nki.isa.tensor_scalar_cumulative: reg = op1(element, reg), every one stored."""
    made: Rows = []
    for p, row in enumerate(rows):
        reg = lanes.start(command, op, first + p, init, p)
        made.append([])
        for x in row:
            reg = arithmetic(op, x, reg)
            made[-1].append(reg)
        lanes.values[first + p] = reg
    return made


COMPARE: dict[str, Callable[[float, float], float]] = {
    name: BINARY[name] for name in ("equal", "less", "less_equal", "greater", "greater_equal")
}


def range_select(
    rows: Rows, low: list[float], high: list[float], ops: tuple[str, str], start: int
) -> Rows:
    """on_true[i] where both comparisons of FP32(start + i) hold, else FP32_MIN."""
    return [
        [
            x
            if COMPARE[ops[0]](f(start + i), low[p]) and COMPARE[ops[1]](f(start + i), high[p])
            else FP32_MIN
            for i, x in enumerate(row)
        ]
        for p, row in enumerate(rows)
    ]


def select(predicate: Rows, on_true: Rows, on_false: list[float], reverse: bool) -> Rows:
    """on_true where (predicate != 0) xor reverse, else on_false."""
    return [
        [
            x if (chosen != 0) != reverse else on_false[p]
            for chosen, x in zip(predicate[p], row, strict=True)
        ]
        for p, row in enumerate(on_true)
    ]


def exponential(rows: Rows, most: list[float]) -> Rows:
    """exp(f(src) - f(max_value))."""
    return [[_exp(f(x - most[p])) for x in row] for p, row in enumerate(rows)]


def _exp(x: float) -> float:
    try:
        return f(math.exp(x))
    except OverflowError:
        return math.inf
