"""Texts of a vendor's language that programs may name, or have among their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nasm.base.records import dataclass
from nasm.base.source import Source
from nasm.isa.generation import Generation

Written = int | Mapping[str, int]
"""What such a text makes: a word, or settings that are written at its place, by name."""


@dataclass(frozen=True, slots=True, eq=False)
class ForeignMade:
    """What a text makes, in its order, and what it sets before the run."""

    items: Sequence[Written]
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
