"""Tensors of NKI 0.1: a storage, and for each of its axes an index expression."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from nasm.base.records import dataclass, field, replace
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DType, MemoryRegion, ds
from nasm.nki.neuronxcc.affine import Box, Grid, Index, Predicate, as_index, broadcast
from nasm.nki.neuronxcc.running import Round, running
from nasm.nki.tensor import PAST, NkiTensor
from nasm.nki.tracing import Call
from nasm.views.view import View


@dataclass(slots=True, eq=False)
class Zeroed:
    """That nothing but matmuls has written a tile in PSUM: the first into a place overwrites.

    ``fill`` is the call that has filled it with 0, if one has.
    """

    fill: Call | None = None
    needed: bool = False


@dataclass(slots=True, eq=False)
class Storage:
    """What holds the elements: a tensor of today's, or one for each block of a tile of blocks.

    A block is made, and filled, when it is first used. ``partial`` says that its tile is what a
    mask has left of it. ``fresh`` is the call that has made it, as long as nothing has used it;
    ``moved`` is where that call writes instead; ``zeroed`` are its tiles in PSUM that hold nothing
    but sums, by their number.
    """

    shape: tuple[int, ...]
    blocks: int
    dtype: DType
    buffer: MemoryRegion
    make: Callable[[tuple[int, ...]], NkiTensor]
    fill: Callable[[NkiTensor], Call] | None = None
    partial: bool = False
    tiles: dict[tuple[int, ...], NkiTensor] = field(default_factory=dict)
    round: Round | None = None
    fresh: Call | None = None
    moved: Tensor | None = None
    zeroed: dict[int, Zeroed] = field(default_factory=dict)

    @property
    def on_chip(self) -> bool:
        """Whether its tiles have partitions."""
        return self.buffer.memory != "hbm"

    def tile(self, block: tuple[int, ...]) -> NkiTensor:
        """The tile of a block."""
        found = self.tiles.get(block)
        if found is None:
            found = self.tiles[block] = self.make(block)
            call = self.fill(found) if self.fill is not None else None
            if self.buffer is MemoryRegion.psum and (call is None or not call.operands["value"]):
                self.zeroed[found.view_.tensor.index] = Zeroed(call)
        return found


class Tensor:
    """A view of a storage, of any shape whose places are affine in it."""

    __slots__ = ("axes", "checks", "dynamic", "lead", "mask", "shape", "storage")
    __array_ufunc__ = None

    def __init__(
        self,
        storage: Storage,
        axes: tuple[Index, ...],
        shape: tuple[int, ...],
        lead: int = 0,
        checks: tuple[tuple[Index, int], ...] = (),
        dynamic: tuple[int, Tensor] | None = None,
        mask: Predicate | None = None,
    ) -> None:
        self.storage, self.axes, self.shape, self.lead = storage, axes, shape, lead
        self.checks, self.dynamic, self.mask = checks, dynamic, mask

    # -- what is known of it

    @property
    def dtype(self) -> Any:
        """What its elements are, as NumPy calls it where it has that."""
        return numpys(self.storage.dtype)

    @property
    def buffer(self) -> MemoryRegion:
        """The memory it is in."""
        return self.storage.buffer

    @property
    def on_chip(self) -> bool:
        """Whether it is in SBUF or PSUM."""
        return self.storage.on_chip

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.storage.dtype.itemsize

    @property
    def name(self) -> str:
        """The name of its storage."""
        return next((tile.name for tile in self.storage.tiles.values()), str(self.buffer))

    def __repr__(self) -> str:
        return f"<{self.buffer} {self.name} {self.storage.dtype}{list(self.shape)}>"

    def __len__(self) -> int:
        return self.shape[0]

    # -- parts of it

    def __getitem__(self, key: Any) -> Tensor:
        return indexed(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        operation("assign")(indexed(self, key), value)

    def __iter__(self) -> NoReturn:
        refuse(f"a loop over {self!r}", "index it: nl.affine_range(n) gives the numbers")

    def __bool__(self) -> bool:
        if self.size == 1:
            refuse(
                f"a branch on what {self.name} holds: that is known when the program runs",
                "compute both, and nl.where; whether there is a tensor, write as: is not None",
            )
        return True

    def __int__(self) -> int:
        refuse(f"{self.name} as a number: what it holds is known when the program runs")

    __index__ = __float__ = __int__

    # -- other shapes and dtypes

    def reshape(self, shape: Sequence[int], *more: int) -> Tensor:
        """Other sizes of the axes."""
        sizes = (shape, *more) if more or not isinstance(shape, Sequence) else shape
        return of(operation("read")(self).reshape(tuple(map(_size, sizes))), self)

    def view(self, dtype: Any) -> Tensor:
        """The same bytes as another dtype."""
        return of(operation("read")(self).view(dtype), self)

    def astype(self, dtype: Any) -> Tensor:
        """A copy of another dtype."""
        made: Tensor = operation("copy")(self, dtype=dtype)
        return made

    def broadcast_to(self, shape: Sequence[int], *more: int) -> Tensor:
        """Axes of 1 repeated."""
        sizes = (shape, *more) if more or not isinstance(shape, Sequence) else shape
        made: Tensor = operation("broadcast_to")(self, shape=tuple(map(_size, sizes)))
        return made

    def expand_dims(self, axis: int) -> Tensor:
        """A new axis of 1."""
        at = axis % (self.ndim + 1)
        key: list[Any] = [slice(None)] * self.ndim
        key.insert(at, None)
        return indexed(self, tuple(key))

    def assert_shape(self, shape: Sequence[int]) -> Tensor:
        """Itself; refuses another shape."""
        if tuple(shape) != self.shape:
            refuse(f"{self!r}: wanted {list(shape)}")
        return self

    # -- operators

    def __iadd__(self, other: Any) -> Tensor:
        operation("add_to")(self, other)
        return self

    def __neg__(self) -> Any:
        return operation("negative")(self)

    def __invert__(self) -> Any:
        return operation("invert")(self)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        if other is None or isinstance(other, str):
            return False
        return operation("equal")(self, other)

    def __ne__(self, other: object) -> Any:
        if other is None or isinstance(other, str):
            return True
        return operation("not_equal")(self, other)


_OPERATIONS: dict[str, Callable[..., Any]] = {}


def operation(name: str) -> Callable[..., Any]:
    """A function of the dialect, which is written in terms of tensors."""
    return _OPERATIONS[name]


def operations(found: dict[str, Callable[..., Any]]) -> None:
    """Enter functions that tensors' methods call."""
    _OPERATIONS.update(found)


OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "mod": "mod",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
"""Python's operators, and the functions that they are."""


def _operator(name: str, turned: bool) -> Any:
    def applied(self: Tensor, other: Any) -> Any:
        if name == "add" and isinstance(other, Index):
            return Moved(self, other)
        return operation(name)(other, self) if turned else operation(name)(self, other)

    return applied


def _in_place(name: str) -> Any:
    def applied(self: Tensor, other: Any) -> Tensor:
        operation("assign")(self, operation(name)(self, other))
        return self

    return applied


for _method, _name in (OPERATORS | COMPARISONS).items():
    setattr(Tensor, f"__{_method}__", _operator(_name, False))
for _method, _name in OPERATORS.items():
    setattr(Tensor, f"__r{_method}__", _operator(_name, True))
    if _method != "add":
        setattr(Tensor, f"__i{_method}__", _in_place(_name))


class Moved:
    """An index that a tile decides, plus an index expression: ``tile[0, i] + nl.arange(n)``."""

    __array_ufunc__ = None

    def __init__(self, tile: Tensor, by: Index) -> None:
        self.tile, self.by = tile, by

    def __add__(self, other: Any) -> Moved:
        return Moved(self.tile, self.by + other)

    __radd__ = __add__


def numpys(dtype: DType) -> Any:
    """A dtype as NumPy's, where that has it."""
    try:
        return np.dtype(str(dtype).removesuffix("_"))
    except TypeError:
        return dtype


def _size(value: Any) -> int:
    return whole_number(value, "a size")


# ---------------------------------------------------------------- whole ones


def identity(shape: tuple[int, ...]) -> tuple[Index, ...]:
    """For each axis of a space its position."""
    return tuple(
        Index(0, shape, tuple(int(axis == other) for other in range(len(shape))))
        for axis in range(len(shape))
    )


