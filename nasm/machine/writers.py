"""Which instructions of a program write some bytes: by the bytes, not by the name of a tensor.

Tensors may share bytes, and one may be written in parts; a hazard names those who write what it is
about.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from nasm.base.records import dataclass, field
from nasm.isa import effects
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.instruction import InstructionContext
from nasm.isa.list_kinds import views
from nasm.program.program import Instruction, Program
from nasm.program.ranks import exchanged
from nasm.sim.counters import Who
from nasm.sim.memory import Mask
from nasm.views.regions import Region, intersect
from nasm.views.tensor import Tensor
from nasm.views.view import View

MOST = 65_536
"""Elements of a view that are reported one by one: of more missing ones, the first."""


def written(instruction: Instruction) -> list[View]:
    """What an instruction writes; of a transfer or an exchange, its destinations."""
    row = instruction.row
    if row.effect is effects.RankExchange:
        return list(exchanged(instruction)[1])
    found = [instruction.operand(o.name) for o in row.writes]
    if row.moves or row.effect is effects.Rendezvous:
        named = [view for operand in instruction.operands for view in views(operand)]
        found += named[:1] if len(named) > 1 else []  # a barrier, which names one, writes nothing
        found += [
            d for p in instruction.operands if isinstance(p, DeclaredTransfer) for d, _ in p.moves
        ]
    return [v for v in found if isinstance(v, View)]


def read(instruction: Instruction) -> list[View]:
    """What an instruction reads; of a transfer or an exchange, its sources.

    Tiles of entries that address a view are among it, and what a result is added to.
    """
    row = instruction.row
    found: list[View] = []
    if row.effect is effects.RankExchange:
        return list(exchanged(instruction)[0])
    for operand, value in zip(row.operands, instruction.operands, strict=True):
        adds = operand.adds and instruction.operand(operand.adds)
        if operand.access in ("r", "rw") or adds:
            found += views(value)
    if row.moves or row.effect is effects.Rendezvous:
        named = [view for operand in instruction.operands for view in views(operand)]
        found += named[1:]
        found += [
            s for p in instruction.operands if isinstance(p, DeclaredTransfer) for _, s in p.moves
        ]
    addressed = [view for operand in instruction.operands for view in views(operand)]
    return found + [view.offsets.tile for view in addressed if view.offsets is not None]


@dataclass(slots=True)
class _Places:
    """Where instructions write in an area: the number, the first byte and the end of each region.

    Those below ``seen`` were looked at.
    """

    seen: int = 0
    columns: array[int] = field(default_factory=lambda: array("q"))


class Writers:
    """The instructions of a program by the bytes they write.

    What a register or a tile addresses may be anywhere in its tensor. ``region`` says which bytes a
    view touches.
    """

    CACHES = ("_areas", "_places", "_regions")

    def __init__(self, program: Program, region: Callable[[View], Region]) -> None:
        self.program, self.region = program, region
        self._areas: dict[int, int] = {}
        self._regions: dict[int, tuple[Region, ...]] = {}
        self._places: dict[int, _Places] = {}

    def of(self, regions: Sequence[Region]) -> Iterator[Who]:
        """Those that write any of some bytes, queue by queue, in order; one for each line."""
        touched = tuple(regions)
        known: dict[int, bool] = {}
        likely = self._likely(touched)
        for queue, lines in enumerate(self.program.queues):
            seen: set[int] = set()
            numbers = np.array(lines.instructions, np.intp)
            for pc in likely[numbers].nonzero()[0].tolist():
                line, number = lines.spans[pc] or -1 - pc, int(numbers[pc])
                if line in seen:
                    continue
                found = known.get(number)
                if found is None:
                    found = known[number] = intersect(self._written(number), touched)
                if found:
                    seen.add(line)
                    yield queue, pc

    def numbers(self, regions: Sequence[Region]) -> set[int]:
        """The instructions, by number, that write any of some bytes."""
        touched = tuple(regions)
        likely = self._likely(touched).nonzero()[0].tolist()
        return {number for number in likely if intersect(self._written(number), touched)}

    def _likely(self, touched: tuple[Region, ...]) -> Mask:
        """Which instructions write between the first and the last byte of some access."""
        found = np.zeros(len(self.program.instructions), np.bool_)
        for area in {region.area for region in touched}:
            places = self._places.setdefault(area, _Places())
            self._extend(area, places)
            numbers, low, high = np.frombuffer(places.columns, np.int64).reshape(-1, 3).T
            for region in touched:
                if region.area == area:
                    found[numbers[(low < region.high) & (high > region.low)]] = True
        return found

    def _extend(self, area: int, places: _Places) -> None:
        """Enter the instructions that were added since, those that write something of an area."""
        instructions = self.program.instructions
        for number in range(places.seen, len(instructions)):
            if any(self._area(view.tensor) == area for view in written(instructions[number])):
                for region in self._written(number):
                    if region.area == area:
                        places.columns.extend((number, region.low, region.high))
        places.seen = len(instructions)

    def _written(self, number: int) -> tuple[Region, ...]:
        """The bytes that an instruction writes."""
        regions = self._regions.get(number)
        if regions is None:
            regions = tuple(map(self._region, self._footprint(number)))
            self._regions[number] = regions
        return regions

    def _area(self, tensor: Tensor) -> int:
        found = self._areas.get(tensor.index)
        if found is None:
            found = self._areas[tensor.index] = self.region(View.whole(tensor)).area
        return found

    def _region(self, view: View) -> Region:
        """The bytes that a view may touch."""
        exact = not view.dynamic and view.offsets is None
        return self.region(view if exact else View.whole(view.tensor))

    def _footprint(self, number: int) -> Iterator[View]:
        """The views that an instruction really writes."""
        instruction = self.program.instructions[number]
        row, operands = instruction.row, instruction.operands
        for view in written(instruction):
            operand = next((o for o in row.writes if instruction.operand(o.name) is view), None)
            if operand is None or operand.footprint is None or view.dynamic:
                yield view
            else:
                generation = self.program.generation
                yield from operand.footprint(
                    InstructionContext.of(row, operands, row.engines[0], generation)
                )


def part(region: Region, chosen: Mask, view: View) -> tuple[Region, ...]:
    """The bytes of some elements of a view, whose region this is: of many, those of the first.

    ``chosen`` says which, in the shape of the view.
    """
    if chosen.all() or view.tensor.arrangement is not None:
        return (region,)
    places = np.argwhere(chosen)[:MOST]
    rows, free = np.zeros(len(places), np.int64), places
    if view.partitioned:
        rows, free = places[:, 0], places[:, 1:]
    strides = np.asarray(view.steps[int(view.partitioned) :], np.int64) * region.itemsize
    at, (first, _, step) = region.start + free @ strides, region.rows
    each = (
        (row, _runs(sorted(low for _, low in group), region.itemsize))
        for row, group in groupby(zip(rows.tolist(), at.tolist(), strict=True), key=itemgetter(0))
    )
    found = []
    for runs, together in groupby(each, key=itemgetter(1)):
        alike = [row for row, _ in together]
        for row, count in _stretches(alike):
            lines = (first + row * step, count, step if count > 1 else 1)
            found.append(region._replace(rows=lines, low=runs[0][0], high=runs[-1][1], runs=runs))
    return tuple(found)


def _stretches(rows: list[int]) -> Iterator[tuple[int, int]]:
    """Rows that ascend, as (the first, how many) of those that follow one another."""
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        stretch = [row for _, row in group]
        yield stretch[0], len(stretch)


def _runs(lows: list[int], size: int) -> tuple[tuple[int, int], ...]:
    """Elements that begin at some bytes, as runs of bytes."""
    runs: list[tuple[int, int]] = []
    for low in lows:
        if runs and low <= runs[-1][1]:
            runs[-1] = (runs[-1][0], low + size)
        else:
            runs.append((low, low + size))
    return tuple(runs)
