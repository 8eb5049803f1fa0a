"""Binds a Program and a Target to the simulator: makes tasks, applies effects.

The only place that knows both. What changes lives in :class:`~nasm.machine.state.State` and in
the scheduler; everything cached here is decided once and follows from the program.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from nasm import gc_pause
from nasm.machine.acts import Acts
from nasm.machine.bind import Binder, Bound
from nasm.machine.hazards import Hazards
from nasm.machine.indirect import Indirect, Tile, window
from nasm.machine.places import Access
from nasm.machine.settle import registers_of, settled
from nasm.machine.state import State
from nasm.problems import Failure, Refused
from nasm.sim.channels import Channel
from nasm.sim.counters import Event, Semaphore
from nasm.sim.memory import Region
from nasm.sim.queues import Queue, Task
from nasm.sim.scheduler import Scheduler
from nasm.sim.trace import Trace
from nasm.spec.evidence import Cost
from nasm.spec.instruction import Context
from nasm.spec.memory import Tensor
from nasm.spec.program import Instruction, Program
from nasm.spec.target import rules_of
from nasm.spec.view import View


class Machine:
    """One run of a program: memories, queues, channels and a clock."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.state = State(program)
        self.trace = Trace()
        self.hazards = Hazards(self)
        self.acts = Acts(self)
        generation = program.generation
        self.cores = program.cores
        channels = [Channel(c, n) for c in range(self.cores) for n in range(generation.channels)]
        kinds = (Semaphore,) * generation.semaphores + (Event,) * generation.events
        self.scheduler = Scheduler(
            [kind() for _ in range(self.cores) for kind in kinds],
            generation.counters,
            channels,
            self._hand_off(),
            self.hazards,
            self.trace,
        )
        self._bound: dict[tuple[int, int, tuple[int, ...]], Bound] = {}
        self._tasks: dict[tuple[int, int, int, int], Task] = {}
        self._accesses: dict[View, Access] = {}
        self._indirect: dict[tuple[View, int], Indirect] = {}
        self._places: dict[Tensor, str] = {}
        self._units: list[dict[str, int]] = [{} for _ in program.queues]
        self._cycles = [generation.engine(q.engine).cycle for q in program.queues]
        self._fetchers = [self._fetcher(index) for index in range(len(program.queues))]
        for index, lines in enumerate(program.queues):
            self.scheduler.add_queue(
                Queue(lines.core, lines.engine, index, len(lines), self._fetchers[index], UNITS)
            )

    def _hand_off(self) -> int:
        numbers = self.program.generation.numbers
        fact = numbers.get("semaphore_ns")
        return self.ticks(fact.value) if fact else 0

    # -- time

    def ticks(self, nanoseconds: float) -> int:
        """Nanoseconds in whole ticks, rounded up."""
        return -int(-nanoseconds * self.program.generation.ticks // 1000)

    def microseconds(self, ticks: int) -> float:
        """Ticks in microseconds, for showing."""
        return ticks / self.program.generation.ticks

    def cycle(self, queue: int) -> int:
        """Ticks of one cycle of a queue's engine."""
        return self._cycles[queue]

    # -- places

    def place(self, tensor: Tensor) -> str:
        """What tells the memory of a tensor apart from every other."""
        known = self._places.get(tensor)
        if known is None:
            store = self.state.store(tensor)
            known = self._places[tensor] = f"{store.core}.{store.name}"
        return known

    def register_region(self, queue: int, number: int) -> Region:
        """A register as a region, so that reads of it wait like any other."""
        at = 4 * number
        return Region(f"registers.{queue}", (0, 1, 1), at, at + 4, at, (), 4)

    def access(self, view: View) -> Access:
        """A view bound to its memory; made once."""
        found = self._accesses.get(view)
        if found is None:
            found = self._accesses[view] = Access(
                view,
                self.state.store(view.tensor),
                self.place(view.tensor),
                self.state.alone(view.tensor),
            )
        return found

    def indirect(self, view: View, group: int) -> Indirect:
        """A view whose addresses a tile decides, bound to its memory; made once.

        ``group`` is how many entries stand in one column of the tile.
        """
        offsets = view.offsets
        assert offsets is not None
        found = self._indirect.get((view, group))
        if found is None:
            tile = Tile(self.access(offsets.tile), group)
            reach = self.access(window(view, offsets))
            found = self._indirect[view, group] = Indirect(view, reach, tile)
        return found

    # -- tasks

    def _fetcher(self, queue: int) -> Any:
        lines = self.program.queues[queue]
        instructions, waits, updates = lines.instructions, lines.waits, lines.updates
        tasks = self._tasks

        def fetch(pc: int) -> Task:
            key = (queue, instructions[pc], waits[pc], updates[pc])
            task = tasks.get(key)
            if task is None:
                task = tasks[key] = self._task(queue, pc)
            return task

        return fetch

    def prepare(self) -> None:
        """Bind a program of moderate size in one go, before it runs.

        It is the same work as at each first execution, but twice as fast: the kernels of a run
        leave little of the interpreter in the host's caches. What cannot be bound says so when
        its turn comes.
        """
        if len(self.program) > MODERATE:
            return
        with gc_pause.paused():
            for queue, lines in enumerate(self.program.queues):
                seen: set[tuple[int, int, int]] = set()
                columns = zip(lines.instructions, lines.waits, lines.updates, strict=True)
                for pc, key in enumerate(columns):
                    if key not in seen:
                        seen.add(key)
                        with suppress(Failure):
                            self._fetchers[queue](pc)

    def _task(self, queue: int, pc: int) -> Task:
        program, lines = self.program, self.program.queues[queue]
        instruction = program.instructions[lines.instructions[pc]]
        wait = program.waits[lines.waits[pc]]
        update = program.updates[lines.updates[pc]]
        waits = (wait.semaphore, wait.op, wait.value) if wait else None
        posts = None
        if update is not None and not instruction.row.posts:
            posts = (update.semaphore, update.op, update.value, update.at_read)
        target = update.semaphore if update is not None and instruction.row.posts else None
        registers = registers_of(instruction)
        try:
            if not registers:
                bound = self._bind(queue, lines.instructions[pc], instruction, (), target)
                return self._scheduled(queue, bound, waits, posts)
        except Refused as refused:
            raise Failure(refused.at(program.span(queue, pc))) from None
        reads = tuple(self.register_region(queue, r) for r in registers)

        def expand() -> Task:
            values = tuple(self._value(queue, r) for r in registers)
            try:
                bound = self._bind(queue, lines.instructions[pc], instruction, values, target)
            except Refused as refused:
                raise Failure(
                    refused.at(program.span(queue, self.scheduler.queues[queue].pc))
                ) from None
            return self._scheduled(queue, bound, None, posts)

        return Task(-1, _never, _nothing, 1, 1, 1, reads, wait=waits, expand=expand)

    def _value(self, queue: int, number: int) -> int:
        registers = self.state.registers[queue]
        if not registers.known[number]:
            self.hazard_register(queue, number)
        return registers.values[number]

    def _scheduled(self, queue: int, bound: Bound, wait: Any, update: Any) -> Task:
        cost, cycle = bound.cost, self._cycles[queue]
        units = self._units[queue]

        def number(name: str) -> int:
            return units.setdefault(name, len(units) + 1)

        unit = number(cost.unit)
        parts = tuple(number(f"{cost.unit}/{part}") for part in cost.parts)
        spare = 0 if cost.spare is None else number(cost.spare)
        return Task(
            bound.number,
            bound.start,
            bound.finish,
            max(1, cost.interval * cycle),
            max(1, cost.latency * cycle),
            unit,
            bound.reads,
            bound.writes,
            wait,
            update,
            bound.branches,
            None,
            bound.gate,
            parts,
            spare,
            bound.arrive,
        )

    def _bind(
        self,
        queue: int,
        index: int,
        instruction: Instruction,
        values: tuple[int, ...],
        semaphore: int | None,
    ) -> Bound:
        key = (queue, index, (*values, -1 if semaphore is None else semaphore))
        bound = self._bound.get(key)
        if bound is None:
            operands = instruction.operands
            number = len(self._bound)
            if values:
                held = dict(zip(registers_of(instruction), values, strict=True))
                try:
                    operands = tuple(settled(o, held) for o in operands)
                except Refused:
                    binder = Binder(self, queue, instruction, operands)
                    bound = binder.bind(number) if instruction.row.effect else None
                    if bound is None or not self.acts.skip(queue, bound, binder.context, semaphore):
                        raise
                    self._bound[key] = bound
                    return bound
            binder = Binder(self, queue, instruction, operands)
            if values:
                self._obey(binder.context)
            bound = binder.bind(number)
            if instruction.row.effect:
                self.acts.effective(queue, bound, binder.context, semaphore)
            self._bound[key] = bound
        return bound

    def _obey(self, context: Context) -> None:
        """Check the rules again, now that the registers in an address are known."""
        for rule in rules_of(self.program.target, context.row, bool(context.addressed)):
            said = rule.check(context)
            if said is not None and not rule.warning:
                raise rule.refusal(context.row, said)

    def cost(self, queue: int, instruction: int) -> Cost:
        """What a form costs on a queue."""
        engine = self.program.queues[queue].engine
        return self.program.instructions[instruction].facts(engine, self.program.generation).cost

    # -- hazards

    def hazard_unwritten(
        self,
        queue: int,
        view: View,
        adding: bool = False,
        pc: int | None = None,
        missing: int | None = None,
    ) -> None:
        """An instruction touches bytes nobody has written."""
        at = self._pc(queue, adding) if pc is None else pc
        self.hazards.unwritten(queue, at, view, adding, missing)

    def hazard_foreign(self, queue: int, view: View) -> None:
        """An instruction adds to what another kind of instruction wrote."""
        self.hazards.foreign(queue, self._pc(queue, True), view)

    def hazard_register(self, queue: int, number: int) -> None:
        """An instruction reads a register nobody has set."""
        self.hazards.register(queue, self._pc(queue, False), number)

    def hazard_doubtful(self, queue: int, said: str, rule: str) -> None:
        """An instruction computes what the hardware does not promise."""
        self.hazards.doubtful(queue, self._pc(queue, False), said, rule)

    def _pc(self, queue: int, finishing: bool) -> int:
        return self.scheduler.last[1] if finishing else self.scheduler.queues[queue].pc

    # -- running

    def run(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        """Advance the machine; see :meth:`Scheduler.run`."""
        try:
            with np.errstate(all="ignore"), gc_pause.paused():
                return self.scheduler.run(events, until, retire)
        except Refused as refused:
            queue, pc = self.scheduler.acting
            raise Failure(refused.at(self.program.span(queue, pc))) from None


MODERATE = 20_000
"""Instructions up to which a program is bound before it runs."""

UNITS = 32
"""Units of one engine and their parts, which instructions may occupy; more than any target has."""


def _never(_: int) -> None:
    raise AssertionError("a task whose addresses are open was started")


def _nothing(_: Any, __: int) -> None:
    return None
