"""Everything of a machine that changes except its queues: memories, registers, engine state.

There is one door to it: what is changed anywhere is changed by a method of :class:`Access`,
:class:`Registers` or :class:`EngineState`, and :meth:`State.save` has all of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from nasm.base.dtypes import Casting, Lost
from nasm.base.records import replace
from nasm.isa.generation import Generation
from nasm.isa.ranges import Unknown
from nasm.program.program import Instruction, Program
from nasm.sim.memory import UNTOUCHED, Arena, Store
from nasm.views.regions import REGISTERS, Region
from nasm.views.tensor import Tensor
from nasm.views.view import View

UNKNOWN: Final = Unknown.within()
"""What a register holds that was loaded from memory, in a run without values."""


class Registers:
    """The registers of one queue: 32-bit integers, and which of them are initialised.

    In a run without values one may hold an :class:`~nasm.isa.ranges.Unknown`.
    """

    __slots__ = ("known", "place", "values")

    def __init__(self, count: int, queue: int) -> None:
        self.values: list[Any] = [0] * count
        self.known = [False] * count
        self.place = f"{REGISTERS}{queue}"

    def region(self, number: int) -> Region:
        """A register as a region, so that reads of it wait like any other."""
        at = 4 * number
        return Region(self.place, (0, 1, 1), at, at + 4, at, (), 4)

    def set(self, number: int, value: int) -> None:
        """Store a value, wrapped to a signed 32-bit integer."""
        self.values[number] = (value + 2**31) % 2**32 - 2**31
        self.known[number] = True

    def lose(self, number: int, what: Unknown = UNKNOWN) -> None:
        """Store what is not known, or only in part."""
        self.values[number] = what
        self.known[number] = True

    def save(self) -> Any:
        """Everything that changes."""
        return tuple(self.values), tuple(self.known)

    def restore(self, saved: Any) -> None:
        """As they were when they were saved; in place, for readers have the lists."""
        self.values[:], self.known[:] = saved


class EngineState:
    """The engine values of one queue by name, and the tick from which on each is ready."""

    __slots__ = ("ready", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.ready: dict[str, int] = {}

    def leave(self, name: str, value: Any) -> None:
        """Keep a value: a copy where it is part of a memory, which changes."""
        part = isinstance(value, np.ndarray) and value.base is not None
        self.values[name] = value.copy() if part else value

    def gate(self, names: Sequence[str]) -> Callable[[], int] | None:
        """A function that says when all of some values are ready; None for no values."""
        if not names:
            return None
        ready = self.ready
        if len(names) == 1:
            name = names[0]
            return lambda: ready.get(name, 0)
        return lambda: max(ready.get(n, 0) for n in names)

    def save(self) -> Any:
        """Everything that changes; no value in here ever does."""
        return dict(self.values), dict(self.ready)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved; in place."""
        for held, was in zip((self.values, self.ready), saved, strict=True):
            held.clear()
            held.update(was)


StoreKey = int | tuple[str, int]
"""The number of a store of tensors, or a memory whose bytes have numbers, by name, and a core."""


class MemoryStores(dict[tuple[str, int], Store]):
    """The stores of memories whose bytes have numbers, made when something asks for them.

    ``sizes`` are those of such memories, by name: none without values. ``touched`` is called with
    one that gets its bytes.
    """

    def __init__(self, sizes: Mapping[str, int], touched: Callable[[Store], None]) -> None:
        super().__init__()
        self._sizes, self._touched = sizes, touched

    def __missing__(self, key: tuple[str, int]) -> Store:
        name, core = key
        made = self[key] = Store(name, 1, self._sizes[name], core=core)
        made.alone, made.touched = False, self._touched
        return made

    def of(self, name: str, core: int) -> Store | None:
        """That of a memory of a core; None of others, and without values."""
        return self[name, core] if name in self._sizes else None


