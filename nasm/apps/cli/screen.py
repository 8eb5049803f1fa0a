"""What the command prints: tables to standard output, the rest to standard error."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from nasm.apps.cli import streams
from nasm.base.problems import Problem
from nasm.machine.records import Progress
from nasm.show.console import Visible, settings, without_blanks
from nasm.show.diagnostics import diagnostics

PATIENCE = 0.5
"""Seconds of a run before its progress is shown."""


class _Console(Visible):
    """A console whose reader may leave: what follows goes nowhere, and that is no error."""

    def on_broken_pipe(self) -> None:
        streams.leave(self.file)


class _Buffer(io.StringIO):
    """Text to write to a file or a pipe, in its encoding."""

    encoding = "utf-8"


class Screen:
    """Standard output and standard error, with colour where it is wanted and can be shown."""

    def __init__(self, color: str = "auto") -> None:
        self.out = _console(sys.stdout, color)
        self.err = _console(sys.stderr, color)
        self._shown = 0

    def aside(self) -> None:
        """Print everything to standard error from now on: standard output has another use."""
        self.out = self.err

    @property
    def ascii_only(self) -> bool:
        """Whether standard output cannot show more than ASCII for certain."""
        return self.out.options.ascii_only

    @property
    def width(self) -> int | None:
        """Columns of standard output, or None if it is no terminal and nothing need be folded."""
        return self.out.width if self.out.is_terminal else None

    def show(self, *parts: RenderableType) -> None:
        """Print to standard output."""
        for part in parts:
            # Text is fitted already where it has to be; a table fits itself.
            self._print(self.out, part, isinstance(part, Text) and self.width is None)

    def problems(self, found: Iterable[Problem]) -> None:
        """Print diagnostics to standard error."""
        width = self.err.width if self.err.is_terminal else None
        streams.flush(sys.stdout)
        self._print(self.err, diagnostics(found, width), True)

    def note(self, message: str) -> None:
        """A line on standard error."""
        self.tell(Text(message))

    def tell(self, text: Text) -> None:
        """Print to standard error; on a terminal lines are broken between words."""
        streams.flush(sys.stdout)
        if self.err.is_terminal:
            text = Text("\n").join(_folded(text, self.err.width))
        self._print(self.err, text, True)

    def _print(self, console: Console, part: RenderableType, whole: bool) -> None:
        stream = sys.stderr if console is self.err else sys.stdout
        with streams.writing(stream):
            console.print(part, soft_wrap=whole)
        held = console.file
        if isinstance(held, _Buffer):
            streams.write(stream, without_blanks(held.getvalue()))
            held.seek(0)
            held.truncate()

    # -- progress

    def progress(self, now: Progress) -> None:
        """Say on a terminal how far a long run has got, in one line that is written over."""
        if now.elapsed < PATIENCE or not sys.stderr.isatty():
            return
        rate = now.instructions / now.elapsed
        line = (
            f"{now.instructions:,} instructions, {now.microseconds:,.1f} µs simulated, "
            f"{rate:,.0f} instructions/s"
        )
        self._over(line)

    def counting(self, what: str, done: int, of: int, elapsed: float) -> None:
        """The same of something that is done so many times."""
        self.working(f"{done:,} of {of:,} {what}", elapsed)

    def working(self, line: str, elapsed: float) -> None:
        """The same in other words."""
        if elapsed >= PATIENCE and sys.stderr.isatty():
            self._over(line)

    def _over(self, line: str) -> None:
        streams.write(sys.stderr, "\r" + line.ljust(self._shown))
        streams.flush(sys.stderr)
        self._shown = len(line)

    def clear(self) -> None:
        """Take the progress line away."""
        if self._shown:
            streams.write(sys.stderr, "\r" + " " * self._shown + "\r")
            streams.flush(sys.stderr)
            self._shown = 0


def _folded(text: Text, width: int) -> Iterator[Text]:
    """The lines of a text, broken between words; one that is wider, such as a path, stays whole."""
    for line in text.split("\n", allow_blank=True):
        breaks, start = [], 0
        for word in re.finditer(r"\S+", line.plain):
            before = line.plain[start : word.start()]
            if before.strip() and cell_len(line.plain[start : word.end()]) > width:
                breaks.append(word.start())
                start = word.start()
        for part in line.divide(breaks):
            part.rstrip()
            yield part


def _console(stream: IO[str], color: str) -> _Console:
    console = _Console(**settings(stream, color))
    if not console.is_terminal:
        held = _Buffer()
        held.encoding = getattr(stream, "encoding", None) or "utf-8"
        console.file = held
    return console