def whole(storage: Storage) -> Tensor:
    """All of a storage."""
    return Tensor(storage, identity(storage.shape), storage.shape, storage.blocks)


def of(made: NkiTensor, like: Tensor | None = None) -> Tensor:
    """A tensor of today's as one of the dialect; a view lives where ``like`` does."""
    now = running()
    where = like.storage.round if like is not None else None if now is None else now.round
    storage = Storage(
        made.shape,
        0,
        DType(made.dtype),
        made.buffer,
        lambda block: made,
        tiles={(): made},
        round=where if made.on_chip else None,
    )
    return whole(storage)


# ---------------------------------------------------------------- indices


def indexed(tensor: Tensor, key: Any) -> Tensor:
    """Part of a tensor: by numbers and slices, or by index expressions."""
    items = list(key) if isinstance(key, tuple) else [key]
    items = [part for item in items for part in (item if isinstance(item, Grid) else (item,))]
    items = _all(tensor, items)
    kinds = [isinstance(item, Index) and bool(item.shape) for item in items]
    by_tile = [isinstance(item, Tensor | Moved) for item in items]
    if not any(kinds) and not any(by_tile):
        return _basic(tensor, items)
    if any(isinstance(item, slice | ds) and item != slice(None) for item in items):
        refuse(
            f"{tensor.name} indexed by slices and index vectors at once",
            "write the slice start:stop as start + nl.arange(stop - start)[None, :], "
            "or all of the index as slices",
        )
    return _advanced(tensor, items)


def _all(tensor: Tensor, items: list[Any]) -> list[Any]:
    """An item for each axis, and None for new ones."""
    places = [n for n, item in enumerate(items) if item is Ellipsis]
    count = sum(item is not None and item is not Ellipsis for item in items)
    if len(places) > 1 or count > tensor.ndim:
        refuse(f"{count} indices of {tensor!r}, which has {tensor.ndim} axes")
    at = places[0] if places else len(items)
    items[at : at + len(places)] = [slice(None)] * (tensor.ndim - count)
    return items


def _basic(tensor: Tensor, items: list[Any]) -> Tensor:
    """By numbers, which drop their axis, and slices; None makes a new one."""
    first = tensor.lead if tensor.on_chip else -1
    real = [item for item in items if item is not None]
    free = 1 + sum(not _drops(item) for item in real[first + 1 :])
    sizes: list[int] = []
    spans: list[tuple[int, int, int]] = []  # of each axis: start, step, and the new axis or -1
    checks: list[tuple[int, int]] = []
    axis = lead = 0
    for item in items:
        if item is None:
            sizes.append(1)
            continue
        count = tensor.shape[axis]
        start, step, size = _span(item, count, tensor)
        keeps = not _drops(item)
        if not keeps and axis >= first >= 0 and (axis == first or free < 2):
            keeps, free = True, free + (axis > first)
        if not keeps and first < 0 and len(items) - axis == 1 and not sizes:
            keeps = True
        spans.append((start, step, len(sizes) if keeps else -1))
        if keeps:
            sizes.append(size)
            lead += axis < first
        checks.append((axis, count))
        axis += 1
    shape = tuple(sizes)
    made = [
        Index(start, shape, tuple(step if n == at else 0 for n in range(len(shape))))
        for start, step, at in spans
    ]
    return _taken(tensor, made, shape, max(lead, 0))


def _drops(item: Any) -> bool:
    return item is not None and not isinstance(item, slice | ds)


def _span(item: Any, count: int, tensor: Tensor) -> tuple[int, int, int]:
    """Where an item of a basic index begins, its step, and how many positions it has."""
    where = f"an index of {tensor.name}"
    if isinstance(item, ds):
        start, size = whole_number(item.start, where), whole_number(item.size, where)
        if size < 1:
            refuse(f"nl.ds({start}, {size}) of {tensor.name}: wanted a size of at least 1")
        return start, 1, size
    if not isinstance(item, slice):
        number = whole_number(item, where)
        return (number + count if number < 0 else number), 0, 1
    first, last, step = (
        usual if n is None else whole_number(n, where)
        for n, usual in ((item.start, 0), (item.stop, count), (item.step, 1))
    )
    if step < 1:
        refuse(f"a slice of {tensor.name} with step {step}; wanted at least 1")
    first, last = (n + count if n < 0 else n for n in (first, last))
    size = len(range(first, last, step))
    if not size:
        refuse(f"[{first}:{last}] of {tensor!r} has no element")
    return first, step, size


