"""What expectations compute with: operators and functions over float64 arrays.

Arrays are float64 or bool (what a comparison gives); a bool counts as 0 or 1 wherever a number is
wanted. Arithmetic is IEEE's: dividing by zero gives an infinity or NaN, and NaN equals nothing.
All raise :class:`Refused` when shapes do not match; none writes into what it was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nasm.dtypes import Array, Float64
from nasm.problems import Refused

SHAPES = "E0221"

MOST_ELEMENTS = 2**28
"""Broadcasting to more than this (2 GiB of float64) is a mistake, not a comparison."""

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "@": np.matmul,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
LOGIC: dict[str, Callable[[Any, Any], Any]] = {"and": np.logical_and, "or": np.logical_or}


def numbers(array: Array) -> Float64:
    """An array as float64; true is 1."""
    return np.asarray(array, np.float64)


def conditions(array: Array, what: str) -> Array:
    """An array that must be what a comparison gives."""
    if array.dtype != np.bool_:
        raise Refused("E0210", f"{what} wants comparisons, found numbers", "compare them: (x != 0)")
    return array


def broadcast(what: str, *arrays: Array) -> tuple[int, ...]:
    """The common shape of arrays, by NumPy's rule."""
    shapes = [a.shape for a in arrays]
    told = " and ".join(str(list(s)) for s in shapes)
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise Refused(
            SHAPES,
            f"the shapes {told} do not match in {what}",
            "axes are matched from the last one backwards; .reshape(…) adds axes of 1 where "
            "they are needed",
        ) from None
    if math.prod(shape) > max(MOST_ELEMENTS, *(a.size for a in arrays)):
        raise Refused(SHAPES, f"the shapes {told} make {math.prod(shape):,} elements in {what}")
    return shape


def binary(op: str, left: Array, right: Array) -> Array:
    """``left op right``, element by element; ``@`` multiplies matrices."""
    if op in LOGIC:
        left, right = conditions(left, f"'{op}'"), conditions(right, f"'{op}'")
        broadcast(f"'{op}'", left, right)
        return np.asarray(LOGIC[op](left, right))
    left, right = numbers(left), numbers(right)
    if op == "@":
        _multiplies(left, right)
    else:
        broadcast(f"'{op}'", left, right)
    return np.asarray((ARITHMETIC.get(op) or COMPARE[op])(left, right))


def _multiplies(left: Float64, right: Float64) -> None:
    if left.ndim and right.ndim:
        rows = right.shape[-2] if right.ndim > 1 else right.shape[0]
        if left.shape[-1] == rows:
            if left.ndim > 2 and right.ndim > 2:
                broadcast("'@'", left[..., 0, 0], right[..., 0, 0])
            return
    raise Refused(
        SHAPES,
        f"the shapes {list(left.shape)} and {list(right.shape)} do not match in '@'",
        "[m, k] @ [k, n]; x.T exchanges the axes",
    )


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class Function:
    """A function of expectations: how many arguments it takes, and whether ``axis=`` too."""

    fewest: int
    most: int
    axis: bool
    apply: Callable[..., Any]


def call(name: str, arguments: Sequence[Array], axis: int | None = None) -> Array:
    """A function's value; ``axis`` None is the default of that function."""
    function = FUNCTIONS[name]
    if axis is None:
        return np.asarray(function.apply(*arguments))
    if len(arguments) > 1:
        raise Refused("E0222", f"{name} of several values is element by element, without axis=")
    axes = arguments[0].ndim
    if not -axes <= axis < axes:
        raise Refused(SHAPES, f"axis {axis} of a value with {axes} axes in {name}")
    return np.asarray(function.apply(*arguments, axis=axis))


def _erf(x: Float64) -> Float64:
    # math, not what a target computes with: an expectation must not share its mistakes
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), np.float64)


def _gelu(x: Float64) -> Float64:
    # erfc keeps its digits where 1 + erf(x) cancels; -inf * 0 would be NaN
    tail = np.asarray(np.frompyfunc(math.erfc, 1, 1)(x * -math.sqrt(0.5)), np.float64)
    return np.where(np.isneginf(x), 0.0, 0.5 * x * tail)


def _sigmoid(x: Float64) -> Float64:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _softmax(x: Float64, axis: int = -1) -> Float64:
    if not x.ndim:
        raise Refused(SHAPES, "softmax of a single number")
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=axis, keepdims=True))


def _cumsum(x: Float64, axis: int = -1) -> Float64:
    if not x.ndim:
        raise Refused(SHAPES, "cumsum of a single number")
    return np.cumsum(x, axis=axis)


def _where(condition: Array, chosen: Array, otherwise: Array) -> Array:
    conditions(condition, "where")
    broadcast("where", condition, chosen, otherwise)
    if chosen.dtype != otherwise.dtype:
        chosen, otherwise = numbers(chosen), numbers(otherwise)
    return np.where(condition, chosen, otherwise)


def _each(compute: Callable[[Float64], Any]) -> Function:
    return Function(1, 1, False, lambda x: compute(numbers(x)))


def _along(compute: Callable[..., Any]) -> Function:
    return Function(1, 1, True, lambda x, **axis: compute(numbers(x), **axis))


def _extreme(name: str, along: Callable[..., Any], between: Callable[..., Any]) -> Function:
    def pick(*values: Array, **axis: int) -> Any:
        if len(values) == 1:
            return along(numbers(values[0]), **axis)
        broadcast(name, *values)
        result = numbers(values[0])
        for value in values[1:]:
            result = between(result, numbers(value))
        return result

    return Function(1, 100, True, pick)


FUNCTIONS: dict[str, Function] = {
    "exp": _each(np.exp),
    "log": _each(np.log),
    "sqrt": _each(np.sqrt),
    "tanh": _each(np.tanh),
    "erf": _each(_erf),
    "sin": _each(np.sin),
    "cos": _each(np.cos),
    "abs": _each(np.abs),
    "relu": _each(lambda x: np.maximum(x, 0.0)),
    "gelu": _each(_gelu),
    "sigmoid": _each(_sigmoid),
    "softmax": _along(_softmax),
    "sum": _along(np.sum),
    "mean": _along(np.mean),
    "max": _extreme("max", np.max, np.maximum),
    "min": _extreme("min", np.min, np.minimum),
    "argmax": _along(lambda x, **axis: numbers(np.argmax(x, **axis))),
    "where": Function(3, 3, False, _where),
    "cumsum": _along(_cumsum),
}
