"""What each instruction of a whole run touches, and what it moves, each kind of it once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from nasm.isa.list_kinds import views
from nasm.order.places import Area, area_of
from nasm.order.run_columns import Numbers, RunColumns
from nasm.program.program import Instruction
from nasm.program.shapes import Shape
from nasm.views.regions import Region
from nasm.views.view import View

Sides = tuple[tuple[Region, ...], tuple[Region, ...]]
"""What something reads, and what it writes."""


class Located(Protocol):
    """Where views are."""

    areas: Mapping[int, int]

    def region(self, view: View) -> Region:
        """The bytes that a view touches."""


class NoNumber(Exception):
    """It is not known what an instruction touches: that has no number."""


class OperandSides(NamedTuple):
    """Which operands a transfer reads, and which it writes."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]


class TouchedColumns:
    """What is touched: ``sides`` by number, which are of ``works``, and of ``transfers``.

    ``works`` has one for each instruction, ``transfers`` for each that was issued. What one reads
    that ``reads_on`` has to stay until it completes. Of transfers that repeat others only those
    regions are known that something writes.
    """

    def __init__(self, run: RunColumns, places: Located) -> None:
        self.run, self.places = run, places
        self.sides: list[Sides] = []
        self._by_shape: dict[tuple[int, Shape], OperandSides | None] = {}
        self._regions: dict[int, Region] = {}
        self._users: list[set[int]] = []
        self.works = self._of_works()
        self.apart = len(self.sides)
        self.transfers = self._of_transfers()

    def _of_works(self) -> Numbers:
        """By instruction what it touches itself."""
        run, known = self.run, dict[int, int]()
        found = np.full(run.size, -1, np.int64)
        late: list[bool] = []
        for queue, works in enumerate(run.watch.executed[0]):
            first, end = run.firsts[queue], run.firsts[queue + 1]
            executed = np.flatnonzero(run.like[first:end] == np.arange(first, end))
            numbers = []
            for at in executed.tolist():
                work = works[at]
                number = known.get(work.number)
                if number is None:
                    if work.number < 0 and (work.reads or work.writes):
                        raise NoNumber
                    number = known[work.number] = len(self.sides)
                    self.sides.append((work.reads, work.writes))
                    self._users.append(set())
                    late.append(work.reads_on)
                numbers.append(number)
            for number in set(numbers):
                self._users[number].add(queue)
            found[first + executed] = numbers
        self.reads_on = np.array(late, bool)
        like: Numbers = found[run.like]
        return like

    def by_queues(self, queues: Collection[int]) -> set[int]:
        """What instructions of some queues touch."""
        return {number for number, users in enumerate(self._users) if not users.isdisjoint(queues)}

    def _of_transfers(self) -> Numbers:
        """By transfer what it touches."""
        run, known = self.run, dict[int, int]()
        of = []
        for flight in run.flights:
            number = known.get(flight.pattern)
            if number is None:
                number = known[flight.pattern] = len(self.sides)
                self.sides.append((flight.reads, flight.writes))
            of.append(number)
        found: Numbers = np.array(of, np.int64)[run.flight]
        instructions = run.instructions[run.issued]
        others = np.flatnonzero(instructions != run.instructions[run.like[run.issued]])
        _, first, back = np.unique(instructions[others], return_index=True, return_inverse=True)
        found[others] = len(self.sides) + back
        self._repeated(run.issued[others[first]])
        return found

    def _repeated(self, issued: Numbers) -> None:
        """What transfers touch that repeat one of another instruction."""
        run, rows = self.run, self.run.sources.program.instructions
        known = self._by_shape
        every: list[tuple[Instruction, OperandSides] | None] = []
        own = zip(
            *(column[issued].tolist() for column in (run.queue, run.index, run.instructions)),
            run.instructions[run.like[issued]].tolist(),
            run.like[issued].tolist(),
            strict=True,
        )
        begin = len(self.sides)
        for queue, index, number, like, executed in own:
            instruction = rows[number]
            shape, sides = instruction.known, None
            if shape is not None and shape is rows[like].known:
                if (queue, shape) not in known:
                    known[queue, shape] = self._operands(rows[like], executed)
                sides = known[queue, shape]
            if sides is None:
                self.sides.append(run.watch.moves(queue, index).both)
                every.append(None)
                continue
            operands = instruction.operands
            writes = tuple([self._region(operands[n]) for n in sides.writes])
            self.sides.append(((), writes))
            every.append((instruction, sides))
        written = {area_of(region) for _, writes in self.sides for region in writes}
        for number, one in enumerate(every, begin):
            if one is not None:
                reads = self._reads(*one, written)
                self.sides[number] = reads, self.sides[number][1]

    def _reads(
        self, instruction: Instruction, sides: OperandSides, written: Collection[Area]
    ) -> tuple[Region, ...]:
        """What a transfer reads of areas that are written."""
        found, areas = [], self.places.areas
        for n in sides.reads:
            view = instruction.operands[n]
            assert isinstance(view, View)
            if areas[view.tensor.index] in written:
                found.append(self._region(view))
        return tuple(found)

    def _region(self, view: object) -> Region:
        found = self._regions.get(id(view))
        if found is None:
            assert isinstance(view, View)
            found = self._regions[id(view)] = self.places.region(view)
        return found

    def _operands(self, instruction: Instruction, executed: int) -> OperandSides | None:
        """Which operands are what a transfer reads and writes; None if they are not just that."""
        flight = self.run.flights[self.run.flight[np.searchsorted(self.run.issued, executed)]]
        places: dict[Region, int] = {}
        for n, operand in enumerate(instruction.operands):
            some = views(operand)
            if not some:
                continue
            if some[0] is not operand or some[0].dynamic or some[0].offsets is not None:
                return None
            region = self.places.region(some[0])
            if region in places:
                return None
            places[region] = n
        both = flight.reads, flight.writes
        sides = [[places.get(region, -1) for region in side] for side in both]
        if -1 in sides[0] or -1 in sides[1]:
            return None
        return OperandSides(tuple(sides[0]), tuple(sides[1]))

    def shared(self) -> set[Area]:
        """The areas that something writes, and that several queues touch, or a transfer does."""
        users: dict[Area, set[int]] = {}
        written, moved = set[Area](), set[Area]()
        for (reads, writes), some in zip(self.sides, self._users, strict=False):
            for region in (*reads, *writes):
                users.setdefault(area_of(region), set()).update(some)
            written.update(map(area_of, writes))
        for reads, writes in self.sides[self.apart :]:
            moved.update(map(area_of, reads))
            written.update(map(area_of, writes))
            moved.update(map(area_of, writes))
        return {one for one in written if one in moved or len(users[one]) > 1}
