"""What a program of Tensix may have in another language: text of tt-llk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nasm.base.source import Source
from nasm.isa.foreign import ForeignMade, ForeignText
from nasm.isa.target import Target


def _read(
    target: Target, function: str, sources: Sequence[Source], given: Mapping[str, int]
) -> ForeignMade:
    from nasm.llk.reading import made_of  # with a parser that few programs need

    return made_of(target, function, sources, given)


def _wrapped(statements: str) -> str:
    return f"void text() {{ {statements} }}"


FOREIGN: Final = {"llk": ForeignText((".llk", ".h", ".hpp"), _read, _wrapped)}
