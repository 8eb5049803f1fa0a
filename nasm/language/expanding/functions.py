"""What constant expressions compute: operators, functions, and what values may be."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from nasm.base.dtypes import DType
from nasm.base.exact import scalars
from nasm.base.numbers import WORST_BITS, bounded
from nasm.base.problems import Refused, counted
from nasm.language.expanding.affine import refuse
from nasm.views.value_text import value_text
from nasm.views.view import View, Window

Value = Any


def number_of(value: Value, what: str) -> int | float:
    """A value that must be a number; raises Refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(value, f"a number for {what}")
        raise Refused("E0210", f"{what} wants numbers, found {value_text(value)}")
    return value


def integer_of(value: Value, what: str) -> int:
    """A value that must be an integer; raises Refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(value, f"an integer for {what}")
        raise Refused("E0210", f"{what} wants an integer, found {value_text(value)}")
    return value


def truth(value: Value, what: str) -> bool:
    """A value as a condition; raises Refused."""
    if not isinstance(value, bool | int | float):
        refuse(value, f"a condition of '{what}'")
        raise Refused("E0210", f"'{what}' wants a condition, found {value_text(value)}")
    return bool(value)


def _power(a: int | float, b: int | float) -> int | float:
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and b > 0:
        # It has more bits than b * (bits of a, less one), and at most b * (bits of a).
        if b * (a.bit_length() - 1) >= WORST_BITS:
            raise Refused(
                "E0211", f"{value_text(a)} ** {value_text(b)} has more than {WORST_BITS:,} bits"
            )
        return bounded(a**b)
    result = a**b
    if isinstance(result, complex):
        raise Refused("E0211", f"{value_text(a)} ** {value_text(b)} is not a real number")
    if isinstance(result, float) and result and math.isfinite(result):
        return scalars.power(float(a), float(b))  # Python's differs between hosts
    return result


def _product(a: int | float, b: int | float) -> int | float:
    if isinstance(a, int) and isinstance(b, int):
        _fits(a.bit_length() + b.bit_length() - 1)  # or one more
        return bounded(a * b)
    return a * b


def _shift_left(a: int, b: int) -> int:
    _fits(a.bit_length() + b - 1)
    return a << b


def _sum(a: int | float, b: int | float) -> int | float:
    result = a + b
    return bounded(result) if isinstance(result, int) else result


def _difference(a: int | float, b: int | float) -> int | float:
    result = a - b
    return bounded(result) if isinstance(result, int) else result


def _fits(bits: int) -> None:
    if bits > WORST_BITS:
        raise Refused("E0211", f"the number has more than {WORST_BITS:,} bits")


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
}
INTEGER: dict[str, Callable[[Any, Any], Any]] = {
    "<<": _shift_left,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def tensor_of(value: Value, what: str) -> View:
    """A value that must be a tensor or a view of one; raises Refused."""
    if not isinstance(value, View):
        raise Refused("E0210", f"{what} wants a tensor, found {value_text(value)}")
    return value


def _log2(place: Callable[[], None], x: Value) -> Value:
    number = number_of(x, "log2")
    if number <= 0:
        raise Refused("E0211", f"log2 of {value_text(number)}")
    if isinstance(number, int) and number & (number - 1) == 0:
        return number.bit_length() - 1
    finite = isinstance(number, int) or math.isfinite(number)
    return scalars.log2(number) if finite else number


def _sizeof(place: Callable[[], None], x: Value) -> int:
    view = tensor_of(x, "sizeof")
    return view.elements * view.dtype.itemsize


def _shape(place: Callable[[], None], x: Value, axis: Value) -> int:
    shape = tensor_of(x, "shape").shape
    at = integer_of(axis, "shape")
    if not -len(shape) <= at < len(shape):
        raise Refused("E0211", f"axis {value_text(at)} of a tensor with {len(shape)} axes")
    return shape[at]


def _dtype(place: Callable[[], None], x: Value) -> DType:
    return tensor_of(x, "dtype").dtype


def _bank(place: Callable[[], None], x: Value) -> int:
    view = tensor_of(x, "bank")
    memory = view.tensor.memory
    if not memory.bank:
        raise Refused("E0211", f"{view.tensor.name} is in {memory.name}, which has no banks")
    if view.tensor.offset is None:
        place()
    if view.tensor.offset is None:
        raise Refused("E0211", f"{view.tensor.name} has no place")
    return (view.tensor.offset + view.offset) // memory.bank


MOST_ITEMS = 1_000_000
"""Items of a list, those of lists in it included."""

DEEPEST = 100
"""Lists within lists."""


def listed(items: list[Any]) -> list[Any]:
    """A list that is not too long, nor too deep; raises Refused."""
    left = [(items, 1)]
    count = 0
    while left:
        found, depth = left.pop()
        if depth > DEEPEST:
            raise Refused("E0211", f"lists are nested more than {DEEPEST} deep")
        count += len(found)
        if count > MOST_ITEMS:
            raise Refused("E0211", f"a list of more than {MOST_ITEMS:,} items")
        left += ((item, depth + 1) for item in found if isinstance(item, list))
    return items


def _repeated(items: list[Any], times: Value) -> list[Any]:
    count = integer_of(times, "'*' on a list")
    if count < 0:
        raise Refused("E0211", f"a list {value_text(count)} times")
    if len(items) * count > MOST_ITEMS:
        raise Refused("E0211", f"a list of more than {MOST_ITEMS:,} items")
    return listed(items * count)


def of_lists(op: str, a: Value, b: Value) -> list[Any] | None:
    """``+`` and ``*`` with a list on a side; None without one, or for others."""
    if op == "+" and isinstance(a, list) and isinstance(b, list):
        return listed(a + b)
    if op == "*" and isinstance(a, list):
        return _repeated(a, b)
    if op == "*" and isinstance(b, list):
        return _repeated(b, a)
    return None


def has_tiles(value: object) -> bool:
    """Whether a value is an array of tiles."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], View)


