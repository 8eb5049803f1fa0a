"""Places in a text as editors count them: lines and UTF-16 code units, both from 0."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from nasm.base.source_files import MARK


class Position(NamedTuple):
    """A place: a line, and how many UTF-16 code units precede it on its line."""

    line: int
    character: int


class Range(NamedTuple):
    """From one place up to another."""

    start: Position
    end: Position


class Spot(NamedTuple):
    """A range of a file, which is empty for the text that was asked about."""

    file: str
    range: Range


def unified(text: str) -> str:
    """A text as the assembler takes it, every character at its place: lines end with a newline."""
    if text.startswith(MARK):
        text = f" {text[1:]}"
    return text.replace("\r\n", " \n").replace("\r", "\n")


class TextPositions:
    """Offsets of a text and the positions that editors know them by."""

    def __init__(self, text: str) -> None:
        self.text = text
        lengths = (len(line) + 1 for line in text.split("\n")[:-1])
        self._starts = list(accumulate(lengths, initial=0))

    def position(self, offset: int) -> Position:
        """The position of an offset; what is outside of the text is at its nearer end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, units(self.text[self._starts[line] : offset]))

    def range(self, start: int, end: int) -> Range:
        """The range of the characters [start, end)."""
        return Range(self.position(start), self.position(max(start, end)))

    def offset(self, line: int, character: int) -> int:
        """The offset of a position; one that the text does not have is moved into it."""
        if line < 0 or line >= len(self._starts):
            return 0 if line < 0 else len(self.text)
        start = self._starts[line]
        end = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self.text)
        if self.text.isascii():
            return min(start + max(character, 0), end)
        taken = 0
        for at in range(start, end):
            if taken >= character:
                return at
            taken += 1 + (self.text[at] > "\uffff")
        return end

    def line(self, number: int) -> str:
        """The text of a line, from 0; empty if there is none."""
        if not 0 <= number < len(self._starts):
            return ""
        start, end = self._starts[number], self.text.find("\n", self._starts[number])
        return self.text[start : end if end >= 0 else None]


def units(text: str) -> int:
    """How many UTF-16 code units a text takes."""
    return len(text) if text.isascii() else sum(1 + (c > "\uffff") for c in text)
