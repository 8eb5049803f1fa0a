"""What engines hold for later instructions, without values: used before it is there, or unfit.

What an instruction leaves in its engine, and whether the next one may use it, follows from shapes
and immediates. So the semantics of each are asked with zeros in the place of elements: once for
each state of the engine that they meet in a shape. What they refuse for the sake of elements alone
is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np

from nasm.base.dtypes import DType
from nasm.base.problems import Problem, Refused
from nasm.isa.implicit_kinds import EngineValue
from nasm.machine.addresses import Addresses
from nasm.machine.kernels import Recipes
from nasm.machine.machine import Machine
from nasm.machine.operands import Operands
from nasm.machine.state import EngineState
from nasm.program.footprint.traits import addressed
from nasm.program.shapes import Shape
from nasm.sim.events import Observer
from nasm.sim.memory import Array
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region
from nasm.views.view import View

JUDGED = frozenset({"E0404", "E0405", "E0503", "E0507"})
"""Codes of what semantics refuse for the sake of shapes, dtypes and modes."""


class EngineValues(Observer):
    """Follows what the engines hold, and says what does not fit.

    ``states`` are the values that an engine may hold, by their number; 0 is what it starts with.
    What follows when some instruction of a shape is executed in one of them is found once. It is
    not ``steady`` if an ``optional`` instruction left its engine in another state.
    """

    CACHES = ("optional", "steady")

    def __init__(self, machine: Machine) -> None:
        self.machine, self.program = machine, machine.program
        self.now = [0] * len(self.program.queues)
        self.states: list[Mapping[str, Any]] = [{}]
        self._refused: dict[object, tuple[int, int, Refused]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._next: dict[tuple[int, int, Shape], tuple[int, Refused | None]] = {}
        self.optional: Collection[tuple[int, int]] = ()
        self.steady = True

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """What it needs must be there, and what it leaves is."""
        work, index = task.work, queue.index
        if not (work.uses or work.sets):
            return
        shape = self.machine.shape(index, queue.pc)
        key = index, self.now[index], shape
        found = self._next.get(key)
        if found is None:
            found = self._next[key] = self._after(index, queue.pc, shape)
        self.now[index], refused = found
        if found[0] != key[1] and (index, queue.pc) in self.optional:
            self.steady = False
        if refused is not None:
            self._refused.setdefault(self.program.line(index, queue.pc), (index, queue.pc, refused))

    @property
    def problems(self) -> Iterator[Problem]:
        """What does not fit what the engines held, each line once."""
        for queue, pc, refused in self._refused.values():
            yield refused.at(self.program.span(queue, pc))

    def _after(self, queue: int, pc: int, shape: Shape) -> tuple[int, Refused | None]:
        """The number of the state after an instruction, and why it cannot be executed."""
        before = self.now[queue]
        instruction = self.program.instruction(queue, pc)
        if shape.row.holds or addressed(instruction.operands) is not None:
            return before, None
        engine = EngineState()
        engine.values.update(self.states[before])
        try:
            results = self._computed(queue, shape, instruction.operands, engine)
        except Refused as refused:
            return before, refused if refused.code in JUDGED else None
        several = len(shape.writing) > 1
        for operand, _, at in shape.writing:
            if isinstance(operand.kind, EngineValue):
                engine.leave(operand.kind.name, results[at] if several else results)
        return self._number(engine.values) if shape.held else before, None

    def _computed(
        self, queue: int, shape: Shape, given: tuple[object, ...], engine: EngineState
    ) -> Any:
        """What the semantics make of zeros and of what the engine holds."""
        operands = Operands(queue, Zeros(self.machine), self.machine.state, self.machine.findings)
        operands.engine = engine
        reading = copy(shape)
        reading.writing = ()
        recipes = Recipes(reading, operands, self.program.queues[queue].core, None)
        with np.errstate(all="ignore"):
            return shape.row.semantics(*recipes.bind(given).read())

    def _number(self, values: Mapping[str, Any]) -> int:
        """The number of a state: the same for all that differ in elements only."""
        form = _form(tuple(sorted(values.items())))
        if form not in self._numbers:
            self._numbers[form] = len(self.states)
            self.states.append(values)
        return self._numbers[form]

    # -- checkpoints

    def save(self) -> Any:
        """Which state each engine is in."""
        return tuple(self.now)

    def restore(self, saved: Any) -> None:
        """As it was."""
        self.now[:] = saved


class Zeros(Addresses):
    """Views of zeros, whatever they are of."""

    def __init__(self, machine: Machine) -> None:
        super().__init__({}, machine.state.areas, machine.losses)
        self.machine = machine

    def access(self, view: View) -> Any:
        """A view bound to zeros."""
        return ZeroAccess(view, self.machine.addresses.region(view))


class ZeroAccess:
    """As much of an access as reading it takes: zeros in the shape of a view."""

    store = None

    def __init__(self, view: View, region: Region) -> None:
        self.view, self.region = view, region
        partitions = view.shape[:1] if view.tensor.memory.partitions else ()
        dims = view.dims or ((1, 1),)
        zero = np.zeros((), view.dtype.numpy)
        self.array = np.broadcast_to(zero, (*partitions, *(count for _, count in dims)))
        self.elements = np.broadcast_to(zero, view.shape)

    def deriving(self, make: Callable[[Array], Any], array: Array) -> Callable[[], Any]:
        """A function that returns what is made of the elements."""
        return lambda: make(array)


def _form(value: Any) -> Hashable:
    """A value but for its elements."""
    match value:
        case np.ndarray():
            return "array", value.shape, value.dtype.str
        case tuple() | list():
            return tuple(map(_form, value))
        case str() | int() | float() | None:
            return value
        case DType():
            return value.name
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    fields = [(name, _form(getattr(value, name, None))) for name in names]
    return type(value), tuple(fields), tuple(map(_form, vars(value).items())) if not names else ()
