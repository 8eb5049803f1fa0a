"""Texts of a vendor's language that programs may name, or have among their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nasm.base.records import dataclass, field
from nasm.base.source import Source
from nasm.isa.generation import Generation


@dataclass(frozen=True, slots=True)
class WrittenSettings:
    """Settings that are written at a place, by name, with options as a line of a program has."""

    values: Mapping[str, int]
    options: Mapping[str, int] = field(default_factory=dict)


ForeignItem = int | WrittenSettings
"""What such a text makes: a word, or settings that are written at its place."""


@dataclass(frozen=True, slots=True, eq=False)
class ForeignMade:
    """What a text makes, in its order, and what it sets before the run."""

    items: Sequence[ForeignItem]
    settings: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class ForeignText:
    """A language: how its files end, and what reads it.

    ``read`` gets the generation, a function's name, texts of which the first declares it, and what
    the program says of its parameters; ``wrapped`` makes a function ``text`` of statements. The
    former raises Failure.
    """

    endings: tuple[str, ...]
    read: Callable[[Generation, str, Sequence[Source], Mapping[str, int | str]], ForeignMade]
    wrapped: Callable[[str], str]
