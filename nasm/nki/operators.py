"""Operators and functions of nki.language: words in a call of nki.isa, calls by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Operator:
    """An operator: ``op=nl.add`` names it, ``nl.add(x, y)`` applies it."""

    def __init__(self, name: str, apply: Callable[..., Any] | None = None) -> None:
        self.operator_name, self._apply = name, apply
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply it."""
        from nasm.nki.applying import apply

        return apply(self.operator_name, *args, **kwargs)

    def __repr__(self) -> str:
        return f"nl.{self.operator_name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and other.operator_name == self.operator_name

    def __hash__(self) -> int:
        return hash(self.operator_name)
