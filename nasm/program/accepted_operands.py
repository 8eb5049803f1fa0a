"""Operands that were bound and accepted, for instructions that differ in the addresses of views.

What a row and the kinds of its operands make of values follows from all but addresses, and from the
cores that tensors are on: it is found once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nasm.isa.instruction import Row
from nasm.program.shapes import signature
from nasm.views.view import View

Key = tuple[Any, ...]


class AcceptedOperands:
    """Operands by what they follow from."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[object, ...]] = {}

    def key(
        self, row: Row, engine: str, core: int | None, named: Mapping[str, object]
    ) -> Key | None:
        """A key of operands as they are given, by name; None if they have none.

        Of several cores it is that of one, which can name its own tensors only.
        """
        values = list(row.defaults)
        for name, value in named.items():
            at = row.position.get(name)
            if at is None:
                return None
            values[at] = _listed(value) if isinstance(value, (list, tuple)) else value
        cores = [] if core is None else [v.tensor.core for v in values if type(v) is View]
        numbers = [_exact(value) for value in values if type(value) is float]
        key = (core, *cores, *numbers, *map(type, values), *signature(row, engine, tuple(values)))
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def keep(self, key: Key, operands: tuple[object, ...]) -> None:
        """Remember what became of operands that were given."""
        self._known[key] = operands

    def filled(self, key: Key, row: Row, named: Mapping[str, object]) -> tuple[object, ...] | None:
        """What becomes of operands; None if none with their key were accepted before."""
        operands = self._known.get(key)
        if operands is None:
            return None
        values = list(operands)
        for name, value in named.items():
            if type(value) is View:
                values[row.position[name]] = value
        return tuple(values)


def _listed(values: Sequence[object]) -> Key:
    """A list, so that another one with items of other types is no equal of it."""
    return (*values, *map(type, values))


def _exact(value: float) -> object:
    """A number as it is; one that is none is no other such number."""
    return value.hex() if value == value else id(value)
