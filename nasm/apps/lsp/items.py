"""The lexemes of a line with each name in one piece, also where it has substitutions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nasm.language.text.lexemes import Lexeme

HOLE = "{}"
"""The placeholder for a substitution in the shape of a name."""


class LexItem(NamedTuple):
    """A lexeme, or a name with substitutions.

    ``shape`` is a name without its sign: ``w{}_x`` is that of ``$w{k}_x``. ``inner`` are the items
    of its substitutions.
    """

    kind: str
    start: int
    end: int
    text: str
    shape: str
    inner: tuple[LexItem, ...] = ()

    @property
    def begin(self) -> int:
        """Where its name begins, after the sign."""
        return self.start + (self.kind in ("semaphore", "engine"))

    @property
    def plain(self) -> bool:
        """Whether it is a name without substitutions."""
        return self.kind == "name" and HOLE not in self.shape


class _Open:
    """A name with substitutions of which the end is still to come."""

    def __init__(self, lexeme: Lexeme) -> None:
        self.lexeme = lexeme
        self.shape = lexeme.text.strip("${") + HOLE
        self.inner: list[LexItem] = []

    def closed(self, last: Lexeme) -> LexItem:
        """The whole name."""
        kind = self.lexeme.kind.removesuffix("_open")
        shape = self.shape + last.text[1:]
        return LexItem(kind, self.lexeme.start, last.end, "", shape, tuple(self.inner))


def items(lexemes: Iterable[Lexeme]) -> list[LexItem]:
    """The items of lexemes, comments left out; a name that has no end is its parts."""
    found: list[LexItem] = []
    opened: list[_Open] = []
    for lexeme in lexemes:
        kind = lexeme.kind
        if kind in ("name_open", "semaphore_open"):
            opened.append(_Open(lexeme))
            continue
        if kind == "brace_next" and opened:
            opened[-1].shape += lexeme.text[1:-1] + HOLE
            continue
        if kind == "brace_close" and opened:
            item = opened.pop().closed(lexeme)
        elif kind == "comment":
            continue
        else:
            item = LexItem(*lexeme, lexeme.text.lstrip("$@."))
        (opened[-1].inner if opened else found).append(item)
    for left in opened:
        found += left.inner
    return found
