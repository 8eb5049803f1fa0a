"""Kernels: a row and its operands, bound to functions that start and finish an instruction.

What follows from shapes, dtypes, immediates and the engine is decided once for all instructions
that have them in common; an address is data. Executing a kernel again is little more than the
numpy work itself. What an instruction means stays in its row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.machine.addresses import Access
from nasm.machine.hazards import Hazards
from nasm.machine.operands import Binding, Operands, Reader, Recipe, Writer
from nasm.machine.state import EngineState
from nasm.sim.memory import Store
from nasm.sim.queues import Work
from nasm.spec.evidence import Cost
from nasm.spec.generation import Generation
from nasm.spec.implicit_operands import EngineValue, Here, RoundingOf
from nasm.spec.instruction import Context, Operand, Row
from nasm.spec.kinds import Kind
from nasm.spec.view import View


class Shape:
    """What instructions that differ in nothing but addresses have in common, on one queue.

    ``arguments`` are those of the semantics that do not depend on addresses; ``reading`` and
    ``writing`` are the recipes for the others, with the place of the operand in the row and the
    place of the argument.
    """

    __slots__ = ("_cost", "arguments", "context", "held", "reading", "row", "writing")

    def __init__(self, row: Row, context: Context, operands: Operands, core: int) -> None:
        self.row, self.context = row, context
        self._cost: Cost | None = None
        domain = row.domain(context)
        self.arguments: list[Any] = []
        self.reading: list[tuple[Recipe | None, int, int]] = []
        for operand in row.reads:
            at = len(self.arguments)
            recipe = operands.reading(operand, context, domain)
            value = context.operands[operand.name]
            if recipe is not None or _addressed(value):
                self.reading.append((recipe, row.position[operand.name], at))
            else:
                value = _handed(operand, context, operands, core)
            self.arguments.append(value)
        self.writing = [
            (operands.writing(operand, context), row.position[operand.name], at)
            for at, operand in enumerate(row.writes)
        ]
        self.held = tuple(o.kind.name for o in row.writes if isinstance(o.kind, EngineValue))

    @property
    def cost(self) -> Cost:
        """What such an instruction costs."""
        if self._cost is None:
            self._cost = self.row.cost(self.context)
        return self._cost

    def bind(self, operands: tuple[object, ...]) -> Binding:
        """Fill in the addresses of an instruction."""
        binding = Binding(operands, self.arguments.copy())
        for recipe, position, at in self.reading:
            binding.arguments[at] = operands[position]
            if recipe is not None:
                recipe(binding, at, operands[position])
        for recipe, position, at in self.writing:
            recipe(binding, at, operands[position])
        return binding


def _addressed(value: object) -> bool:
    """Whether a value that is handed as it is says where something is."""
    return type(value) is View or (type(value) is tuple and bool(value) and type(value[0]) is View)


def _handed(operand: Operand, context: Context, operands: Operands, core: int) -> object:
    """What semantics get for a value that is not read from anywhere."""
    kind, value = operand.kind, context.operands[operand.name]
    if isinstance(kind, Here):
        return {"core": core, "engine": context.engine}[kind.what]
    if isinstance(kind, RoundingOf):
        return operands.rounding(context.operands[kind.operand].dtype)
    if not operand.implicit and type(kind).handed is Kind.handed:
        return value
    return kind.handed(value, context)


class Kernel:
    """An instruction of one result, ready to run."""

    __slots__ = ("arguments", "hazards", "prepare", "readers", "semantics", "source", "touched")

    def __init__(self, row: Row, binding: Binding, hazards: Hazards) -> None:
        self.semantics, self.hazards = row.semantics, hazards
        self.arguments: list[Any] = binding.arguments
        self.readers: list[tuple[int, Reader]] = binding.readers
        self.touched: list[Access] = binding.touched
        self.source: Store | None = binding.source
        self.prepare = binding.writers[0].prepare if binding.writers else None

    def values(self) -> Any:
        """What the semantics make of what is there now."""
        for access in self.touched:
            if not access.initialised and access.uninitialised:
                self.hazards.uninitialised(access.view, access.missing)
        arguments = self.arguments
        if self.readers:
            arguments = arguments.copy()  # kept no longer than the call: what is freed is hot
            for at, read in self.readers:
                arguments[at] = read()
        return self.semantics(*arguments)

    def start(self, now: int) -> Any:
        """Compute; what is returned is to be stored."""
        for access in self.touched:
            if not access.initialised and access.uninitialised:
                self.hazards.uninitialised(access.view, access.missing)
        arguments = self.arguments
        if self.readers:
            arguments = arguments.copy()
            for at, read in self.readers:
                arguments[at] = read()
        return self.prepare(self.semantics(*arguments), self.source)  # type: ignore[misc]


class GeneralKernel(Kernel):
    """An instruction of any results, some of which may stay in the engine."""

    __slots__ = ("delay", "engine", "held", "writers")

    def __init__(
        self, shape: Shape, binding: Binding, hazards: Hazards, engine: EngineState, delay: int
    ) -> None:
        super().__init__(shape.row, binding, hazards)
        self.held, self.engine, self.delay = shape.held, engine, delay
        self.writers: list[Writer] = binding.writers

    def start(self, now: int) -> Any:
        """Compute; what stays in the engine is left there, and ready after the interval."""
        results = self.values()
        if not self.writers:
            return results
        if len(self.writers) == 1:
            results = (results,)
        for name in self.held:
            self.engine.ready[name] = now + self.delay
        source = self.source
        return [w.prepare(r, source) for w, r in zip(self.writers, results, strict=True)]

    def finish(self, payload: Any) -> None:
        """Store the results."""
        for writer, result in zip(self.writers, payload, strict=True):
            if writer.commit is not None:
                writer.commit(result)


class Kernels:
    """Binds the instructions of one queue."""

    CACHES = ("_shapes", "_costs")

    def __init__(
        self,
        core: int,
        engine: str,
        generation: Generation,
        operands: Operands,
        state: EngineState,
        hazards: Hazards,
    ) -> None:
        self.core, self.engine, self.generation = core, engine, generation
        self.cycle = generation.engine(engine).cycle
        self.operands, self.state, self.hazards = operands, state, hazards
        self._shapes: dict[tuple[Any, ...], Shape] = {}

    def shape(self, row: Row, operands: tuple[object, ...]) -> Shape:
        """What an instruction has in common with others; made once."""
        key = (row.name, *map(signature, operands))
        found = self._shapes.get(key)
        if found is None:
            context = Context.of(row, operands, self.engine, self.generation)
            found = self._shapes[key] = Shape(row, context, self.operands, self.core)
        return found

    def bind(
        self, number: int, shape: Shape, operands: tuple[object, ...], cost: Cost
    ) -> tuple[Work, Kernel]:
        """An instruction as work for the scheduler, and the kernel behind it."""
        binding = shape.bind(operands)
        writers = binding.writers
        finish: Callable[[Any], None]
        kernel: Kernel
        if len(writers) == 1 and not shape.held and writers[0].commit is not None:
            kernel, finish = Kernel(shape.row, binding, self.hazards), writers[0].commit
        else:
            delay = cost.interval * self.cycle
            kernel = general = GeneralKernel(shape, binding, self.hazards, self.state, delay)
            finish = general.finish if writers else _nothing
        reads, writes = tuple(binding.reads), tuple(binding.writes)
        return Work(number, kernel.start, finish, reads, writes, self._gate(binding)), kernel

    def _gate(self, binding: Binding) -> Callable[[], int] | None:
        """When the engine values it needs are ready; None if it needs none."""
        names = binding.states
        if not names:
            return None
        ready = self.state.ready
        if len(names) == 1:
            name = names[0]
            return lambda: ready.get(name, 0)
        return lambda: max(ready.get(n, 0) for n in names)


def signature(value: object) -> object:
    """What an operand contributes to the shape of its instruction: of a view all but its offset."""
    kind = type(value)
    if kind is View and not value.dynamic and value.offsets is None:  # type: ignore[attr-defined]
        view: View = value  # type: ignore[assignment]
        tensor = view.tensor
        first = view.partition + (tensor.partition or 0)
        return view.shape, view.steps, view.dtype.name, tensor.memory.name, first
    if kind is float:
        return value.hex()  # type: ignore[attr-defined]  # tells 0.0 from -0.0, and from 0
    if kind is bool:
        return kind, value
    return value


def _nothing(_: Any) -> None:
    return None
