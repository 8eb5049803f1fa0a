"""What expectations compute with: operators and functions over float64 elements.

Elements are float64 or bool (what a comparison gives); a bool counts as 0 or 1 wherever a number
is wanted. Arithmetic is IEEE's: dividing by zero gives an infinity or NaN, and NaN equals nothing.
All raise :class:`Refused` when shapes do not match; none writes into what it was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm.base import pieces
from nasm.base.dtypes import Array, Float64
from nasm.base.exact import multiply
from nasm.base.host_memory import room_for
from nasm.base.pieces import windows
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.language.expectations import images
from nasm.language.expectations.elements import Elements, Joined, Plain, numbers

SHAPES = images.SHAPES

MOST_PRODUCTS = images.MOST_PRODUCTS
"""More multiplications than this in a product of matrices take minutes."""

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


def conditions(value: Elements, what: str) -> Elements:
    """A value that must be what a comparison gives."""
    if not value.truth:
        raise Refused("E0210", f"{what} wants comparisons, found numbers", "compare them: (x != 0)")
    return value


def broadcast(what: str, *arrays: Elements) -> tuple[int, ...]:
    """The common shape of values, by NumPy's rule."""
    shapes = [a.shape for a in arrays]
    sizes = " and ".join(str(list(s)) for s in shapes)
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise _unmatched(what, *shapes) from None
    if math.prod(shape) > max(MOST_ELEMENTS, *(a.size for a in arrays)):
        raise Refused(SHAPES, f"the shapes {sizes} make {math.prod(shape):,} elements in {what}")
    return shape


def _unmatched(what: str, *shapes: tuple[int, ...]) -> Refused:
    sizes = " and ".join(str(list(s)) for s in shapes)
    return Refused(
        SHAPES,
        f"the shapes {sizes} do not match in {what}",
        "axes are matched from the last one backwards; .reshape(…) adds axes of 1 where "
        "they are needed",
    )


def negative(value: Elements) -> Elements:
    """``-value``."""
    return Joined(lambda x: -numbers(x), [value], value.shape)


def opposite(value: Elements) -> Elements:
    """``not value``."""
    return Joined(np.logical_not, [conditions(value, "'not'")], value.shape, truth=True)


def binary(op: str, left: Elements, right: Elements) -> Elements:
    """``left op right``, element by element; ``@`` multiplies matrices."""
    if op == "@":
        return Plain(product(left, right))
    if op in LOGIC:
        conditions(left, f"'{op}'")
        conditions(right, f"'{op}'")
        return Joined(LOGIC[op], (left, right), broadcast(f"'{op}'", left, right), truth=True)
    apply, truth = ARITHMETIC.get(op) or COMPARE[op], op in COMPARE
    shape = broadcast(f"'{op}'", left, right)
    return Joined(lambda a, b: apply(numbers(a), numbers(b)), (left, right), shape, truth)


