"""A diagnostic code as one row."""

from __future__ import annotations

from dataclasses import dataclass

from nasm.problems import Family, family


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code, what it means, and lines of a program that are wrong and right.

    Words of the language stand in backquotes in ``text``; paragraphs are separated by an empty
    line. Examples that do not say ``.target`` are part of a program that declares A, B and C in
    device memory and a, b, c and acc on chip; lines with ``$`` first are typed at a shell.
    """

    code: str
    title: str
    text: str
    wrong: str = ""
    right: str = ""

    @property
    def family(self) -> Family:
        """Whose fault it is."""
        return family(self.code)
