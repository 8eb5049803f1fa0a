"""Comments after and between lines: what is allowed there, and which line of Python made them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from nasm.base.problems import in_line
from nasm.base.source import Source, Span
from nasm.base.suppressions import Allow
from nasm.program.program import Program

LONGEST = 100
"""Characters of a line of Python that a comment repeats."""

Remark = Callable[[Span], str]
"""What to say above the lines that a place led to; nothing if it is empty."""

_COMMENT = re.compile(r'(?:[^";]|"(?:[^"\\]|\\.)*+")*+(;.*)')
_ALLOWS = re.compile(r"nasm\s*:\s*allow")
_MEANING = re.compile(r"nasm(?=:)")


def python_line(span: Span) -> str:
    """``kernel.py:41  nisa.nc_matmul(…)`` of a place in Python; nothing of one in a program."""
    name = span.source.shown
    if not name.endswith(".py"):
        return ""
    text = span.source.line(span.line).strip()
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return f"{os.path.basename(name)}:{span.line}  {text}"


def comment(text: str) -> str:
    """A comment that only people read."""
    return "; " + _MEANING.sub("nasm ", in_line(text))


class Comments:
    """The comments of a program's texts, each above the first line that its line made.

    Those on lines of their own belong to the line below them, those at the head of a text to the
    whole. What has led to a line, such as a loop, is printed with it.
    """

    def __init__(self) -> None:
        self._printed: set[tuple[str, int]] = set()

    def head(self, source: Source) -> list[str]:
        """The lines of comment with which a text begins."""
        found = []
        for number, line in enumerate(source.text.split("\n"), 1):
            if not line.lstrip().startswith(";"):
                break
            found += self._of_line(source, number)
        return found

    def above(self, span: Span | None) -> list[str]:
        """The comments above a line that was made at a place."""
        if span is None or span.source.name.endswith(".py"):
            return []
        found = []
        for frame in span.chain:
            found += self._at(frame.span)
        return found + self._at(span)

    def _at(self, span: Span) -> list[str]:
        source, first = span.source, span.line
        if (source.name, -first) in self._printed:
            return []
        self._printed.add((source.name, -first))
        last = source.position(max(span.start, span.end - 1))[0]
        above = first
        while above > 1 and source.line(above - 1).lstrip().startswith(";"):
            above -= 1
        found = []
        for number in range(above, last + 1):
            found += self._of_line(source, number)
        return found

    def _of_line(self, source: Source, number: int) -> list[str]:
        """The comment of a line, if it was not printed; none that allows something."""
        if (source.name, number) in self._printed:
            return []
        self._printed.add((source.name, number))
        found = _COMMENT.match(source.line(number))
        text = found[1].strip(" \t;") if found else ""
        if not text or _ALLOWS.match(text):
            return []
        return [comment(text)]


class AllowComments:
    """What comments of a text allow, to be written again at the new places of their lines.

    ``notes`` are its other comments, if they are wanted.
    """

    def __init__(self, allows: Iterable[Allow], notes: Comments | None = None) -> None:
        self._notes = notes
        self._by_line: dict[int, list[tuple[Source, Allow]]] = {}
        for allow in allows:
            if allow.span is not None:
                known = self._by_line.setdefault(allow.line, [])
                known.append((allow.span.source, allow))

    def head(self, program: Program) -> list[str]:
        """Comments at the head of the program's own text."""
        spans = (span for span in (*program.spans, *_declared(program)) if span is not None)
        own = next((s.source for s in spans if not s.source.label), None)
        if self._notes is None or own is None or own.name.endswith(".py"):
            return []
        return self._notes.head(own)

    def above(self, span: Span | None) -> list[str]:
        """The comments above what is written at a place."""
        return [] if self._notes is None else self._notes.above(span)

    def trailing(self, span: Span | None) -> str:
        """The comment after what is written at a place, or an empty string."""
        if span is None or not self._by_line:
            return ""
        last = span.source.position(max(span.start, span.end - 1))[0]
        by_reason: dict[str, list[str]] = {}
        for line in range(span.line, last + 1):
            for source, allow in self._by_line.get(line, ()):
                if source is span.source or source == span.source:
                    by_reason.setdefault(allow.reason, []).append(allow.code)
        text = (f"; nasm: allow {', '.join(c)} {why}" for why, c in by_reason.items())
        return "  ".join(text)


def _declared(program: Program) -> Iterator[Span | None]:
    yield from (tensor.span for tensor in program.tensors.values())
    yield from (expectation.span for expectation in program.expectations)
