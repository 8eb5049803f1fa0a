"""Lines that differ in nothing but numbers: read once, and then told by their characters.

A generator writes a line for each instruction, thousands of them alike. Reading one takes the
parser much longer than finding that all but its numbers was read before.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from nasm.asm.text import tree

_NUMBER = re.compile(r"(?<![\w.%])(0|[1-9][0-9]{0,14})(?![\w.])")
"""An integer as it is mostly written; what is written otherwise is a part of the line."""

_INVOLVED = re.compile(r'["{;\n\r]')
"""What has digits in it that are no number, or ends a line early."""

LONGEST = 300
"""Characters of a line that is worth comparing."""

Key = tuple[str, ...]


class Likes:
    """The lines of a text by all that they have but numbers; from the second on they are known."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[Key, tree.Line | None] = {}
        self._once: set[Key] = set()

    def find(self, start: int, end: int) -> tree.Like | None:
        """A line, if one like it is known."""
        parts = self._parts(start, end)
        if parts is None:
            return None
        line = self._known.get(tuple(parts[::2]))
        if line is None:
            return None
        return tree.Like(start, end, line, tuple(map(int, parts[1::2])))

    def learn(self, statement: tree.Statement) -> None:
        """Know a line that was read, if it is not the first of its kind."""
        if not isinstance(statement, tree.Line) or statement.label or not statement.mnemonic:
            return
        parts = self._parts(statement.start, statement.end)
        if parts is None:
            return
        key = tuple(parts[::2])
        if key not in self._once:
            self._once.add(key)
        elif key not in self._known:
            self._known[key] = _common(statement, parts)

    def _parts(self, start: int, end: int) -> list[str] | None:
        """What stands between the numbers of a line, and these, in turn."""
        text = self._text
        if end - start > LONGEST or text[start] == "." or _INVOLVED.search(text, start, end):
            return None
        return _NUMBER.split(text[start:end])


def _common(statement: tree.Line, parts: list[str]) -> tree.Line | None:
    """A line with holes for its numbers; None if its numbers are not all there is of them."""
    at, places = statement.start, {}
    for number, part in enumerate(parts):
        if number % 2:
            places[at, at + len(part)] = number // 2
        at += len(part)
    found: set[int] = set()
    line = _holed(statement, places, found)
    assert isinstance(line, tree.Line)
    return line if len(found) == len(places) else None


def _holed(value: Any, places: dict[tuple[int, int], int], found: set[int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_holed(item, places, found) for item in value)
    if isinstance(value, tree.Number):
        index = places.get((value.start, value.end))
        if index is None:
            return value
        found.add(index)
        return tree.Hole(value.start, value.end, index)
    if not isinstance(value, tree.Node):
        return value
    changed = {f.name: _holed(getattr(value, f.name), places, found) for f in fields(value)}
    return replace(value, **changed)
