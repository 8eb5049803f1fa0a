"""Operands that were bound and accepted, for instructions that differ in the addresses of views.

What a row and the kinds of its operands make of values follows from all but addresses, and from the
cores that tensors are on: it is found once. So is whether they keep the rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from nasm.isa.instruction import Row, Rule
from nasm.program.shapes import Shape
from nasm.views.view import View

Key = tuple[Any, ...]


class Accepted:
    """What instructions have in common that are given the same operands but for addresses.

    ``operands`` are those of one of them. Once one has kept all rules their ``shape`` is known, and
    the ``rules`` that each of them is asked for, which look at addresses. ``exact`` tells numbers
    from others that are equal to them.
    """

    __slots__ = ("exact", "operands", "rules", "shape")

    def __init__(self, operands: tuple[object, ...]) -> None:
        self.operands, self.exact = operands, exactly(operands)
        self.shape: Shape | None = None
        self.rules: tuple[Rule, ...] = ()

    def with_views(self, given: Mapping[int, View]) -> tuple[object, ...]:
        """The operands of another one, which has these views, by place."""
        values = list(self.operands)
        for at, view in given.items():
            values[at] = view
        return tuple(values)


class AcceptedOperands:
    """Operands by what they follow from."""

    def __init__(self) -> None:
        self._known: dict[Key, Accepted] = {}

    def find(self, key: Key) -> Accepted | None:
        """What became of operands with a key, if any were accepted."""
        return self._known.get(key)

    def keep(self, key: Key, operands: tuple[object, ...]) -> Accepted:
        """Remember what became of operands that were given."""
        made = self._known[key] = Accepted(operands)
        return made


def key_of(
    row: Row, engine: str, core: int | None, named: Mapping[str, object]
) -> tuple[Key, dict[int, View]] | None:
    """A key of operands as they are given, by name, and their views by place; None without one.

    Of several cores it is that of one, which can name its own tensors only.
    """
    names = tuple(named)
    places = _places(row, names)
    if places is None:
        return None
    key: list[object] = [row.name, engine, core, names]
    given: dict[int, View] = {}
    for at, value in zip(places, named.values(), strict=True):
        kind = type(value)
        if value is None or kind is str:
            key.append(value)
        elif kind is View:
            view: View = value  # type: ignore[assignment]
            given[at] = view
            tensor = view.tensor
            if tensor.arrangement is not None:
                return None
            if core is not None:
                key.append(tensor.core)
            if view.dynamic or view.offsets is not None:
                key.append(view)
            else:
                first = view.partition + (tensor.partition or 0)
                key += (first, view.shape, view.steps, view.dtype, tensor.memory.name)
        elif kind is float:
            key += (kind, _exact(value))  # type: ignore[arg-type]
        elif kind is list or kind is tuple:
            items: tuple[object, ...] = value  # type: ignore[assignment]
            key.append((*items, *map(type, items)))  # 1 and 1.0 are equal, but not the same
        else:
            key += (kind, value)
    made = tuple(key)
    try:
        hash(made)
    except TypeError:
        return None
    return made, given


@lru_cache(1 << 12)
def _places(row: Row, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """The places of operands by their names; None if one is none of the row's."""
    position = row.position
    return tuple([position[n] for n in names]) if position.keys() >= set(names) else None


def _exact(value: float) -> object:
    """A number as it is; one that is none is no other such number."""
    return value.hex() if value == value else id(value)


_NUMBERS = float, bool, int


def exactly(operands: tuple[object, ...]) -> tuple[object, ...]:
    """What tells 1 from 1.0 and 0.0 from -0.0, which compare equal, of each number among some."""
    return tuple(
        [
            math.copysign(1, value) if isinstance(value, float) else type(value)
            for value in operands
            if type(value) in _NUMBERS
        ]
    )
