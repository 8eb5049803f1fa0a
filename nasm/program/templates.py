"""Templates: what instructions have in common that differ in the addresses of views only.

What follows from all but addresses is found once for them: the shape, which rules are kept, and
what the kinds of operands make of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nasm.isa.instruction import Row, Rule
from nasm.program.shapes import Shape, signature
from nasm.views.view import View

Key = tuple[Any, ...]


class InstructionTemplate:
    """What instructions of one template have in common.

    ``rules`` are those that each is asked about, None as long as not all others are known to be
    kept; ``views`` are the positions of the operands whose addresses differ.
    """

    __slots__ = ("engine", "rules", "shape", "views")

    def __init__(self, engine: str, operands: Sequence[object]) -> None:
        self.engine = engine
        self.views = tuple([at for at, value in enumerate(operands) if type(value) is View])
        self.rules: tuple[Rule, ...] | None = None
        self.shape: Shape | None = None

    def addresses(self, operands: Sequence[Any]) -> Key:
        """What tells an instruction from the others."""
        key: list[Any] = [self]
        for at in self.views:
            view: View = operands[at]
            key += (view.tensor.index, view.partition, view.offset)
        return tuple(key)


NOTHING = InstructionTemplate("", ())
"""What is kept of instructions that have been checked."""


class Templates:
    """The instructions of a program, by what they have in common."""

    def __init__(self) -> None:
        self._known: dict[Key, InstructionTemplate] = {}
        self._accepted: dict[Key, tuple[InstructionTemplate, tuple[object, ...]]] = {}

    def of(self, row: Row, engine: str, operands: tuple[object, ...]) -> InstructionTemplate:
        """What an instruction with these operands has in common with others."""
        key = _key(row, engine, operands)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = InstructionTemplate(engine, operands)
        return found

    def given(
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
        key = (core, *cores, *map(type, values), *_key(row, engine, values))
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def accept(self, key: Key, template: InstructionTemplate, accepted: tuple[object, ...]) -> None:
        """Remember what became of operands that were given."""
        self._accepted[key] = template, accepted

    def accepted(
        self, key: Key, row: Row, named: Mapping[str, object]
    ) -> tuple[InstructionTemplate, tuple[object, ...]] | None:
        """What becomes of operands, if others with their key were accepted before."""
        found = self._accepted.get(key)
        if found is None:
            return None
        template, operands = found
        values = list(operands)
        for at in template.views:
            value = named.get(row.operands[at].name)
            if type(value) is View:
                values[at] = value
        return template, tuple(values)


def _key(row: Row, engine: str, operands: Sequence[object]) -> Key:
    key = signature(row, engine, operands)
    floats = [_exact(value) for value in operands if type(value) is float]
    return (*key, *floats) if floats else key


def _listed(values: Sequence[object]) -> Key:
    """A list, so that another one with items of other types is no equal of it."""
    return (*values, *map(type, values))


def _exact(value: float) -> object:
    """A number as it is; one that is none is no other such number."""
    return value.hex() if value == value else id(value)
