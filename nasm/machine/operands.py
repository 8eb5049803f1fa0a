"""How operands are read and written: views, registers and engine values become readers and writers.

What follows from the shape of an instruction is decided once, as a *recipe* for each operand; for
each instruction of that shape the recipe fills in its addresses.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Refused
from nasm.base.records import dataclass, field, replace
from nasm.isa.implicit_kinds import Doubt, EngineValue
from nasm.isa.instruction import FLOAT32, InstructionContext, Operand
from nasm.isa.kinds import Tile
from nasm.isa.list_kinds import views
from nasm.machine.access import Access
from nasm.machine.addresses import Addresses
from nasm.machine.conversions import (
    Reader,
    choosing,
    converter,
    fitted,
    flattened,
    storing,
    storing_last,
)
from nasm.machine.findings import Findings
from nasm.machine.indirect import Entries, Indirect
from nasm.machine.state import State
from nasm.program.footprint.traits import here
from nasm.program.shapes import Shape
from nasm.sim.memory import Store
from nasm.views.regions import Region
from nasm.views.view import Reg, View


class ResultWriter(NamedTuple):
    """How a result is prepared at the start (``prepare(result, source)``) and stored at completion.

    ``source`` is the one store that the instruction reads, if it is one.
    """

    prepare: Callable[[Any, Store | None], Any]
    commit: Callable[[Any], Any] | None


@dataclass(slots=True, eq=False)
class Binding:
    """An instruction being bound: its arguments, how they are read, and what is touched."""

    operands: tuple[object, ...]
    arguments: list[Any]
    readers: list[tuple[int, Reader]] = field(default_factory=list)
    writers: list[ResultWriter] = field(default_factory=list)
    reads: list[Region] = field(default_factory=list)
    writes: list[Region] = field(default_factory=list)
    touched: list[tuple[Access, View]] = field(default_factory=list)
    stored: list[Access] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    states: list[str] = field(default_factory=list)

    def read(self) -> list[Any]:
        """The arguments as they are now."""
        arguments = self.arguments.copy()
        for at, read in self.readers:
            arguments[at] = read()
        return arguments


Recipe = Callable[[Binding, int, Any], None]
"""Binds an operand: gets the place among the arguments (or results), and the value."""


class Operands:
    """Makes recipes for the operands of one queue's instructions."""

    def __init__(self, queue: int, addresses: Addresses, state: State, findings: Findings) -> None:
        self.addresses, self.state, self.findings = addresses, state, findings
        self.registers = state.registers[queue]
        self.engine = state.engines[queue]
        self.casting = state.castings[queue]

    # -- reading

    def reading(self, operand: Operand, shape: Shape) -> Recipe | None:
        """How an operand is read when the instruction starts; None: it is passed as it is."""
        context, domain = shape.context, shape.domain
        value = context.operands[operand.name]
        if type(value) is Reg:
            return self._read_register
        if isinstance(operand.kind, EngineValue):
            return self._read_state(operand.kind, context)
        if type(value) is tuple and any(view.offsets is not None for view in views(value)):
            return self._read_indices
        if type(value) is not View:
            return None
        if operand.footprint is not None and operand.name not in shape.exact:
            return self._read_footprint(operand, context, domain)
        return self._read_elements(operand, context, value, domain)

    def _read_register(self, binding: Binding, at: int, value: Reg) -> None:
        number, registers, findings = value.number, self.registers, self.findings

        def read() -> Any:
            if not registers.known[number]:
                findings.register(number)
            return registers.values[number]

        binding.reads.append(registers.region(number))
        binding.readers.append((at, read))

    def _read_state(self, kind: EngineValue, context: InstructionContext) -> Recipe:
        values, name = self.engine.values, kind.name
        initial = kind.initial(context) if callable(kind.initial) else kind.initial

        def read() -> Any:
            value = values.get(name, initial)
            if value is None:
                raise Refused("E0503", f"the engine holds no {name} yet", kind.how)
            return value

        def recipe(binding: Binding, at: int, _: Any) -> None:
            binding.states.append(name)
            binding.readers.append((at, read))

        return recipe

    def _read_elements(
        self, operand: Operand, context: InstructionContext, view: View, domain: str
    ) -> Recipe | None:
        if view.offsets is not None:
            return self._gather(operand, context, domain)
        return None if operand.access == "@" else self._read_view(operand, context, view, domain)

    def _read_view(
        self, operand: Operand, context: InstructionContext, view: View, domain: str
    ) -> Recipe:
        access_of, dims = self.addresses.access, view.dims
        lanes = view.tensor.memory.partitions > 0
        flat = _flat(operand)
        merged = flat or max(1, len(dims)) == len(view.shape) - lanes
        convert = converter(view.dtype, lanes, flat and not (lanes and len(dims) <= 1), domain)
        make = None if operand.derived is None else operand.derived(context)

        def recipe(binding: Binding, at: int, value: View) -> None:
            access = access_of(value)
            binding.reads.append(access.region)
            binding.stores.append(access.store)
            binding.touched.append((access, value))
            array = access.array if merged else access.elements
            if make is not None:
                binding.readers.append((at, access.deriving(make, array)))
            elif convert is None:
                binding.arguments[at] = array
            else:
                binding.readers.append((at, convert(array)))

        return recipe

    def _read_footprint(self, operand: Operand, context: InstructionContext, domain: str) -> Recipe:
        """Read the views that are really read, stacked along the partitions."""
        footprint = operand.footprint
        assert footprint is not None

        def recipe(binding: Binding, at: int, _: Any) -> None:
            parts = footprint(here(context, binding.operands))
            part = Binding(binding.operands, [None] * len(parts))
            for n, view in enumerate(parts):
                read = self._read_elements(operand, context, view, domain)
                assert read is not None, "a footprint is of elements"
                read(part, n, view)
            binding.reads += part.reads
            binding.stores += part.stores
            binding.touched += part.touched
            if len(parts) == 1:
                binding.readers.append((at, lambda: part.read()[0]))
            else:
                binding.readers.append((at, lambda: np.concatenate(part.read())))

        return recipe

    # -- reading what a tile of entries picks

    def _indirect(
        self, context: InstructionContext, view: View
    ) -> tuple[Indirect, Callable[[], Entries]]:
        """A view bound to its memory, and how its entries are read."""
        assert view.offsets is not None
        group = view.offsets.group or context.generation.engine(context.engine).group
        found, findings = Indirect.bound(self.addresses, view, group), self.findings

        def entries() -> Entries:
            if not found.known:
                findings.uninitialised(found.index.view, found.index.access.missing)
            found.index.access.look()
            return found.checked(found.entries())

        return found, entries

    def _read_indices(self, binding: Binding, _: int, value: Any) -> None:
        """The entries of views that are passed as they are."""
        for view in views(value):
            if view.offsets is not None:
                binding.reads.append(self.addresses.region(view.offsets.tile))

    def _gather(self, operand: Operand, context: InstructionContext, domain: str) -> Recipe:
        """Read the elements that a tile picks; of a view itself, only know of the tile."""
        if operand.access == "@":
            return lambda binding, at, value: self._read_indices(binding, at, (value,))
        flat, findings = _flat(operand), self.findings
        make = None if operand.derived is None else operand.derived(context)

        def recipe(binding: Binding, at: int, view: View) -> None:
            found, entries = self._indirect(context, view)
            binding.reads += [found.index.access.region, found.region]

            def read() -> Any:
                chosen = entries()
                _look(findings, found, chosen, False)
                array = found.gather(chosen)
                if make is not None:
                    return make(array)
                if domain == FLOAT32:
                    array = dtypes.to_float32(array, view.dtype)
                return flattened(array, view.partitioned) if flat else array

            binding.readers.append((at, read))

        return recipe

    # -- writing

    def writing(self, operand: Operand, shape: Shape) -> Recipe:
        """How a result is prepared when the instruction starts, and stored when it completes."""
        context, kind = shape.context, operand.kind
        value = context.operands[operand.name]
        if isinstance(kind, EngineValue):
            leave, name = self.engine.leave, kind.name
            return _constant(ResultWriter(lambda result, _: leave(name, result), None))
        if isinstance(kind, Doubt):
            return _constant(ResultWriter(partial(self._doubt, kind.rule), None))
        if value is None:
            return _constant(ResultWriter(lambda result, _: None, None))
        if isinstance(value, Reg):
            return self._write_register
        assert isinstance(value, View)
        if value.offsets is not None:
            return self._scatter(operand, context)
        if operand.footprint is not None and operand.name not in shape.exact:
            return self._write_footprint(operand, context)
        return self._write_plain(operand, context, value)

    def _write_plain(self, operand: Operand, context: InstructionContext, view: View) -> Recipe:
        if operand.adds and context.operands[operand.adds]:
            return self._add
        return self._write_view(operand, view)

    def _doubt(self, rule: str, text: str | None, _: Store | None) -> None:
        if text is not None:
            self.findings.doubtful(text, rule)

    def _write_register(self, binding: Binding, _: int, value: Reg) -> None:
        binding.writes.append(self.registers.region(value.number))
        store = partial(self.registers.set, value.number)
        binding.writers.append(ResultWriter(lambda result, _: int(result), store))

    def _write_view(self, operand: Operand, view: View) -> Recipe:
        left = view.last
        access = self.addresses.access(left)
        commit = _commit(operand, access.store.guarded)
        shape = access.array.shape
        if left is view:
            prepare = (choosing if operand.partial else storing)(shape, view.dtype, self.casting)
        else:
            prepare = storing_last(view, shape, self.casting)
        access_of = self.addresses.access

        def recipe(binding: Binding, _: int, value: View) -> None:
            access = access_of(value.last)
            binding.stored.append(access)
            binding.writes.append(access.region)
            binding.writers.append(ResultWriter(prepare, commit(access)))

        return recipe

    def _write_footprint(self, operand: Operand, context: InstructionContext) -> Recipe:
        """Write a result to several views, along the partitions."""
        footprint = operand.footprint
        assert footprint is not None

        def recipe(binding: Binding, at: int, _: Any) -> None:
            views = footprint(here(context, binding.operands))
            part = Binding(binding.operands, [])
            for view in views:
                self._write_plain(operand, context, view)(part, at, view)
            binding.writes += part.writes
            binding.stored += part.stored
            if len(views) == 1:
                binding.writers += part.writers
                return
            ends = list(itertools.accumulate(view.partitions for view in views))
            binding.writers.append(_joint_writer(part.writers, ends))

        return recipe

    def _add(self, binding: Binding, _: int, value: View) -> None:
        """Add to what the memory holds, in float32, when the instruction completes."""
        access, findings, casting = self.addresses.access(value), self.findings, self.casting
        shape, size = access.array.shape, access.array.size
        binding.stored.append(access)
        binding.writes.append(access.region)

        def commit(result: Any) -> None:
            if not access.place.initialised and access.uninitialised:
                findings.uninitialised(value, access.missing, adding=True)
            if access.store.not_accumulable is not None and not access.accumulable():
                findings.not_accumulable(value)
            access.add(result, casting)
            if findings.numbers.raised:
                findings.numbers.added(access.array, result)

        binding.writers.append(ResultWriter(lambda result, _: fitted(result, shape, size), commit))

    def _scatter(self, operand: Operand, context: InstructionContext) -> Recipe:
        """Store a result, or add it, where a tile says."""
        view = context.operands[operand.name]
        adds = bool(operand.adds and context.operands[operand.adds])
        prepare = (choosing if operand.partial else storing)(view.shape, view.dtype, self.casting)

        def recipe(binding: Binding, _: int, value: View) -> None:
            found, entries = self._indirect(context, value)
            binding.reads.append(found.index.access.region)
            binding.writes.append(found.region)
            if adds:
                binding.writers.append(self._scatter_adding(found, entries))
                return
            guarded = found.reach.store.guarded

            def commit(payload: tuple[Entries, Any]) -> None:
                found.scatter(*payload)
                if guarded:
                    found.note_writer(payload[0], bool(operand.adds))

            binding.writers.append(
                ResultWriter(lambda result, _: (entries(), prepare(result, None)), commit)
            )

        return recipe

    def _scatter_adding(self, found: Indirect, entries: Callable[[], Entries]) -> ResultWriter:
        shape, size = found.view.shape, found.view.size
        findings, casting = self.findings, self.casting

        def commit(payload: tuple[Entries, Any]) -> None:
            chosen, result = payload
            _look(findings, found, chosen, True)
            if not found.accumulable(chosen):
                findings.not_accumulable(found.view)
            found.add(chosen, result, casting)

        return ResultWriter(
            lambda result, _: (found.distinct(entries()), fitted(result, shape, size)), commit
        )

    def rounding(self, dtype: DType) -> Callable[[Any], Any]:
        """How results are rounded into a dtype: a function from float32 to float32."""
        narrow = replace(self.casting, lost=None).narrower(dtype)
        return lambda values: dtypes.to_float32(narrow(values, dtype), dtype)


