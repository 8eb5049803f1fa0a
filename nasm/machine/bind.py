"""Decide once: turn an instruction's operands into bound arrays, casts and a kernel.

Executing a bound instruction again is little more than the numpy work itself. What an
instruction means stays in its row; this module only reads, casts, rounds and stores.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm import dtypes
from nasm.machine.casts import choosing, fitted, reading, storing, tile_of
from nasm.machine.gathers import gathering, scattering
from nasm.machine.places import Access, elements
from nasm.problems import Refused
from nasm.sim.memory import Region, Store
from nasm.spec.evidence import Cost
from nasm.spec.implicit_operands import Doubt, Here, RoundingOf
from nasm.spec.implicit_operands import State as Held
from nasm.spec.instruction import Context, Operand, Row
from nasm.spec.kinds import Kind
from nasm.spec.lists import views
from nasm.spec.program import Instruction
from nasm.spec.view import Reg, View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine

Reader = Callable[[], Any]
Writer = Callable[[Any], Any]


@dataclass(slots=True, eq=False)
class Bound:
    """An instruction ready to run on one queue."""

    instruction: Instruction
    cost: Cost
    start: Callable[[int], Any]
    finish: Callable[[Any, int], None]
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    branches: bool
    gate: Callable[[], int] | None
    number: int
    arrive: Callable[[int], None] | None = None


@cache
def _ways(row: Row) -> tuple[tuple[Operand, bool], ...]:
    """What a row reads, and whether a number or word there is handed over as it is written."""
    return tuple((o, not o.hidden and type(o.kind).handed is Kind.handed) for o in row.reads)


class Binder:
    """Binds one form for one queue; collects readers, writers, touches and regions."""

    def __init__(
        self, machine: Machine, queue: int, instruction: Instruction, operands: tuple[object, ...]
    ) -> None:
        self.machine, self.queue, self.instruction = machine, queue, instruction
        self.operands = operands
        row = instruction.row
        engine = machine.program.queues[queue].engine
        facts = instruction.facts(engine, machine.program.generation)
        self.context, self.domain, self.cost = facts.context, facts.domain, facts.cost
        if (
            operands is not instruction.operands
        ):  # what a register moves costs the same wherever it is
            self.context = Context.of(row, operands, engine, machine.program.generation)
        self.reads: list[Region] = []
        self.writes: list[Region] = []
        self.touches: list[Access] = []
        self.held_reads: list[str] = []
        self.sources: list[Store] = []
        self.casting = machine.state.castings[queue]

    def bind(self, number: int) -> Bound:
        """The instruction, bound."""
        row = self.instruction.row
        fixed: list[Any] = []
        slots: list[tuple[int, Reader]] = []
        values = self.context.operands
        for operand, constant in _ways(row):
            value = values[operand.name]
            reader = None
            if type(value) is View or type(value) is Reg:
                reader = self._reader(operand, value)
            elif not constant:
                if isinstance(operand.kind, Held):
                    reader = self._held(operand.kind)
                else:
                    value = self._handed(operand.kind, value)
            elif type(value) is tuple:
                for view in views(value):
                    if view.offsets is not None:
                        gathering(self, operand, view)
            if reader is None:
                fixed.append(value)
            else:
                slots.append((len(fixed), reader))
                fixed.append(None)
        writers = [self._writer(o) for o in row.writes]
        cost = self.cost
        start, finish = self._kernel(fixed, slots, [w for w in writers if w is not None], cost)
        return Bound(
            self.instruction,
            cost,
            start,
            finish,
            tuple(self.reads),
            tuple(self.writes),
            False,
            self._gate(),
            number,
        )

    # -- operands

    def _handed(self, kind: Kind, value: object) -> object:
        """What semantics get for a value that is not what the program wrote."""
        if isinstance(kind, Here):
            return getattr(self.machine.program.queues[self.queue], kind.what)
        if isinstance(kind, RoundingOf):
            return self._rounding(self.context.operands[kind.operand])
        return kind.handed(value, self.context)

    def _reader(self, operand: Operand, value: View | Reg) -> Reader | None:
        """How an operand is read when the instruction starts; None: it is handed as it is."""
        if isinstance(value, Reg):
            self.reads.append(self.machine.register_region(self.queue, value.number))
            return self._register(value.number)
        if operand.footprint is None:
            return self._elements(operand, value)
        readers = [self._elements(operand, view) for view in operand.footprint(self.context)]
        if len(readers) == 1:
            return readers[0]
        return lambda: np.concatenate([read() for read in readers if read is not None])

    def _elements(self, operand: Operand, value: View) -> Reader | None:
        if value.offsets is not None:
            return gathering(self, operand, value)
        if operand.access == "@":
            return None
        access = self.machine.access(value)
        self.reads.append(access.region)
        self.sources.append(access.store)
        if not access.settled:
            self.touches.append(access)
        kind = tile_of(operand)
        flat = kind is None or kind.flat
        array = access.array
        if not flat and array.shape != value.shape:
            array = elements(value, access.store)
        return reading(array, value.dtype, self.domain, flat, value.partitioned)

    def _register(self, number: int) -> Reader:
        registers = self.machine.state.registers[self.queue]

        def read() -> int:
            if not registers.known[number]:
                self.machine.hazard_register(self.queue, number)
            return registers.values[number]

        return read

    def _held(self, kind: Held) -> Reader:
        held = self.machine.state.held[self.queue]
        self.held_reads.append(kind.name)
        initial = kind.initial(self.context) if callable(kind.initial) else kind.initial

        def read() -> Any:
            value = held.get(kind.name, initial)
            if value is None:
                raise Refused("E0503", f"the engine holds no {kind.name} yet", kind.how)
            return value

        return read

    def _gate(self) -> Callable[[], int] | None:
        """When what the engine holds is ready; None if the instruction needs none of it."""
        names = self.held_reads
        if not names:
            return None
        ready = self.machine.state.ready[self.queue]
        if len(names) == 1:
            name = names[0]
            return lambda: ready.get(name, 0)
        return lambda: max(ready.get(n, 0) for n in names)

    def _writer(self, operand: Operand) -> tuple[Writer, Writer | None] | None:
        """How a result is prepared at the start and stored at completion."""
        value = self.context.operands[operand.name]
        if isinstance(operand.kind, Held):
            return self._holding(operand.kind.name)
        if isinstance(operand.kind, Doubt):
            return self._doubting(operand.kind.rule)
        if value is None:
            return (lambda result: None), None
        if isinstance(value, Reg):
            self.writes.append(self.machine.register_region(self.queue, value.number))
            registers = self.machine.state.registers[self.queue]
            number = value.number
            return int, lambda result: registers.set(number, result)
        assert isinstance(value, View)
        if value.offsets is not None:
            return scattering(self, operand, value)
        if operand.footprint is not None:
            parts = operand.footprint(self.context)
            if len(parts) > 1:
                return self._spread(parts)
            value = parts[0]
        access = self.machine.access(value)
        self.writes.append(access.region)
        if operand.adds and self.context.operands[operand.adds]:
            return self._adding(access)
        guarded = self.machine.state.guarded(access.store)
        if operand.partial:
            put = access.put_foreign_partial if guarded else access.put_partial
            return choosing(access.array, value.dtype, self.casting), put
        return storing(access.array, value.dtype, self.casting, self._only_source()), (
            access.put if not guarded else access.put_own if operand.adds else access.put_foreign
        )

    def _spread(self, views: tuple[View, ...]) -> tuple[Writer, Writer]:
        """Write a result to several views, along the partitions."""
        accesses = [self.machine.access(view) for view in views]
        self.writes += [access.region for access in accesses]
        prepares = [storing(a.array, a.view.dtype, self.casting, None) for a in accesses]
        guarded = self.machine.state.guarded
        puts = [a.put_foreign if guarded(a.store) else a.put for a in accesses]
        ends = list(itertools.accumulate(view.partitions for view in views))

        def prepare(result: Any) -> list[Any]:
            rows = np.split(result, ends[:-1])
            return [one(part) for one, part in zip(prepares, rows, strict=True)]

        def commit(parts: list[Any]) -> None:
            for put, part in zip(puts, parts, strict=True):
                put(part)

        return prepare, commit

    def _rounding(self, view: View) -> Callable[[Any], Any]:
        dtype, narrow = view.dtype, self.casting.narrower(view.dtype)
        return lambda values: dtypes.to_float32(narrow(values, dtype), dtype)

    def _only_source(self) -> Store | None:
        """The store that every tile is read from, if it is one and nothing else is read."""
        stores = {id(s): s for s in self.sources}
        return self.sources[0] if len(stores) == 1 and not self.held_reads else None

    def _holding(self, name: str) -> tuple[Writer, None]:
        held = self.machine.state.held[self.queue]

        def hold(result: Any) -> None:
            held[name] = result if getattr(result, "base", None) is None else result.copy()

        return hold, None

    def _doubting(self, rule: str) -> tuple[Writer, None]:
        machine, queue = self.machine, self.queue

        def warn(said: str | None) -> None:
            if said is not None:
                machine.hazard_doubtful(queue, said, rule)

        return warn, None

    def _adding(self, access: Access) -> tuple[Writer, Writer]:
        """Add to what the memory holds, in float32, when the instruction completes."""
        dtype, shape, size = access.view.dtype, access.array.shape, access.array.size
        queue, machine = self.queue, self.machine
        store, target, plain = access.store, access.array, dtype.name == "float32"
        add, narrow = store.add, self.casting.narrower(dtype)

        def commit(result: Any) -> None:
            if not access.settled:
                if access.unwritten():
                    machine.hazard_unwritten(queue, access.view, adding=True)
                access.mark()
            if store.foreign is not None and access.foreign:
                machine.hazard_foreign(queue, access.view)
            if plain:
                add(target, result)
            else:
                total = dtypes.to_float32(target, dtype) + result
                access.put(narrow(total, dtype))

        return (lambda result: fitted(result, shape, size)), commit

    # -- running

    def _kernel(
        self,
        fixed: list[Any],
        slots: list[tuple[int, Reader]],
        writers: list[tuple[Writer, Writer | None]],
        cost: Cost,
    ) -> tuple[Callable[[int], Any], Callable[[Any, int], None]]:
        semantics = self.instruction.row.semantics
        pending = list(self.touches)
        machine, queue = self.machine, self.queue
        holds = [o.kind.name for o in self.instruction.row.writes if isinstance(o.kind, Held)]
        ready = machine.state.ready[queue]
        delay = cost.interval * machine.cycle(queue)

        def values() -> Any:
            if pending:
                settle(machine, queue, pending)
            arguments = fixed.copy()  # kept no longer than the call: what is freed is reused hot
            for at, reader in slots:
                arguments[at] = reader()
            return semantics(*arguments)

        if len(writers) == 1 and not holds and writers[0][1] is not None:
            prepare, commit = writers[0]

            def start_one(now: int) -> Any:
                return prepare(values())

            def finish_one(payload: Any, now: int) -> None:
                commit(payload)  # type: ignore[misc]

            return start_one, finish_one

        def start(now: int) -> Any:
            results = values()
            if not writers:
                return results
            if len(writers) == 1:
                results = (results,)
            for name in holds:
                ready[name] = now + delay
            return [w[0](r) for w, r in zip(writers, results, strict=True)]

        def finish(payload: Any, now: int) -> None:
            if writers:
                for (_, commit), result in zip(writers, payload, strict=True):
                    if commit is not None:
                        commit(result)

        return start, finish


def settle(machine: Machine, queue: int, pending: list[Access]) -> None:
    """Look for unwritten elements; forget the views that are known to be written."""
    for access in list(pending):
        if access.unwritten():
            machine.hazard_unwritten(queue, access.view)
        else:
            pending.remove(access)
