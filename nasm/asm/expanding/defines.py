"""Values that constants are given from outside: by ``-D``, or by a program of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.problems import Failure, Problem, Refused, quoted
from nasm.spec.kinds import shown
from nasm.spec.numbers import plain


def constants(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values for the constants of a program; raises Failure with all that are none."""
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in (given or {}).items():
        try:
            found[str(name)] = _constant(plain(value))
        except Refused as refused:
            said = f"-D {quoted(str(name))}: {refused.message}"
            problems.append(Problem(refused.code, said))
    if problems:
        raise Failure(problems)
    return found


def _constant(value: object) -> object:
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, list):
            _constant(item)
        elif not isinstance(item, bool | int | float | str):
            raise Refused("E0210", f"a constant is a number, found {shown(item)}")
    return value
