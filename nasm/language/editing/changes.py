"""Changes to a text that leave the rest of it as it is."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.language.text import tree

Change = tuple[int, int, str]
"""Characters from one to another, and their replacement."""


class TextChanges:
    """Changes to one text."""

    def __init__(self, text: str) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.changes: list[Change] = []

    def add(self, at: int, lines: Iterable[str]) -> None:
        """Put lines before the one that a character is in."""
        start = self.text.rfind("\n", 0, at) + 1
        indent = self.text[start:at]
        indent = indent if indent.isspace() else ""
        self.changes += [(start, start, f"{indent}{line}\n") for line in lines]

    def leave_out(self, statement: tree.Statement) -> None:
        """Leave out all lines of a statement."""
        start = self.text.rfind("\n", 0, statement.start) + 1
        self.changes.append((start, self.line_end(statement.end), ""))

    def line_end(self, at: int) -> int:
        """Where the line after one begins."""
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end + 1

    def clauses(self, statement: tree.InstructionLine) -> tuple[int, int]:
        """From where to where a line waits, updates and has moments."""
        if not statement.sync:
            return statement.end, statement.end
        return len(self.text[: statement.sync[0].start].rstrip()), statement.end

    def applied(self) -> str:
        """The text with all changes."""
        parts, at = [], 0
        for start, end, more in sorted(self.changes, key=lambda change: change[:2]):
            parts += [self.text[at:start], more]
            at = max(at, end)
        return "".join((*parts, self.text[at:]))
