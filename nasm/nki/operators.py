"""Functions of nki.language: words where a call of nki.isa takes one, calls by themselves."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from nasm.nki.errors import with_signature
from nasm.nki.old_names import no_mask


class Operator:
    """An operator: ``op=nl.add`` names it, ``nl.add(x, y)`` applies it."""

    def __init__(self, name: str, apply: Callable[..., Any], word: str = "") -> None:
        functools.update_wrapper(self, apply)
        self.operator_name, self.apply = word or name, apply
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply it."""
        return _applied(self.__name__, self.apply, args, kwargs)

    def __repr__(self) -> str:
        return f"nl.{self.__name__}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and other.operator_name == self.operator_name

    def __hash__(self) -> int:
        return hash(self.operator_name)


def function(apply: Callable[..., Any]) -> Callable[..., Any]:
    """A function of nki.language that is no operator."""

    @functools.wraps(apply)
    def called(*args: Any, **kwargs: Any) -> Any:
        return _applied(apply.__name__, apply, args, kwargs)

    return called


def _applied(
    name: str, apply: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    no_mask(f"nl.{name}", kwargs)
    try:
        return apply(*args, **kwargs)
    except TypeError as wrong:
        with_signature(wrong, f"nl.{name}", inspect.signature(apply))
        raise
