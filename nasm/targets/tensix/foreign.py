"""What a program of Tensix may have in another language: text of tt-llk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from nasm.base.source import Source
from nasm.isa.foreign import ForeignMade, ForeignText
from nasm.isa.isa import Isa
from nasm.targets.tensix.scalar.config_fields import FIELDS, SCALAR


@cache
def _names() -> Mapping[str, int]:
    """The constants of the vendor's header of the configuration: words, shifts, masks."""
    found = {"THCON_CFGREG_BASE_ADDR32": SCALAR}
    for name, one in FIELDS.items():
        found[f"{name}_ADDR32"] = one.word
        found[f"{name}_SHAMT"] = one.shift
        found[f"{name}_MASK"] = one.mask << one.shift
    return found


def _read(
    isa: Isa, function: str, sources: Sequence[Source], given: Mapping[str, int | str]
) -> ForeignMade:
    from nasm.llk.reading import made_of  # with a parser that few programs need

    return made_of(isa, function, sources, given, _names())


def _wrapped(statements: str) -> str:
    return f"void text() {{ {statements} }}"


FOREIGN: Final = {"llk": ForeignText((".llk", ".h", ".hpp"), _read, _wrapped)}