def product(left: Elements, right: Elements) -> Float64:
    """``left @ right`` in float64, the same on every host; the left is widened by rows."""
    shape = multiplies(left.shape, right.shape)
    factor = numbers(right.array)
    if len(left.shape) != 2 or left.size <= 4 * pieces.PIECE:
        return multiply(numbers(left.array), factor)
    room_for([("a product of matrices in float64", 8 * math.prod(shape))])
    done = np.empty(shape)
    rows, inner = left.shape
    for window in windows((rows,), max(256, pieces.PIECE // inner)):
        done[window] = multiply(numbers(left.part((*window, slice(0, inner)))), factor)
    return done


def multiplies(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a product; refuses what does not match or would take too long."""
    sizes = f"{list(left)} and {list(right)}"
    if not left or not right or left[-1] != right[-2 if len(right) > 1 else 0]:
        raise Refused(
            SHAPES,
            f"the shapes {sizes} do not match in '@'",
            "[m, k] @ [k, n]; x.T exchanges the axes",
        )
    try:
        repeated = np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        raise _unmatched("'@'", left[:-2], right[:-2]) from None
    shape = (*repeated, *left[-2:-1], *right[-1:][: len(right) - 1])
    size = math.prod(shape)
    if size > max(MOST_ELEMENTS, math.prod(left), math.prod(right)):
        raise Refused(SHAPES, f"the shapes {sizes} make {size:,} elements in '@'")
    if size * left[-1] > MOST_PRODUCTS:
        raise Refused(
            SHAPES,
            f"the shapes {sizes} take {size * left[-1]:,} multiplications in '@', "
            f"of at most {MOST_PRODUCTS:,}",
            "compare some rows or columns of the product",
        )
    return shape


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class Function:
    """A function of expectations: how many arguments it takes, and whether ``axis=`` too."""

    fewest: int
    most: int
    axis: bool
    apply: Callable[..., Elements]


def call(name: str, arguments: Sequence[Elements], axis: int | None = None) -> Elements:
    """A function's value; ``axis`` None is the default of that function."""
    function = FUNCTIONS[name]
    if axis is None:
        return function.apply(*arguments)
    if len(arguments) > 1:
        raise Refused("E0222", f"{name} of several values is element by element, without axis=")
    axes = len(arguments[0].shape)
    if not -axes <= axis < axes:
        raise Refused(SHAPES, f"axis {axis} of a value with {axes} axes in {name}")
    return function.apply(*arguments, axis=axis)


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
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=axis, keepdims=True))


def _argmax(x: Float64, axis: int | None = None) -> Float64:
    return numbers(np.asarray(np.argmax(x, axis=axis)))


def _where(condition: Elements, chosen: Elements, otherwise: Elements) -> Elements:
    conditions(condition, "where")
    shape = broadcast("where", condition, chosen, otherwise)
    if chosen.truth and otherwise.truth:
        return Joined(np.where, (condition, chosen, otherwise), shape, truth=True)

    def pick(condition: Array, chosen: Array, otherwise: Array) -> Array:
        return np.where(condition, numbers(chosen), numbers(otherwise))

    return Joined(pick, (condition, chosen, otherwise), shape)


def _each(compute: Callable[[Float64], Any]) -> Function:
    return Function(1, 1, False, lambda x: Joined(lambda a: compute(numbers(a)), [x], x.shape))


def _along(compute: Callable[..., Any], total: Callable[[Elements], Any]) -> Function:
    """A reduction: ``compute`` along an axis, ``total`` over all elements."""

    def reduce(x: Elements, axis: int | None = None) -> Elements:
        if axis is None:
            return Plain(np.asarray(total(x)))
        return _by_rows(compute, x, axis, x.shape[:-1])

    return Function(1, 1, True, reduce)


def _scan(name: str, compute: Callable[..., Any]) -> Function:
    """Functions that keep the shape, by default along the last axis."""

    def scan(x: Elements, axis: int = -1) -> Elements:
        if not x.shape:
            raise Refused(SHAPES, f"{name} of a single number")
        return _by_rows(compute, x, axis, x.shape)

    return Function(1, 1, True, scan)


def _by_rows(
    compute: Callable[..., Any], x: Elements, axis: int, shape: tuple[int, ...]
) -> Elements:
    """Compute along an axis: if it is the last one, some rows at a time."""
    last = len(x.shape) - 1
    if axis % (last + 1) != last or not last or not x.straight or x.size <= pieces.PIECE:
        return Plain(np.asarray(compute(numbers(x.array), axis=axis)))
    room_for([("an expectation's values in float64", 8 * math.prod(shape))])
    done, length = np.empty(shape), x.shape[-1]
    for rows in windows(x.shape[:-1], max(1, pieces.PIECE // length)):
        done[rows] = compute(numbers(x.part((*rows, slice(0, length)))), axis=-1)
    return Plain(done)


def _sum(x: Elements) -> Any:
    """The sum that NumPy makes of the whole array, whose halves it adds up the same way."""
    if not x.runs or x.size <= pieces.PIECE:
        return np.sum(numbers(x.array))

    def summed(start: int, count: int) -> Any:
        if count <= pieces.PIECE:
            return np.sum(numbers(x.run(start, start + count)))
        half = count // 2
        half -= half % 8
        return summed(start, half) + summed(start + half, count - half)

    return summed(0, x.size)


def _most(along: Callable[..., Any]) -> Callable[[Elements], Any]:
    """The largest, or the smallest, of all elements."""
    return lambda x: along([along(numbers(x.part(window))) for window in windows(x.shape)])


def _place_of_largest(x: Elements) -> float:
    """The first place of the largest element, or of a NaN."""
    places, values, before = [], [], 0
    for window in windows(x.shape):
        part = numbers(x.part(window)).reshape(-1)
        at = int(np.argmax(part))
        places.append(before + at)
        values.append(part[at])
        before += part.size
    return float(places[int(np.argmax(values))])


def _extreme(name: str, along: Callable[..., Any], between: Callable[..., Any]) -> Function:
    one = _along(along, _most(along)).apply

    def join(*arrays: Array) -> Float64:
        result = numbers(arrays[0])
        for array in arrays[1:]:
            result = between(result, numbers(array))
        return result

    def pick(*values: Elements, axis: int | None = None) -> Elements:
        if len(values) == 1:
            return one(values[0], axis)
        return Joined(join, values, broadcast(name, *values))

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
    "softmax": _scan("softmax", _softmax),
    "sum": _along(np.sum, _sum),
    "mean": _along(np.mean, lambda x: _sum(x) / x.size),
    "max": _extreme("max", np.max, np.maximum),
    "min": _extreme("min", np.min, np.minimum),
    "argmax": _along(_argmax, _place_of_largest),
    "where": Function(3, 3, False, _where),
    "cumsum": _scan("cumsum", np.cumsum),
    "conv2d": Function(2, 2, False, images.conv2d),
    "max_pool": Function(2, 2, False, images.max_pool),
    "avg_pool": Function(2, 2, False, images.avg_pool),
}
