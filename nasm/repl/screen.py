"""Where the REPL writes: plain lines, in colour where a terminal wants it."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.console import RenderableType
from rich.text import Text

from nasm.problems import Problem, clean
from nasm.records import ExpectationRecord
from nasm.report import tables
from nasm.report.console import Visible, settings
from nasm.report.diagnostics import diagnostic

WIDTH = 80
"""Columns that tables and arrays are laid out for."""

_GAPS = re.compile(r"(?<=\S)\s{3,}")
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)


class Unwritable(Exception):
    """The screen cannot be written to: the disk is full, say."""


class Screen:
    """A stream of lines, in colour always, never, or where a terminal has colours (``auto``)."""

    def __init__(self, file: TextIO | None = None, color: str = "auto") -> None:
        stream = file or sys.stdout
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            # An ASCII terminal gets a question mark for what it lacks, not an exception.
            stream.reconfigure(errors="replace")
        self._console = Visible(**settings(stream, color))
        if not self._console.is_terminal:
            self._console.width = WIDTH
        self._passing = False

    @property
    def coloured(self) -> bool:
        """Whether it shows colours."""
        return self._console.color_system is not None

    @property
    def ascii_only(self) -> bool:
        """Whether it cannot show more than ASCII for certain."""
        return self._console.options.ascii_only

    def say(self, lines: str | Iterable[str], style: str = "") -> None:
        """Print a line, or several."""
        self.settle()
        for line in (lines,) if isinstance(lines, str) else lines:
            self._print(Text(clean(line), style), whole=True)

    @property
    def _width(self) -> int | None:
        """What sentences are folded at; what is piped stays whole, so that it can be searched."""
        return self._console.width if self._console.is_terminal else None

    def show(self, part: RenderableType) -> None:
        """Print a table or a page, as wide as the screen."""
        self.settle()
        self._print(part)

    def problem(self, problem: Problem) -> None:
        """Print a diagnostic."""
        self.settle()
        self._print(diagnostic(problem, self._width), whole=True)

    def expectations(self, records: Sequence[ExpectationRecord]) -> None:
        """Print each expectation, whether it holds, and what was measured."""
        for part in tables.expectations(records, self._width, self.ascii_only):
            self.show(part)

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

    def _print(self, part: RenderableType, whole: bool = False) -> None:
        """Print; ``whole`` lines are left as long as they are."""
        with _writing(), self._console.capture() as captured:
            self._console.print(part, soft_wrap=whole)
        # Tables fill their lines with blanks, which a pipe has no use for.
        self._write(_BLANKS.sub("", captured.get()))

    def _write(self, text: str) -> None:
        file = self._console.file
        with _writing():
            file.write(text)
            file.flush()


@contextmanager
def _writing() -> Iterator[None]:
    """Tells readers that have left (BrokenPipeError, ``| head``) from what is Unwritable."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise Unwritable(problem.strerror or str(problem)) from None


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