class State:
    """Memories by tensor; registers, engine state and casts by queue.

    ``areas`` numbers what tensors share bytes of, by their index; ``by_tensor`` has the bytes a
    tensor lives in, by its index; without ``values`` there are none. ``castings`` round what each
    queue stores, and last what is moved by transfers: each queue draws random numbers of its own,
    the same ones however the others run. ``lost`` is called with what does not fit.
    """

    def __init__(self, program: Program, values: bool = True, lost: Lost | None = None) -> None:
        count, queues = program.generation.registers, len(program.queues)
        self.registers = [Registers(count, queue) for queue in range(queues)]
        self.engines = [EngineState() for _ in program.queues]
        make = program.target.casting
        self.castings = [
            replace(make(program.options, stream) if make else Casting(), lost=lost)
            for stream in range(len(program.queues) + 1)
        ]
        self.stores: list[Store] = []
        self._touched: list[Store] = []
        self.by_tensor: dict[int, Store] = {}
        self._empty: list[Any] = []
        every = program.generation.memories.values()
        sizes = {memory.name: memory.size for memory in every if memory.numbered and values}
        self.numbered = MemoryStores(sizes, self._touched.append)
        shared = groups(list(program.tensors.values()))
        self.areas = {t.index: area for area, group in enumerate(shared) for t in group}
        if values:
            self._make_stores(program, shared)
            self._make_numbered(program)

    def _make_stores(self, program: Program, shared: list[list[Tensor]]) -> None:
        arena = Arena(sum(room(group) for group in shared if not group[0].memory.numbered))
        for group in shared:
            if group[0].memory.numbered:
                continue
            store = _store(group, arena)
            self.stores.append(store)
            for tensor in group:
                self.by_tensor[tensor.index] = store
            store.alone = len(group) == 1
        self.guard(added_to(program.generation, program.instructions))

    def _make_numbered(self, program: Program) -> None:
        """Those of cores that do something are made at once: that is no part of the run.

        Tensors there are parts of them.
        """
        for memory in program.generation.memories.values():
            for core in ([0] if memory.shared else program.busy_cores) if memory.numbered else ():
                self.numbered[memory.name, core].make()
        self._put_numbered(program.tensors.values())

    def _put_numbered(self, tensors: Iterable[Tensor]) -> None:
        for tensor in tensors:
            if tensor.memory.numbered:
                core = 0 if tensor.memory.shared else tensor.core
                self.by_tensor[tensor.index] = self.numbered[tensor.memory.name, core]

    def take_up(self, tensors: Sequence[Tensor], values: bool = True) -> None:
        """Make stores for new tensors, which share bytes with none of the old ones."""
        shared, first = groups(list(tensors)), len(set(self.areas.values()))
        self.areas.update((t.index, first + n) for n, group in enumerate(shared) for t in group)
        if not values:
            return
        self._put_numbered(tensors)
        for group in shared:
            if group[0].memory.numbered:
                continue
            store = _store(group, Arena(room(group)))
            store.alone = len(group) == 1
            self.stores.append(store)
            self._empty.append(store.save())
            self.by_tensor.update((tensor.index, store) for tensor in group)

    def every(self) -> Iterator[tuple[StoreKey, Store]]:
        """The stores that there are, each with what :meth:`store` finds it by in any process."""
        yield from enumerate(self.stores)
        yield from self.numbered.items()

    def store(self, key: StoreKey) -> Store:
        """A store, by its key."""
        return self.stores[key] if isinstance(key, int) else self.numbered[key]

    def guard(self, tensors: Iterable[Tensor]) -> bool:
        """Let it matter what wrote some tensors last; returns whether that is new of any."""
        stores = {t.index: self.by_tensor[t.index] for t in tensors if t.index in self.by_tensor}
        new = [store for store in stores.values() if not store.guarded]
        for store in new:
            store.guarded = True
        return bool(new)

    # -- checkpoints

    def save(self) -> Any:
        """Everything that changes."""
        return tuple(tuple(part.save() for part in parts) for parts in self._parts())

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        later = (), (), (), self._empty, [UNTOUCHED] * len(self._touched)
        for parts, states, first in zip(self._parts(), saved, later, strict=True):
            more = first[len(first) - len(parts) + len(states) :]  # of those that came since then
            for part, state in zip(parts, (*states, *more), strict=True):
                part.restore(state)

    def stored(self, saved: Any) -> Iterator[tuple[Store, Any]]:
        """The stores that there were at a checkpoint, with what each has saved.

        One that was touched since then comes with what it was before that.
        """
        *_, declared, touched = saved
        yield from zip(self.stores, declared, strict=False)
        yield from itertools.zip_longest(self._touched, touched, fillvalue=UNTOUCHED)

    def discard(self, saved: Any) -> None:
        """Give up a checkpoint."""
        for store, state in self._saved(saved):
            store.discard(state)

    def kept(self, saved: Any) -> int:
        """Bytes of memory that are kept for a checkpoint."""
        return sum(store.kept(state) for store, state in self._saved(saved))

    def _saved(self, saved: Any) -> Iterator[tuple[Store, Any]]:
        """The stores that a checkpoint has: of what was touched later nothing was initialised."""
        for stores, states in zip((self.stores, self._touched), saved[-2:], strict=True):
            yield from zip(stores, states, strict=False)

    def _parts(self) -> tuple[list[Any], ...]:
        return self.registers, self.engines, self.castings, self.stores, self._touched


