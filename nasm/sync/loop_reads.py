"""What a round of a loop reads that it has not written before itself.

A round executes all of its body. A loop inside may have no round: what it writes counts in it
alone. The first round writes what later ones do, so that a body is read once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from nasm.base.records import dataclass, field
from nasm.program.footprint.definite_accesses import definite_accesses
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import reached
from nasm.program.program import Program
from nasm.sync.lines import Line
from nasm.sync.written_bytes import WrittenMarks
from nasm.views.regions import Region, covers
from nasm.views.tensor import Tensor
from nasm.views.view import View


@dataclass(slots=True)
class _Touched:
    """Regions that an instruction reads and certainly writes; ``all_of`` are tensors read whole."""

    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    all_of: tuple[int, ...] = ()


@dataclass(slots=True)
class _Cover:
    """What of a tensor has been written so far in the rounds that continue."""

    tensor: Tensor
    writes: dict[Region, None] = field(default_factory=dict)
    marks: WrittenMarks | None = None


class Covering:
    """What has been written in the rounds of the loops that are open.

    Each tensor has bytes of its own here. It is asked of the tensors of limited memories that
    belong to one core, of no other.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.regions = Regions({t.index: t.index for t in program.tensors.values()})
        self._covers = {
            t.index: _Cover(t)
            for t in program.tensors.values()
            if t.memory.size and not t.memory.shared
        }
        self._known: dict[int, _Touched] = {}
        self._order: list[_Cover] = []

    def enter(self) -> int:
        """A loop begins; returns what has to be passed back at its end."""
        return len(self._order)

    def leave(self, written: int) -> None:
        """A loop ends: whether it had any round is not known."""
        for cover in self._order[written:]:
            cover.writes.popitem()
            cover.marks = None
        del self._order[written:]

    def uncovered(self, line: Line) -> Iterator[int]:
        """The tensors of which a line reads what is not written; then it writes."""
        touched = self._touched(line)
        yield from touched.all_of
        for region in touched.reads:
            if not self._covered(self._covers[region.area], region):
                yield region.area
        for region in touched.writes:
            cover = self._covers[region.area]
            if region not in cover.writes:
                cover.writes[region] = None
                self._order.append(cover)
                if cover.marks is not None:
                    cover.marks.write(region)

    def _touched(self, line: Line) -> _Touched:
        found = self._known.get(line.instruction)
        if found is None:
            instruction = self.program.instructions[line.instruction]
            engine = self.program.queues[line.queue].engine
            reads, writes, beyond = definite_accesses(instruction, engine, self.program.generation)
            found = self._known[line.instruction] = _Touched(
                tuple(reached(self.regions, view) for view in self._own(reads)),
                tuple(r for r in map(self.regions.of, self._own(writes)) if self._within(r)),
                tuple(view.tensor.index for view in self._own(beyond)),
            )
        return found

    def _own(self, views: tuple[View, ...]) -> Iterator[View]:
        return (view for view in views if view.tensor.index in self._covers)

    def _within(self, region: Region) -> bool:
        """Whether a region is a part of its tensor."""
        return covers(self._whole(self._covers[region.area]), region)

    def _whole(self, cover: _Cover) -> Region:
        return self.regions.of(View.whole(cover.tensor))

    def _covered(self, cover: _Cover, region: Region) -> bool:
        """Whether every byte of a region has been written."""
        if region in cover.writes or any(covers(one, region) for one in cover.writes):
            return True
        if len(cover.writes) < 2 or not self._within(region):
            return False
        if cover.marks is None:
            cover.marks = WrittenMarks(cover.tensor, partial(self._whole, cover))
            for one in cover.writes:
                cover.marks.write(one)
        return not cover.marks.missing(region)
