"""Where the elements that an instruction or a transfer made came from.

What an instruction means is written in its row alone, so the row is asked: its function gets what
the instruction is about to read, with parts replaced, and what changes the result is a source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.records import dataclass, field
from nasm.debugger.origins.argument_arrays import Path, copied, leaf, leaves
from nasm.debugger.origins.dependence import Needed, guarded
from nasm.debugger.origins.elements import (
    Numbers,
    TensorElements,
    elements,
    entry_elements,
    flat,
    touched_elements,
)
from nasm.debugger.origins.origins import (
    ADDRESS,
    ENTRIES,
    Answer,
    EngineElements,
    Origin,
    RegisterOrigin,
    joined,
)
from nasm.debugger.origins.results import finite, flat_shape, has_nan, picked, signature, size_of
from nasm.debugger.origins.slicing import Question, Way, needed
from nasm.isa.effects import Partial
from nasm.isa.implicit_kinds import EngineValue
from nasm.isa.instruction import Operand, Row
from nasm.machine import Machine
from nasm.machine.dynamic_addresses import resolved
from nasm.machine.indirect import Indirect
from nasm.machine.kernels import Kernels, Recipes
from nasm.program.footprint.traits import here
from nasm.program.shapes import Shape, registers_of
from nasm.sim.counters import Who
from nasm.views.view import Reg, View

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class StackedViews:
    """The views that an argument is read from, stacked along their first axis."""

    operand: str
    views: tuple[View, ...]
    entries: Numbers | None
    values: Array
    index: Array | None = None
    group: int = 0

    def origins(self, numbers: Numbers) -> Iterator[Origin]:
        """Where some elements of the argument are."""
        first = 0
        for view in self.views:
            mine = numbers[(numbers >= first) & (numbers < first + view.size)]
            if len(mine):
                place = elements(view, mine - first, self.entries)
                yield Origin(self.operand, place, self.values[mine])
                if view.offsets is not None and self.entries is not None:
                    entry = entry_elements(view, mine - first, self.group)
                    yield Origin(ENTRIES, entry, _of_tile(self.index, entry, view.offsets.tile))
            first += view.size


@dataclass(slots=True, eq=False)
class Reading:
    """What an instruction is about to read, and how its results are made of it.

    ``tiles``, ``registers`` and ``held`` are its arguments by what they are read from; ``outputs``
    are the places of its results. ``addresses`` are the registers that its addresses follow from.
    """

    who: Who
    record: int
    shape: Shape
    operands: tuple[object, ...]
    arguments: list[Any]
    casting: tuple[Any, Any]
    tiles: dict[int, StackedViews] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)
    held: dict[int, str] = field(default_factory=dict)
    addresses: dict[int, int] = field(default_factory=dict)
    scattered: dict[int, StackedViews] = field(default_factory=dict)

    @property
    def row(self) -> Row:
        """What instruction it is."""
        return self.shape.row

    def outputs(self) -> Iterator[tuple[int, Operand, object]]:
        """The results by number, with their operands."""
        for operand, position, at in self.shape.writing:
            yield at, operand, self.operands[position]

    def targets(self, at: int) -> tuple[View, ...]:
        """The views that a result is written to, stacked along the first axis."""
        operand, position, _ = self.shape.writing[at]
        value = self.operands[position]
        if operand.footprint is not None and operand.name not in self.shape.exact:
            return tuple(operand.footprint(here(self.shape.context, self.operands)))
        return (value,) if isinstance(value, View) else ()

    def adds(self, at: int) -> bool:
        """Whether a result is added to what its place holds."""
        adds = self.shape.writing[at][0].adds
        return bool(adds and self.shape.context.operands[adds])

    # -- what it made

    def written(self, wanted: TensorElements) -> Answer | None:
        """The result that some elements hold a part of: its number, which elements, of which."""
        answer = None
        for at, _, _ in self.outputs():
            first, tile = 0, self.scattered.get(at)
            parts: list[tuple[Numbers, Numbers]] = []
            for view in self.targets(at):
                mine, which = touched_elements(view, wanted, tile.entries if tile else None)
                parts.append((mine + first, which))
                first += view.size
            if any(len(which) for _, which in parts):
                mine, which = (np.concatenate(part) for part in zip(*parts, strict=True))
                answer = at, mine, which
        return answer

    def stored(self, at: int, numbers: Numbers) -> Array:
        """Which elements of a result are stored: of a partial one some stay as they were."""
        if not self.shape.writing[at][0].partial or self.row.holds:
            return np.ones(len(numbers), np.bool_)
        part = self._results(self.arguments)[at]
        assert isinstance(part, Partial)
        flags, _ = picked(part, (), numbers, sum(view.size for view in self.targets(at)))
        assert flags is not None
        return np.asarray(flags, np.bool_)

    # -- what it was made of

    def origins(
        self, at: int, path: Path, numbers: Numbers, learned: dict[Any, Way] | None = None
    ) -> list[Origin]:
        """What some elements of a result were made of; ``path`` leads to an array of the result.

        ``learned`` remembers what was found out about instructions of a shape.
        """
        queue = self.who[0]
        if self.row.holds:  # to ask it again would change what the core holds
            return [
                Origin(
                    self.row.reads[n].name,
                    RegisterOrigin(queue, number),
                    np.array([self.arguments[n]]),
                )
                for n, number in self.registers.items()
            ]
        size = sum(view.size for view in self.targets(at))

        result = self._results(self.arguments)[at]
        bad = has_nan(result, path, numbers, size)
        found_: list[Origin] = []
        places = self._read()
        if places:
            question = self._question(at, path, numbers, size, result, places, bad)
            for box in needed(question, learned, (self.shape, at, path)):
                found_ += self._origins(box)
            found_ = joined(found_)
        tile = self.scattered.get(at)
        if tile is not None:
            view = self.targets(at)[0]
            entry = entry_elements(view, numbers, tile.group)
            found_.append(Origin(ENTRIES, entry, _of_tile(tile.index, entry, _tile(view))))
        found_ += [
            Origin(ADDRESS, RegisterOrigin(queue, n), np.array([v]))
            for n, v in self.addresses.items()
        ]
        return found_

    def _question(
        self,
        at: int,
        path: Path,
        numbers: Numbers,
        size: int,
        result: Any,
        places: list[tuple[int, Path]],
        bad: bool,
    ) -> Question:
        """Which elements matter to some of a result; to a NaN as if all that is read were numbers.

        What is read as NaN would hide the rest.
        """

        def made(arguments: list[Any]) -> bytes:
            return signature(self._results(arguments)[at], path, numbers, size)

        shape = flat_shape(result, path, self.targets(at))
        rows, columns = (np.unique(part) for part in np.divmod(numbers, shape[1]))
        few = np.arange(len(rows) * len(columns))

        def cut(arguments: list[Any]) -> bytes:
            part = self._results(arguments)[at]
            if size_of(part, path) != len(numbers):
                raise ValueError("another shape")
            return signature(part, path, few, len(few) if size else 0)

        if len(few) != len(numbers):
            rows, columns = (np.arange(count) for count in shape)
        arguments = (finite(self.arguments, places) if bad else None) or self.arguments
        return Question(
            guarded(made), guarded(cut), arguments, places, self._numbers(), shape, rows, columns
        )

    def _read(self) -> list[tuple[int, Path]]:
        """The arrays among the arguments that something can be replaced in."""
        places: list[tuple[int, Path]] = [(at, ()) for at in (*self.tiles, *self.registers)]
        for at in self.held:
            places += [(at, path) for path, _ in leaves(self.arguments[at])]
        return places

    def _numbers(self) -> list[float]:
        read = {*self.tiles, *self.registers, *self.held}
        return [
            float(value)
            for at, value in enumerate(self.arguments)
            if at not in read and isinstance(value, int | float) and not isinstance(value, bool)
        ]

    def _results(self, arguments: list[Any]) -> tuple[Any, ...]:
        generator, state = self.casting
        now = generator.save()
        generator.restore(state)
        try:
            with np.errstate(all="ignore"):
                results = self.row.semantics(*arguments)
        finally:
            generator.restore(now)
        return tuple(map(_rounded, results if len(self.shape.writing) > 1 else (results,)))

    def _origins(self, box: Needed) -> Iterator[Origin]:
        at, array = box.argument, leaf(self.arguments[box.argument], box.path)
        numbers = flat(box.axes, array.shape)
        if at in self.tiles:
            yield from self.tiles[at].origins(numbers)
        elif at in self.registers:
            operand = self.row.reads[at].name
            yield Origin(operand, RegisterOrigin(self.who[0], self.registers[at]), array)
        else:
            held = EngineElements(self.who[0], self.held[at], box.path, numbers, array.shape)
            yield Origin(self.held[at], held, array.reshape(-1)[numbers])


def _rounded(result: Any) -> Any:
    """A result as it is stored: numbers in float64 are rounded to float32 first."""
    if isinstance(result, np.ndarray) and result.dtype == np.float64:
        return result.astype(np.float32)
    return result


def _of_tile(values: Array | None, entry: TensorElements, tile: View) -> Array:
    """The values of some entries of a tile."""
    assert values is not None
    return values.reshape(-1)[touched_elements(tile, entry)[0]]


def _tile(view: View) -> View:
    assert view.offsets is not None
    return view.offsets.tile


# -- taking it from a machine


def reading(machine: Machine, who: Who, record: int) -> Reading:
    """What the instruction at a place is about to read: asked when it starts, before it has."""
    queue, pc = who
    tasks = machine.tasks[queue]
    kernels = tasks.kernels
    assert isinstance(kernels, Kernels), "a run without values"
    instruction = machine.program.instruction(queue, pc)
    shape, operands = machine.shape(queue, pc), instruction.operands
    registers = machine.state.registers[queue]
    held = {n: registers.values[n] for n in registers_of(operands)}
    if held:
        operands = tuple(resolved(operand, held) for operand in operands)
        shape = machine.shapes.of(shape.row, operands, machine.program.queues[queue].engine)
    binding = Recipes(shape, kernels.operands, kernels.core, None).bind(operands)
    casting = machine.state.castings[queue]
    state = casting.save()
    arguments = [copied(argument) for argument in binding.read()]
    made = Reading((queue, pc), record, shape, operands, arguments, (casting, state))
    made.addresses = held
    for operand, position, at in shape.reading:
        _note(machine, made, operand, operands[position], at)
    for at, operand, value in made.outputs():
        if isinstance(value, View) and value.offsets is not None:
            made.scattered[at] = _addressed(machine, made, operand.name, value, ())
    return made


def _note(machine: Machine, made: Reading, operand: Operand, value: object, at: int) -> None:
    """Where one argument is read from."""
    if isinstance(operand.kind, EngineValue):
        made.held[at] = operand.kind.name
    elif isinstance(value, Reg):
        made.registers[at] = value.number
    elif isinstance(value, View) and operand.access != "@":
        if value.offsets is not None:
            made.tiles[at] = _addressed(machine, made, operand.name, value, None)
            return
        views: tuple[View, ...] = (value,)
        if operand.footprint is not None and operand.name not in made.shape.exact:
            views = tuple(operand.footprint(here(made.shape.context, made.operands)))
        read = [machine.addresses.access(view).elements.reshape(-1) for view in views]
        made.tiles[at] = StackedViews(operand.name, views, None, np.concatenate(read))


def _addressed(machine: Machine, made: Reading, name: str, view: View, values: Any) -> StackedViews:
    """A view that a tile of entries addresses; ``values`` are None where they are read."""
    context = made.shape.context
    assert view.offsets is not None
    group = view.offsets.group or context.generation.engine(context.engine).group
    bound = Indirect.bound(machine.addresses, view, group)
    entries = bound.entries()
    every = np.zeros(0) if values is not None else bound.gather(entries).reshape(-1)
    index = bound.index.access.elements.copy()
    return StackedViews(name, (view,), entries, every, index, group)
