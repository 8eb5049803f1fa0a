"""The colours of program text: one lexer for every view, as pieces, for Rich and for the prompt.

A view is made as plain lines. What in them is of a program is found here: a listing by its margin,
and in a sentence or a table the words that the language alone writes so.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from rich.text import Text

from nasm.language.text.lexemes import lexemes, pattern

STYLES = {
    "instruction": "cyan",
    "engine": "magenta",
    "semaphore": "yellow",
    "register": "yellow",
    "directive": "blue",
    "number": "green",
    "string": "green",
    "comment": "bright_black",
}
"""Kinds of word, each with its colour as Rich calls it."""

Piece = tuple[str, str]
"""A kind of :data:`STYLES`, or none, and some text."""

_SAME = {"semaphore_open": "semaphore"}
_MARGIN = re.compile(r"[^|\"]*?\b\d+ [|:] ?")
_SIGNED = re.compile(
    "|".join(
        f"(?P<{kind}>{text})"
        for kind, text in (
            ("semaphore", r"\$[A-Za-z_][\w.]*(?:\[[^\]\s]*\])?"),
            ("register", pattern("register")),
            ("engine", r"(?<![\w@])@[A-Za-z_]\w*"),
            ("instruction", r"(?<![\w.$%@'-])[A-Z]\w+(?![\w'])"),
        )
    )
)
"""What is of the language wherever it is written; a word is an instruction only if it is one."""


def code(text: str, mnemonics: Container[str] | None = None, start: int = 0) -> Iterator[Piece]:
    """A line of a program in pieces; without mnemonics the name that begins it is one."""
    at, first = start, True
    for kind, begin, end, word in lexemes(text, start):
        kind = _SAME.get(kind, kind)
        if kind == "name":
            labels = text[end : end + 1] == ":"
            named = first and not labels if mnemonics is None else word in mnemonics
            first = first and labels
            kind = "instruction" if named else kind
        if kind in STYLES:
            if begin > at:
                yield "", text[at:begin]
            yield kind, word
            at = end
    if at < len(text):
        yield "", text[at:]


def line(text: str, mnemonics: Container[str] = ()) -> Iterator[Piece]:
    """A line of a view in pieces: after a margin all of it is code."""
    margin = _MARGIN.match(text)
    if margin is not None and margin[0].rstrip().endswith("|"):
        yield "", margin[0]
        yield from code(text, mnemonics, margin.end())
        return
    at = 0
    for found in _SIGNED.finditer(text):
        kind = found.lastgroup or ""
        if kind == "instruction" and found[0] not in mnemonics:
            continue
        if found.start() > at:
            yield "", text[at : found.start()]
        yield kind, found[0]
        at = found.end()
    if at < len(text):
        yield "", text[at:]


def painted(pieces: Iterator[Piece], style: str = "") -> Text:
    """Pieces for Rich, on top of a style that all of them have."""
    made = Text(style=style)
    for kind, text in pieces:
        made.append(text, STYLES.get(kind))
    return made
