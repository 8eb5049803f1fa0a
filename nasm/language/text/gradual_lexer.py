"""A lexer that tries terminals one by one until it is used often enough to compile them as one.

Lark compiles a pattern of all that may come next, for each such set, when it is first needed. A
short text needs 20 of these patterns ten times each, and compiling them takes longer than reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from lark import TextSlice
from lark.lexer import BasicLexer, ContextualLexer

Found = tuple[str, str] | None
"""The text of a token and its type."""

OFTEN: Final = 300
"""Tokens of one set from which on a pattern for all of it pays."""

_LEAD = re.compile(r"""(?:\\(\W)|([A-Za-z@=%";]))(?![*+?{])[^|]*""")
"""Expressions that begin with one certain character."""


class GradualLexer(BasicLexer):
    """The terminals of one set, the first of which that matches is the next token."""

    def __init__(self, conf: Any, comparator: Any = None) -> None:
        super().__init__(conf, comparator)
        self.callback = {}  # Lark's, for what one pattern cannot tell apart
        self.used = 0
        self.tries: list[tuple[str, str, str]] = []
        self.literals: dict[str, str] = {}
        for terminal in self.terminals:
            regexp = terminal.pattern.to_regexp()
            self.tries.append((terminal.name, _lead(regexp), regexp))
            if terminal.pattern.type == "str":
                self.literals[terminal.pattern.value] = terminal.name

    def match(self, text: TextSlice[str], pos: int) -> Found:
        """The token at a place: its text, and its type."""
        if self.used >= OFTEN:
            found: Found = super().match(text, pos)  # type: ignore[no-untyped-call]
            return found
        self.used += 1
        whole, end = text.text, text.end
        first = whole[pos]
        for name, lead, regexp in self.tries:
            if lead in ("", first) and (matched := _matcher(regexp)(whole, pos, end)):
                value = matched.group()
                return value, self.literals.get(value, name)
        return None


class GradualContextualLexer(ContextualLexer):
    """Lark's lexer that knows what the parser can use."""

    BasicLexer = GradualLexer


@cache
def _lead(regexp: str) -> str:
    """The character that all that an expression matches begins with; empty if there is none."""
    found = _LEAD.fullmatch(regexp)
    return (found[1] or found[2]) if found else ""


@cache
def _matcher(regexp: str) -> Callable[[str, int, int], re.Match[str] | None]:
    return re.compile(regexp).match
