"""The debug sections: texts, places in them, and the expansions that led there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import Note, Problem, Severity, family
from nasm.base.source import Frame, Source, Span
from nasm.base.suppressions import Allow
from nasm.language.objects.bodies import U32, Fields, columns, document, read_columns
from nasm.language.objects.sections import damaged
from nasm.program.program import LoopRegister

DEBUG, SPANS = "debug", "spans"

TYPES = (U32, U32, U32, U32)
"""Of each place its text, its first character, one past its last, and its expansions."""

Frames = tuple[Frame, ...]


class PlaceNumbers:
    """Numbers texts, places and expansions as they come; place 0 and expansion 0 are none."""

    def __init__(self) -> None:
        self._sources: dict[tuple[str, str], int] = {}
        self._spans: dict[tuple[int, int, int, int], int] = {}
        self._chains: dict[tuple[tuple[str, int], ...], int] = {(): 0}

    def source(self, source: Source) -> int:
        """The number of a text."""
        key = source.label or source.name, source.text
        return self._sources.setdefault(key, len(self._sources))

    def span(self, span: Span | None) -> int:
        """The number of a place."""
        if span is None:
            return 0
        key = (self.source(span.source), span.start, span.end, self.chain(span.chain))
        return self._spans.setdefault(key, len(self._spans) + 1)

    def chain(self, frames: Frames) -> int:
        """The number of a chain of expansions, outermost first."""
        key = tuple((frame.what, self.span(frame.span)) for frame in frames)
        return self._chains.setdefault(key, len(self._chains))

    def problem(self, problem: Problem) -> dict[str, Any]:
        """A problem as a document."""
        notes = [[n.message, self.span(n.span), n.party, n.excerpt] for n in problem.notes]
        return {
            "code": problem.code,
            "message": problem.message,
            "place": self.span(problem.span),
            "hint": problem.hint,
            "notes": notes,
            "severity": problem.severity.value,
            "facts": dict(problem.facts),
        }

    def bodies(self, more: dict[str, Any]) -> dict[str, bytes]:
        """The sections, and additions to the document."""
        message = {
            "texts": [[name, text] for name, text in self._sources],
            "expansions": [[list(frame) for frame in chain] for chain in self._chains],
        }
        rows = list(zip(*self._spans, strict=True)) or [()] * len(TYPES)
        return {DEBUG: document(message | more), SPANS: columns(TYPES, rows)}


class ReadPlaces:
    """What the debug sections say, by number; raises Refused."""

    def __init__(self, debug: memoryview | None, spans: memoryview | None, read: Any) -> None:
        self.fields = Fields(read if debug is not None else {}, DEBUG)
        self.sources: list[Source] = []
        self.spans: list[Span | None] = [None]
        self.chains: list[Frames] = [()]
        if debug is None or spans is None:
            return
        main = self.fields.value.get("main") is True
        for pair in self.fields.list_of("texts", list):
            if len(pair) != 2 or not all(type(part) is str for part in pair):
                raise damaged("a text has a name and characters")
            name, text = pair
            self.sources.append(Source(name, text, name if main and self.sources else ""))
        self._read(spans, self.fields.list_of("expansions", list))

    def _read(self, body: memoryview, chains: Sequence[Any]) -> None:
        """Places and chains of them, which refer to what comes before them alone."""
        table = read_columns(body, TYPES, SPANS)
        text, start, end, _ = table
        if len({len(column) for column in table}) > 1 or chains[:1] != [[]]:
            raise damaged("its places have columns of other lengths")
        lengths = np.array([len(source.text) for source in self.sources])
        if len(text) and (
            int(text.max()) >= len(lengths)
            or (start > end).any()
            or (end > lengths[text] + 1).any()
        ):
            raise damaged("a place is outside its text")
        waiting = list(chains[1:])
        for number, first, last, chain in zip(*(c.tolist() for c in table), strict=True):
            while chain >= len(self.chains):
                if not waiting:
                    raise damaged("a place has expansions that there are not")
                self.chains.append(self._frames(waiting.pop(0)))
            self.spans.append(Span(self.sources[number], first, last, self.chains[chain]))
        self.chains += [self._frames(chain) for chain in waiting]

    def _frames(self, chain: Any) -> Frames:
        found = []
        for frame in chain if type(chain) is list else [None]:
            if type(frame) is not list or len(frame) != 2 or type(frame[0]) is not str:
                raise damaged("an expansion has no name")
            span = self.span(frame[1])
            if span is None:
                raise damaged("an expansion has no place")
            found.append(Frame(frame[0], span))
        return tuple(found)

    def span(self, number: object) -> Span | None:
        """A place by its number."""
        if type(number) is not int or not 0 <= number < len(self.spans):
            raise damaged("it names a place that there is not")
        return self.spans[number]

    def of_each(self, key: str, count: int) -> list[Span | None]:
        """The places of so many things, None for each if nothing is known of them."""
        if key not in self.fields.value:
            return [None] * count
        found = [self.span(number) for number in self.fields.list_of(key, int)]
        if len(found) != count:
            raise damaged(f"it has {len(found)} places of {key}, and {count} of these")
        return found

    def allows(self) -> list[Allow]:
        """What comments of the texts allow."""
        made = []
        for row in self.fields.optional("allows", list):
            if [type(part) for part in row] != [str, str, int, int] or not row[2]:
                raise damaged("what is allowed has no place")
            made.append(Allow(row[0], row[1], self.span(row[2]), row[3]))
        return made

    def registers(self, lengths: Sequence[int]) -> list[LoopRegister]:
        """What the text calls registers, of queues of so many lines."""
        made = []
        for row in self.fields.optional("registers", list):
            if [type(part) for part in row] != [int, int, int, int, str]:
                raise damaged("a register of a loop has no name")
            held = LoopRegister(*row)
            if not 0 <= held.queue < len(lengths) or not (
                0 <= held.first <= held.stop <= lengths[held.queue] and held.number >= 0
            ):
                raise damaged("a register of a loop is of no line")
            made.append(held)
        return made

    def problems(self) -> list[Problem]:
        """The warnings of the assembler."""
        return [self._problem(Fields(row, DEBUG)) for row in self.fields.optional("warnings", dict)]

    def _problem(self, row: Fields) -> Problem:
        notes = []
        for note in row.list_of("notes", list):
            if [type(part) for part in note] != [str, int, bool, bool]:
                raise damaged("a note says nothing")
            notes.append(Note(note[0], self.span(note[1]), note[2], note[3]))
        code, severity = row.get("code", str), row.get("severity", str)
        if severity not in (s.value for s in Severity if s is not Severity.ERROR):
            raise damaged(f"a warning is no {severity}")
        try:
            family(code)
        except KeyError:
            raise damaged(f"a warning has the code {code!r}") from None
        return Problem(
            code,
            row.get("message", str),
            self.span(row.get("place", int)),
            row.get("hint", str),
            tuple(notes),
            Severity(severity),
            row.get("facts", dict),
        )


# ---------------------------------------------------------------- without texts

LEFT_OUT = "; the text is not in this object (asm --strip)"


class Stripped:
    """Places of a program without its text: those of lines on which something is allowed.

    They are lines of a text of these comments alone.
    """

    def __init__(self, name: str, allows: Iterable[Allow]) -> None:
        self._by_line: dict[tuple[str, str, int], list[Allow]] = {}
        for allow in allows:
            if allow.span is not None:
                source = allow.span.source
                self._by_line.setdefault((source.name, source.text, allow.line), []).append(allow)
        lines = [LEFT_OUT] if self._by_line else []
        self._number: dict[tuple[str, str, int], int] = {}
        for key, found in self._by_line.items():
            self._number[key] = len(lines)
            lines.append("  ".join(f"; nasm: allow {a.code} {a.reason}" for a in found))
        self.source = Source(name, "".join(f"{line}\n" for line in lines))

    def span(self, span: Span | None) -> Span | None:
        """The place that represents another, if anything is allowed there."""
        if span is None or not self._number:
            return None
        last = span.source.position(max(span.start, span.end - 1))[0]
        for line in range(span.line, last + 1):
            number = self._number.get((span.source.name, span.source.text, line))
            if number is not None:
                return self._line(number)
        return None

    def _line(self, number: int) -> Span:
        start = self.source.offset(number + 1)
        return Span(self.source, start, start + len(self.source.line(number + 1)))

    def allows(self) -> list[Allow]:
        """What is allowed, on the lines of the new text."""
        return [
            Allow(allow.code, allow.reason, self._line(number), number + 1)
            for number, found in zip(self._number.values(), self._by_line.values(), strict=True)
            for allow in found
        ]
