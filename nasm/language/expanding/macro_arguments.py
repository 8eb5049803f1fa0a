"""Macro arguments that are not values of expressions: words, semaphores, engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.program.text_items import Round

Named = Callable[[str, str], str]
"""The name that the program has for a ``label`` or a ``moment``, by its kind and its name."""


@dataclass(frozen=True, slots=True)
class WordArgument:
    """A bare word that names no value where a macro is called: of an operand, a label, an engine.

    ``refuse`` reports it if it is used as a value. ``named`` is what the names of labels mean
    there, which are those of ``expansion``.
    """

    name: str
    refuse: Callable[[], NoReturn] = field(compare=False)
    named: Named = field(compare=False)
    expansion: int = 0

    def __str__(self) -> str:
        return self.name

    def refuse_is(self, refuse: Callable[[], NoReturn]) -> bool:
        """Whether this is such a default: one that is the parameter's own name."""
        return self.refuse is refuse


@dataclass(frozen=True, slots=True)
class CounterArgument:
    """A semaphore or an event, ``$done``: its number, and its name in the program."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"semaphore ${self.name}"


@dataclass(frozen=True, slots=True)
class EngineArgument:
    """``@vector``."""

    name: str

    def __str__(self) -> str:
        return f"engine @{self.name}"


class MomentItem(NamedTuple):
    """A moment: what it is called, its indices, and which of them are of an earlier round."""

    word: WordArgument
    indices: tuple[int | Round, ...]
    earlier: tuple[int, ...]

    def within(self, indices: tuple[int | Round, ...], earlier: tuple[int, ...]) -> MomentItem:
        """With more indices after its own."""
        return MomentItem(self.word, (*self.indices, *indices), (*self.earlier, *earlier))


@dataclass(frozen=True, slots=True)
class MomentList:
    """Moments, ``load[r]`` or ``[load[r], bias]``."""

    items: tuple[MomentItem, ...]

    def refuse_is(self, refuse: Callable[[], NoReturn]) -> bool:
        """Whether this is the default of the first."""
        return bool(self.items) and self.items[0].word.refuse is refuse

    def refuse(self) -> NoReturn:
        """Say of the first that nothing else is called so."""
        if self.items:
            self.items[0].word.refuse()
        raise Refused("E0210", "a moment is no value")


ARGUMENT_TYPES = (WordArgument, CounterArgument, EngineArgument, MomentList)
"""What no expression is made of."""
