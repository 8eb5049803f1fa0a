"""Views of tensors: which elements an operand touches, and in which order.

A view is a start and, per axis, a step and a count: an access pattern. On a partitioned memory
axis 0 counts partitions and its step is in partitions; every other step is in elements of the
view's dtype, and byte offsets are within each partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import index
from typing import Any

from nasm.base.dtypes import DType
from nasm.base.numbers import bounded, plain
from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass, replace
from nasm.views.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Reg:
    """A register of the engine that runs the instruction."""

    number: int

    def __str__(self) -> str:
        return f"%r{self.number}"


@dataclass(frozen=True, slots=True)
class Window:
    """``start : +length`` along an axis; the start may be held in a register."""

    start: int | Reg
    length: int


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A start held in a register: adds ``register * stride``, and must leave ``limit`` in range.

    ``stride`` is in partitions when ``axis`` is the partition axis, else in bytes; ``limit`` is
    the largest value the register may hold.
    """

    register: int
    axis: int
    stride: int
    limit: int


@dataclass(frozen=True, slots=True)
class Offsets:
    """Positions along the first free axis that are read from a tile when the instruction starts.

    Position i is ``entry * step`` elements further than the view says, where the entry is ``tile[i
    % group, i // group]``; a ``group`` of 0 is the engine's. ``limit`` is the largest legal entry,
    ``first`` the position that the view begins with. If ``single`` there is one entry, which moves
    all of the view. ``dim`` is the axis that was named, of the view that the pattern was called on.
    """

    tile: View
    step: int
    limit: int
    group: int = 0
    first: int = 0
    single: bool = False
    dim: int = 0

    @property
    def columns(self) -> bool:
        """Whether lanes pick columns by it, as their engine groups the entries."""
        return not self.group


