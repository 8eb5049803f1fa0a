"""Where the elements that an instruction or a transfer made came from.

What an instruction means is written in its row alone, so the row is asked: its function gets what
the instruction is about to read, with parts replaced, and what changes the result is a source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nasm.debug.cutting import Question, Way, needed
from nasm.debug.elements import (
    Elements,
    Numbers,
    elements,
    entry_elements,
    entry_numbers,
    flat,
    found,
)
from nasm.debug.leaves import Path, copied, grafted, leaf, leaves
from nasm.debug.probing import Needed, guarded
from nasm.machine import Machine
from nasm.machine.dynamic_addresses import resolved
from nasm.machine.indirect import Indirect
from nasm.machine.indirect_transfers import Chosen
from nasm.machine.kernels import Kernels, Recipes
from nasm.machine.operands import here
from nasm.machine.transfers import Bytes
from nasm.sim.channels import Group
from nasm.sim.counters import Who
from nasm.spec.effects import ONTO, Partial, Transfer
from nasm.spec.implicit_operands import EngineValue
from nasm.spec.instruction import Operand, Row
from nasm.spec.shapes import Shape, registers_of
from nasm.spec.view import Reg, View

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Register:
    """A register of a queue."""

    queue: int
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Some elements of an array that is part of what an engine holds."""

    queue: int
    name: str
    path: Path
    numbers: Numbers
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)


