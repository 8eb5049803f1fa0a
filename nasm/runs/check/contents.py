"""Which loads of a run without values read the same number, and which element of a tensor that is.

Two loads of the same bytes read the same if nothing wrote these in between; what a transfer copied
is what it copied it from. That holds in every execution of a program in order; of one that is not,
the race is reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nasm.isa.effects import Transfer
from nasm.isa.instruction import Row
from nasm.isa.kinds import Tile
from nasm.isa.list_kinds import views
from nasm.machine.machine import Machine
from nasm.machine.tensor_io import first_values
from nasm.program.program import Instruction
from nasm.runs.check.accesses import Touches
from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region, overlap
from nasm.views.tensor import Tensor
from nasm.views.view import View

LARGE = 1 << 20
"""Elements of a copy from which on it is not looked at which one of them went where."""


class Element(NamedTuple):
    """An element of a tensor as it is before the run, by its number in row-major order."""

    tensor: Tensor
    number: int
    dtype: str


class _Write(NamedTuple):
    """Something was written; a copy has the views that it went into, and that it came from."""

    serial: int
    region: Region
    copied: tuple[View, View] | None


class Contents(Observer):
    """Watches what is written where registers are loaded from, by area."""

    CACHES = ("_initial",)

    def __init__(self, machine: Machine, touches: Touches) -> None:
        self.machine, self.touches = machine, touches
        self.writes: dict[int, list[_Write]] = {area: [] for area in self._areas()}
        self.serial = 0
        self._initial: dict[int, Any] = {}

    def _areas(self) -> set[int]:
        """The areas that registers are loaded from, and those that these are copied from."""
        program, areas = self.machine.program, self.machine.state.areas
        pairs = [
            (areas[dst.tensor.index], areas[src.tensor.index])
            for instruction in program.instructions
            for dst, src in _copied(instruction)
        ]
        loads = (i for i in program.instructions if loads_register(i.row))
        found = {areas[v.tensor.index] for i in loads for o in i.operands for v in views(o)}
        while more := {src for dst, src in pairs if dst in found} - found:
            found |= more
        return found

    # -- events

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction will write."""
        for region in task.work.writes:
            self._write(region, None)

    def issued(self, flight: Flight, now: int) -> None:
        """A transfer will write: copy, if that is all it does."""
        if not any(region.area in self.writes for region in flight.writes):
            return
        copies = list(self.touches.copies(*flight.origin))
        for region in flight.writes:
            of = [pair for pair in copies if self.machine.addresses.region(pair[0]) == region]
            self._write(region, of[0] if len(of) == 1 and not flight.adds else None)

    def _write(self, region: Region, copied: tuple[View, View] | None) -> None:
        known = self.writes.get(region.area)
        if known is not None:
            self.serial += 1
            known.append(_Write(self.serial, region, copied))

    # -- questions

    def of(self, view: View) -> Hashable:
        """What is in a view now: equal for what is certainly the same.

        It is an :class:`Element` if that is known.
        """
        return self._at(view, self.serial + 1)

    def _at(self, view: View, before: int) -> Hashable:
        """The same before something was written."""
        region = self.machine.addresses.region(view)
        for write in reversed(self.writes.get(region.area, ())):
            if write.serial < before and overlap(write.region, region):
                origin = None if write.copied is None else _origin(*write.copied, view)
                if origin is not None:
                    return self._at(origin, write.serial)
                return write.serial, region, view.dtype.name
        return _element(view) or (0, region, view.dtype.name)

    def initial(self, element: Element) -> Any:
        """An element as an array, if the text says what it is and no input replaces it; or None."""
        tensor, areas = element.tensor, self.machine.state.areas
        alone = sum(area == areas[tensor.index] for area in areas.values()) == 1
        if not alone or tensor.role or not isinstance(tensor.init, tuple):
            return None
        if tensor.index not in self._initial:
            large = tensor.bytes * max(1, tensor.partitions) > LARGE
            values = None if large else first_values(tensor, self.machine.program.files)
            self._initial[tensor.index] = values
        held = self._initial[tensor.index]
        return None if held is None else held.reshape(-1)[element.number].reshape(1, 1)

    # -- checkpoints

    def save(self) -> Any:
        """What was written by now."""
        return self.serial, {area: len(known) for area, known in self.writes.items()}

    def restore(self, saved: Any) -> None:
        """As it was."""
        self.serial, counts = saved
        for area, count in counts.items():
            del self.writes[area][count:]


def loads_register(row: Row) -> bool:
    """Whether a row puts what it reads from memory into a register."""
    if row.bounds is None:
        return False
    return any(isinstance(kind, Tile) for operand in row.reads for kind in operand.kinds)


def _copied(instruction: Instruction) -> Iterator[tuple[View, View]]:
    """The tensors between which an instruction may copy."""
    if instruction.row.effect is Transfer:
        every = [view for operand in instruction.operands for view in views(operand)]
        yield from ((dst, src) for dst in every for src in every)


def _positions(view: View) -> np.ndarray[Any, Any]:
    """The partition and the byte of each element, in row-major order: [n, 2]."""
    tensor = view.tensor
    at = np.indices(view.shape).reshape(len(view.shape), -1)
    first = int(view.partitioned)
    rows = np.full(at.shape[1], (tensor.partition or 0) + view.partition)
    if first:
        rows = rows + at[0] * view.steps[0]
    low = (tensor.offset or 0) + view.offset
    steps = np.array(view.steps[first:], np.int64)
    return np.stack([rows, low + view.dtype.itemsize * (steps @ at[first:])], axis=1)


def _found(whole: View, one: View) -> int | None:
    """Which element of a view another view is; None if it is none, or not just one."""
    if one.size != 1 or one.dtype.itemsize != whole.dtype.itemsize or whole.size > LARGE:
        return None
    plain = not (one.dynamic or one.offsets or whole.dynamic or whole.offsets)
    if not plain or whole.tensor.arrangement is not None or one.tensor.arrangement is not None:
        return None
    same = (_positions(whole) == _positions(one)[0]).all(axis=1).nonzero()[0]
    return int(same[0]) if len(same) == 1 else None


def _origin(dst: View, src: View, view: View) -> View | None:
    """The element that was copied to where a view is; None if that is not known."""
    if dst.dtype is not src.dtype or dst.size != src.size or view.dtype is not dst.dtype:
        return None
    number = _found(dst, view)
    if number is None or src.dynamic or src.offsets is not None:
        return None
    at = np.unravel_index(number, src.shape)
    return src.index([slice(int(n), int(n) + 1) for n in at])


def _element(view: View) -> Element | None:
    whole = View.whole(view.tensor)
    if view.tensor.memory.numbered or view.dtype is not view.tensor.dtype:
        return None
    number = _found(whole, view)
    return None if number is None else Element(view.tensor, number, view.dtype.name)
