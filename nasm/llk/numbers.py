"""Numbers of C++: integers without a width, and floats of 32 and 64 bits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from nasm.base.problems import Refused

BINARY: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift,
    ">>": operator.rshift, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "|": operator.or_,
    "&": operator.and_, "^": operator.xor,
}  # fmt: skip
_WIDEST: Final = 64
"""Bits of the widest integer."""
_FLOATS: Final = {"float": np.float32, "double": np.float64}
_BITS: Final = {"float": np.uint32, "double": np.uint64}


def literal(text: str) -> Any:
    """A literal: an integer, or a float if it has a dot or an exponent."""
    plain = text.replace("'", "")
    if plain[:2].lower() in ("0x", "0b") or not any(c in plain for c in ".eE"):
        digits = plain.rstrip("uUlL")
        return int(digits, 8 if len(digits) > 1 and digits[0] == "0" and digits.isdigit() else 0)
    return np.float32(plain[:-1]) if plain[-1] in "fF" else np.float64(plain)


def combined(mark: str, left: Any, right: Any) -> Any:
    """Two numbers by an operator, as wide as the wider; raises Refused for a division by 0."""
    numbers(left, right)
    floats = is_float(left) or is_float(right)
    if floats and mark in ("<<", ">>", "|", "&", "^", "%"):
        raise Refused("E0601", f"'{mark}' takes no float")
    if mark in ("/", "%"):
        if not right:
            raise Refused("E0601", "it divides by 0")
        if floats:
            with np.errstate(all="ignore"):
                return left / right
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if mark == "/" else left - quotient * right
    if mark in ("<<", ">>") and not 0 <= right < _WIDEST:
        raise Refused("E0601", f"it shifts by {right}: C++ has 0 to {_WIDEST - 1}")
    with np.errstate(all="ignore"):
        found = BINARY[mark](left, right)
    if is_float(found):
        return found
    if int(found).bit_length() > 2 * _WIDEST:
        raise Refused("E0601", f"an integer has more than {2 * _WIDEST} bits")
    return int(found)


def numbers(*values: Any) -> None:
    """Refuse what is no number; raises Refused."""
    if not all(isinstance(value, int | np.floating) for value in values):
        raise Refused("E0601", "only numbers are combined here")


def integers(what: str, values: Sequence[Any], *counts: int) -> None:
    """Refuse other arguments than so many integers; raises Refused."""
    if len(values) not in counts or not all(isinstance(value, int) for value in values):
        wanted = " or ".join(map(str, counts))
        raise Refused("E0601", f"{what} takes {wanted} integers here")


def is_float(value: Any) -> bool:
    """Whether it is a float of C++."""
    return isinstance(value, np.floating)


def converted(value: Any, kind: str) -> Any:
    """A number as one of a type; of integers the width is not kept."""
    if kind in ("auto", "") or not isinstance(value, int | np.floating):
        return value
    made = _FLOATS.get(kind)
    if made is None and not np.isfinite(float(value)):
        raise Refused("E0601", f"{value} is no integer")
    return int(value) if made is None else made(value)


def bits_as(value: Any, kind: str) -> Any:
    """The bits of a number as a number of a type."""
    made = _FLOATS.get(kind)
    if made is not None:
        numbers(value)
        kept = int(value) & (1 << (32 if kind == "float" else 64)) - 1
        return np.array(kept, _BITS[kind]).view(made)[()]
    if not is_float(value):
        return value
    return int(value.view(np.uint32 if value.itemsize == 4 else np.uint64))
