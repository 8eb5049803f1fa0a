"""Where the REPL writes: plain lines, in colour where a terminal wants it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rich.console import RenderableType
from rich.text import Text

from nasm.apps.repl.settings import NARROWEST, ReplSettings
from nasm.base.problems import Problem, clean
from nasm.language.expectations.records import ExpectationRecord
from nasm.machine.records import Rows
from nasm.show import colours, console, tables
from nasm.show.columns import WIDTH, hanging, in_ascii, table
from nasm.show.diagnostics import diagnostic
from nasm.show.listings import LISTINGS

ROWS = 24
"""Lines of a terminal where their number is not known."""


class ScreenUnwritable(Exception):
    """The screen cannot be written to: the disk is full, say."""


class _Console(console.Visible):
    """A console that may be limited to ASCII."""

    ascii_only = False

    @property
    def encoding(self) -> str:
        """The encoding of what is printed."""
        return "ascii" if self.ascii_only else super().encoding


class ReplScreen:
    """A stream of lines, in colour always, never, or where a terminal has colours (``auto``).

    Its settings count from one line to the next. ``mnemonics`` are the instructions it colours.
    """

    def __init__(self, file: TextIO | None = None, color: str = "auto") -> None:
        self.settings = ReplSettings(color=color)
        self._stream = file or sys.stdout
        if isinstance(self._stream, io.TextIOWrapper) and self._stream.errors == "strict":
            # An ASCII terminal gets a question mark for what it lacks, not an exception.
            self._stream.reconfigure(errors="replace")
        self.mnemonics: Container[str] = ()
        self._made: tuple[str, _Console] | None = None
        self._passing = False
        self._held: list[str] | None = None

    @property
    def _console(self) -> _Console:
        """The console, with the colours, the width and the characters it has now."""
        color = "never" if self.settings.plain else self.settings.color
        if self._made is None or self._made[0] != color:
            self._made = color, _Console(**console.settings(self._stream, color))
        made = self._made[1]
        made.width, made.ascii_only = self.width, self.settings.plain
        return made

    @property
    def width(self) -> int:
        """Columns to lay out for: those of the terminal now, or those that were set."""
        return max(NARROWEST, self.settings.width or self._columns())

    def _columns(self) -> int:
        """What COLUMNS says, as everywhere; else what the terminal has."""
        text = os.environ.get("COLUMNS", "")
        if console.SIZE.fullmatch(text):
            return int(text)
        if self.terminal:
            with suppress(OSError, ValueError):
                return os.get_terminal_size(self._stream.fileno()).columns or WIDTH
        return WIDTH

    @property
    def tall(self) -> int:
        """Lines that the terminal has; of what is none, any number."""
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).lines or ROWS
        return ROWS

    @property
    def terminal(self) -> bool:
        """Whether it is shown on a terminal."""
        return self._stream.isatty()

    @property
    def dumb(self) -> bool:
        """Whether it is a terminal that can do nothing but print lines."""
        return self._console.is_dumb_terminal

    @property
    def coloured(self) -> bool:
        """Whether it shows colours."""
        return self._console.color_system is not None

    @property
    def graded(self) -> bool:
        """Whether it shows half blocks, in so many colours that they can be a scale."""
        return self._console.color_system in ("256", "truecolor") and not self.ascii_only

    @property
    def ascii_only(self) -> bool:
        """Whether it cannot show more than ASCII for certain."""
        return self._console.options.ascii_only

    def say(self, lines: str | Iterable[str], style: str = "") -> None:
        """Print a line, or several; on a terminal what is too long continues on the next."""
        self.settle()
        for line in (lines,) if isinstance(lines, str) else lines:
            text = clean(line)
            if self._folding is not None and len(text) > self._folding:
                text = "\n".join(hanging(text, self._folding))
            self._print(self.painted(text, style), whole=True)

    def painted(self, text: str, style: str = "") -> Text:
        """Lines with what in them is of a program in its colours, unless they have one."""
        if style not in ("", "bold") or not self.coloured:
            return Text(text, style)
        pieces = (colours.line(line, self.mnemonics) for line in text.split("\n"))
        return Text("\n").join(colours.painted(one, style) for one in pieces)

    @property
    def _folding(self) -> int | None:
        """What sentences are folded at; what is piped stays whole, so that it can be searched.

        Unless a width was set.
        """
        return self.width if self.terminal or self.settings.width else None

    def show(self, part: RenderableType) -> None:
        """Print a table or a page, as wide as the screen."""
        self.settle()
        self._print(part)

    def rows(self, heads: Sequence[str], rows: Sequence[Sequence[str]], none: str) -> None:
        """Print a table, or what to say where there is nothing to list."""
        self.say(table(heads, rows, self.width) if rows else none)

    def records(self, found: Rows[Any]) -> None:
        """Print records of one kind as a table."""
        listing = LISTINGS[found.kind](found, found.units)
        self.rows(listing.heads, listing.rows, listing.none)
        if listing.note:
            self.say(listing.note, "dim")

    def problem(self, problem: Problem) -> None:
        """Print a diagnostic."""
        self.settle()
        self._print(diagnostic(problem, self._folding), whole=True)

    def expectations(self, records: Sequence[ExpectationRecord]) -> None:
        """Print each expectation, whether it holds, and what was measured."""
        for part in tables.expectations(records, self._folding, self.ascii_only):
            self.show(part)

    def passing(self, line: str) -> None:
        """Show how far a long run has got, on a terminal only; the next line replaces it."""
        if self.terminal and not self.settings.plain and not self.dumb:
            self._write(f"\r\x1b[K{line[: self.width - 1]}")
            self._passing = True

    def settle(self) -> None:
        """Remove a passing line."""
        if self._passing:
            self._passing = False
            self._write("\r\x1b[K")

    def _print(self, part: RenderableType, whole: bool = False) -> None:
        """Print; ``whole`` lines are left as long as they are."""
        made = self._console
        with _writing(), made.capture() as captured:
            made.print(part, soft_wrap=whole)
        text = console.without_blanks(captured.get())
        self._write(in_ascii(text) if self.ascii_only else text)

    @contextmanager
    def held(self) -> Iterator[list[str]]:
        """What is printed within is added to a list, and not shown."""
        self.settle()
        before, self._held = self._held, list[str]()
        try:
            yield self._held
        finally:
            self._held = before

    def write(self, text: str) -> None:
        """Show a text that was held."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self._held is not None:
            self._held.append(text)
            return
        with _writing():
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def _writing() -> Iterator[None]:
    """Tells readers that have left (BrokenPipeError, ``| head``) from what is Unwritable."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise ScreenUnwritable(problem.strerror or str(problem)) from None


def typed_into() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