Place = Elements | Register | Held
"""Where a value stands: in a memory, a register, or an engine."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """What a value came from: a place, the values it had there, and what they were read as.

    ``role`` is the operand; "entries" or "address" decide where something is, and "before" is what
    the place itself held, to which something was added, or of which a part was kept.
    """

    role: str
    place: Place
    values: Array


BEFORE, ENTRIES, ADDRESS = "before", "entries", "address"


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """The views that an argument is read from, stacked along their first axis."""

    operand: str
    views: tuple[View, ...]
    entries: Numbers | None
    values: Array
    index: Array | None = None
    group: int = 0

    def origins(self, numbers: Numbers) -> Iterator[Origin]:
        """Where some elements of the argument stand."""
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


def _of_tile(values: Array | None, entry: Elements, tile: View) -> Array:
    """The values of some entries of a tile."""
    assert values is not None
    return values.reshape(-1)[found(tile, entry)[0]]


Answer = tuple[int, Numbers, Numbers]
"""A result or a move by number, which of its elements, and for which of those asked about."""


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
    tiles: dict[int, Tile] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)
    held: dict[int, str] = field(default_factory=dict)
    addresses: dict[int, int] = field(default_factory=dict)
    scattered: dict[int, Tile] = field(default_factory=dict)

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

    def written(self, wanted: Elements) -> Answer | None:
        """The result that some elements hold a part of: its number, which elements, of which."""
        answer = None
        for at, _, _ in self.outputs():
            first, tile = 0, self.scattered.get(at)
            parts: list[tuple[Numbers, Numbers]] = []
            for view in self.targets(at):
                mine, which = found(view, wanted, tile.entries if tile else None)
                parts.append((mine + first, which))
                first += view.size
            if any(len(which) for _, which in parts):
                mine, which = (np.concatenate(part) for part in zip(*parts, strict=True))
                answer = at, mine, which
        return answer

    def stored(self, at: int, numbers: Numbers) -> Array:
        """Which elements of a result are stored: of a partial one some stay as they were."""
        if not self.shape.writing[at][0].partial:
            return np.ones(len(numbers), np.bool_)
        part = self._results(self.arguments)[at]
        assert isinstance(part, Partial)
        flags, _ = _picked(part, (), numbers, sum(view.size for view in self.targets(at)))
        assert flags is not None
        return np.asarray(flags, np.bool_)

    # -- what it was made of

    def origins(
        self, at: int, path: Path, numbers: Numbers, learned: dict[Any, Way] | None = None
    ) -> list[Origin]:
        """What some elements of a result were made of; ``path`` leads to an array of the result.

        ``learned`` remembers what was found out about instructions of a shape.
        """
        size = sum(view.size for view in self.targets(at))

        result = self._results(self.arguments)[at]
        spoiled = _spoiled(result, path, numbers, size)
        found_: list[Origin] = []
        places = self._read()
        if places:
            question = self._question(at, path, numbers, size, result, places, spoiled)
            for box in needed(question, learned, (self.shape, at, path)):
                found_ += self._origins(box)
            found_ = _joined(found_)
        tile = self.scattered.get(at)
        if tile is not None:
            view = self.targets(at)[0]
            entry = entry_elements(view, numbers, tile.group)
            found_.append(Origin(ENTRIES, entry, _of_tile(tile.index, entry, _tile(view))))
        queue = self.who[0]
        found_ += [
            Origin(ADDRESS, Register(queue, n), np.array([v])) for n, v in self.addresses.items()
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
        spoiled: bool,
    ) -> Question:
        """Which elements matter to some of a result; to a NaN as if all that is read were numbers.

        What is read as NaN would hide the rest.
        """

        def made(arguments: list[Any]) -> bytes:
            return _signature(self._results(arguments)[at], path, numbers, size)

        shape = _flat_shape(result, path, self.targets(at))
        rows, columns = (np.unique(part) for part in np.divmod(numbers, shape[1]))
        few = np.arange(len(rows) * len(columns))

        def cut(arguments: list[Any]) -> bytes:
            part = self._results(arguments)[at]
            if _size(part, path) != len(numbers):
                raise ValueError("another shape")
            return _signature(part, path, few, len(few) if size else 0)

        if len(few) != len(numbers):
            rows, columns = (np.arange(count) for count in shape)
        arguments = (_finite(self.arguments, places) if spoiled else None) or self.arguments
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
        return results if len(self.shape.writing) > 1 else (results,)

    def _origins(self, box: Needed) -> Iterator[Origin]:
        at, array = box.argument, leaf(self.arguments[box.argument], box.path)
        numbers = flat(box.axes, array.shape)
        if at in self.tiles:
            yield from self.tiles[at].origins(numbers)
        elif at in self.registers:
            operand = self.row.reads[at].name
            yield Origin(operand, Register(self.who[0], self.registers[at]), array)
        else:
            held = Held(self.who[0], self.held[at], box.path, numbers, array.shape)
            yield Origin(self.held[at], held, array.reshape(-1)[numbers])


def _tile(view: View) -> View:
    assert view.offsets is not None
    return view.offsets.tile


def _joined(origins: Sequence[Origin]) -> list[Origin]:
    """Several boxes of one tensor that one operand read, or of what an engine holds, as one."""
    alike: dict[Any, list[Origin]] = {}
    for origin in origins:
        place = origin.place
        key: Any = place
        if isinstance(place, Elements):
            key = place.tensor.index, place.dtype
        elif isinstance(place, Held):
            key = place.name, place.path
        alike.setdefault((origin.role, key), []).append(origin)
    found: list[Origin] = []
    for (role, _), some in alike.items():
        places = [origin.place for origin in some]
        place = places[0]
        if len(some) == 1 or isinstance(place, Register):
            found.append(some[0])
            continue
        read = np.concatenate([origin.values for origin in some])
        if isinstance(place, Elements):
            every = [p for p in places if isinstance(p, Elements)]
            rows, lows = (np.concatenate([getattr(p, n) for p in every]) for n in ("rows", "lows"))
            place = Elements(place.tensor, place.dtype, rows, lows)
        else:
            numbers = np.concatenate([p.numbers for p in places if isinstance(p, Held)])
            place = Held(place.queue, place.name, place.path, numbers, place.shape)
        found.append(Origin(role, place, read))
    return found


def _flat_shape(result: Any, path: Path, views: Sequence[View]) -> tuple[int, int]:
    """Rows and columns of what a result is stored as, or of an array that stays in the engine."""
    if views:
        rows = sum(view.partitions for view in views)
        return rows, sum(view.size for view in views) // rows
    array = leaf(result, path)
    return len(array), array.size // len(array)


def _size(result: Any, path: Path) -> int:
    """How many elements a result has, or an array in it."""
    if isinstance(result, Partial):
        return int(np.prod(np.broadcast_shapes(np.shape(result.where), np.shape(result.values))))
    return leaf(result, path).size


def _finite(arguments: list[Any], places: list[tuple[int, Path]]) -> list[Any] | None:
    """The arguments with numbers where they are NaN or infinite; None if they are nowhere."""
    changed, made = False, list(arguments)
    for at, path in places:
        array = leaf(made[at], path)
        if array.dtype != np.float32 or np.isfinite(array).all():
            continue
        rng = np.random.default_rng(array.size)
        some = np.asarray(rng.uniform(1, 2, array.shape), np.float32)
        made[at] = grafted(made[at], path, np.asarray(np.where(np.isfinite(array), array, some)))
        changed = True
    return made if changed else None


class Gone(Exception):
    """What was asked for is not there any more: the result has another structure."""


def _picked(result: Any, path: Path, numbers: Numbers, size: int) -> tuple[Array | None, Array]:
    """Some elements of a result, and of a partial one which of them are stored.

    ``size`` is how many its place has, 0 if that is as many as the result.
    """
    if isinstance(result, Partial):
        every = np.broadcast_shapes(np.shape(result.where), np.shape(result.values))
        flags, values = (
            _spread(np.broadcast_to(part, every), size)[numbers]
            for part in (result.where, result.values)
        )
        values = values.copy()
        values[~flags] = np.zeros((), values.dtype)
        return flags, values
    try:
        array = leaf(result, path)
    except (AttributeError, IndexError):
        raise Gone from None
    if size or not len(numbers) or numbers.max() < array.size:
        return None, _spread(array, size or array.size)[numbers]
    raise Gone


def _spread(array: Array, size: int) -> Array:
    """A result as one row of so many elements."""
    array = np.asarray(array)
    if array.size != size:
        array = np.broadcast_to(array.reshape(-1)[:1], (size,))
    return array.reshape(-1)


def _spoiled(result: Any, path: Path, numbers: Numbers, size: int) -> bool:
    """Whether some elements of a result are NaN."""
    _, values = _picked(result, path, numbers, size)
    return values.dtype == np.float32 and bool(np.isnan(values).any())


def _signature(result: Any, path: Path, numbers: Numbers, size: int) -> bytes:
    """Some elements of a result as bytes: the same for every NaN."""
    try:
        flags, values = _picked(result, path, numbers, size)
    except Gone:
        return b"gone"
    if values.dtype == np.float32:
        values = np.where(np.isnan(values), np.float32(np.nan), values)
    if values.dtype == np.object_:
        return repr(values.tolist()).encode()
    return (b"" if flags is None else flags.tobytes()) + values.tobytes()


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
    binding = Recipes(shape, kernels.operands, kernels.core).bind(operands)
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
        made.tiles[at] = Tile(operand.name, views, None, np.concatenate(read))


def _addressed(machine: Machine, made: Reading, name: str, view: View, values: Any) -> Tile:
    """A view that a tile of entries addresses; ``values`` are None where they are read."""
    context = made.shape.context
    assert view.offsets is not None
    group = view.offsets.group or context.generation.engine(context.engine).group
    bound = Indirect.bound(machine.addresses, view, group)
    entries = bound.entries()
    every = np.zeros(0) if values is not None else bound.gather(entries).reshape(-1)
    index = bound.index.access.elements.copy()
    return Tile(name, (view,), entries, every, index, group)


# -- transfers


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """What some shares of a transfer are about to move.

    ``taken`` are the values of the sources, by move and source, as they were then.
    """

    transfer: Transfer
    chosen: Chosen
    within: Callable[[int, Numbers], Array]
    taken: dict[tuple[int, int], Array]

    def written(self, wanted: Elements) -> Answer | None:
        """The move that delivers some elements, which of its elements, and for which of those."""
        return self._delivered(wanted, skipped=False)

    def skipped(self, wanted: Elements) -> Answer | None:
        """The same of what it leaves out because entries are out of bounds."""
        return self._delivered(wanted, skipped=True)

    def touches(self, wanted: Elements) -> bool:
        """Whether it delivers any of some elements, or leaves any out."""
        return self.written(wanted) is not None or self.skipped(wanted) is not None

    def _delivered(self, wanted: Elements, skipped: bool) -> Answer | None:
        answer = None
        for number, (dst, *_) in enumerate(self.transfer.moves):
            mine, which = found(dst, wanted, _chosen(dst, self.chosen))
            inside = self.within(number, mine) & (self.legal(number, mine) != skipped)
            if inside.any():
                answer = number, mine[inside], which[inside]
        return answer

    def legal(self, number: int, numbers: Numbers) -> Array:
        """Which elements of a move are moved: not those whose entries are out of bounds."""
        dst, *srcs = self.transfer.moves[number]
        legal = np.ones(len(numbers), np.bool_)
        for view, mine in ((dst, numbers), *((s, self._of(s, dst, numbers)) for s in srcs)):
            entries = _chosen(view, self.chosen)
            if entries is None or view.offsets is None:
                continue
            axis = int(view.partitioned)
            at = np.zeros(len(mine), np.int64)
            if not view.offsets.single:
                at = np.asarray(np.unravel_index(mine, view.shape)[axis], np.int64)
            legal &= (entries[at] >= 0) & (entries[at] <= view.offsets.limit)
        return legal

    def _of(self, src: View, dst: View, numbers: Numbers) -> Numbers:
        """Which elements of a source become some of the destination."""
        axes = self.transfer.axes
        if not axes:
            return numbers
        shape = tuple(src.shape[axis] for axis in axes)
        at = np.unravel_index(numbers, shape)
        index = [at[axes.index(axis)] for axis in range(len(axes))]
        return np.asarray(np.ravel_multi_index(index, src.shape), np.int64)

    def origins(self, number: int, numbers: Numbers) -> list[Origin]:
        """What some elements of a move's destination were made of."""
        dst, *srcs = self.transfer.moves[number]
        answer: list[Origin] = []
        for n, src in enumerate(srcs):
            mine = self._of(src, dst, numbers)
            place = elements(src, mine, _chosen(src, self.chosen))
            role = "src" if len(srcs) == 1 else f"srcs[{n}]"
            answer.append(Origin(role, place, self.taken[number, n][mine]))
        return answer + self.entries(number, numbers)

    def entries(self, number: int, numbers: Numbers) -> list[Origin]:
        """The entries that address some elements of a move."""
        dst, *srcs = self.transfer.moves[number]
        answer = [o for src in srcs for o in self._entries(src, self._of(src, dst, numbers))]
        return _joined([*answer, *self._entries(dst, numbers)])

    @property
    def adds(self) -> bool:
        """Whether it adds to what the destination holds."""
        return self.transfer.op == ONTO

    def _entries(self, view: View, numbers: Numbers) -> list[Origin]:
        if view.offsets is None:
            return []
        place, tile = entry_elements(view, numbers, view.offsets.group), view.offsets.tile
        read = self.chosen[tile][entry_numbers(view, numbers)]
        return [Origin(ENTRIES, place, read.astype(tile.dtype.numpy))]


