"""Values that constants are given from outside: by ``-D``, or by a program of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.base.dtypes import DType
from nasm.base.numbers import plain
from nasm.base.problems import Failure, Problem, Refused, quoted
from nasm.language.expanding.functions import listed
from nasm.views.methods import dtype_named
from nasm.views.value_text import value_text


def constants(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values for the constants of a program; raises Failure with all that are none."""
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in (given or {}).items():
        try:
            found[str(name)] = _constant(plain(value))
        except Refused as refused:
            message = f"-D {quoted(str(name))}: {refused.message}"
            problems.append(Problem(refused.code, message))
    if problems:
        raise Failure(problems)
    return found


def _constant(value: object) -> object:
    left = [listed(value) if isinstance(value, list) else [value]]
    while left:
        for item in left.pop():
            if isinstance(item, list):
                left.append(item)
            elif not isinstance(item, bool | int | float | str | DType):
                raise Refused("E0210", f"a constant is a number, found {value_text(item)}")
    return value


def replaced(name: str, value: Any, given: Mapping[str, Any]) -> Any:
    """What a constant is: what is given from outside, or else its own value; raises Refused.

    The name of a dtype, in the place of one, is that dtype.
    """
    if name not in given:
        return value
    found = given[name]
    if isinstance(value, int | float) and not isinstance(found, int | float):
        message = (
            f"-D {name}: wanted a number, as {value_text(value)} is, found {value_text(found)}"
        )
        raise Refused("E0210", message)
    if not isinstance(value, DType):
        return found
    try:
        return dtype_named(found)
    except Refused as refused:
        raise Refused(refused.code, f"-D {name}: {refused.message}", refused.hint) from None
