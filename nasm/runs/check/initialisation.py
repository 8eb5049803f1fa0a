"""What a program has written when, without values: reads of what nothing wrote by then.

A place counts as written when the instruction or the transfer that writes it starts. In a program
whose order is proved that is what a run with values finds; where it is not, the race is reported.
What may be written in part counts as written. Memory that is addressed by number, which cores read
and write by addresses of their own, is not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from nasm.analysis.outputs import unwritten_output
from nasm.base.problems import Problem
from nasm.isa.effects import Transfer
from nasm.isa.list_kinds import views
from nasm.machine.machine import Machine
from nasm.machine.outlines import entry_tiles
from nasm.machine.state import added_to
from nasm.program.footprint.traits import here
from nasm.sim.channels import Flight
from nasm.sim.counters import Who
from nasm.sim.events import Observer
from nasm.sim.memory import Mask
from nasm.sim.queues import Queue, Task, Work
from nasm.sync.written_bytes import ByteMarks, WrittenMarks
from nasm.views.regions import Region
from nasm.views.tensor import Tensor
from nasm.views.view import View

MOST = 1 << 30
"""Bytes from which on tensors that share bytes count as written: a mark takes a byte."""


class Initialisation(Observer):
    """Watches what is written, and reports to the machine's findings what was read before.

    ``areas`` says what was written, by the number of the bytes that tensors share. It is reported,
    too, if an instruction adds to what another kind of instruction wrote last. ``beyond`` are
    tensors that are too large to be looked at. ``vague`` is as of a
    :class:`~nasm.order.observer.Watch`: what may be read is not reported unless nothing of it was
    written. What ``optional`` instructions write is ignored.
    """

    CACHES = ("optional", "vague")

    def __init__(self, machine: Machine) -> None:
        self.machine, self.program = machine, machine.program
        self.beyond: list[str] = []
        self.areas = dict(self._areas())
        number = machine.state.areas
        added = added_to(self.program.generation, self.program.instructions)
        self.last = {number[tensor.index]: LastWriters() for tensor in added}
        self._settled: set[Work] = set()
        self._moved: set[int] = set()
        self.vague: Mapping[int, Collection[Region]] = {}
        self.optional: Collection[Who] = ()

    def _areas(self) -> Iterator[tuple[int, WrittenMarks]]:
        """What of each area is written before the run."""
        region, areas = self.machine.addresses.region, self.machine.state.areas
        groups: dict[int, list[Tensor]] = {}
        for tensor in self.program.tensors.values():
            if not tensor.memory.numbered:
                groups.setdefault(areas[tensor.index], []).append(tensor)
        for area, tensors in groups.items():
            whole = tuple(region(View.whole(tensor)) for tensor in tensors)
            marks = WrittenMarks(tensors[0], partial(_span, whole))
            span, large = _span(whole), _span(whole).size > MOST
            marks.all = large
            for tensor, bytes_of in zip(tensors, whole, strict=True):
                if tensor.init is not None or tensor.role in ("input", "inout"):
                    marks.write(span if len(tensors) == 1 else bytes_of)
                elif large:
                    self.beyond.append(tensor.name)
            yield area, marks

    # -- events

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction reads its operands; what it will have written is marked."""
        work = task.work
        if work in self._settled:
            return
        who = queue.index, queue.pc
        row = self.program.instruction(*who).row
        if row.effect is not Transfer and self._touch(
            who, work.reads, work.writes, _adds(self.program, who), self._vague(work.number, who)
        ):
            self._settled.add(work)

    def issued(self, flight: Flight, now: int) -> None:
        """A transfer will read and write."""
        if flight.pattern not in self._moved and self._touch(
            flight.origin,
            flight.reads,
            flight.writes,
            flight.adds,
            self._vague(flight.pattern, flight.origin),
        ):
            self._moved.add(flight.pattern)

    def _vague(self, number: int, who: Who) -> Collection[Region]:
        """What of something that has a number is touched in part; of a tile some entries are."""
        vague = self.vague.get(number)
        if vague is None:
            return ()
        tiles = entry_tiles(self.program.instruction(*who).operands)
        return {*vague, *map(self.machine.addresses.region, tiles)}

    def _touch(
        self,
        who: Who,
        reads: tuple[Region, ...],
        writes: tuple[Region, ...],
        adds: bool,
        vague: Collection[Region],
    ) -> bool:
        """Judge what something touches; whether nothing can come of it when it does so again."""
        settled = True
        for region, adding in (*((r, False) for r in reads), *((w, True) for w in writes if adds)):
            marks = self.areas.get(region.area)
            if marks is not None and not marks.all:
                settled = False
                self._read(who, marks, region, adding, region in vague)
        for region in writes:
            marks = self.areas.get(region.area)
            if marks is not None and not marks.all and who not in self.optional:
                marks.write(region)
            last = self.last.get(region.area)
            if last is not None and region not in vague:
                settled = self._written(who, last, region, adds) and settled
        return settled

    def _read(
        self, who: Who, marks: WrittenMarks, region: Region, adding: bool, vague: bool
    ) -> None:
        missing = marks.unwritten(region)
        if missing is None or (vague and not missing.all()):
            return
        view, exact = self._view(who, region, marks.tensor)
        count = int(np.count_nonzero(missing))
        if exact and missing.size == view.size:
            shaped = missing.reshape(view.shape)
            self.machine.findings.uninitialised(view, lambda: shaped, adding, who)
        else:
            self.machine.findings.uninitialised(view, min(count, view.size), adding, who)

    def _written(self, who: Who, last: LastWriters, region: Region, adds: bool) -> bool:
        """Something writes where others accumulate; whether it matters only this once."""
        row = self.program.instruction(*who).row
        if row.moves:
            return True
        if adds:
            if not last.accumulable(region):
                view, _ = self._view(who, region, self.areas[region.area].tensor)
                self.machine.findings.not_accumulable(view)
        elif last.note(region, self._span(region), any(o.adds for o in row.writes)):
            self._settled.clear()
        return last.marks is None

    def _span(self, region: Region) -> Region:
        return self.areas[region.area].whole

    # -- names

    def _view(self, who: Who, region: Region, tensor: Tensor) -> tuple[View, bool]:
        """The view of an instruction that has some bytes, and whether they are just these."""
        areas, near = self.machine.state.areas, View.whole(tensor)
        for view in self._views(who):
            if view.dynamic or view.offsets is not None:
                near = view if areas[view.tensor.index] == region.area else near
            elif self.machine.addresses.region(view) == region:
                return view, True
        return near, False

    def _views(self, who: Who) -> Iterator[View]:
        """The views that an instruction names, and those that it touches in their place."""
        instruction = self.program.instruction(*who)
        context = self.machine.shape(*who).context
        for operand, value in zip(instruction.row.operands, instruction.operands, strict=False):
            if operand.footprint is not None:
                yield from operand.footprint(here(context, instruction.operands))
            yield from views(value)

    # -- the end

    def outputs(self) -> Iterator[Problem]:
        """A problem for each output that a run, which has finished, did not write as a whole."""
        for tensor in self.program.tensors.values():
            marks = self.areas.get(self.machine.state.areas[tensor.index])
            if tensor.role not in ("output", "inout") or marks is None:
                continue
            view = View.whole(tensor)
            missing = marks.unwritten(self.machine.addresses.region(view))
            if missing is not None:
                shaped = missing.size == view.size
                mask: Mask = missing.reshape(view.shape) if shaped else np.ones(view.shape, bool)
                yield unwritten_output(self.machine, tensor, mask)

    # -- checkpoints

    def save(self) -> Any:
        """What was written by now."""
        areas = {area: marks.copy() for area, marks in self.areas.items()}
        return areas, {area: last.copy() for area, last in self.last.items()}

    def restore(self, saved: Any) -> None:
        """As it was."""
        areas, last = saved
        self.areas = {area: marks.copy() for area, marks in areas.items()}
        self.last = {area: one.copy() for area, one in last.items()}
        self._settled.clear()
        self._moved.clear()


