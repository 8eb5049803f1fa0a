"""Parts of what cores hold, by the names that a target gives them, as values of expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Array
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.debugger.values.value import Value
from nasm.isa.core_state import Part, Seen
from nasm.language.expectations.elements import Elements, Plain, Stored
from nasm.program.program import Program
from nasm.runs.inspection import Inspection


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A part of what a core holds, or its item of a number, as a name in an expression means it."""

    part: Part
    number: int | None = None
    core: int = 0

    def seen(self, held: Inspection) -> Seen:
        """The part as it is now."""
        return self.part.read(held.machine.holds[self.core])

    def array(self, held: Inspection) -> tuple[Elements, Array | None]:
        """Its elements, and which of them are missing, None if none is; refuses a mere table."""
        seen = self.seen(held)
        if seen.array is None:
            name = self.part.name
            message = f"{name} is a table, and nothing to compute with"
            raise Refused("E0210", message, f"'info held {name}' shows it")
        return elements(seen, self.number)


@dataclass(frozen=True, slots=True)
class PartNumbers(PartPlace):
    """The same, of which the elements are their numbers in the part."""

    def array(self, held: Inspection) -> tuple[Elements, Array | None]:
        """The number of each of its elements; none is missing."""
        whole = PartPlace(self.part, None, self.core).array(held)[0]
        numbers = np.arange(whole.size).reshape(whole.shape)
        return Plain(numbers if self.number is None else numbers[self.number]), None


def named(program: Program) -> dict[str, PartPlace]:
    """What every name means that the target gives a part, of core 0."""
    return {
        name: PartPlace(part, number)
        for part in program.held_parts
        for name, number in part.names.items()
    }


def spelt(places: Mapping[str, PartPlace]) -> re.Pattern[str]:
    """A part of a core given by number, ``@1.belt``, or as a tile, ``@3-4.belt``."""
    words = "|".join(map(re.escape, sorted(places, key=len, reverse=True)))
    return re.compile(rf"@(\d{{1,9}}(?:-\d{{1,9}})?)\.({words})(?!\w|\.%)")


def elements(seen: Seen, number: int | None = None) -> tuple[Elements, Array | None]:
    """The elements of an array that is seen, or of its item of a number; and what is missing."""
    held, known = np.asarray(seen.array), seen.known
    if number is not None:
        held, known = held[number], None if known is None else known[number]
    missing = None if known is None or known.all() else np.broadcast_to(~known, held.shape)
    dtype = dtypes.find(seen.dtype or held.dtype.name)
    made: Elements = Plain(held)
    if dtype is not None:
        made = Stored(np.asarray(held, order="C"), dtype, computes=False)
    return made, missing


def value(text: str, seen: Seen, number: int | None = None) -> Value:
    """An array that is seen, as the value of an expression."""
    made, missing = elements(seen, number)
    return Value(text, made, made.dtype, missing)
