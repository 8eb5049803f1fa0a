"""Tasks: the instruction at a pc of a queue, as the scheduler sees it; made once, never patched."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any

from nasm.base.problems import Failure, Refused, Severity
from nasm.isa.core_state import Blocked, Burst
from nasm.isa.effects import RankExchange
from nasm.isa.evidence import Cost
from nasm.isa.generation import Port
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, Operand, Row
from nasm.isa.micro_instructions import Elsewhere, Micro
from nasm.isa.pace import Pace
from nasm.isa.ranges import Unknown
from nasm.isa.target import rules_of
from nasm.machine.burst_source import BurstSource
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.dynamic_addresses import Held, resolved
from nasm.machine.effects import Effects
from nasm.machine.findings import Findings
from nasm.machine.following import Follower
from nasm.machine.kernels import Kernels
from nasm.machine.outlines import Outlines, unknown_address
from nasm.machine.state import Registers
from nasm.program.program import Instruction, Program, QueueProgram
from nasm.program.shapes import Shape, Shapes
from nasm.sim.burst_plan import Planned
from nasm.sim.queues import Fetched, Post, Queue, Task, Work
from nasm.sim.resources import Needs, Resource, ResourceClaim, Resources
from nasm.views.view import View

MOST_TICKS = 4096
"""Ticks of a burst that a target makes."""

Timing = tuple[int, int, Resource, Needs | None, tuple[Resource, ...], Pace | None, Hashable, int]
"""Of a shape's tasks: interval and latency, what they occupy, what paces them, and the issue."""


FEW = 32
"""Tasks of a queue that are made before a run that has bursts."""


