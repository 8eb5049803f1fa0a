"""The instructions of a run in words: text, line, waits, cost; each place of a queue once."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.profile import WatchedMachine
from nasm.analysis.summary import form_text, update_text, wait_text
from nasm.base.problems import clean
from nasm.base.records import dataclass
from nasm.base.source import Source, Span
from nasm.isa.evidence import Cost
from nasm.isa.micro_instructions import Micro, micro_of
from nasm.machine import Machine
from nasm.show.run_page.slices import Slices

Words = Callable[[Machine, int, int], str]
"""Says something of the instruction at a place."""

LONGEST = 200
"""Characters of an instruction."""


class Strings:
    """Texts by number, each of them once; 0 is the empty one."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str) -> int:
        """The number of a text, which may be new."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """The texts in the order of their numbers."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Forms, which are the instructions that were executed, as columns, and the lines they are of.

    ``of_slice`` is the form of each slice. Of a form there are ``name``, ``text``, ``wait``,
    ``update``, ``cost`` and ``origin`` as numbers of ``strings``, ``line`` as a number of
    ``lines``, -1 if it was not written, and its ``pc``. A line is the number of its source in
    ``sources``, and its own, from 1.
    """

    of_slice: Times
    name: Times
    text: Times
    wait: Times
    update: Times
    cost: Times
    origin: Times
    line: Times
    pc: Times
    strings: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]
    sources: tuple[Source, ...]


FORM = ("name", "text", "wait", "update", "cost", "origin", "line", "pc")


def texts(watched: WatchedMachine, slices: Slices) -> Texts:
    """The words for some slices."""
    return _Words(watched).of(slices)


class _Words:
    """Finds words for places."""

    def __init__(self, watched: WatchedMachine) -> None:
        self.machine: Machine = watched.machine
        self.micros = watched.recording.micros
        self.strings = Strings()
        self.lines: dict[tuple[int, int], int] = {}
        self.sources: dict[int, tuple[int, Source]] = {}
        self.rows: list[tuple[int, ...]] = []
        self._known: dict[tuple[str, Hashable], int] = {}
        self._costs: dict[tuple[int, Cost], int] = {}

    def of(self, slices: Slices) -> Texts:
        """The forms of some slices."""
        forms: dict[tuple[int, int, int], int] = {}
        which = np.zeros(len(slices), np.int64)
        columns = (slices.queue.tolist(), slices.pc.tolist(), slices.record.tolist())
        for n, (queue, pc, record) in enumerate(zip(*columns, strict=True)):
            place = self.micros.get(record, pc)
            key = queue, pc, micro_of(place) + 1 if place is not pc else 0
            number = forms.get(key)
            if number is None:
                number = forms[key] = len(forms)
                self.rows.append(self._row(queue, place))
            which[n] = number
        table = np.array(self.rows, np.int64).reshape(-1, len(FORM)).T
        found = dict(zip(FORM, table, strict=True))
        sources = tuple(source for _, source in self.sources.values())
        strings, lines = tuple(self.strings.all), tuple(self.lines)
        return Texts(of_slice=which, strings=strings, lines=lines, sources=sources, **found)

    def _row(self, queue: int, pc: int) -> tuple[int, ...]:
        program, number = self.machine.program, self.strings.number
        lines = program.queues[queue]
        return (
            number(program.instruction(queue, pc).row.name),
            self._text(queue, pc),
            self._once("wait", lines.waits[pc], wait_text, queue, pc),
            self._once("update", lines.updates[pc], update_text, queue, pc),
            self._cost(queue, pc),
            number(clean(program.origin(pc))),
            self._line(program.spans[lines.spans[pc]]),
            int(pc),
        )

    def _text(self, queue: int, pc: int) -> int:
        """An instruction with its operands; those that lines share are put into words once."""
        program = self.machine.program
        lines = program.queues[queue]
        if type(pc) is Micro or program.loop_registers:
            return self.strings.number(clean(form_text(program, queue, pc))[:LONGEST])
        key = "text", (lines.instructions[pc], lines.spans[pc])
        if key not in self._known:
            text = clean(form_text(program, queue, pc))[:LONGEST]
            self._known[key] = self.strings.number(text)
        return self._known[key]

    def _once(self, kind: str, what: int, words: Words, queue: int, pc: int) -> int:
        """Words for something that many lines share, by its number in the program."""
        if (kind, what) not in self._known:
            self._known[kind, what] = self.strings.number(words(self.machine, queue, pc))
        return self._known[kind, what]

    def _line(self, span: Span | None) -> int:
        if span is None:
            return -1
        known, _ = self.sources.setdefault(id(span.source), (len(self.sources), span.source))
        return self.lines.setdefault((known, span.line), len(self.lines))

    def _cost(self, queue: int, pc: int) -> int:
        """What an instruction costs by itself, and how that is known."""
        cost = self.machine.shape(queue, pc).cost
        known = self._costs.get((queue, cost))
        if known is None:
            text = f"{cost.interval:,} cycles, results after {cost.latency:,}"
            if cost.unit:
                text += f"; unit {cost.unit}"
            text = f"{text} ({cost.evidence.value}: {cost.source})"
            known = self._costs[queue, cost] = self.strings.number(clean(text))
        return known
