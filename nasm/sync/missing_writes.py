"""Reads, in the order of lines, of what was never written or was taken by another tensor.

Tiles take the bytes of tiles that are over, so that a run cannot tell: what it reads there has been
written, for another tensor. Here each tensor has bytes of its own. What may be written in part, or
is addressed at run time, is taken to be written as far as it reaches, and is not read.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from nasm.base.problems import Note, Problem
from nasm.base.source import Span
from nasm.isa.list_kinds import views
from nasm.program.footprint.forms import Form, Forms
from nasm.program.footprint.layout import Regions
from nasm.program.program import Program
from nasm.sync.lines import Line, Sequence, lines
from nasm.sync.reused_bytes import Overwritten
from nasm.sync.written_bytes import WrittenMarks
from nasm.views.regions import Region
from nasm.views.tensor import Tensor
from nasm.views.view import View

UNINITIALISED, TAKEN = "E0501", "E0523"


def chosen(program: Program) -> frozenset[int]:
    """The tensors whose places are chosen by hand, asked before the others are placed."""
    return frozenset(t.index for t in program.tensors.values() if t.fixed)


def unwritten(program: Program, sequence: Sequence, by_hand: frozenset[int]) -> list[Problem]:
    """The reads of elements that no line before has written, or that are another's by then.

    Each place is reported once. ``by_hand`` are the tensors that may share bytes while they live.
    """
    walks = [_Walk(program, core) for core in range(len(sequence.cores))]
    tensors = {tensor.index for tensor in program.tensors.values()}
    found: list[Problem] = []
    seen: set[object] = set()
    for walk, items in zip(walks, sequence.cores, strict=True):
        every = list(lines(items))
        others = {
            region.area
            for other, theirs in zip(walks, sequence.cores, strict=True)
            if other is not walk
            for line in lines(theirs)
            for region in _writes(other.form(line))
        }
        found += walk.walk(every, walk.marks(tensors - others), seen)
        found += walk.stale(every, by_hand, seen)
    return found


def unwritten_in_blocks(program: Program) -> list[Problem]:
    """The reads of tensors of blocks that certainly come before every write, each place once.

    Their bytes may have been another tensor's, so that a run cannot tell. What other queues write
    may come before; what the same queue writes further down does not, unless a branch skips the
    read.
    """
    walks = [_Walk(program, core) for core in range(program.cores)]
    queues = [
        [Line(n, *line) for line in zip(q.instructions, q.spans, q.chains, strict=True)]
        for n, q in enumerate(program.queues)
    ]
    written: list[dict[Region, None]] = []
    for queue, own in zip(program.queues, queues, strict=True):
        forms = {line.instruction: line for line in own}.values()
        every = (_writes(walks[queue.core].form(line)) for line in forms)
        written.append({region: None for regions in every for region in regions})
    found: list[Problem] = []
    seen: set[object] = set()
    blocked = {tensor.index for tensor in program.tensors.values() if tensor.block}
    for number, queue in enumerate(program.queues):
        walk = walks[queue.core]
        tensors = walk.marks(blocked)
        for other, regions in enumerate(written):
            for region in regions if other != number else ():
                if region.area in tensors:
                    tensors[region.area].write(region)
        found += walk.walk(queues[number], tensors, seen, _skipped(program, number))
    return found


def _skipped(program: Program, queue: int) -> set[int]:
    """The lines of a queue that a branch before them may skip."""
    lines, found = program.queues[queue], set[int]()
    for pc in range(len(lines)):
        instruction = program.instruction(queue, pc)
        for at in instruction.row.labels:
            found.update(range(pc + 1, lines.labels.get(str(instruction.operands[at]), 0)))
    return found


def _writes(form: Form) -> tuple[Region, ...]:
    return form.writes if form.moved is None else (*form.writes, *form.moved.writes)


class _Walk:
    """Goes through the lines of one core."""

    def __init__(self, program: Program, core: int) -> None:
        self.program, self.core = program, core
        self.forms = Forms(program.generation)
        self.forms.regions = Regions({t.index: t.index for t in program.tensors.values()})
        self._forms: dict[int, Form] = {}
        self._left: dict[int, tuple[frozenset[Region], frozenset[int]]] = {}

    def form(self, line: Line) -> Form:
        """What a line touches."""
        found = self._forms.get(line.instruction)
        if found is None:
            engine = self.program.queues[line.queue].engine
            instruction = self.program.instructions[line.instruction]
            found = self._forms[line.instruction] = self.forms.of(instruction, engine, self.core)
        return found

    def marks(self, of: Container[int]) -> dict[int, WrittenMarks]:
        """What of some of the tensors has been written so far: nothing."""
        region = self.forms.regions.of
        return {
            t.index: WrittenMarks(t, region(View.whole(t)))
            for t in self.program.tensors.values()
            if t.init is None and t.role not in ("input", "inout") and t.index in of
        }

    def walk(
        self,
        every: list[Line],
        tensors: dict[int, WrittenMarks],
        seen: set[object],
        skipped: Container[int] = (),
    ) -> Iterator[Problem]:
        """The reads of elements of ``tensors`` that were never written, without some lines.

        What was ``seen`` are lines, with the place where what they read is declared.
        """
        for number, line in enumerate(every):
            form = self.form(line)
            for read in self._reads(line, form) if number not in skipped else ():
                written = tensors.get(read.area)
                if written is None or (place := (line.span, written.declared)) in seen:
                    continue
                if missing := written.missing(read):
                    seen.add(place)
                    yield self._problem(line, written.tensor, read, missing)
            for write in _writes(form):
                if write.area in tensors:
                    tensors[write.area].write(write)

    def stale(
        self, every: list[Line], by_hand: frozenset[int], seen: set[object]
    ) -> Iterator[Problem]:
        """The reads of tensors whose bytes another one has taken since they were written."""
        tensors = self.program.tensors.values()
        taken = Overwritten(t for t in tensors if t.index in by_hand and t.core == self.core)
        for number, line in enumerate(every if taken.sharing else ()):
            form = self.form(line)
            for read in self._reads(line, form):
                for other, at in taken.by(read):
                    place = (line.span, every[at].span)
                    if place not in seen:
                        seen.add(place)
                        yield self._taken(line, read.area, other, every[at])
            for write in _writes(form):
                taken.write(write, number)

    def _reads(self, line: Line, form: Form) -> Iterator[Region]:
        """What a line certainly reads."""
        moved = form.moved
        reads = form.reads
        if moved is not None and moved.reads is not moved.writes:
            reads += moved.reads
        if not reads:
            return
        left = self._left.get(line.instruction)
        if left is None:
            left = self._left[line.instruction] = self._kept(line.instruction)
        kept, picked = left
        for region in reads:
            if region not in kept and region.area not in picked and region not in form.loose:
                yield region

    def _kept(self, number: int) -> tuple[frozenset[Region], frozenset[int]]:
        """What an instruction may leave as it is, and of which tensors a tile picks elements."""
        instruction, region = self.program.instructions[number], self.forms.regions.of
        kept: set[Region] = set()
        read: set[Region] = set()
        picked: set[int] = set()
        keeps = any(operand.access == "rw" for operand in instruction.row.operands)
        for operand, value in zip(instruction.row.operands, instruction.operands, strict=False):
            for view in views(value):
                if view.offsets is not None:
                    picked.add(view.tensor.index)
                elif keeps and not view.dynamic:
                    (kept if operand.access == "rw" else read).add(region(view))
        return frozenset(kept - read), frozenset(picked)

    def _taken(self, line: Line, index: int, other: int, by: Line) -> Problem:
        """The sentence about a read of what was another tensor's by then."""
        names = {t.index: t.name for t in self.program.tensors.values()}
        mine, theirs = names[index], names[other]
        row, engine = self._who(line)
        writer, written_on = self._who(by)
        place = self._span(by)
        wrote = f"{writer} on {written_on} has written {theirs} there"
        notes = () if place is None else (Note(wrote, place, party=True),)
        return Problem(
            TAKEN,
            f"{row} on {engine} reads {mine} after {theirs} was written to the same bytes: both "
            "are placed there by hand",
            self._span(line),
            f"it gets elements of {theirs}: place one of them elsewhere, or read {mine} before "
            f"{theirs} is written",
            notes,
            facts={"tensor": mine, "other": theirs},
        )

    def _who(self, line: Line) -> tuple[str, str]:
        row = self.program.instructions[line.instruction].row
        return row.name, self.program.queues[line.queue].engine

    def _span(self, line: Line) -> Span | None:
        span = self.program.spans[line.span]
        return span and span.within(self.program.chains[line.chain])

    def _problem(self, line: Line, tensor: Tensor, region: Region, missing: int) -> Problem:
        row, engine = self._who(line)
        size = region.size // region.itemsize
        some = "which" if missing == size else f"{missing:,} of {size:,} elements of which"
        return Problem(
            UNINITIALISED,
            f"{row} on {engine} reads {tensor.name}, {some} nothing has written before",
            self._span(line),
            "what it reads is whatever the memory holds there, of this tensor or of one before: "
            "write it first",
            facts={"tensor": tensor.name, "elements": missing},
        )
