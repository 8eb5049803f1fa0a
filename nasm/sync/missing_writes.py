"""Reads, in the order of lines, of what was never written or was taken by another tensor.

Tiles take the bytes of tiles that are over, so that a run cannot tell: what it reads there has been
written, for another tensor. Here each tensor has bytes of its own. What may be written in part, or
is addressed at run time, is taken to be written as far as it reaches, and is not read.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache, partial

from nasm.base.problems import Note, Problem
from nasm.base.source import Span
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import views
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import located
from nasm.program.footprint.touched_views import InstructionViews, TouchedViews
from nasm.program.program import Instruction, Program
from nasm.program.shapes import Shape
from nasm.sync.lines import Line, lines
from nasm.sync.lines import Sequence as Sequential
from nasm.sync.reused_bytes import Overwritten
from nasm.sync.written_bytes import WrittenMarks
from nasm.views.regions import Region
from nasm.views.tensor import Tensor
from nasm.views.view import View

UNINITIALISED, TAKEN = "E0501", "E0523"


def chosen(program: Program) -> frozenset[int]:
    """The tensors whose places are chosen by hand, asked before the others are placed."""
    return frozenset(t.index for t in program.tensors.values() if t.fixed)


def unwritten(
    program: Program,
    sequence: Sequential,
    by_hand: frozenset[int],
    touched: TouchedViews | None = None,
) -> list[Problem]:
    """The reads of elements that no line before has written, or that are another's by then.

    Each place is reported once. ``by_hand`` are the tensors that may share bytes while they live.
    """
    touched = touched or TouchedViews(program.generation)
    walks = [_Walk(program, core, touched) for core in range(len(sequence.cores))]
    tensors = {tensor.index for tensor in program.tensors.values()}
    found: list[Problem] = []
    seen: set[object] = set()
    for walk, items in zip(walks, sequence.cores, strict=True):
        every = list(lines(items))
        others = {
            view.tensor.index
            for other, theirs in zip(walks, sequence.cores, strict=True)
            if other is not walk
            for line in lines(theirs)
            for view in other.touches(line).all_writes
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
    touched = TouchedViews(program.generation)
    walks = [_Walk(program, core, touched) for core in range(program.cores)]
    queues = [
        [Line(n, *line) for line in zip(q.instructions, q.spans, q.chains, strict=True)]
        for n, q in enumerate(program.queues)
    ]
    found: list[Problem] = []
    seen: set[object] = set()
    blocked = {tensor.index for tensor in program.tensors.values() if tensor.block}
    for number, queue in enumerate(program.queues):
        walk = walks[queue.core]
        tensors = walk.marks(blocked)
        for other in range(len(queues)):
            for line in queues[other] if other != number else ():
                for view in walks[program.queues[other].core].touches(line).all_writes:
                    if view.tensor.index in tensors:
                        tensors[view.tensor.index].write(walk.region(view))
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


@cache
def _keeps(row: Row) -> bool:
    """Whether a row may leave some of an operand as it is."""
    return any(operand.access == "rw" for operand in row.operands)


def _plain(instruction: Instruction, touched: InstructionViews) -> bool:
    """Whether an instruction leaves nothing as it is, and no register or tile addresses a view."""
    if _keeps(instruction.row):
        return False
    named = (view for operand in instruction.operands for view in views(operand))
    every = (*named, *_with_moved(touched))
    return not any(view.dynamic or view.offsets is not None for view in every)


def _with_moved(touched: InstructionViews) -> tuple[View, ...]:
    """What an instruction reads, by whatever means."""
    moved = touched.moved
    if moved is None or moved.reads is moved.writes:
        return touched.reads
    return (*touched.reads, *moved.reads)


class _Walk:
    """Goes through the lines of one core."""

    def __init__(self, program: Program, core: int, touched: TouchedViews) -> None:
        self.program, self.core, self.touched = program, core, touched
        self.regions = Regions({t.index: t.index for t in program.tensors.values()})
        self._known: dict[int, InstructionViews] = {}
        self._plain: dict[Shape, bool] = {}

    def touches(self, line: Line) -> InstructionViews:
        """What a line touches, or may touch."""
        found = self._known.get(line.instruction)
        if found is None:
            engine = self.program.queues[line.queue].engine
            instruction = self.program.instructions[line.instruction]
            found = self.touched.of(instruction, engine, self.core)
            self._known[line.instruction] = found
        return found

    def _reads(self, line: Line) -> Sequence[View]:
        """What a line certainly reads."""
        touched, instruction = self.touches(line), self.program.instructions[line.instruction]
        shape = instruction.shape(self.program.queues[line.queue].engine, self.program.generation)
        plain = self._plain.get(shape)
        if plain is None:
            plain = self._plain[shape] = _plain(instruction, touched)
        return _with_moved(touched) if plain else self._certainly(instruction, touched)

    def region(self, view: View) -> Region:
        """The bytes that a view may touch, each tensor having bytes of its own."""
        return located(self.regions, view)

    def marks(self, of: Container[int]) -> dict[int, WrittenMarks]:
        """What of some of the tensors has been written so far: nothing."""
        return {
            t.index: WrittenMarks(t, partial(self.region, View.whole(t)))
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
            touched = self.touches(line)
            asked = number not in skipped and self._open(_with_moved(touched), tensors)
            for view in self._reads(line) if asked else ():
                written = tensors.get(view.tensor.index)
                if written is None or written.all:
                    continue
                if (place := (line.span, written.declared)) in seen:
                    continue
                read = self.region(view)
                if missing := written.missing(read):
                    seen.add(place)
                    yield self._problem(line, written.tensor, read, missing)
            for view in touched.all_writes:
                written = tensors.get(view.tensor.index)
                if written is not None and not written.all:
                    self._write(written, view)

    @staticmethod
    def _open(views: Sequence[View], tensors: Mapping[int, WrittenMarks]) -> bool:
        """Whether any of some views is of a tensor of which not all is known to be written."""
        for view in views:
            written = tensors.get(view.tensor.index)
            if written is not None and not written.all:
                return True
        return False

    def _write(self, written: WrittenMarks, view: View) -> None:
        if view.is_whole:
            written.all = True
        else:
            written.write(self.region(view))

    def stale(
        self, every: list[Line], by_hand: frozenset[int], seen: set[object]
    ) -> Iterator[Problem]:
        """The reads of tensors whose bytes another one has taken since they were written."""
        tensors, region = self.program.tensors.values(), self.touched.region
        taken = Overwritten(t for t in tensors if t.index in by_hand and t.core == self.core)
        sharing = taken.sharing
        for number, line in enumerate(every if sharing else ()):
            for view in self._reads(line):
                index = view.tensor.index
                for other, at in taken.by(index, region(view)) if index in sharing else ():
                    place = (line.span, every[at].span)
                    if place not in seen:
                        seen.add(place)
                        yield self._taken(line, index, other, every[at])
            for view in self.touches(line).all_writes:
                if view.tensor.index in sharing:
                    taken.write(view.tensor.index, region(view), number)

    def _certainly(self, instruction: Instruction, touched: InstructionViews) -> list[View]:
        """What is read; nothing that may be left as it is, or of which a tile picks elements."""
        reads = _with_moved(touched)
        kept: set[Region] = set()
        picked: set[int] = set()
        operands = instruction.operands
        if _keeps(instruction.row) or any(
            v.offsets is not None for o in operands for v in views(o)
        ):
            kept, picked = self._left(instruction)
        return [
            view
            for view in reads
            if not (view.dynamic or view.tensor.index in picked)
            and not (kept and self.region(view) in kept)
        ]

    def _left(self, instruction: Instruction) -> tuple[set[Region], set[int]]:
        """What an instruction may leave as it is, and of which tensors a tile picks elements."""
        kept: set[Region] = set()
        other: set[Region] = set()
        picked: set[int] = set()
        for operand, value in zip(instruction.row.operands, instruction.operands, strict=False):
            for view in views(value):
                if view.offsets is not None:
                    picked.add(view.tensor.index)
                elif not view.dynamic:
                    (kept if operand.access == "rw" else other).add(self.region(view))
        return kept - other, picked

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
