"""Places in texts: what every diagnostic, listing and trace points at."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from nasm.base.records import dataclass, field


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A named text. Its name is shown in diagnostics as the user gave it.

    ``label`` is what it is called where few words are wanted, if it is not the program's own text:
    ``lib/softmax.nasm``, as it was included.
    """

    name: str
    text: str
    label: str = field(default="", compare=False)
    _starts: list[int] = field(default_factory=list, compare=False)

    def __repr__(self) -> str:
        return f"<source {self.name}>"

    @property
    def shown(self) -> str:
        """Its name on one line, whatever a file may be called."""
        return self.name.replace("\n", "\\n")

    def _line_starts(self) -> list[int]:
        if not self._starts:
            lengths = (len(line) + 1 for line in self.text.split("\n")[:-1])
            self._starts.extend(accumulate(lengths, initial=0))
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column (both from 1) of a character offset."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset(self, line: int) -> int:
        """The offset at which a line (from 1) starts."""
        return self._line_starts()[line - 1]

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its newline."""
        starts = self._line_starts()
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


def brief(line: int, label: str = "") -> str:
    """A line in few words; ``label`` is that of its text, if it is not the program's own."""
    return f"{label}:{line}" if label else f"line {line}"


class WrittenRound(NamedTuple):
    """A round of a loop at run time: the loop's number, and what a round adds to its variable.

    Of rounds that are written out, ``offset`` is what is added in this one to the variable.
    """

    number: int
    step: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of an expansion: what repeated or produced a line, and where that is written.

    ``bound`` is the variable of a ``.for`` with its value in this round, if that is an integer;
    ``loop`` is the round of a ``.loop``.
    """

    what: str
    span: Span
    bound: tuple[str, int] | None = field(default=None, compare=False)
    loop: WrittenRound | None = field(default=None, compare=False)

    @property
    def step(self) -> str:
        """The round of a loop, ``k = 2``, or the call of a macro; empty of what is neither."""
        if "(" in self.what:
            return f"{self.what} {'in' if self.span.source.label else 'on'} {self.span.brief}"
        return self.what.partition(".for ")[2]


@dataclass(frozen=True, slots=True, repr=False)
class Span:
    """Characters [start, end) of a source, and the expansions that led there, outermost first."""

    source: Source
    start: int
    end: int
    chain: tuple[Frame, ...] = ()

    @property
    def line(self) -> int:
        """The line it starts on, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column it starts at, from 1."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.shown}:{line}:{column}"

    @property
    def brief(self) -> str:
        """Where it is in few words: ``line 12``, and of an included text ``lib/a.nasm:12``."""
        return brief(self.line, self.source.label)

    def __repr__(self) -> str:
        return f"<{self}>"

    def within(self, chain: tuple[Frame, ...]) -> Span:
        """The same place, reached through these expansions."""
        return Span(self.source, self.start, self.end, chain) if chain else self

    def excerpt(self) -> tuple[int, str, int, int]:
        """Line number, text of the line, column (from 0) and width of the caret."""
        line, column = self.source.position(self.start)
        text = self.source.line(line)
        width = max(1, min(self.end - self.start, len(text) - column + 1))
        return line, text, column - 1, width
