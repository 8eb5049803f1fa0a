"""Scalar's instructions, from nki.isa.activation and activate2, by element."""

from __future__ import annotations

from tests.neuron.accumulate.model import Rows, per_lane
from tests.neuron.operators import UNARY
from tests.neuron.scalar import ACTIVATION, arithmetic, f

EXACT = ("copy", "square", "abs", "relu", "sqrt", "reciprocal", "sign")
"""Functions whose float32 result is the correctly rounded one."""

REACH = {
    "log": (2.0**-64, 2.0**64),
    "sqrt": (2.0**-116, 2.0**118),
    "rsqrt": (2.0**-87, 2.0**97),
    "reciprocal": (2.0**-42, 2.0**42),
    "sin": (-3.14, 3.14),
    "arctan": (-1.57, 1.57),
    "exp": (-200.0, 80.0),
    "softplus": (-80.0, 80.0),
    "mish": (-80.0, 80.0),
}
"""Where the formula holds, or the scalar form of it can be computed; else all of +-60."""


def scaled(rows: Rows, scale: object, bias: object) -> Rows:
    """The argument: f(data) * f(scale), rounded, then + f(bias), rounded."""
    scales, biases = per_lane(scale, len(rows)), per_lane(bias, len(rows))
    return [[f(f(x * scales[p]) + biases[p]) for x in row] for p, row in enumerate(rows)]


def staged(rows: Rows, op: str, operand: object, reverse: bool) -> Rows:
    """One stage of activate2: v op imm, or imm op v; bypass does nothing."""
    if op == "bypass":
        return rows
    column = per_lane(operand, len(rows))
    return [
        [arithmetic(op, column[p], x) if reverse else arithmetic(op, x, column[p]) for x in row]
        for p, row in enumerate(rows)
    ]


def function(rows: Rows, op: str, relu_param: object = 0.0) -> Rows:
    """The activation function of every element."""
    if op == "prelu":
        slope = per_lane(relu_param, len(rows))
        return [[x if x > 0 else f(slope[p] * x) for x in row] for p, row in enumerate(rows)]
    if op == "relu":
        return [[UNARY[op](x) for x in row] for row in rows]
    return [[f(ACTIVATION[op](x)) for x in row] for row in rows]
