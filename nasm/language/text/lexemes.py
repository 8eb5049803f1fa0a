"""The words of a text and their places, for colouring, completion and renaming.

No line need be readable for it. How words are spelt is taken from the terminals of the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from nasm.language.text.grammar import grammar_text

TERMINALS = {
    "comment": "COMMENT",
    "string": "STRING",
    "number": "NUMBER",
    "register": "REGISTER",
    "semaphore_open": "SEMAPHORE_OPEN",
    "semaphore": "SEMAPHORE",
    "engine": "ENGINE",
    "directive": "DIRECTIVE",
    "name_open": "NAME_OPEN",
    "brace_next": "BRACE_NEXT",
    "brace_close": "BRACE_CLOSE",
    "name": "NAME",
}
"""Kinds of lexeme, each with the terminal of the grammar that says how it is written.

What is none of them is a ``mark``: an operator, a bracket, or what the language does not have. A
directive that does not begin a line is an ``attribute``.
"""

_MARK = r"(?:and|or|not)\b|\.\.|[-+=!<>]=|<-|\+\+|--|[^\s.]|\."


class Lexeme(NamedTuple):
    """A word of a text: its kind, and the characters [start, end)."""

    kind: str
    start: int
    end: int
    text: str


def pattern(kind: str) -> str:
    """The regular expression of a kind of lexeme."""
    return _patterns()[TERMINALS[kind]]


@cache
def _patterns() -> dict[str, str]:
    found = re.findall(r"^([A-Z_]+)(?:\.\d+)?: /(.*)/$", grammar_text(), re.MULTILINE)
    return dict(found)


@cache
def _words() -> re.Pattern[str]:
    kinds = "|".join(f"(?P<{kind}>{pattern(kind)})" for kind in TERMINALS)
    return re.compile(f"{kinds}|(?P<mark>{_MARK})")


def lexemes(text: str, start: int = 0, end: int | None = None) -> Iterator[Lexeme]:
    """The lexemes of the characters [start, end) of a text, which begin a line."""
    first, at = True, start  # nothing but a label and an engine comes before, on this line
    for found in _words().finditer(text, start, len(text) if end is None else end):
        kind, word = found.lastgroup or "mark", found[0]
        first = first or text.find("\n", at, found.start()) >= 0
        at = found.end()
        if kind == "directive" and not first:
            kind = "attribute"
        yield Lexeme(kind, found.start(), at, word)
        first = first and (kind == "engine" or word == ":" or _labels(text, kind, at))


_COLON = re.compile(r"[ \t]*:")


def _labels(text: str, kind: str, end: int) -> bool:
    """Whether a lexeme that begins a line is the name of a label."""
    return kind in ("name", "brace_close") and _COLON.match(text, end) is not None