def _chosen(view: View, chosen: Chosen) -> Numbers | None:
    """The entries that address a view, if a tile does."""
    offsets = view.offsets
    if offsets is None:
        return None
    return chosen[offsets.tile][offsets.first :]


def moved(machine: Machine, group: Group, reads: bool = False) -> Moved | None:
    """What shares are about to read, with its values now, or what they are about to deliver."""
    cargo = group.flight.cargo
    if not isinstance(cargo, Bytes):
        return None
    shares = [cargo.bound.plan.shares[n] for n in group.shares]
    ranges = [r for share in shares for r in share.ranges]

    def within(number: int, numbers: Numbers) -> Array:
        inside = np.zeros(len(numbers), np.bool_)
        for move, begin, end in ranges:
            if move == number:
                inside |= (numbers >= begin) & (numbers < end)
        return inside

    made = Moved(cargo.bound.transfer, cargo.chosen, within, {})
    for number, (_, *srcs) in enumerate(made.transfer.moves if reads else ()):
        for n, src in enumerate(srcs):
            made.taken[number, n] = _taken(machine, src, made.chosen)
    return made


def _taken(machine: Machine, view: View, chosen: Chosen) -> Array:
    """All that a view holds now, in row-major order; anything where entries are out of bounds."""
    entries = _chosen(view, chosen)
    if entries is None or view.offsets is None:
        return np.array(machine.addresses.access(view).elements).reshape(-1)
    inside = np.clip(entries, 0, view.offsets.limit)
    return values(machine, elements(view, np.arange(view.size, dtype=np.int64), inside))


def values(machine: Machine, place: Elements) -> Array:
    """What some elements hold now."""
    store = machine.state.by_tensor[place.tensor.index]
    size = place.dtype.itemsize
    starts = (place.rows - store.row) * store.pitch + place.lows - store.base
    raw = store.data.reshape(-1)[starts[:, None] + np.arange(size)]
    return np.asarray(np.ascontiguousarray(raw).view(place.dtype.numpy).reshape(-1))
