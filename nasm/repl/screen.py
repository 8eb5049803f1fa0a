"""Where the REPL writes: plain lines, in colour where a terminal wants it."""

from __future__ import annotations

import io
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from rich.console import RenderableType
from rich.text import Text

from nasm.problems import Problem, clean
from nasm.records import ExpectationRecord
from nasm.repl.settings import NARROWEST, Settings
from nasm.report import console, tables
from nasm.report.diagnostics import diagnostic

WIDTH = 80
"""Columns where nobody knows how many there are."""

LEAST = 20
"""Columns of a table's widest text; where there are fewer it gets lines of its own."""


class Unwritable(Exception):
    """The screen cannot be written to: the disk is full, say."""


class _Console(console.Visible):
    """A console that may be told to keep to ASCII."""

    ascii_only = False

    @property
    def encoding(self) -> str:
        """The encoding of what is printed."""
        return "ascii" if self.ascii_only else super().encoding


class Screen:
    """A stream of lines, in colour always, never, or where a terminal has colours (``auto``).

    Its settings count from one line to the next.
    """

    def __init__(self, file: TextIO | None = None, color: str = "auto") -> None:
        self.settings = Settings(color=color)
        self._stream = file or sys.stdout
        if isinstance(self._stream, io.TextIOWrapper) and self._stream.errors == "strict":
            # An ASCII terminal gets a question mark for what it lacks, not an exception.
            self._stream.reconfigure(errors="replace")
        self._made: tuple[str, _Console] | None = None
        self._passing = False

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
        said = os.environ.get("COLUMNS", "")
        if console.SIZE.fullmatch(said):
            return int(said)
        if self.terminal:
            with suppress(OSError, ValueError):
                return os.get_terminal_size(self._stream.fileno()).columns or WIDTH
        return WIDTH

    @property
    def terminal(self) -> bool:
        """Whether somebody looks at it on a terminal."""
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
        """Print a line, or several; on a terminal what is too long goes on in the next."""
        self.settle()
        for line in (lines,) if isinstance(lines, str) else lines:
            said = clean(line)
            if self._folding is not None and len(said) > self._folding:
                said = "\n".join(hanging(said, self._folding))
            self._print(Text(said, style), whole=True)

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

    def _write(self, text: str) -> None:
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
        raise Unwritable(problem.strerror or str(problem)) from None


_SPELT = str.maketrans({"µ": "u", "×": "x", "–": "-", "−": "-", "→": ">"})
_LONG_DOTS, _SHORT_DOTS = re.compile(r"\S\S…"), re.compile(" …")


def in_ascii(text: str) -> str:
    """The text as ASCII spells it, in as many columns; what has no spelling stays."""
    dotted = _SHORT_DOTS.sub("..", _LONG_DOTS.sub("...", text)).replace("…", "...")
    return dotted.translate(_SPELT)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], width: int, gap: str = "  "
) -> list[str]:
    """Rows under heads. A head that starts with ``>`` has its column flush right.

    What is wider than ``width`` is taken from the columns that are flush left, the widest first.
    Of one that would keep too little, each text gets a line of its own below its row.
    """
    right = [h.startswith(">") for h in heads]
    cells = [[h.removeprefix(">") for h in heads], *[list(r) for r in rows]]
    widths = [max(len(c) for c in column) for column in zip(*cells, strict=True)]
    beside, below = _parted(widths, right, width, len(gap))
    lines = []
    for row in cells:
        shown = [
            row[n].rjust(widths[n]) if right[n] else cut(row[n], widths[n]).ljust(widths[n])
            for n in beside
        ]
        lines.append(cut(gap.join(shown).rstrip(), width))
        more = gap.join(row[n] for n in below if row[n])
        lines += [cut(gap + more, width)] if more else []
    return lines


def _parted(
    widths: list[int], right: Sequence[bool], width: int, gap: int
) -> tuple[list[int], list[int]]:
    """The columns beside each other, which are made to fit, and those that get their own lines."""
    beside, below = list(range(len(widths))), list[int]()
    while True:
        over = sum(widths[n] for n in beside) + gap * (len(beside) - 1) - width
        wide = max(((widths[n], n) for n in beside[1:] if not right[n]), default=None)
        if over <= 0 or wide is None:
            return beside, below
        if wide[0] - over >= LEAST:
            widths[wide[1]] -= over
            return beside, below
        beside.remove(wide[1])
        below = sorted([*below, wide[1]])


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def fitted(margin: str, text: str, width: int) -> str:
    """A line of a program behind a margin; if it is too long its columns move together."""
    return cut(margin + squeezed([text], width - len(margin))[0], width)


def folded(margin: str, text: str, width: int) -> list[str]:
    """A line of a program behind a margin; what does not fit goes on in the next line."""
    lines = []
    while len(margin) + len(text) > width:
        kept = _kept(text, width - len(margin))
        if not kept.strip():
            break
        lines.append(margin + kept.rstrip())
        margin = " " * (len(margin.rstrip()) - 1) + margin.rstrip()[-1:] + " "
        text = "    " + text[len(kept) :].strip()
    return [*lines, cut(margin + text, width)]


def _kept(text: str, room: int) -> str:
    """What stays in the first line: up to a gap between columns, else a comma, else a blank."""
    for between in ("  ", ", ", " "):
        at = text.rfind(between, 0, room + 1)
        if at > 0 and text[:at].strip():
            return text[: at + len(between.rstrip())]
    return ""


_COLUMNS = re.compile(r"(?<=\S)\s{3,}")


def squeezed(texts: Sequence[str], width: int) -> list[str]:
    """Lines of a program; if one is too long the columns of all move together.

    What is taken out is blank in every line that has columns, so that they stay below each other.
    """
    lines = [t.expandtabs(8).rstrip() for t in texts]
    if all(len(line) <= width for line in lines):
        return lines
    gone = _gone([line for line in lines if _COLUMNS.search(line)])
    return [
        "".join(c for n, c in enumerate(line) if n not in gone) if _COLUMNS.search(line) else line
        for line in lines
    ]


def _gone(texts: Sequence[str]) -> set[int]:
    """The columns that all of some lines can do without: two blanks stay of each gap."""
    longest = max(map(len, texts), default=0)
    blank = [all(t[n : n + 1].strip() == "" for t in texts) for n in range(longest)]
    start = next((n for n, b in enumerate(blank) if not b), longest)
    return {
        n for n in range(start, longest) if blank[n] and blank[n - 1] and blank[n - 2] and n >= 2
    }


def wrapped(
    items: Iterable[str], width: int, indent: str = "  ", gap: str = ",  ", hang: str = ""
) -> list[str]:
    """Items one after the other in lines no wider than the screen, the others behind a ``hang``."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(gap) + len(item) > width:
            lines.append(indent + line)
            line = hang + item
        else:
            line = f"{line}{gap}{item}" if line else item
    return [*lines, indent + line] if line else lines


def hanging(line: str, width: int) -> list[str]:
    """A sentence in lines, those after the first a little to the right."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, replace_whitespace=False
    )


def typed_into() -> bool:
    """Whether somebody types into standard input."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
