"""What a change to what a core holds was made of: the instruction is executed again to find out.

An instruction reaches parts of a core, and memory by address, without operands that name them. So
elements of register files and of tensors get other values just before it starts, and where the
change comes out differently something of them was a source. Bisecting finds which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Array
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.debugger.changing.changes import write
from nasm.debugger.moving.part_stops import State, changes
from nasm.debugger.origins.dependence import Axes, merged
from nasm.isa.core_state import Part
from nasm.runs.execution import Execution
from nasm.views.view import View

TRIES = 3
"""Other values that elements get, one after the other."""

MORE = 6
"""Other values in addition that those get which are among elements that matter."""

FEW = 512
"""Elements among which it is worth a try."""

Replace = Callable[[Array, int], None]
"""Gives some elements, by number, other values: those of a try. Nothing waits for it."""


@dataclass(frozen=True, slots=True)
class PartBox:
    """Elements of a part, of an item of one, or of a tensor, by its name; ``str`` has them all."""

    name: str
    axes: Axes

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(_axis, self.axes))}]" if self.axes else self.name

    def some(self, numbers: Array) -> list[PartBox]:
        """Some of its elements, by number, as few boxes."""
        at = np.unravel_index(numbers, tuple(map(len, self.axes))) if self.axes else ()
        every = [np.array(axis)[i].tolist() for axis, i in zip(self.axes, at, strict=True)]
        found = merged([tuple(range(i, i + 1) for i in one) for one in zip(*every, strict=True)])
        return [PartBox(self.name, axes) for axes in found]


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """A register file, or a tensor, as it was before an instruction: what may have been read.

    ``known`` are the elements that are, by number; ``items`` are names of its items, if it has any.
    """

    box: PartBox
    known: Array
    replace: Replace
    items: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return tuple(map(len, self.box.axes))

    def some(self, numbers: Array) -> Iterator[PartBox]:
        """Some of its elements, by number; those of different items apart."""
        if not self.items:
            yield from self.box.some(numbers)
            return
        size = math.prod(self.shape[1:])
        for n in np.unique(numbers // size).tolist():
            item = PartBox(self.items[n], self.box.axes[1:])
            yield from item.some(numbers[numbers // size == n] % size)


def readable(running: Execution, core: int) -> Iterator[Readable]:
    """All that an instruction of a core may have computed with, as it is now."""
    for part in running.program.held_parts:
        if part.data:
            yield _registers(running, part, core)
    for tensor in running.program.tensors.values():
        if tensor.memory.numbered:
            yield _tensor(running, View.whole(tensor))


def _registers(running: Execution, part: Part, core: int) -> Readable:
    seen, put, of = part.read(running.machine.holds[core]), part.put, f"@{core}." if core else ""
    held = np.asarray(seen.array)
    dtype = dtypes.find(seen.stored) if seen.stored else None
    other = cache(partial(_other, held if dtype is None else held.astype(dtype.numpy)))
    known = np.ones(held.shape, np.bool_) if seen.known is None else seen.known

    def replace(numbers: Array, n: int) -> None:
        which = np.zeros(held.shape, np.bool_)
        which.reshape(-1)[numbers] = True
        assert put is not None
        put(running.machine.holds[core], other(n), which)

    items = tuple(of + item for item in part.items)
    return Readable(PartBox(of + part.name, _axes(held)), np.flatnonzero(known), replace, items)


def _tensor(running: Execution, view: View) -> Readable:
    access = running.machine.addresses.access
    held = access(view).elements.copy()
    other = cache(partial(_other, held))

    def replace(numbers: Array, n: int) -> None:
        values = held.copy()
        values.reshape(-1)[numbers] = other(n).reshape(-1)[numbers]
        write(access(view), values)

    return Readable(PartBox(view.tensor.name, _axes(held)), np.arange(held.size), replace)


def _axes(array: Array) -> Axes:
    return tuple(map(range, array.shape))


def _other(held: Array, n: int) -> Array:
    """Other values in place of some: of another size and sign, and with other bits."""
    rng = np.random.default_rng(n)
    if held.dtype == np.bool_:
        return ~held
    if held.dtype.kind in "iu":
        return np.asarray(held ^ rng.integers(1, 128, held.shape).astype(held.dtype))
    sizes = rng.uniform(1.5, 3.0, held.shape) * 8.0 ** (n % 3)
    signs = rng.choice((-1, 1), held.shape)
    with np.errstate(all="ignore"):
        finite = np.nan_to_num(held.astype(np.float64), nan=1, posinf=1, neginf=1)
        return np.asarray(finite * sizes + signs * sizes).astype(held.dtype)


class PartReads:
    """Finds what a change was made of; the run is just before the instruction that makes it.

    ``value`` is what changes, ``end`` the number of the event after which it has.
    """

    def __init__(self, running: Execution, core: int, value: Callable[[], State], end: int) -> None:
        self.running, self.core, self.value = running, core, value
        self.events = end - running.machine.scheduler.position

    def sources(self) -> list[PartBox]:
        """What mattered: ``srca[0, 0:16, 3]``."""
        running = self.running
        everything = list(readable(running, self.core))
        self.start = running.checkpoint(pinned=False)
        try:
            self.now = self._outcome()
            return [box for one in everything for box in one.some(self._of(one))]
        finally:
            running.back_to(self.start)
            running.discard(self.start)

    def _of(self, one: Readable) -> Array:
        """Which elements mattered, by number."""
        found = np.zeros(0, np.int64)
        left = np.array(self._replaceable(one, one.known), np.int64)
        for n in range(TRIES + MORE):
            if n == TRIES:
                left = np.intersect1d(left, _around(found, one.shape))
            if len(left):
                found = np.union1d(found, np.array(self._mattering(one, n, left), np.int64))
                left = np.setdiff1d(left, found)
        return found

    def _replaceable(self, one: Readable, numbers: Array) -> list[int]:
        """Which elements can get other values: some registers are constants."""
        try:
            one.replace(numbers, 0)
        except Refused:
            half = len(numbers) // 2
            halves = (numbers[:half], numbers[half:]) if half else ()
            return [i for part in halves for i in self._replaceable(one, part)]
        return [int(i) for i in numbers]

    def _mattering(self, one: Readable, n: int, numbers: Array) -> list[int]:
        """Which of some elements matter if they get other values."""
        if not self._differs(one, n, numbers):
            return []
        if len(numbers) == 1:
            return [int(numbers[0])]
        half = len(numbers) // 2
        halves = numbers[:half], numbers[half:]
        return [i for part in halves for i in self._mattering(one, n, part)]

    def _differs(self, one: Readable, n: int, numbers: Array) -> bool:
        if self.running.asked:
            raise Failure(Problem("E0822", "halted: what was looked for is not known", None))
        self.running.back_to(self.start)
        try:
            one.replace(numbers, n)
            outcome = self._outcome()
        except (Refused, Failure):  # what no instruction takes
            return len(numbers) > 1
        return changes(self.now, outcome)[0] > 0

    def _outcome(self) -> State:
        """What changes, after the instruction; raises Refused or Failure."""
        self.running.machine.scheduler.run(self.events)
        return self.value()


def _around(numbers: Array, shape: tuple[int, ...]) -> Array:
    """The elements of the box that some are in, if these are few."""
    if not len(numbers):
        return numbers
    axes = [np.arange(at.min(), at.max() + 1) for at in np.unravel_index(numbers, shape)]
    if np.prod([len(axis) for axis in axes]) > FEW:
        return numbers
    return np.ravel_multi_index(np.ix_(*axes), shape).reshape(-1)


def _axis(axis: range) -> str:
    if len(axis) == 1:
        return str(axis[0])
    step = f":{axis.step}" if axis.step > 1 else ""
    return f"{axis[0]}:{axis[-1] + 1}{step}"