def item_of(items: list[Any], picks: list[Any]) -> Value:
    """``L[i]`` or ``L[a:b]``; raises Refused."""
    if len(picks) != 1:
        what, hint = "a list", ""
        if has_tiles(items):
            what, hint = "an array of tiles", "first its tile, then a part of that: x[0][:, 0:8]"
        raise Refused("E0212", f"{len(picks)} indices for {what}; it takes one", hint)
    (pick,) = picks
    if isinstance(pick, slice):
        if pick.step == 0:
            raise Refused("E0211", "a slice with step 0")
        return items[pick]
    if isinstance(pick, Window):
        first = pick.start
        if not isinstance(first, int):
            raise Refused("E0210", f"an index of a list is a number, found {value_text(first)}")
        if not 0 <= first <= first + pick.length <= len(items):
            message = (
                f"{first} : +{pick.length} reaches past a list of {counted(len(items), 'item')}"
            )
            raise Refused("E0211", message)
        return items[first : first + pick.length]
    if not -len(items) <= pick < len(items):
        raise Refused(
            "E0211", f"index {value_text(pick)} of a list of {counted(len(items), 'item')}"
        )
    return items[pick]


def _len(place: Callable[[], None], x: Value) -> int:
    if not isinstance(x, list):
        hint = "shape(tensor, axis) is the size of an axis" if isinstance(x, View) else ""
        raise Refused("E0210", f"len wants a list, found {value_text(x)}", hint)
    return len(x)


def _ceil_div(place: Callable[[], None], a: Value, b: Value) -> int:
    x, y = integer_of(a, "ceil_div"), integer_of(b, "ceil_div")
    if y == 0:
        raise Refused("E0211", f"ceil_div({value_text(x)}, 0)")
    return -(-x // y)


def _extreme(pick: Callable[..., Any], name: str) -> Callable[..., Any]:
    def choose(place: Callable[[], None], *values: Value) -> Value:
        if not values:
            raise Refused("E0212", f"{name} of nothing")
        return pick(number_of(v, name) for v in values)

    return choose


FORMS = {
    "abs": "it is written abs(x)",
    "ceil_div": "it is written ceil_div(a, b)",
    "log2": "it is written log2(x)",
    "len": "it is written len(list)",
    "sizeof": "it is written sizeof(tensor)",
    "shape": "it is written shape(tensor, axis)",
    "dtype": "it is written dtype(tensor)",
    "bank": "it is written bank(tensor)",
}
"""How functions that take so many arguments and no others are called."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "abs": lambda place, x: abs(number_of(x, "abs")),
    "ceil_div": _ceil_div,
    "log2": _log2,
    "len": _len,
    "sizeof": _sizeof,
    "shape": _shape,
    "dtype": _dtype,
    "bank": _bank,
}
