"""Lines of a text and the rounds in which a run executed them: values of the loops' variables."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from nasm.base.source import Frame, Source, Span
from nasm.order.observer import Watch
from nasm.program.program import Program

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""

Round = tuple[int, ...]


class TextLine(NamedTuple):
    """A line of a text by where its mnemonic is, as one call of a macro has it."""

    source: Source
    start: int
    call: tuple[Frame, ...] = ()


class ExecutedLines:
    """What a run has executed, by the lines of the text."""

    def __init__(self, program: Program, watch: Watch) -> None:
        self.program, self.watch = program, watch
        self._heads: dict[tuple[int, Span], list[int]] = {}

    def chain(self, place: Place) -> tuple[Frame, ...]:
        """What repeated or produced the line of an instruction, outermost first."""
        queue, index = place
        lines = self.program.queues[queue]
        return self.program.chains[lines.chains[self.watch.pcs[queue][index]]]

    def line(self, place: Place) -> TextLine | None:
        """The line of an instruction; None if it has none."""
        queue, index = place
        span = self.program.spans[self.program.queues[queue].spans[self.watch.pcs[queue][index]]]
        return None if span is None else TextLine(span.source, span.start, calls(self.chain(place)))

    def variables(self, place: Place) -> tuple[str, ...]:
        """The variables of the loops around the line of an instruction."""
        loops = _loops(self.chain(place))
        return tuple(frame.span.text if frame.loop else _bound(frame)[0] for frame in loops)

    def run_time(self, place: Place) -> tuple[bool, ...]:
        """Which of these are of loops at run time."""
        return tuple(frame.loop is not None for frame in _loops(self.chain(place)))

    def round(self, place: Place) -> Round:
        """Their values. The value of a run-time loop continues where the loop is entered again."""
        return tuple(
            self.reached(place, frame.loop.number) if frame.loop else _bound(frame)[1]
            for frame in _loops(self.chain(place))
        )

    def written(self, place: Place) -> tuple[int, ...]:
        """Where an instruction is in its text, loops and macros written out."""
        span = self.program.span(place[0], self.watch.pcs[place[0]][place[1]])
        key: list[int] = []
        for frame in self.chain(place):
            value = frame.bound[1] if frame.bound else 0
            key += frame.span.start, self.reached(place, frame.loop.number) if frame.loop else value
        return (*key, -1 if span is None else span.start)

    def within(self, place: Place) -> set[Span]:
        """The loops at run time around the line of an instruction, by where they are written."""
        return {frame.span for frame in self.chain(place) if frame.loop}

    def reached(self, place: Place, loop: int) -> int:
        """The variable of a loop at run time when an instruction in it starts, counted from 0.

        It continues from loops that are the same in the text: those that a `.for` writes.
        """
        queue, index = place
        frame = self.loop(place, loop)
        assert frame.loop is not None
        starts = self._heads.get((queue, frame.span))
        if starts is None:
            starts = self._heads[queue, frame.span] = self._starts(queue, frame.span)
        return frame.loop.step * (bisect_right(starts, index) - 1) + frame.loop.offset

    def loop(self, place: Place, number: int) -> Frame:
        """A loop at run time around the line of an instruction, by its number."""
        return next(f for f in self.chain(place) if f.loop and f.loop.number == number)

    def _starts(self, queue: int, loop: Span) -> list[int]:
        """Where the rounds of a loop start: at the first of its instructions."""
        lines, pcs = self.program.queues[queue], self.watch.pcs[queue]
        heads: dict[int, int] = {}
        for pc, chain in enumerate(lines.chains):
            for frame in self.program.chains[chain]:
                if frame.loop and frame.span == loop:
                    heads.setdefault(frame.loop.number, pc)
        first = set(heads.values())
        return [index for index, pc in enumerate(pcs) if pc in first]

    @cached_property
    def lines(self) -> dict[tuple[Source, int], dict[tuple[Frame, ...], list[Place]]]:
        """The instructions of each line, by the call of a macro that has it, in their order.

        Instructions before or after a line that wait and post for it are not among them.
        """
        found: dict[tuple[Source, int], dict[tuple[Frame, ...], list[Place]]] = {}
        at: defaultdict[int, int] = defaultdict(int)
        for queue in self.watch.queues:
            place = queue, at[queue]
            at[queue] += 1
            line = self.line(place)
            if line is not None and not self._aside(place, line):
                calls = found.setdefault((line.source, line.start), {})
                calls.setdefault(line.call, []).append(place)
        return found

    def _aside(self, place: Place, line: TextLine) -> bool:
        """Whether an instruction was inserted next to a line, whose place it has."""
        sequencing = self.program.target.sequencing
        queue, pc = place[0], self.watch.pcs[place[0]][place[1]]
        name = self.program.instruction(queue, pc).row.name
        if sequencing is None or name != sequencing.wait:
            return False
        return not line.source.text.startswith(name, line.start) or self._again(place)

    def _again(self, place: Place) -> bool:
        """Whether the instruction before is of the same line, in the same round."""
        queue, index = place
        pcs, lines = self.watch.pcs[queue], self.program.queues[queue]
        if not index or pcs[index] != pcs[index - 1] + 1:
            return False
        both = ((lines.spans[pcs[at]], lines.chains[pcs[at]]) for at in (index - 1, index))
        return len(set(both)) == 1

    @cached_property
    def posting(self) -> list[Place]:
        """The instructions whose lines post moments, by their queues."""
        return [
            (queue, index)
            for queue, pcs in enumerate(self.watch.pcs)
            for index, pc in enumerate(pcs)
            if (queue, pc) in self.program.posts
        ]


def calls(chain: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The expansion up to the innermost call of a macro: what a name in it belongs to."""
    for count in range(len(chain), 0, -1):
        if not (chain[count - 1].bound or chain[count - 1].loop):
            return chain[:count]
    return ()


def _loops(chain: tuple[Frame, ...]) -> list[Frame]:
    """The loops within the innermost call of a macro."""
    return list(chain[len(calls(chain)) :])


def _bound(frame: Frame) -> tuple[str, int]:
    assert frame.bound is not None
    return frame.bound