class Tasks:
    """The tasks of one queue, which instructions that differ only in what they wait for share.

    An instruction whose address is held in registers is bound once for each address it takes: its
    task makes another when it is about to start, and the rules are checked again then.
    """

    CACHES = ("_expanded", "_here", "_tasks", "_works", "_occupied", "_timed")

    def __init__(
        self,
        program: Program,
        queue: int,
        kernels: Kernels | Outlines,
        effects: Effects,
        registers: Registers,
        findings: Findings,
        resources: Resources,
        shapes: Shapes,
        fresh: Callable[[], int],
        paces: Mapping[str, Pace],
        changes: Changes = UNCHANGED,
    ) -> None:
        self.program, self.queue, self.lines = program, queue, program.queues[queue]
        self.waits = program.waits
        self.kernels, self.effects, self.findings = kernels, effects, findings
        self.registers, self.resources, self.shapes = registers, resources, shapes
        self.following: Follower | None = None
        self.fresh, self.paces, self.changes = fresh, paces, changes
        self._changed = changes != UNCHANGED
        self._contended = () if changes.ports else _contended(program, self.lines)
        self._tasks: dict[tuple[Hashable, int], Task] = {}
        self._expanded: dict[Instruction, Shape] = {}
        self._here: dict[Here, object] = {}
        self._works: dict[tuple[Any, ...], Work] = {}
        self._timed: dict[Shape, Timing] = {}
        self._occupied: dict[tuple[Any, ...], tuple[Resource, Needs | None]] = {}

    def fetch(self, pc: int) -> Fetched:
        """The task at a pc; instructions with the same operands and update have one task."""
        lines = self.lines
        key = (lines.instructions[pc], lines.updates[pc])
        task = self._tasks.get(key)
        if task is None:
            try:
                instruction = self.program.instructions[key[0]]
                shape = self._shape(instruction)
                task = self._tasks[key] = self._task(key[0], instruction, shape, key[1])
            except Refused as refused:
                raise Failure(refused.at(self.program.span(self.queue, pc))) from None
        return task, self.waits[lines.waits[pc]]

    def fetch_expanded(self, pc: int) -> Fetched:
        """The same where the pc may be that of an expanded instruction.

        The first of several waits as their instruction does, the last updates.
        """
        if type(pc) is not Micro:
            return self.fetch(pc)
        lines = self.lines
        key = (pc.instruction, lines.updates[pc] if pc.last else 0)
        task = self._tasks.get(key)
        if task is None:
            try:
                task = self._tasks[key] = self._task(
                    pc.instruction, pc.instruction, self.shape_at(pc), key[1]
                )
            except Refused as refused:
                raise Failure(refused.at(self.program.span(self.queue, pc))) from None
        return task, self.waits[lines.waits[pc]] if not pc.micro else None

    def expand(self, pc: int) -> Sequence[Instruction] | Blocked | Elsewhere | None:
        """What the target has the queue execute for the instruction at a pc."""
        program, lines = self.program, self.lines
        assert program.target.expand is not None
        instruction = program.instructions[lines.instructions[pc]]
        try:
            place = self.queue, pc
            found = program.target.expand(self.kernels.holds, self._engine, instruction, place)
            if isinstance(found, Blocked | Elsewhere):
                return found
            if found is not None and not len(found) and (lines.waits[pc] or lines.updates[pc]):
                raise Refused(
                    "E0522",
                    f"{instruction.row.name} expands to no instruction here, so that nothing is "
                    "left to wait or to update",
                    "let another instruction wait or update",
                )
        except Refused as refused:
            raise Failure(refused.at(program.span(self.queue, pc))) from None
        return found

    def burst(
        self, queue: Queue, most: int, ticks: int, blocked: Mapping[int, Blocked]
    ) -> Planned | int | None:
        """A burst of instructions from the pc of a queue on, if the target can make one.

        Otherwise the tick before which it cannot, if it knows.
        """
        bursting, engine = self.program.target.bursting, self._engine
        assert bursting is not None
        ahead = BurstSource(self.program, queue, self.known)
        held = {self._number_of(index): by for index, by in blocked.items()}
        pieces = ahead.pieces(partial(bursting.ahead, self.kernels.holds, engine))
        least = min(ticks, MOST_TICKS)
        found = bursting.burst(self.kernels.holds, engine, pieces, least, held)
        if found is None or isinstance(found, int):
            return found
        if found.route is not None:
            return self._routed(found, found.route)
        return None if len(found.starts) > most else ahead.planned(found)

    def _routed(self, found: Burst, route: Sequence[int]) -> Planned:
        """A burst of instructions that jump, each of which is executed itself."""
        numbers, known = self.lines.instructions, self.program.instructions
        instructions = [known[numbers[pc]] for pc in route]
        return Planned(found, instructions, route, [-1] * len(route), route.__getitem__, _itself)

    @cached_property
    def _engine(self) -> int:
        """The number of its engine within the core."""
        return self._number_of(self.queue)

    def _number_of(self, queue: int) -> int:
        engines = [engine.name for engine in self.program.generation.engines]
        return engines.index(self.program.queues[queue].engine)

    def known(self, instructions: Sequence[Instruction]) -> bool:
        """Whether all of what instructions are expanded to may be executed on this queue."""
        for one in set(instructions) - self._expanded.keys():
            try:
                self.shape_of(one)
            except Refused:
                return False
        return True

    def shape_at(self, pc: int) -> Shape:
        """The shape of the instruction at a pc, which may be an expanded one."""
        if type(pc) is Micro:
            return self.shape_of(pc.instruction)
        return self._shape(self.program.instructions[self.lines.instructions[pc]])

    def shape_of(self, instruction: Instruction) -> Shape:
        """The shape of an expanded instruction on this queue.

        Such a one belongs to no queue, and is checked here as the assembler checks the others.
        """
        found = self._expanded.get(instruction)
        if found is None:
            row, engine = instruction.row, self.lines.engine
            found = instruction.known_on(engine, self.program.generation)
            if found is None:
                if engine not in self.program.target.engines(row, self.program.generation):
                    text = f"it expands to {row.name}, which {engine} does not have"
                    raise Refused("E0522", text)
                found = instruction.known = self._obeying(instruction, instruction.operands)
            self._expanded[instruction] = found
        return found

    def take_up(self) -> None:
        """The program has more instructions: what was made may not be all that matters now."""
        self.waits = self.program.waits
        contended = () if self.changes.ports else _contended(self.program, self.lines)
        if contended != self._contended:
            self._contended = contended
            self.forget()

    def forget(self) -> None:
        """Make everything again."""
        for made in (self._tasks, self._works, self._timed):
            made.clear()
        self.kernels.forget()

    def prepare(self, bursts: bool) -> None:
        """Make every task now; what cannot be made raises when its turn comes.

        Where there are bursts none are made: most instructions of a burst need none. Where a
        target can make bursts it is only some.
        """
        lines, tasks = self.lines, self._tasks
        bursting = self.program.target.bursting
        if bursting is not None and bursts:
            return
        most = FEW if bursting else len(lines.instructions)
        for key in zip(lines.instructions, lines.updates, strict=True):
            if len(tasks) >= most:
                return
            if key in tasks:
                continue
            try:
                instruction = self.program.instructions[key[0]]
                tasks[key] = self._task(key[0], instruction, self._shape(instruction), key[1])
            except (Failure, Refused):
                continue  # it is refused when its turn comes

    def cost(self, number: int) -> Cost:
        """What an instruction costs, registers in its addresses or not."""
        return self._shape(self.program.instructions[number]).cost

    def _shape(self, instruction: Instruction) -> Shape:
        if instruction.known is None:  # of a program that was copied: what it had is made again
            instruction.known = self.shapes.of(
                instruction.row, instruction.operands, self.lines.engine
            )
        return instruction.known

    # -- making them

    def _task(self, number: Hashable, instruction: Instruction, shape: Shape, update: int) -> Task:
        post, semaphore = self._posts(instruction, update)
        if not shape.registers:
            work = self._work(number, instruction, (), shape, semaphore)
            return self._scheduled(work, shape, post, leads=self._leads(instruction))
        region = self.registers.region
        depends = Work(-1, _never, _never, tuple(region(r) for r in shape.registers))
        expand = partial(self._expand, number, instruction, shape, post, semaphore)
        return self._scheduled(depends, shape, None, expand)

    def _leads(self, instruction: Instruction) -> bool:
        """Whether there are bursts that begin with an instruction."""
        bursting = self.program.target.bursting
        return bursting is None or bursting.leads(instruction)

    def _posts(self, instruction: Instruction, update: int) -> tuple[Post | None, int | None]:
        """What an instruction posts, and the semaphore that its transfer posts to."""
        updated = self.program.updates[update]
        if updated is None:
            return None, None
        if instruction.row.posts or instruction.row.signals:
            return None, updated.semaphore
        return (updated.semaphore, updated.op, updated.value, updated.at_read), None

    def _scheduled(
        self,
        work: Work,
        shape: Shape,
        post: Post | None,
        expand: Callable[[], Task] | None = None,
        leads: bool = True,
    ) -> Task:
        timed = self._timed.get(shape)
        if timed is None:
            timed = self._timed[shape] = self._timing(shape)
        interval, latency, unit, needs, ports, pace, key, issue = timed
        if expand is not None:
            ports = ()
        more = expand, ports, pace, key, issue, leads
        return Task(work, interval, latency, unit, needs, post, *more)

    def _timing(self, shape: Shape) -> Timing:
        """What all tasks of a shape have in common."""
        cost, cycle = shape.cost, self.kernels.cycle
        if self._changed:
            cost = self.changes.cost(shape)
        return (
            max(1, cost.interval * cycle),
            max(1, cost.latency * cycle),
            *self._occupies(cost),
            self._ports(shape.context),
            self._pace(shape, cost),
            self.queue if shape.row.effect is RankExchange else cost.key,
            max(1, cost.issue * cycle),
        )

    def _pace(self, shape: Shape, cost: Cost) -> Pace | None:
        """What paces the tasks of a shape."""
        if shape.row.effect is RankExchange:
            return self.effects.ranks
        return self.paces[cost.pace] if cost.pace else None

    def _ports(self, context: InstructionContext) -> tuple[Resource, ...]:
        """The ports that an instruction holds while it is at work."""
        if not self._contended:
            return ()
        walked = {view.tensor.memory.name for _, view in context.tiles}
        return tuple(
            self.resources.named(self.lines.core, port.name, shared=True)
            for port in self._contended
            if port.memory in walked
        )

    def _occupies(self, cost: Cost) -> tuple[Resource, Needs | None]:
        """The unit it takes, and what it needs if that is not all of one unit."""
        key = (cost.unit, cost.parts, cost.spare)
        found = self._occupied.get(key)
        if found is None:
            claim = self._claim(cost.unit, cost.parts)
            needs = None
            if cost.parts or cost.spare is not None:
                spare = () if cost.spare is None else ((self._claim(cost.spare, cost.parts),),)
                needs = Needs(((claim,), *spare))
            found = self._occupied[key] = (claim.resource, needs)
        return found

    def _claim(self, unit: str, parts: tuple[str, ...]) -> ResourceClaim:
        core, engine = self.lines.core, self.lines.engine
        shared = any(unit == one.name for one in self.program.generation.units)
        name = unit if shared else f"{engine}/{unit}" if unit else engine
        return ResourceClaim(
            self.resources.named(core, name, shared=shared),
            tuple(self.resources.named(core, f"{name}/{part}", shared=shared) for part in parts),
        )

    def _work(
        self,
        number: Hashable,
        instruction: Instruction,
        values: tuple[Held, ...],
        shape: Shape,
        semaphore: int | None,
    ) -> Work:
        """What an instruction does; ``values`` are those of the registers in its addresses.

        Of one that is not known they are the least and the largest.
        """
        key = (number, values, semaphore)
        found = self._works.get(key)
        if found is None:
            found = self._works[key] = self._bound(instruction, values, shape, semaphore)
        return found

    def _bound(
        self,
        instruction: Instruction,
        values: tuple[Held, ...],
        shape: Shape,
        semaphore: int | None,
    ) -> Work:
        row, operands, registers = instruction.row, instruction.operands, shape.registers
        if values:
            held = dict(zip(registers, values, strict=True))
            try:
                operands = tuple(resolved(operand, held) for operand in operands)
            except Refused:
                work, kernel = self.kernels.bind(self.fresh(), shape, operands)
                skipped = self.effects.skip(work, kernel, shape, semaphore)
                if skipped is None:
                    raise
                return skipped
            if all(isinstance(value, int) for value in values):
                shape = self._obeying(instruction, operands)
        work, kernel = self.kernels.bind(self.fresh(), shape, operands)
        if row.effect is not None:
            work = self.effects.work(work, kernel, shape, semaphore)
        if row.condition is not None:
            work.condition = self._condition(row, operands, shape)
        if values:
            work.reads = (*map(self.registers.region, registers), *work.reads)
        return work

    def _condition(
        self, row: Row, operands: tuple[object, ...], shape: Shape
    ) -> Callable[[], Blocked | None]:
        """What says whether an instruction may start; implicit operands have their values."""
        assert row.condition is not None
        made = shape.context
        if all(type(value) is int for value in operands):  # then they are those of the shape
            held = dict(made.operands)
            context = InstructionContext(row, held, made.engine, made.generation, [], [])
        else:
            engine, generation = self.lines.engine, self.program.generation
            context = InstructionContext.of(row, operands, engine, generation)
        for operand, at in _implicit(row):
            value = shape.arguments[at]
            if isinstance(operand.kind, CoreState):
                value = self.kernels.holds
            elif isinstance(operand.kind, Here):
                value = self._value_here(operand.kind, context)
            context.operands[operand.name] = value
        return partial(row.condition.answer, context)

    def _value_here(self, kind: Here, context: InstructionContext) -> object:
        """The place of instructions of this queue."""
        found = self._here.get(kind)
        if found is None:
            found = self._here[kind] = context.here(kind, self.lines.core)
        return found

    def _expand(
        self,
        number: Hashable,
        instruction: Instruction,
        shape: Shape,
        post: Post | None,
        semaphore: int | None,
    ) -> Task:
        """The task of an instruction whose registers are known now."""
        values: list[Held] = []
        for register in shape.registers:
            if not self.registers.known[register]:
                self.findings.register(register)
            value = self.registers.values[register]
            values.append((value.low, value.high) if isinstance(value, Unknown) else value)
        try:
            if not all(isinstance(value, int) for value in values):
                self._follow(instruction, shape.registers)
            work = self._work(number, instruction, tuple(values), shape, semaphore)
        except Refused as refused:
            raise Failure(refused.at(self.program.span(*self.findings.acting()))) from None
        return self._scheduled(work, shape, post)

    def _follow(self, instruction: Instruction, registers: Sequence[int]) -> None:
        """Some registers in an address are not known; what follows has them where they may be.

        A transfer may skip what is out of bounds.
        """
        held = [self.registers.values[register] for register in registers]
        if self.following is None:
            unknown = next(r for r, v in zip(registers, held, strict=True) if type(v) is not int)
            raise unknown_address(instruction.row, unknown)
        if instruction.row.effect is not None:
            return
        for operand in instruction.operands:
            for dynamic in operand.dynamic if isinstance(operand, View) else ():
                value = self.registers.values[dynamic.register]
                if isinstance(value, Unknown):
                    self.following.limit(value, 0, dynamic.limit)

    def _obeying(self, instruction: Instruction, operands: tuple[object, ...]) -> Shape:
        """Check the rules again, now that the registers in an address are known."""
        row, engine = instruction.row, self.lines.engine
        context = InstructionContext.of(row, operands, engine, self.program.generation)
        for rule in rules_of(self.program.target, row, bool(context.addressed)):
            message = rule.check(context)
            if message is not None and rule.severity is Severity.ERROR:
                raise rule.refusal(row, message)
        return self.shapes.of(row, operands, engine, context)


@lru_cache(maxsize=1 << 12)
def _implicit(row: Row) -> tuple[tuple[Operand, int], ...]:
    """The implicit operands that semantics get, with their places among arguments."""
    return tuple((one, at) for at, one in enumerate(row.reads) if one.implicit)


def _contended(program: Program, lines: QueueProgram) -> tuple[Port, ...]:
    """The ports that a queue and another one of its core may want."""
    others = {
        other.engine
        for other in program.queues
        if other is not lines and other.core == lines.core and len(other.instructions)
    }
    return tuple(
        port
        for port in program.generation.ports
        if lines.engine in port.engines and not others.isdisjoint(port.engines)
    )


def _itself(_: int) -> Sequence[Any]:
    """What instructions are expanded to that are not."""
    return ()


def _never(_: Any) -> None:
    raise AssertionError("a task whose addresses are open was started")
