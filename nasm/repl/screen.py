"""Where the REPL writes: plain lines, in colour where a terminal wants it."""

from __future__ import annotations

import io
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from nasm.problems import Problem, render

WIDTH = 80
"""Columns that tables and arrays are laid out for."""

_GAPS = re.compile(r"(?<=\S)\s{3,}")
_SENTENCE = re.compile(r"  (note|hint|in) ?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen:
    """A stream of lines. Colour follows the terminal, and NO_COLOR."""

    def __init__(self, file: TextIO | None = None) -> None:
        stream = file or sys.stdout
        if isinstance(stream, io.TextIOWrapper):
            # An ASCII terminal gets a question mark for what it lacks, not an exception.
            stream.reconfigure(errors="replace")
        self._console = Console(file=file, highlight=False, markup=False, emoji=False)
        self._passing = False

    def say(self, lines: str | Iterable[str], style: str = "") -> None:
        """Print a line, or several."""
        self.settle()
        for line in (lines,) if isinstance(lines, str) else lines:
            shown = Text(_CONTROL.sub("\ufffd", line), style)
            self._console.print(shown, soft_wrap=True, overflow="ignore", crop=False)

    def problem(self, problem: Problem) -> None:
        """Print a diagnostic, its first line marked."""
        head, *rest = render(problem).split("\n")
        self.say(self._folded(head), "bold yellow" if problem.warning else "bold red")
        for line in rest:
            self.say(self._folded(line) if _SENTENCE.match(line) else line)

    def _folded(self, sentence: str) -> list[str]:
        """A sentence in lines that fit; what is piped stays in one, so that it can be searched."""
        if not self._console.is_terminal:
            return [sentence]
        return textwrap.wrap(
            sentence, self._console.width, subsequent_indent="        ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip

    def passing(self, line: str) -> None:
        """Show how far a long run has got, on a terminal only; the next line replaces it."""
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._write(f"\r\x1b[K{line[: WIDTH - 1]}")
            self._passing = True

    def settle(self) -> None:
        """Remove a passing line."""
        if self._passing:
            self._passing = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        file = self._console.file
        file.write(text)
        file.flush()


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], gap: str = "  ") -> list[str]:
    """Rows under heads. A head that starts with ``>`` has its column flush right.

    What is wider than the screen is taken from the widest column that is flush left.
    """
    right = [h.startswith(">") for h in heads]
    cells = [[h.removeprefix(">") for h in heads], *[list(r) for r in rows]]
    widths = [max(len(c) for c in column) for column in zip(*cells, strict=True)]
    over = sum(widths) + len(gap) * (len(widths) - 1) - WIDTH
    if over > 0:
        widest = max((w, n) for n, w in enumerate(widths) if not right[n])[1]
        widths[widest] = max(len(cells[0][widest]), 12, widths[widest] - over)
    lines = []
    for row in cells:
        shown = [
            c.rjust(w) if r else cut(c, w).ljust(w)
            for c, w, r in zip(row, widths, right, strict=True)
        ]
        lines.append(gap.join(shown).rstrip())
    return lines


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def fitted(margin: str, text: str) -> str:
    """A line of a program behind a margin; if it is too long its columns move together."""
    line = margin + text.expandtabs(8).rstrip()
    if len(line) > WIDTH:
        line = margin + _GAPS.sub("  ", text.expandtabs(8).rstrip())
    return cut(line, WIDTH)


def wrapped(items: Iterable[str], indent: str = "  ", gap: str = ",  ") -> list[str]:
    """Items one after the other in lines no wider than the screen."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(gap) + len(item) > WIDTH:
            lines.append(indent + line)
            line = item
        else:
            line = f"{line}{gap}{item}" if line else item
    return [*lines, indent + line] if line else lines


def typed_into() -> bool:
    """Whether somebody types into standard input."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