class LastWriters:
    """Of bytes onto which instructions accumulate, which were last written by another kind."""

    def __init__(self) -> None:
        self.marks: ByteMarks | None = None

    def note(self, region: Region, whole: Region, accumulable: bool) -> bool:
        """Remember a write; whether it is the first onto which nothing may accumulate."""
        first = self.marks is None
        if first and accumulable:
            return False
        if self.marks is None:
            self.marks = ByteMarks(whole)
        cells = self.marks.cells(region)
        if cells is not None:
            cells[...] = not accumulable
        return first

    def accumulable(self, region: Region) -> bool:
        """Whether instructions may accumulate onto all of some bytes."""
        cells = None if self.marks is None else self.marks.cells(region)
        return cells is None or not cells.any()

    def copy(self) -> LastWriters:
        """The same once more."""
        other = LastWriters()
        other.marks = None if self.marks is None else self.marks.copy()
        return other


def _adds(program: Any, who: Who) -> bool:
    """Whether an instruction adds to what it writes."""
    instruction = program.instruction(*who)
    return any(o.adds and instruction.operand(o.adds) for o in instruction.row.writes)


def _span(regions: tuple[Region, ...]) -> Region:
    """All rows and bytes from the first of some regions to the last."""
    if len(regions) == 1:
        return regions[0]
    rows = [(first, first + count) for first, count, _ in (region.rows for region in regions)]
    top, low = min(first for first, _ in rows), min(region.low for region in regions)
    count = max(last for _, last in rows) - top
    size = max(region.high for region in regions) - low
    return Region(
        regions[0].place, (top, count, 1), low, low + size, low, ((1, size),), 1, (),
        regions[0].area,
    )  # fmt: skip
