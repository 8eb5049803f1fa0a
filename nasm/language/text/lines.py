"""Cuts a text into logical lines: what one statement occupies, without comments around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nasm.base.records import dataclass

# Everything between these is of no interest to where a line ends.
_LANDMARK = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+("?)|;[^\n]*|[()\[\]{}]|\n')
_FRESH = re.compile(r"[ \t\f\r]*[.@][A-Za-z_]")
_BLANK = " \t\r\n\f"
_GOES_ON = re.compile(r"(?:,|(?<!\+)\+|(?<!-)-|[*/%&|^~<>]|[=!<>]=|(?<![\w.$%@])(?:and|or))\Z")
_INK = re.compile(r"[^ \t\r\n\f]")


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """Characters [start, end) of a text that make one statement.

    ``unclosed`` is where the innermost open bracket is, and ``unterminated``
    where a string begins that does not end on its line.
    """

    start: int
    end: int
    unclosed: int | None = None
    unterminated: int | None = None


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """The statements of a text in order; empty lines and lone comments are left out.

    A newline inside brackets does not end a line, nor one after a comma or a binary operator,
    unless the next line starts with a directive or ``@engine``: then a bracket was forgotten, and
    the line ends anyway.
    """
    begin = 0
    opened: list[int] = []
    comments: list[tuple[int, int]] = []
    unterminated: int | None = None
    for match in _LANDMARK.finditer(text):
        first = text[match.start()]
        if first == "\n":
            at = match.start()
            going = opened or _goes_on(text, begin, at, comments)
            if going and unterminated is None and not _FRESH.match(text, at + 1):
                continue
            yield from _cut(text, begin, at, comments, opened, unterminated)
            begin, unterminated = at + 1, None
            opened.clear()
            comments.clear()
        elif first == '"':
            if not match.group(1) and unterminated is None:
                unterminated = match.start()
        elif first == ";":
            comments.append(match.span())
        elif first in "([{":
            opened.append(match.start())
        elif opened:
            opened.pop()
    yield from _cut(text, begin, len(text), comments, opened, unterminated)


def _goes_on(text: str, begin: int, end: int, comments: list[tuple[int, int]]) -> bool:
    """Whether the text from one character on ends with a comma or a binary operator."""
    for start, stop in reversed(comments):
        if text[stop:end].strip(_BLANK):
            break
        end = start
    while end > begin and text[end - 1] in _BLANK:
        end -= 1
    return _GOES_ON.search(text, max(begin, end - 4), end) is not None


def _cut(
    text: str,
    begin: int,
    end: int,
    comments: list[tuple[int, int]],
    opened: list[int],
    unterminated: int | None,
) -> Iterator[LogicalLine]:
    while comments and not text[comments[-1][1] : end].strip(_BLANK):
        end = comments.pop()[0]
    ink = _INK.search(text, begin, end)
    if ink is not None:
        start = ink.start()
        end = start + len(text[start:end].rstrip(_BLANK))
        yield LogicalLine(start, end, opened[-1] if opened else None, unterminated)
