"""The places of instructions that another one was expanded to, and what they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class MicroOrigin(NamedTuple):
    """What an expanded instruction came from, in words: a slot of a buffer, a part of a template.

    ``place`` is that of the instruction that put it there, a queue and a pc, and ``put`` the words
    for it: "recorded at"; without one no instruction of the run did.
    """

    description: str
    put: str = ""
    place: tuple[int, int] | None = None


class Elsewhere(int):
    """The pc at which a queue continues instead, whose instructions another one gives it."""


class Expansion(tuple[Any, ...]):
    """The instructions that another one expands to, which know where each came from."""

    origins: tuple[MicroOrigin | None, ...]

    @classmethod
    def of(cls, instructions: Iterable[Any], origins: Iterable[MicroOrigin | None]) -> Expansion:
        """Some instructions, and for each what it came from."""
        made = cls(instructions)
        made.origins = tuple(origins)
        return made


class Micro(int):
    """The place of an expanded instruction: pc 5, micro 3 is written "5.3".

    As a number it is the pc of the instruction that it comes from, so that code that ignores
    expansions sees that one. ``instruction`` is what is executed; ``last`` says that none follows;
    ``origin`` is what it came from, if the target knows.
    """

    micro: int
    instruction: Any
    last: bool
    origin: MicroOrigin | None

    def __new__(
        cls, pc: int, micro: int, instruction: Any, last: bool, origin: MicroOrigin | None = None
    ) -> Micro:
        """The place of one of several instructions that the one at a pc expands to."""
        made = super().__new__(cls, pc)
        made.micro, made.instruction, made.last, made.origin = micro, instruction, last, origin
        return made

    def __repr__(self) -> str:
        return f"{int(self)}.{self.micro}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type[Micro], tuple[int, int, Any, bool, MicroOrigin | None]]:
        return Micro, (int(self), self.micro, self.instruction, self.last, self.origin)


def numbered(pc: int, number: int, expansion: Sequence[Any]) -> Micro:
    """The place of one of the instructions that the one at a pc expands to."""
    last = number == len(expansion) - 1
    return Micro(pc, number, expansion[number], last, origin_of(expansion, number))


def origin_of(expansion: Sequence[Any], number: int) -> MicroOrigin | None:
    """What one of the instructions of an expansion came from, if that is known."""
    return expansion.origins[number] if type(expansion) is Expansion else None


def fields(pc: int) -> dict[str, int]:
    """A place as documents have it: ``pc``, and ``micro`` if it was expanded to."""
    return {"pc": int(pc)} | ({"micro": pc.micro} if type(pc) is Micro else {})


def micro_of(pc: int) -> int:
    """Which of an expansion's instructions is at a place; 0 if it is none."""
    return pc.micro if type(pc) is Micro else 0
