"""Methods and attributes of an object that are those of one of its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

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


def part_property(part: str, read: Callable[[Any], T]) -> T:
    """A property of the object's attribute ``part``, with its text."""
    of_part = cast(property, read).fget
    assert of_part is not None
    return cast(T, property(lambda whole: of_part(getattr(whole, part)), doc=read.__doc__))


def part_attribute(part: str, name: str, doc: str) -> Any:
    """An attribute of the object's attribute ``part``, which may be set if that may."""

    def read(whole: Any) -> Any:
        return getattr(getattr(whole, part), name)

    def write(whole: Any, value: Any) -> None:
        setattr(getattr(whole, part), name, value)

    return property(read, write, doc=doc)
