"""Lines that differ in nothing but numbers: parsed once, then recognised by their characters.

A generator writes a line for each instruction, thousands of them similar. Reading one takes the
parser much longer than finding that all but its numbers was read before. The numbers at the ends of
names count as such, too: ``t12`` is like ``t7``.
"""

from __future__ import annotations

import re
from typing import Any

from nasm.base.records import fields, replace
from nasm.language.text import tree
from nasm.language.text.blocks import BLANK

_NUMBER = re.compile(
    r"""([0-9] (?:
      (?<![\w.%].) (?:(?<=0)|(?<!0)[0-9]{0,14})
        (?:\.[0-9]{1,20})? (?:[eE][-+]?[0-9]{1,2})? (?![\w.])
    | (?<=[A-Za-z_].) (?<!%r.) (?:(?<=0)|(?<!0)[0-9]{0,8}) (?![0-9])
    ))""",
    re.VERBOSE,
)
"""A number as it is mostly written, or digits of a name; all else is a part of the line.

It begins with the digit that it is searched by, so that what is before that is looked at after it.
"""

_INVOLVED = re.compile(r'["{;\n\r]')
"""What has digits in it that are no number, or ends a line early."""

LONGEST = 300
"""Characters of a line that is worth comparing."""

MOST_VARIANTS = 8
"""Lines with the same key that differ in digits of something other than a number, such as
``op0``."""

Key = tuple[str, ...]


class LineTemplates:
    """The lines of a text by all that they have but numbers; from the second on they are known."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.known: dict[Key, list[_Common]] = {}
        self._once: set[Key] = set()

    def find(self, start: int) -> tuple[tree.Like | None, int]:
        """The statement that a line of the text is, if it is known, and where the next begins.

        It is the whole line but for blanks and a comment, as what is known is no part of one.
        """
        end = self._text.find("\n", start)
        end = len(self._text) if end < 0 else end
        if end - start > LONGEST:
            return None, start
        line = self._text[start:end].partition(";")[0].rstrip(BLANK)
        bare = line.lstrip(BLANK)
        parts = _NUMBER.split(bare)
        for common in self.known.get(tuple(parts[::2]), ()):
            numbers = common.numbers(parts[1::2])
            if numbers is not None:
                start += len(line) - len(bare)
                return tree.Like(start, start + len(bare), common.line, numbers), end + 1
        return None, start

    def learn(self, statement: tree.Statement) -> None:
        """Know a line that was read, if it is not the first of its kind."""
        if (
            not isinstance(statement, tree.InstructionLine)
            or statement.label
            or not statement.mnemonic
        ):
            return
        parts = self._parts(statement.start, statement.end)
        if parts is None:
            return
        key = tuple(parts[::2])
        if key not in self._once:
            self._once.add(key)
            return
        known = self.known.setdefault(key, [])
        if len(known) < MOST_VARIANTS:
            known.append(_Common(statement, parts))

    def _parts(self, start: int, end: int) -> list[str] | None:
        """The text between the numbers of a line, and these, in turn."""
        text = self._text
        if end - start > LONGEST or text[start] == "." or _INVOLVED.search(text, start, end):
            return None
        return _NUMBER.split(text[start:end])


class _Common:
    """What lines have in common; ``line`` has holes where each has a number of its own.

    Digits for which the tree has no place are the same in all of them.
    """

    def __init__(self, statement: tree.InstructionLine, parts: list[str]) -> None:
        self._places: dict[tuple[int, int], int] = {}
        at = statement.start
        for number, part in enumerate(parts):
            if number % 2:
                self._places[at, at + len(part)] = number // 2
            at += len(part)
        self._found: set[int] = set()
        line = self._holed(statement)
        assert isinstance(line, tree.InstructionLine)
        self.line = line
        self._same = [(n, part) for n, part in enumerate(parts[1::2]) if n not in self._found]

    def numbers(self, written: list[str]) -> tuple[int | float, ...] | None:
        """The numbers of a line that is like these; None if it is not."""
        for number, part in self._same:
            if written[number] != part:
                return None
        return tuple([int(w) if w.isdigit() else float(w) for w in written])

    def _holed(self, value: Any, names: bool = True) -> Any:
        if isinstance(value, tuple):
            return tuple([self._holed(item, names) for item in value])
        if isinstance(value, tree.NumberLiteral):
            return self._number(value)
        if isinstance(value, tree.Name):
            return self._name(value) if names else value
        if not isinstance(value, tree.ExpressionNode):
            return value
        kept = _LITERAL.get(type(value), ())
        changed = {
            f.name: self._holed(getattr(value, f.name), names and f.name not in kept)
            for f in fields(value)
        }
        return replace(value, **changed)

    def _number(self, node: tree.NumberLiteral) -> tree.ExpressionNode:
        index = self._places.get((node.start, node.end))
        if index is None:
            return node
        self._found.add(index)
        return tree.Hole(node.start, node.end, index)

    def _name(self, node: tree.Name) -> tree.ExpressionNode:
        """A name with holes where there are digits; ``$`` may precede it."""
        parts: list[str | int] = []
        last = start = node.end - len(node.name)
        for (first, end), index in self._places.items():
            if start < first and end <= node.end:
                parts += [node.name[last - start : first - start], index]
                last = end
                self._found.add(index)
        if not parts:
            return node
        return tree.Numbered(node.start, node.end, (*parts, node.name[last - start :]))


_LITERAL: dict[type, tuple[str, ...]] = {
    tree.InstructionLine: ("label", "engine", "mnemonic"),
    tree.FunctionCall: ("function",),
    tree.Method: ("arguments",),
    tree.Based: ("base",),
}
"""Fields of which each name is looked up when a line is compiled."""