def _constant(writer: ResultWriter) -> Recipe:
    return lambda binding, _, __: binding.writers.append(writer)


def _flat(operand: Operand) -> bool:
    """Whether semantics get its free axes as one."""
    tiles = (operand.kind, *getattr(operand.kind, "kinds", ()))
    return next((kind.flat for kind in tiles if isinstance(kind, Tile)), True)


def _look(findings: Findings, found: Indirect, chosen: Entries, adding: bool) -> None:
    """Chosen elements are about to be read: report those that are uninitialised."""
    found.reach.look()
    known = found.written(chosen)
    if not known.all():
        missing = known.size - int(np.count_nonzero(known))
        findings.uninitialised(found.view, missing, adding)


def _commit(operand: Operand, guarded: bool) -> Callable[[Access], Callable[[Any], None]]:
    """What stores a result; where it matters what wrote last, it notes if one may accumulate."""
    put = Access.put_partial if operand.partial else Access.put
    if not guarded:
        return lambda access: access.put_partial if operand.partial else access.put
    accumulable = bool(operand.adds)

    def commit(access: Access) -> Callable[[Any], None]:
        def store(values: Any) -> None:
            put(access, values)
            access.note_writer(accumulable, values.where if operand.partial else ...)

        return store

    return commit


def _joint_writer(writers: list[ResultWriter], ends: list[int]) -> ResultWriter:
    """A writer of rows to several places."""

    def prepare(result: Any, _: Store | None) -> list[Any]:
        rows = np.split(result, ends[:-1])
        return [w.prepare(part, None) for w, part in zip(writers, rows, strict=True)]

    def commit(parts: list[Any]) -> None:
        for writer, part in zip(writers, parts, strict=True):
            if writer.commit is not None:
                writer.commit(part)

    return ResultWriter(prepare, commit)
