"""The text of a file, with places of its syntax tree as offsets."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence


class SourceText:
    """A text that Python can read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._words = set(re.findall(r"\w+", text))

    def offset(self, line: int, column: int) -> int:
        """A place; columns are counted in bytes, as Python's trees have them."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="ignore"))
        return self._starts[line - 1] + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        first = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return first, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        first, last = self.span(node)
        return self.text[first:last]

    def replaced(self, node: ast.AST, parts: Sequence[tuple[int, int, str]]) -> str:
        """The text of a node with other texts at some places in it."""
        first, last = self.span(node)
        made, at = "", first
        for begin, end, text in sorted(parts):
            made += self.text[at:begin] + text
            at = end
        return made + self.text[at:last]

    def mentions(self, name: str) -> bool:
        """Whether a name is anywhere in it."""
        return name in self._words

    def line_start(self, line: int) -> int:
        """The offset of a line."""
        return self._starts[line - 1]

    def indent(self, line: int) -> str:
        """The blanks that a line begins with."""
        text = self._lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def comments(self, first: int, last: int) -> list[str]:
        """The comments on some lines."""
        text = "".join(self._lines[first - 1 : last])
        found: list[str] = []
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    found.append(token.string)
        except (tokenize.TokenError, IndentationError):
            pass
        return found
