"""What a program of Tensix may have in another language: text of tt-llk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from nasm.base.source import Source
from nasm.isa.foreign import ForeignMade, ForeignText
from nasm.isa.generation import Generation
from nasm.targets.tensix.chips import CHIPS
from nasm.targets.tensix.isa import ISA, rows_on


@cache
def _names(generation: str) -> Mapping[str, int]:
    """The constants of the vendor's header of the configuration: words, shifts, masks."""
    layout = CHIPS[generation].layout
    found = {"THCON_CFGREG_BASE_ADDR32": layout.scalar}
    for name, one in layout.fields.items():
        found[f"{name}_ADDR32"] = one.word
        found[f"{name}_SHAMT"] = one.shift
        found[f"{name}_MASK"] = one.mask << one.shift
    return found


def _read(
    generation: Generation, function: str, sources: Sequence[Source], given: Mapping[str, int | str]
) -> ForeignMade:
    from nasm.llk.reading import made_of  # with a parser that few programs need

    own = rows_on(generation.name).values() or [row for row in ISA if not row.since]
    return made_of(own, function, sources, given, _names(generation.name))


def _wrapped(statements: str) -> str:
    return f"void text() {{ {statements} }}"


FOREIGN: Final = {"llk": ForeignText((".llk", ".h", ".hpp"), _read, _wrapped)}
