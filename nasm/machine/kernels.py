"""Kernels: a row and its operands, bound to functions that start and finish an instruction.

What follows from shapes, dtypes, immediates and the engine is decided once for all instructions
that have them in common; an address is data. Executing a kernel again is little more than the
numpy work itself. What an instruction means stays in its row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.isa.core_state import Holds
from nasm.isa.implicit_kinds import CoreState, EngineValue, Here, RoundingOf
from nasm.isa.instruction import Row
from nasm.machine.access import Access
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.conversions import Reader
from nasm.machine.findings import Findings
from nasm.machine.lost_results import Losses, PiecewiseResult
from nasm.machine.operands import Binding, Operands, Recipe, ResultWriter
from nasm.machine.state import EngineState
from nasm.program.shapes import Shape
from nasm.sim.memory import Store
from nasm.sim.queues import Work
from nasm.views.regions import REGISTERS
from nasm.views.view import View


class Recipes:
    """How the instructions of a shape are bound on one queue: a recipe for each operand."""

    __slots__ = ("arguments", "reading", "writing")

    def __init__(
        self, shape: Shape, operands: Operands, core: int, holds: Holds | None, rank: int | None = 0
    ) -> None:
        self.arguments = shape.arguments.copy()
        self.reading: list[tuple[Recipe | None, int, int]] = []
        for operand, position, at in shape.reading:
            if isinstance(operand.kind, Here):
                self.arguments[at] = shape.context.here(operand.kind, core, rank)
            elif isinstance(operand.kind, CoreState):
                self.arguments[at] = holds
            elif isinstance(operand.kind, RoundingOf):
                self.arguments[at] = operands.rounding(
                    shape.context.operands[operand.kind.operand].dtype
                )
            else:
                self.reading.append((operands.reading(operand, shape), position, at))
        self.writing = [
            (operands.writing(o, shape), position, at) for o, position, at in shape.writing
        ]

    def bind(self, operands: tuple[object, ...]) -> Binding:
        """Fill in the addresses of an instruction."""
        binding = Binding(operands, self.arguments.copy())
        for recipe, position, at in self.reading:
            binding.arguments[at] = operands[position]
            if recipe is not None:
                recipe(binding, at, operands[position])
        for write, position, at in self.writing:
            write(binding, at, operands[position])
        return binding


def _as_is(result: Any, _: Store | None) -> Any:
    return result


def _only(stores: list[Store]) -> Store | None:
    """The store that every tile is read from, if it is one: what an engine keeps never changes."""
    if not stores or any(store is not stores[0] for store in stores):
        return None
    return stores[0]


class ReadyInstruction:
    """An instruction of one result, ready to run."""

    __slots__ = (
        "arguments",
        "findings",
        "numbers",
        "prepare",
        "readers",
        "semantics",
        "source",
        "touched",
    )

    def __init__(self, row: Row, binding: Binding, findings: Findings) -> None:
        self.semantics, self.findings, self.numbers = row.semantics, findings, findings.numbers
        self.arguments: list[Any] = binding.arguments
        self.readers: list[tuple[int, Reader]] = binding.readers
        self.touched: list[tuple[Access, View]] = binding.touched
        self.source = _only(binding.stores)
        self.prepare = binding.writers[0].prepare if binding.writers else _as_is

    def values(self) -> Any:
        """What the semantics make of what is there now."""
        for access, view in self.touched:
            place = access.place
            if not place.initialised and access.uninitialised:
                self.findings.uninitialised(view, access.missing)
            if place.token is not None or place.others:
                access.unread.read(place)
        arguments = self.arguments
        if self.readers:
            arguments = arguments.copy()  # kept no longer than the call: what is freed is hot
            for at, read in self.readers:
                arguments[at] = read()
        results = self.semantics(*arguments)
        if self.numbers.raised:
            self.numbers.look(arguments, results)
        return results

    def start(self, now: int) -> Any:
        """Compute; what is returned is stored by the caller."""
        return self.prepare(self.values(), self.source)


class GeneralKernel(ReadyInstruction):
    """An instruction of any results, some of which may stay in the engine or go to registers."""

    __slots__ = ("delay", "engine", "held", "losses", "registers", "stays", "stored", "writers")

    def __init__(
        self,
        shape: Shape,
        binding: Binding,
        findings: Findings,
        engine: EngineState,
        delay: int,
        losses: Losses,
    ) -> None:
        super().__init__(shape.row, binding, findings)
        self.held, self.engine, self.delay, self.losses = shape.held, engine, delay, losses
        self.writers: list[ResultWriter] = binding.writers
        self.stored: list[Access] = binding.stored
        kinds = [(at, operand.kind) for operand, _, at in shape.writing]
        self.stays = tuple(
            (at, kind.name, None if callable(kind.initial) else kind.initial)
            for at, kind in kinds
            if isinstance(kind, EngineValue)
        )
        self.registers = any(r.place.startswith(REGISTERS) for r in binding.writes)

    def start(self, now: int) -> Any:
        """Compute; what stays in the engine is left there, and ready after the interval."""
        results = self.values()
        if not self.writers:
            return results
        if len(self.writers) == 1:
            results = (results,)
        for name in self.held:
            self.engine.ready[name] = now + self.delay
        source, held, more = self.source, self.engine.values, self.registers
        for at, name, initial in self.stays:
            more = more or results[at] is not held.get(name, initial)
        return more, [w.prepare(r, source) for w, r in zip(self.writers, results, strict=True)]

    def finish(self, payload: Any) -> None:
        """Store the results: together one, which is not all if there is ``more`` elsewhere."""
        more, results = payload
        for writer, result in zip(self.writers, results, strict=True):
            if writer.commit is not None:
                writer.commit(result)
        if more or len(self.stored) > 1:
            losses = self.losses
            losses.written_with(
                PiecewiseResult(losses.clock.acting, left=-1 if more else 0),
                [access.place for access in self.stored],
            )


class ActingKernel:
    """An instruction that reads no tile, and all of which is done to what the core holds."""

    __slots__ = ("arguments", "numbers", "semantics")

    def __init__(self, row: Row, arguments: list[Any], findings: Findings) -> None:
        self.semantics, self.arguments, self.numbers = row.semantics, arguments, findings.numbers

    def values(self) -> Any:
        """Act; what is returned is done at its completion."""
        then = self.semantics(*self.arguments)
        if self.numbers.raised:
            self.numbers.look(self.arguments, then)
        return then

    def start(self, now: int) -> Any:
        """Act."""
        return self.values()


class Kernels:
    """Binds the instructions of one queue."""

    CACHES = ("_here", "_recipes")

    def __init__(
        self,
        core: int,
        cycle: int,
        operands: Operands,
        state: EngineState,
        findings: Findings,
        losses: Losses,
        changes: Changes = UNCHANGED,
        holds: Holds | None = None,
        rank: int | None = 0,
    ) -> None:
        self.rank = rank
        self.core, self.cycle, self.changes, self.holds = core, cycle, changes, holds
        self.operands, self.state, self.findings = operands, state, findings
        self.losses = losses
        self._recipes: dict[Shape, Recipes] = {}
        self._here: dict[Here, object] = {}

    def forget(self) -> None:
        """Make every recipe again."""
        self._recipes.clear()

    def bind(
        self, number: int, shape: Shape, operands: tuple[object, ...]
    ) -> tuple[Work, ReadyInstruction | ActingKernel]:
        """An instruction as work for the scheduler, and its kernel."""
        if shape.acts:
            acting = ActingKernel(shape.row, self._held(shape), self.findings)
            return Work(number, acting.start, acted), acting
        recipes = self._recipes.get(shape)
        if recipes is None:
            recipes = self._recipes[shape] = Recipes(
                shape, self.operands, self.core, self.holds, self.rank
            )
        binding = recipes.bind(operands)
        writers = binding.writers
        finish: Callable[[Any], None]
        kernel: ReadyInstruction
        if len(writers) == 1 and not shape.held and writers[0].commit is not None:
            kernel, finish = ReadyInstruction(shape.row, binding, self.findings), writers[0].commit
        else:
            delay = self.changes.cost(shape).interval * self.cycle
            kernel = general = GeneralKernel(
                shape, binding, self.findings, self.state, delay, self.losses
            )
            finish = general.finish if writers else acted if shape.row.acts else _nothing
        reads, writes = tuple(binding.reads), tuple(binding.writes)
        gate = self.state.gate(binding.states)
        uses, sets = tuple(binding.states), tuple(shape.held)
        work = Work(number, kernel.start, finish, reads, writes, gate, uses=uses, sets=sets)
        return work, kernel

    def _held(self, shape: Shape) -> list[Any]:
        """What the semantics of an instruction take that reads no tile."""
        arguments = shape.arguments.copy()
        for operand, _, at in shape.reading:
            kind = operand.kind
            if not isinstance(kind, Here):
                arguments[at] = self.holds
            elif kind in self._here:
                arguments[at] = self._here[kind]
            else:
                here = shape.context.here(kind, self.core, self.rank)
                arguments[at] = self._here[kind] = here
        return arguments


def acted(then: Callable[[], None] | None) -> None:
    """Do at its completion what an instruction left to be done to what the core holds."""
    if then is not None:
        then()


def _nothing(_: Any) -> None:
    return None
