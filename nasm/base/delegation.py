"""Methods of an object that are those of one of its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def part_method(
    part: str, method: Callable[Concatenate[Any, P], T]
) -> Callable[Concatenate[Any, P], T]:
    """A method that calls one of the object's attribute ``part``, with its signature and text."""

    @wraps(method)
    def call(whole: Any, /, *args: P.args, **named: P.kwargs) -> T:
        return method(getattr(whole, part), *args, **named)

    return call
