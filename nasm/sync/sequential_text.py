"""Texts in sequential order: the order in which a text is written as what it means.

A text written engine by engine, in which an engine waits for what comes further down, has no such
order; nor has one that branches. That is refused, with both places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.problems import Failure, Note, Problem
from nasm.base.source import Span
from nasm.isa.effects import Clear, Jump
from nasm.isa.list_kinds import views
from nasm.order.places import Place, Places
from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.forms import Form, Forms
from nasm.program.footprint.reach import reached
from nasm.program.program import Instruction, Update, Wait
from nasm.sync.lines import Line, Sequence
from nasm.sync.synchronize import synchronise
from nasm.views.regions import Region, overlap
from nasm.views.view import View

NO_ORDER = "E0841"
_LOOP = re.compile(r"(@\w+\s+)?\.(loop|break)\b")
HINT = "write it call by call: each line means what it does after all lines above it"


CORES = "what cores update of each other's is in no order of lines: let a barrier order them"


class WrittenLine(NamedTuple):
    """A line as it was written, with what it waits for and updates."""

    queue: int
    pc: int
    line: Line
    wait: Wait | None
    update: Update | None


def autosync(builder: ProgramBuilder, strip: bool = False) -> list[WrittenLine]:
    """Give a text that was assembled the waits and updates that keep the order of its lines.

    With ``strip`` those that it has are left out first, and must not contradict that order. Returns
    the lines that were kept, as they were written. Raises Failure.
    """
    lines = in_sequence(builder, strip)
    synchronise(builder, sequence(builder, lines))
    return lines


def in_sequence(builder: ProgramBuilder, strip: bool = False) -> list[WrittenLine]:
    """The lines of a text that are kept, if it has a sequential order; they are in no queue then.

    Raises Failure.
    """
    if builder.program.target.sequencing is None:
        machine = builder.program.generation.summary
        message = (
            f"no waits can be added to a program for {machine}: it waits by its own instructions"
        )
        raise Failure((Problem(NO_ORDER, message, hint="write them where they are needed"),))
    lines = list(_written(builder))
    text = _Text(builder, lines)
    text.check_branches()
    if strip:
        for core in range(builder.program.cores):
            text.check_waits(core)
        lines = [line for line in lines if not text.only_synchronises(line)]
    else:
        text.check_bare()
    for core in range(builder.program.cores):
        text.check_reads(core, lines)
    builder.clear(counters=strip)
    return lines


def sequence(builder: ProgramBuilder, lines: list[WrittenLine]) -> Sequence:
    """Lines by their cores."""
    cores = [q.core for q in builder.program.queues]
    numbers = range(builder.program.cores)
    return Sequence([[one.line for one in lines if cores[one.queue] == n] for n in numbers])


def _written(builder: ProgramBuilder) -> Iterator[WrittenLine]:
    program = builder.program
    for queue, pc in builder.order():
        lines = program.queues[queue]
        line = Line(queue, lines.instructions[pc], lines.spans[pc], lines.chains[pc])
        wait, update = program.waits[lines.waits[pc]], program.updates[lines.updates[pc]]
        yield WrittenLine(queue, pc, line, wait, update)


class _Text:
    """Refuses what has no sequential order."""

    def __init__(self, builder: ProgramBuilder, lines: list[WrittenLine]) -> None:
        self.builder, self.program, self.lines = builder, builder.program, lines

    def of(self, core: int, lines: list[WrittenLine]) -> list[WrittenLine]:
        """The lines of a core."""
        return [one for one in lines if self.program.queues[one.queue].core == core]

    def instruction(self, one: WrittenLine) -> Instruction:
        """What a line contains."""
        return self.program.instructions[one.line.instruction]

    def span(self, one: WrittenLine) -> Span | None:
        """Where a line is."""
        return self.program.span(one.queue, one.pc)

    def named(self, one: WrittenLine) -> str:
        """A line in a few words."""
        return f"{self.instruction(one).row.name} on {self.program.queue_name(one.queue)}"

    def only_synchronises(self, one: WrittenLine) -> bool:
        """Whether a line only waits and updates, or clears semaphores."""
        row = self.instruction(one).row
        sequencing = self.program.target.sequencing
        return sequencing is not None and row.name in (sequencing.wait, sequencing.clear)

    def _refuse(self, message: str, one: WrittenLine, hint: str, *notes: Note) -> Failure:
        return Failure(Problem(NO_ORDER, message, self.span(one), hint, notes))

    def check_branches(self) -> None:
        """No line branches."""
        for one in self.lines:
            if self.instruction(one).row.effect is not Jump:
                continue
            span = self.span(one)
            message = f"{self.named(one)} branches: the order of the lines is not that of a run"
            hint = "repeat lines with '.for', whose rounds are lines of the text"
            if span is not None and _LOOP.match(span.text):
                message = (
                    "the rounds of a '.loop' are made at run time: they have no order of lines"
                )
                hint = "'.for k in 0..4' has its rounds in the text"
                if span.source.label:
                    message = "'sync' writes out the rounds of loops of the text itself, and not "
                    message += f"those of {span.source.label}, which it includes"
                    where = "call of the macro" if span.chain else "'.include'"
                    hint = f"write the lines of this loop in the place of the {where}, or moments "
                    hint += "into it by hand: 'post done[k]' and 'after done[k - 1]'"
            raise self._refuse(message, one, hint)

    def check_bare(self) -> None:
        """No line waits or updates."""
        for one in self.lines:
            if one.wait or one.update:
                has = "waits" if one.wait else "updates a semaphore"
                message = f"{self.named(one)} {has}, and waits are what 'sync' inserts"
                hint = "'neuron-nasm sync --strip' removes the present ones and inserts its own"
                raise self._refuse(message, one, hint)

    # -- waits that the order of the lines does not satisfy

    def check_waits(self, core: int) -> None:
        """Every wait holds after the lines above it."""
        values: dict[int, int] = {}
        lines = self.of(core, self.lines)
        for number, one in enumerate(lines):
            wait = one.wait
            if wait is not None:
                value = values.get(wait.semaphore, 0)
                if not (value >= wait.value if wait.op == ">=" else value == wait.value):
                    raise self._unmet(one, wait, value, lines[number + 1 :])
            update = one.update
            if update is not None:
                before = values.get(update.semaphore, 0) if update.op == "+" else 0
                values[update.semaphore] = before + update.value
            for semaphore in self._cleared(one, core):
                values.pop(semaphore, None)

    def _cleared(self, one: WrittenLine, core: int) -> range:
        """The semaphores that a line sets to 0."""
        instruction = self.instruction(one)
        row, base = instruction.row, core * self.program.generation.counters
        if row.effect is not Clear:
            return range(0)
        made = row.semantics(*(instruction.operand(operand.name) for operand in row.reads))
        return range(base + made.first, base + made.last + 1)

    def _unmet(self, one: WrittenLine, wait: Wait, value: int, rest: list[WrittenLine]) -> Failure:
        name = self.program.semaphore_name(wait.semaphore)
        message = (
            f"{self.named(one)} waits for ${name} {wait.op} {wait.value}; after the lines above "
        )
        message += f"it is {value}"
        core = self.program.queues[one.queue].core
        others = [o for o in self.lines if self.program.queues[o.queue].core != core]
        for lines, hint in ((rest, HINT), (others, CORES)):
            for other in lines:
                if other.update is not None and other.update.semaphore == wait.semaphore:
                    note = Note(f"{self.named(other)} updates it", self.span(other))
                    return self._refuse(message, one, hint, note)
        return self._refuse(message, one, HINT)

    # -- reads of what only a later line writes

    def check_reads(self, core: int, lines: list[WrittenLine]) -> None:
        """No line reads what only later lines write."""
        mine, forms, places = self.of(core, lines), Forms(self.program.generation), Places()
        known: dict[int, Form] = {}
        for one in mine:
            number, engine = one.line.instruction, self.program.queues[one.queue].engine
            if number not in known:
                known[number] = forms.of(self.instruction(one), engine, core)
        touched = [(one, *_sides(known[one.line.instruction], places)) for one in mine]
        filled = places.of(self._filled(forms))
        written = {place.number for place in filled}
        first: dict[int, WrittenLine] = {}
        for one, _, writes in touched:
            for place in writes:
                first.setdefault(place.number, one)
        for one, reads, writes in touched:
            for place in reads:
                near = [p.number for p in place.near]
                if written.isdisjoint(near):
                    later = next((first[n] for n in near if n in first), None)
                    if later is not None and later is not one:
                        raise self._unread(one, later, place)
            written.update(place.number for place in writes)

    def _filled(self, forms: Forms) -> Iterator[Region]:
        for tensor in self.program.tensors.values():
            shared = tensor.memory.shared and self.program.cores > 1
            if tensor.init is not None or tensor.role in ("input", "inout") or shared:
                yield reached(forms.regions, View.whole(tensor))

    def _views(self, one: WrittenLine, place: Place) -> Iterator[str]:
        """The tensors that an operand of a line names, and that have a byte of a place."""
        regions = Forms(self.program.generation).regions
        for operand in self.instruction(one).operands:
            for view in views(operand):
                if overlap(reached(regions, view), place.region):
                    yield view.tensor.name

    def _unread(self, one: WrittenLine, later: WrittenLine, place: Place) -> Failure:
        what = next((name for name in self._views(one, place)), "something")
        message = f"{self.named(one)} reads {what}, which only lines below it write"
        note = Note(f"{self.named(later)} is the first", self.span(later))
        return self._refuse(message, one, HINT, note)


def _sides(form: Form, places: Places) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """What is read and written, by whatever means."""
    reads, writes = list(form.reads), list(form.writes)
    if form.moved is not None:
        reads += [r for r in form.moved.reads if r not in form.moved.writes]
        writes += form.moved.writes
    return places.of(reads), places.of(writes)
