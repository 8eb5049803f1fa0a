"""What a text declares and mentions: records, and which declaration a mention means."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from nasm.apps.lsp.items import HOLE
from nasm.base.records import dataclass, field
from nasm.base.source import Source

NAME, COUNTER, MOMENT, MACRO = "name", "counter", "moment", "macro"
"""Namespaces; the labels of each queue have one of their own."""


@dataclass(eq=False, slots=True)
class NameScope:
    """A block in which names are declared, and what is around it; ``word`` is its directive."""

    word: str
    outer: NameScope | None
    names: dict[tuple[str, str], DeclaredSymbol] = field(default_factory=dict)

    def around(self) -> Iterator[NameScope]:
        """It, and all scopes around it, from the inside out."""
        scope: NameScope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def nearest(self, *words: str) -> NameScope:
        """The innermost block of one of these words, or the whole text."""
        *_, whole = self.around()
        return next((s for s in self.around() if s.word in words), whole)


@dataclass(eq=False, slots=True)
class DeclaredSymbol:
    """Something that a text declares; ``shape`` is its name, with ``{}`` for substitutions."""

    kind: str
    space: str
    shape: str
    scope: NameScope
    mentions: list[Mention] = field(default_factory=list)

    @property
    def declared(self) -> list[Mention]:
        """Where it is declared."""
        return [m for m in self.mentions if m.declares]

    @property
    def shown(self) -> str:
        """Its name as a sentence says it."""
        return f"{'$' if self.space == COUNTER else ''}{self.shape}"


@dataclass(eq=False, slots=True)
class Mention:
    """A word of a text that means something: the characters [start, end), signs left out.

    ``file`` is that of an included text, empty for the text itself. ``kind`` is ``symbol``, or
    what else it is: a ``mnemonic``, an ``operand`` (``of`` its mnemonic), a ``word`` (``of`` a
    mnemonic and an operand, maybe), an ``engine``, a ``directive``, a ``dtype``, a ``function``, a
    ``file`` (``of`` its path).
    """

    kind: str
    start: int
    end: int
    shape: str
    of: str = ""
    declares: bool = False
    symbols: tuple[DeclaredSymbol, ...] = ()
    file: str = ""

    @property
    def head(self) -> int:
        """Where the part before its first substitution ends."""
        return self.start + len(self.shape.partition(HOLE)[0])


@dataclass(eq=False)
class SymbolIndex:
    """Every mention of a text, in order, and every symbol, with those of what it includes.

    ``included`` are these texts, by their paths.
    """

    mentions: Sequence[Mention]
    symbols: Sequence[DeclaredSymbol]
    included: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def own(self) -> list[DeclaredSymbol]:
        """The symbols that the text itself declares."""
        return [s for s in self.symbols if any(not m.file for m in s.declared)]

    @cached_property
    def _by_file(self) -> dict[str, tuple[list[Mention], list[int]]]:
        return {}

    def of_file(self, file: str) -> list[Mention]:
        """The mentions of an included text, or of the text itself if it is no file."""
        return self._within(file)[0]

    def _within(self, file: str) -> tuple[list[Mention], list[int]]:
        known = self._by_file.get(file)
        if known is None:
            found = [m for m in self.mentions if m.file == file]
            known = self._by_file[file] = found, [m.start for m in found]
        return known

    def at(self, offset: int, file: str = "") -> Mention | None:
        """What is mentioned at a place, or ends there: the innermost of several."""
        mentions, starts = self._within(file)
        for mention in reversed(mentions[: bisect_right(starts, offset)]):
            if offset <= mention.end:
                return mention
            if mention.start < offset - MOST_WIDE:
                break
        return None


MOST_WIDE = 1000
"""Characters of a name with its substitutions that are looked back for."""


def meant(space: str, shape: str, scope: NameScope) -> tuple[DeclaredSymbol, ...]:
    """What a name means where it occurs: one declaration, or those that it may spell."""
    for around in scope.around():
        found = around.names.get((space, shape))
        if found is None and space != NAME:
            parameter = around.names.get((NAME, shape))
            found = parameter if parameter and parameter.kind == "parameter" else None
        if found is not None and HOLE not in shape:
            return (found,)
    return tuple(
        symbol
        for around in scope.around()
        for (within, other), symbol in around.names.items()
        if within == space and may_be_same_name(shape, other)
    )


def may_be_same_name(one: str, other: str) -> bool:
    """Whether two shapes may spell the same name."""
    if HOLE not in one and HOLE not in other:
        return one == other
    return bool(_spelling(one).fullmatch(other) or _spelling(other).fullmatch(one))


def _spelling(shape: str) -> re.Pattern[str]:
    """The names that a shape spells when its substitutions are made."""
    return re.compile(r"[\w{}]+".join(map(re.escape, shape.split(HOLE))))