@dataclass(frozen=True, slots=True)
class View:
    """Part of a tensor, seen through an access pattern."""

    tensor: Tensor
    dtype: DType
    partition: int
    offset: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    dynamic: tuple[Dynamic, ...] = ()
    offsets: Offsets | None = None

    @staticmethod
    def whole(tensor: Tensor) -> View:
        """All of a tensor."""
        steps = _whole_steps(tensor.shape, tensor.memory.partitions > 0)
        return View(tensor, tensor.dtype, 0, 0, tensor.shape, steps)

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its tensor, as the tensor has it."""
        tensor = self.tensor
        return (
            self.shape == tensor.shape
            and self.dtype is tensor.dtype
            and not (self.offset or self.partition or self.dynamic or self.offsets)
            and self.steps == _whole_steps(tensor.shape, tensor.memory.partitions > 0)
        )

    def in_order(self) -> View:
        """Itself, for what walks elements by their addresses; refuses what is arranged."""
        arrangement = self.tensor.arrangement
        if arrangement is not None:
            message = f"{self.tensor.name} is {arrangement.name}: its elements are not in order"
            hint = f"declare it without '{arrangement.name}', or reach its bytes by their addresses"
            raise Refused("E0245", message, hint)
        return self

    # -- what it covers

    @property
    def partitioned(self) -> bool:
        """Whether axis 0 is the partition axis."""
        return self.tensor.memory.partitions > 0

    @property
    def partitions(self) -> int:
        """Partitions it touches; 1 in a linear memory."""
        return self.shape[0] if self.partitioned else 1

    @property
    def free(self) -> tuple[int, ...]:
        """Sizes of the free axes."""
        return self.shape[1:] if self.partitioned else self.shape

    @property
    def elements(self) -> int:
        """Elements per partition."""
        count = 1
        for n in self.free:
            count *= n
        return count

    @property
    def size(self) -> int:
        """Elements in all."""
        return self.elements * self.partitions

    @property
    def dims(self) -> tuple[tuple[int, int], ...]:
        """The free pattern as (step, count), slowest first, adjacent axes merged."""
        first = 1 if self.partitioned else 0
        if self.offsets is None or self.offsets.single:
            return merged(self.shape, self.steps, first)
        jumping = merged(self.shape[: first + 1], self.steps[: first + 1], first)
        return jumping + merged(self.shape, self.steps, first + 1)

    @property
    def extent(self) -> tuple[int, int]:
        """The bytes [low, high) it can touch within each partition, relative to the tensor."""
        size = self.dtype.itemsize
        low = high = self.offset
        offsets, dims = self.offsets, self.dims
        if offsets is not None:
            high += offsets.limit * offsets.step * size
            if not offsets.single:
                dims = merged(self.shape, self.steps, 2 if self.partitioned else 1)
        for step, count in dims:
            reach = step * (count - 1) * size
            low, high = (low + reach, high) if reach < 0 else (low, high + reach)
        return low, high + size

    @property
    def contiguous(self) -> bool:
        """Whether its innermost free axis has step 1 (or one element)."""
        dims = self.dims
        return not dims or dims[-1][0] == 1

    @property
    def last(self) -> View:
        """What is left of it when it is written: of what steps of 0 put in one place, the last."""
        first = 1 if self.partitioned else 0
        if 0 not in self.steps[first:]:
            return self
        counts = zip(self.shape[first:], self.steps[first:], strict=True)
        free = (1 if step == 0 else count for count, step in counts)
        return replace(self, shape=(*self.shape[:first], *free))

    @property
    def gathers(self) -> bool:
        """Whether a tile decides each of its positions."""
        return self.offsets is not None and not self.offsets.single

    # -- how one is made from another

    def index(self, items: Sequence[int | slice | Window]) -> View:
        """Slice it: an integer drops an axis (on the partition axis it keeps one of size 1)."""
        if len(items) > len(self.shape):
            raise Refused(
                "E0305", f"{len(items)} indices for {len(self.shape)} axes of {self.tensor.name}"
            )
        if self.offsets is not None:
            return self._index_around(self.offsets, items)
        partition, offset, size = self.partition, self.offset, self.dtype.itemsize
        shape: list[int] = []
        steps: list[int] = []
        dynamic = list(self.dynamic)
        for axis, (count, step) in enumerate(zip(self.shape, self.steps, strict=True)):
            lanes = axis == 0 and self.partitioned
            item = items[axis] if axis < len(items) else ALL
            if item is ALL:
                shape.append(count)
                steps.append(step)
                continue
            start, length, stride, keep, register = _select(item, count, axis, self.tensor.name)
            if register is not None:
                scale = step if lanes else step * size
                dynamic.append(Dynamic(register.number, axis, scale, count - length))
            elif lanes:
                partition += start * step
            else:
                offset += start * step * size
            if keep or lanes:
                shape.append(length)
                steps.append(step * stride)
        if not shape:
            shape, steps = [1], [1]
        return View(
            self.tensor, self.dtype, partition, offset, tuple(shape), tuple(steps), tuple(dynamic)
        )

    def _index_around(self, offsets: Offsets, items: Sequence[int | slice | Window]) -> View:
        """Slice the axes that no tile of entries decides."""
        fixed = -1 if offsets.single else int(self.partitioned)
        for axis, item in enumerate(items):
            if isinstance(item, Window) and isinstance(item.start, Reg):
                raise Refused("E0305", f"{self.tensor.name} is already addressed at run time")
            if axis == fixed and item != ALL:
                raise Refused(
                    "E0305",
                    f"axis {axis} of {self.tensor.name} is addressed by the entries of "
                    f"{offsets.tile.tensor.name} and cannot be sliced",
                    "take fewer entries instead",
                )
        plain = replace(self, offsets=None).index(items)
        if offsets.columns:
            return replace(plain, offsets=offsets)
        one = plain if offsets.single else plain.rows(0, 0, 1)
        return replace(plain, offsets=replace(offsets, limit=one.room(offsets.step)))

    def room(self, step: int) -> int:
        """How often it can be moved by so many elements before it leaves its tensor."""
        return (self.tensor.bytes - self.extent[1]) // (step * self.dtype.itemsize)

    def rows(self, axis: int, begin: int, end: int) -> View:
        """Positions [begin, end) of an axis, also of one whose positions a tile decides."""
        offsets = self.offsets
        if offsets is None or offsets.single or axis != int(self.partitioned):
            cut = self.index([*[ALL] * axis, slice(begin, end)])
            return cut if offsets is None else replace(cut, offsets=offsets)
        shape = (*self.shape[:axis], end - begin, *self.shape[axis + 1 :])
        return replace(self, shape=shape, offsets=replace(offsets, first=offsets.first + begin))

    def __getitem__(self, items: object) -> View:
        """Slice it from Python; raises Failure."""
        given = items if isinstance(items, tuple) else (items,)
        try:
            return self.index([_python(item) for item in given])
        except Refused as refused:
            raise Failure(refused.at(None)) from None

    # -- the view methods of the language, from Python; each raises Failure

    def view(self, dtype: Any) -> View:
        """The same bytes as another dtype."""
        return self._method("view", dtype)

    def reshape(self, *sizes: int) -> View:
        """Other sizes of the axes, without moving an element."""
        return self._method("reshape", *sizes)

    def permute(self, *axes: int) -> View:
        """The axes in another order."""
        return self._method("permute", *axes)

    def broadcast(self, *sizes: int) -> View:
        """Axes of 1 repeated."""
        return self._method("broadcast", *sizes)

    @property
    def T(self) -> View:  # noqa: N802  (as the language and NumPy write it)
        """The axes reversed."""
        return self._method("T")

    def ap(
        self, pattern: Sequence[Sequence[int]], offset: int | None = None, **dynamic: Any
    ) -> View:
        """The access pattern itself, from the view's start on if no ``offset`` is given.

        ``scalar_offset``, ``vector_offset`` and ``indirect_dim`` are as in the language.
        """
        return self._method("ap", pattern, offset, **dynamic)

    def indirect(self, index: View, num_elem: int | None = None) -> View:
        """The columns that a tile of entries names."""
        return self._method("indirect", index, num_elem)

    def _method(self, name: str, *given: Any, **named: Any) -> View:
        try:
            return METHODS[name](
                self, *map(plain, given), **{n: plain(v) for n, v in named.items()}
            )
        except Refused as refused:
            raise Failure(refused.at(None)) from None

    def with_free(self, shape: Sequence[int], steps: Sequence[int]) -> View:
        """The same start and partitions with another free pattern."""
        if self.partitioned:
            shape, steps = (self.shape[0], *shape), (self.steps[0], *steps)
        return View(
            self.tensor,
            self.dtype,
            self.partition,
            self.offset,
            tuple(shape),
            tuple(steps),
            self.dynamic,
        )


METHODS: dict[str, Callable[..., View]] = {}
"""The view methods of the language by name. They are written in terms of views, further up: in
:mod:`nasm.views.methods`, which enters them here when the package is imported."""

ALL = slice(None)
"""All of an axis; this very object is not looked at twice."""


def _python(item: object) -> int | slice | Window:
    """An index from Python: anything that is an integer there counts as one."""
    if isinstance(item, Reg):
        return Window(item, 1)
    if isinstance(item, Window):
        return item
    try:
        if isinstance(item, slice):
            parts = (item.start, item.stop, item.step)
            made = slice(*(None if p is None else bounded(index(p)) for p in parts))
            return ALL if made == ALL else made
        return bounded(index(item))  # type: ignore[arg-type]
    except TypeError:
        raise Refused("E0305", f"an index is an integer or a slice, found {item}") from None


@lru_cache(maxsize=4096)
def merged(
    shape: tuple[int, ...], steps: tuple[int, ...], first: int
) -> tuple[tuple[int, int], ...]:
    """The axes from ``first`` on as (step, count): what walks like one is one, 1s are left out."""
    runs: list[tuple[int, int]] = []
    for step, count in zip(steps[first:], shape[first:], strict=True):
        if count == 1:
            continue
        if runs and runs[-1][0] == step * count:
            runs[-1] = (step, runs[-1][1] * count)
        else:
            runs.append((step, count))
    return tuple(runs)


@lru_cache(maxsize=4096)
def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = []
    step = 1
    for n in reversed(shape):
        steps.append(step)
        step *= n
    return tuple(reversed(steps))


@lru_cache(maxsize=4096)
def _whole_steps(shape: tuple[int, ...], partitioned: bool) -> tuple[int, ...]:
    """The steps of a view of all of a tensor."""
    steps = _contiguous(shape)
    return (1, *steps[1:]) if partitioned else steps


def _select(
    item: int | slice | Window, count: int, axis: int, name: str
) -> tuple[int, int, int, bool, Reg | None]:
    """Start, length, stride, whether the axis stays, and the register that adds to the start."""
    if isinstance(item, Window):
        if item.length < 1 or item.length > count:
            raise Refused(
                "E0305", f"a window of {item.length} on axis {axis} of {name}, which has {count}"
            )
        if isinstance(item.start, Reg):
            return 0, item.length, 1, True, item.start
        start = item.start + count if item.start < 0 else item.start
        item = slice(start, start + item.length)
    if isinstance(item, slice):
        first, stop, stride = item.start, item.stop, 1 if item.step is None else item.step
        for bound in (first, stop):
            if bound is not None and not -count <= bound <= count:
                raise Refused(
                    "E0305",
                    f"{_spelled(item)} reaches past axis {axis} of {name}, which has {count}",
                )
        if stride == 0:
            raise Refused("E0305", f"a slice of {name} with step 0")
        picked = range(*item.indices(count))
        if not picked:
            raise Refused("E0305", f"{_spelled(item)} selects nothing of axis {axis} of {name}")
        return picked[0], len(picked), stride, True, None
    if not -count <= item < count:
        raise Refused("E0305", f"index {item} is outside axis {axis} of {name}, which has {count}")
    return (item + count if item < 0 else item), 1, 1, False, None


def _spelled(item: slice) -> str:
    parts = ["" if p is None else str(p) for p in (item.start, item.stop)]
    return ":".join(parts) + ("" if item.step is None else f":{item.step}")
