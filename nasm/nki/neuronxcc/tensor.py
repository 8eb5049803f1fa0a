"""Tensors of NKI 0.1: a storage, and for each of its axes an index expression."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from nasm.base.records import dataclass, field
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DType, MemoryRegion
from nasm.nki.neuronxcc.affine import Index, Predicate
from nasm.nki.neuronxcc.running import running
from nasm.nki.neuronxcc.walks import Steps, units
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Call, LoopRound


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
    round: LoopRound | None = None
    fresh: Call | None = None
    moved: TileTensor | None = None
    zeroed: dict[int, Zeroed] = field(default_factory=dict)

    @property
    def on_chip(self) -> bool:
        """Whether its tiles have partitions."""
        return self.buffer is MemoryRegion.sbuf or self.buffer is MemoryRegion.psum

    def tile(self, block: tuple[int, ...]) -> NkiTensor:
        """The tile of a block."""
        found = self.tiles.get(block)
        if found is None:
            found = self.tiles[block] = self.make(block)
            call = self.fill(found) if self.fill is not None else None
            if self.buffer is MemoryRegion.psum and (call is None or not call.operands["value"]):
                self.zeroed[found.view_.tensor.index] = Zeroed(call)
        return found


class TileTensor:
    """A view of a storage, of any shape whose places are affine in it.

    Each axis of the storage is where an index expression says: one of ``consts``, and of ``steps``.
    """

    __slots__ = ("checks", "consts", "dynamic", "lead", "mask", "shape", "steps", "storage")
    __array_ufunc__ = None

    def __init__(
        self,
        storage: Storage,
        axes: tuple[Index, ...],
        shape: tuple[int, ...],
        lead: int = 0,
        checks: tuple[tuple[Index, int], ...] = (),
        dynamic: tuple[int, TileTensor] | None = None,
        mask: Predicate | None = None,
    ) -> None:
        self.storage, self.shape, self.lead = storage, shape, lead
        self.consts = tuple([one.const for one in axes])
        self.steps = tuple([one.steps for one in axes])
        self.checks, self.dynamic, self.mask = checks, dynamic, mask

    @classmethod
    def walking(
        cls, storage: Storage, consts: Sequence[int], steps: tuple[Steps, ...], shape: Steps
    ) -> TileTensor:
        """One of the constants and the steps of its axes."""
        made = cls(storage, (), shape)
        made.consts, made.steps = tuple(consts), steps
        return made

    # -- what is known of it

    @property
    def axes(self) -> tuple[Index, ...]:
        """The index expressions of its storage's axes."""
        pairs = zip(self.consts, self.steps, strict=True)
        return tuple([Index(const, self.shape, steps) for const, steps in pairs])

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

    def __getitem__(self, key: Any) -> TileTensor:
        made: TileTensor = operation("indexed")(self, key)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        operation("assign")(operation("indexed")(self, key), value)

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

    def reshape(self, shape: Sequence[int], *more: int) -> TileTensor:
        """Other sizes of the axes."""
        sizes = (shape, *more) if more or not isinstance(shape, Sequence) else shape
        return of(operation("read")(self).reshape(tuple(map(_size, sizes))), self)

    def view(self, dtype: Any) -> TileTensor:
        """The same bytes as another dtype."""
        return of(operation("read")(self).view(dtype), self)

    def astype(self, dtype: Any) -> TileTensor:
        """A copy of another dtype."""
        made: TileTensor = operation("copy")(self, dtype=dtype)
        return made

    def broadcast_to(self, shape: Sequence[int], *more: int) -> TileTensor:
        """Axes of 1 repeated."""
        sizes = (shape, *more) if more or not isinstance(shape, Sequence) else shape
        made: TileTensor = operation("broadcast_to")(self, shape=tuple(map(_size, sizes)))
        return made

    def expand_dims(self, axis: int) -> TileTensor:
        """A new axis of 1."""
        at = axis % (self.ndim + 1)
        key: list[Any] = [slice(None)] * self.ndim
        key.insert(at, None)
        return self[tuple(key)]

    def assert_shape(self, shape: Sequence[int]) -> TileTensor:
        """Itself; refuses another shape."""
        if tuple(shape) != self.shape:
            refuse(f"{self!r}: wanted {list(shape)}")
        return self

    # -- operators

    def __iadd__(self, other: Any) -> TileTensor:
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
    def applied(self: TileTensor, other: Any) -> Any:
        if name == "add" and isinstance(other, Index):
            return TileIndex(self, other)
        return operation(name)(other, self) if turned else operation(name)(self, other)

    return applied


def _in_place(name: str) -> Any:
    def applied(self: TileTensor, other: Any) -> TileTensor:
        operation("assign")(self, operation(name)(self, other))
        return self

    return applied


for _method, _name in (OPERATORS | COMPARISONS).items():
    setattr(TileTensor, f"__{_method}__", _operator(_name, False))
for _method, _name in OPERATORS.items():
    setattr(TileTensor, f"__r{_method}__", _operator(_name, True))
    if _method != "add":
        setattr(TileTensor, f"__i{_method}__", _in_place(_name))


class TileIndex:
    """An index that a tile decides, plus an index expression: ``tile[0, i] + nl.arange(n)``."""

    __array_ufunc__ = None

    def __init__(self, tile: TileTensor, by: Index) -> None:
        self.tile, self.by = tile, by

    def __add__(self, other: Any) -> TileIndex:
        return TileIndex(self.tile, self.by + other)

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
    return tuple(Index(0, shape, steps) for steps in units(len(shape)))


def whole(storage: Storage) -> TileTensor:
    """All of a storage."""
    count = len(storage.shape)
    made = TileTensor.walking(storage, (0,) * count, units(count), storage.shape)
    made.lead = storage.blocks
    return made


def of(made: NkiTensor, like: TileTensor | None = None) -> TileTensor:
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