def _advanced(tensor: Tensor, items: list[Any]) -> Tensor:
    """By index expressions, which broadcast; axes that are left out come after theirs."""
    given: list[Index | None] = []
    dynamic: tuple[int, Tensor] | None = tensor.dynamic
    for axis, item in enumerate(items):
        found = item if isinstance(item, slice) else as_index(item)
        if isinstance(item, Tensor | Moved):
            if dynamic is not None:
                refuse(f"two tiles in an index of {tensor.name}", "one axis may be decided by one")
            tile = item.tile if isinstance(item, Moved) else item
            found = item.by if isinstance(item, Moved) else Index(0)
            found = found.over(broadcast(found.shape, tile.shape))
            dynamic = axis, tile
        if found is None:
            refuse(f"{item!r} in an index of {tensor.name}: wanted numbers and index expressions")
        given.append(None if isinstance(found, slice) else found)
    shape = broadcast(*(one.shape for one in given if one is not None))
    rest = [n for n, one in enumerate(given) if one is None]
    if rest and rest != list(range(rest[0], tensor.ndim)):
        refuse(
            f"{tensor.name} indexed by ':' and index vectors at once",
            "write ':' as nl.arange(n) of the axis",
        )
    sizes = shape + tuple(tensor.shape[n] for n in rest)
    made = []
    for axis, one in enumerate(given):
        if one is None:
            at = len(shape) + rest.index(axis)
            made.append(Index(0, sizes, tuple(int(n == at) for n in range(len(sizes)))))
        else:
            inner = one.over(shape)
            made.append(Index(inner.const, sizes, inner.steps + (0,) * len(rest)))
    taken = _taken(tensor, made, sizes, 0)
    taken.dynamic = dynamic
    return _on_partitions(taken) if tensor.on_chip else taken


def _on_partitions(tensor: Tensor) -> Tensor:
    """With axis 0 along the partitions, and one more at least."""
    place = tensor.axes[tensor.storage.blocks]
    shape, others = tensor.shape, tensor.axes[tensor.storage.blocks + 1 :]
    wrong = [n for n, s in enumerate(place.steps) if s and n and shape[n] > 1]
    if wrong:
        refuse(
            f"axis {wrong[0]} of an index of {tensor.name} runs along its partitions",
            "the partition index varies along axis 0 alone, nl.arange(n)[:, None]; "
            "nisa.nc_transpose turns a tile",
        )
    front = shape[0] > 1 and not place.steps[0] and any(one.steps[0] for one in others)
    more = int(front), int(len(shape) + front < 2)
    return _widened(tensor, *more) if any(more) else tensor


def _widened(tensor: Tensor, front: int, back: int) -> Tensor:
    """With axes of 1 in front and behind."""
    shape = (1,) * front + tensor.shape + (1,) * back

    def wide(one: Index) -> Index:
        return Index(one.const, shape, (0,) * front + one.steps + (0,) * back)

    checks = tuple((wide(one), limit) for one, limit in tensor.checks)
    return Tensor(
        tensor.storage, tuple(map(wide, tensor.axes)), shape, tensor.lead, checks, tensor.dynamic
    )


def _taken(tensor: Tensor, items: Sequence[Index], shape: tuple[int, ...], lead: int) -> Tensor:
    """A tensor in other positions, which are checked where it is used: masks come later."""
    if tensor.dynamic is not None:
        refuse(f"an index of {tensor.name}, which a tile addresses already")
    axes = tuple(one.substituted(items, shape) for one in tensor.axes)
    box = tuple((0, n) for n in shape)
    outside = [
        (item, count)
        for item, count in zip(items, tensor.shape, strict=True)
        if not (item.low(box) >= 0 and item.high(box) < count)
    ]
    inner = [(one.substituted(items, shape), limit) for one, limit in tensor.checks]
    mask = tensor.mask and Predicate(
        tuple(p.over(tensor.shape).substituted(items, shape) for p in tensor.mask.least)
    )
    return Tensor(tensor.storage, axes, shape, lead, (*inner, *outside), mask=mask)


