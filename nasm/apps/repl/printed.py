"""What commands print while the whole screen is drawn: lines, of which a pane shows some."""

from __future__ import annotations

import io
from collections.abc import Callable

from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text

from nasm.apps.repl.screen import ReplScreen

MOST = 10_000
"""Lines that are kept."""


class _Stream(io.StringIO):
    """Takes what is printed for a terminal of its own."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether it gets what a terminal gets."""
        return self._terminal


class PrintedScreen(ReplScreen):
    """A screen that keeps its lines, laid out for the ``columns`` that a pane has.

    Its settings are those of another one. How far a long run has got is given to ``show``.
    """

    def __init__(self, other: ReplScreen, show: Callable[[str], None]) -> None:
        self._kept = _Stream(other.terminal)
        super().__init__(self._kept)
        self.settings, self.mnemonics = other.settings, other.mnemonics
        self.columns, self._show = 80, show
        self.lines: list[StyleAndTextTuples] = []

    def _columns(self) -> int:
        return self.columns

    def passing(self, line: str) -> None:
        """Show how far a long run has got."""
        self._show(line)

    def taken(self) -> int:
        """Keep what was printed since the last time; returns the number of its first line."""
        text = self._kept.getvalue()
        self._kept.seek(0)
        self._kept.truncate()
        first = len(self.lines)
        self.lines += [to_formatted_text(ANSI(line)) for line in text.splitlines()]
        gone = max(0, len(self.lines) - MOST)
        del self.lines[:gone]
        return max(0, first - gone)