def added_to(generation: Generation, instructions: Iterable[Instruction]) -> list[Tensor]:
    """The tensors that an instruction accumulates onto which may do so only onto its own kind."""
    switches = generation.switches
    return [
        view.tensor
        for instruction in instructions
        for operand in instruction.row.writes
        if operand.adds_to_any
        and not switches[operand.adds_to_any]
        and instruction.operand(operand.adds)
        and isinstance(view := instruction.operand(operand.name), View)
    ]


def _rows(group: list[Tensor]) -> tuple[int, int]:
    """The first partition of a group of tensors, and how many it spans; one in a linear memory."""
    first = min(lanes(t)[0] for t in group)
    return first, max(lanes(t)[1] for t in group) - first


def _bytes(group: list[Tensor]) -> tuple[int, int]:
    """The first byte of a group of tensors, and how many it spans in each partition."""
    first = min(t.offset or 0 for t in group)
    return first, max((t.offset or 0) + t.bytes for t in group) - first


def _store(group: list[Tensor], arena: Arena) -> Store:
    """A store that covers every tensor of a group."""
    first = group[0]
    row, rows = _rows(group)
    base, size = _bytes(group)
    core = 0 if first.memory.shared else first.core
    return Store(first.memory.name, rows, size, row, base, core, arena)


def room(group: list[Tensor]) -> int:
    """The bytes that the store of a group takes."""
    return Arena.room(_rows(group)[1] * _bytes(group)[1])


def groups(tensors: list[Tensor]) -> list[list[Tensor]]:
    """Tensors that share bytes, directly or by way of others; only chosen places can share."""
    if not any(t.fixed or t.memory.numbered for t in tensors):
        return [[t] for t in tensors]
    memories: dict[tuple[str, int], list[Tensor]] = {}
    for tensor in tensors:
        core = 0 if tensor.memory.shared else tensor.core
        memories.setdefault((tensor.memory.name, core), []).append(tensor)
    return [
        group
        for members in memories.values()
        for group in ([members] if members[0].memory.numbered else _sharing(members))
    ]


def _sharing(members: list[Tensor]) -> list[list[Tensor]]:
    """The same among tensors of one memory of one core.

    They are looked at by their first bytes. In each strip of partitions that all tensors have or do
    not have, one has bytes in common with an earlier one if it does with the one that reaches
    furthest.
    """
    ordered = sorted(members, key=lambda t: (t.offset or 0, t.index))
    cuts = sorted({row for t in ordered for row in lanes(t)})
    strip = {row: number for number, row in enumerate(cuts)}
    furthest: list[Tensor | None] = [None] * len(cuts)
    found = {t.index: [t] for t in ordered}
    for tensor in ordered:
        low = tensor.offset or 0
        begin, end = lanes(tensor)
        for at in range(strip[begin], strip[end]):
            other = furthest[at]
            reach = (other.offset or 0) + other.bytes if other else low
            if other and reach > low and found[other.index] is not found[tensor.index]:
                more, fewer = sorted((found[other.index], found[tensor.index]), key=len)[::-1]
                more += fewer
                found.update((t.index, more) for t in fewer)
            if reach < low + tensor.bytes:
                furthest[at] = tensor
    return list({id(group): group for group in found.values()}.values())


def lanes(tensor: Tensor) -> tuple[int, int]:
    """The first partition of a tensor and one past its last; one row in a linear memory."""
    first = tensor.partition or 0
    return first, first + max(1, tensor.partitions)