# ---------------------------------------------------------------- resolving


def there(tensor: Tensor) -> tuple[Index, ...]:
    """What is 0 or more where a tensor that a mask has left incomplete has elements."""
    if not tensor.storage.partial:
        return ()
    last = zip(tensor.axes, tensor.storage.shape, strict=True)
    return tuple(bound for one, count in last for bound in (one, (count - 1) - one))


def resolved(tensor: Tensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor as one of today's; refuses what reaches past it."""
    storage = tensor.storage
    part = tuple((0, n) for n in tensor.shape) if box is None else box
    if storage.round is not None:
        _in_scope(tensor, storage.round)
    _inside(tensor, part)
    block = []
    for axis in tensor.axes[: storage.blocks]:
        low = axis.low(part)
        if low != axis.high(part):
            refuse(
                f"{tensor!r} is several blocks: axes before nl.par_dim count tiles",
                "index the block axes by numbers: x[i] of a loop over them",
            )
        block.append(low)
    base = storage.tile(tuple(block))
    view = _pattern(base.view_, tensor, part)
    made = NkiTensor(view, base.buffer, storage.dtype)
    return made if tensor.dynamic is None else _addressed(tensor, made, base)


def _in_scope(tensor: Tensor, made: Round) -> None:
    now = running()
    if now is None or not any(made is one for one in now.rounds):
        refuse(
            f"{tensor.name} was made in {made}, which is over",
            "declare it before the loop, with nl.ndarray or nl.zeros, and assign to its elements",
        )


def _inside(tensor: Tensor, box: Box) -> None:
    limits = zip(tensor.axes, tensor.storage.shape, strict=True)
    for number, (one, count) in enumerate([*limits, *tensor.checks]):
        low, high = one.low(box), one.high(box)
        if low < 0 or high >= count:
            axis = f"axis {number}" if number < len(tensor.axes) else "an axis"
            refuse(
                f"an index of {tensor.name} reaches {low} to {high} on {axis}, which has {count}",
                "mask= leaves out what is outside",
                PAST,
            )


def _pattern(view: View, tensor: Tensor, box: Box) -> View:
    """The access pattern of index expressions in a part of their space."""
    axes = tensor.axes[tensor.storage.blocks :]
    first = int(view.partitioned)
    shape = tuple(hi - lo for lo, hi in box)
    steps = [0] * len(box)
    offset, partition = view.offset, view.partition
    for axis, one in enumerate(axes):
        if axis < first:
            partition += one.at(box) * view.steps[0]
            continue
        offset += one.at(box) * view.steps[axis] * view.dtype.itemsize
        for n, step in enumerate(one.steps):
            steps[n] += step * view.steps[axis] if shape[n] > 1 else 0
    if first:
        if shape[0] > 1 and steps[0]:
            refuse(f"axis 0 of an index of {tensor.name} runs along partitions and within them")
        steps[0] = axes[0].steps[0] * view.steps[0] if shape[0] > 1 else 1
    if any(step < 0 for step in steps):
        refuse(
            f"an index of {tensor.name} that runs backwards",
            "access patterns walk forwards: write the vector with a positive factor",
        )
    return replace(view, offset=offset, partition=partition, shape=shape, steps=tuple(steps))


def _addressed(tensor: Tensor, made: NkiTensor, base: NkiTensor) -> NkiTensor:
    """A pattern of which a tile decides one axis."""
    assert tensor.dynamic is not None
    axis, by = tensor.dynamic
    tile = resolved(by)
    axis -= tensor.storage.blocks
    if tile.size == 1:
        return made_at(base, made, scalar_offset=tile, indirect_dim=axis)
    if tile.shape[0] != made.shape[0] or tile.size != tile.shape[0]:
        refuse(
            f"{tensor.name} indexed by a tile of {list(tile.shape)}",
            "wanted one number, or one for each partition: a tile of (n, 1)",
        )
    return made_at(base, made, vector_offset=tile, indirect_dim=axis)


def made_at(base: NkiTensor, made: NkiTensor, **more: Any) -> NkiTensor:
    """The pattern of a view, called on a whole tensor, with what moves it."""
    return base.ap(made.get_pattern(), made.offset, **more)
