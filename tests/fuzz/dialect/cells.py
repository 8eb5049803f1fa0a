"""Tensors of NKI 0.1 in NumPy: each says of each of its elements whether it is known.

Index vectors are arrays of NumPy, masks arrays of truth values. What no call has written, and what
a mask has left out, is not known. Only float32 is modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Axis = Callable[[Sequence[Array]], Array]


class Unmodelled(Exception):
    """What this model has no answer for."""


class OutsideIndex(Exception):
    """An index that leaves its tensor, and no mask leaves it out."""


class Cells:
    """Elements, and which of them are known."""

    def __init__(self, shape: tuple[int, ...], memory: str, lead: int = 0) -> None:
        if not shape or min(shape) < 1 or np.prod(shape) > 1 << 16:
            raise Unmodelled
        self.data, self.known = np.zeros(shape, np.float64), np.zeros(shape, bool)
        self.memory, self.lead = memory, lead


class Ref:
    """A view: for each axis of its cells where it is, as a function of the position."""

    __array_ufunc__ = None

    def __init__(
        self,
        cells: Cells,
        shape: tuple[int, ...],
        axes: list[Axis],
        checks: list[tuple[Axis, int]],
        lead: int = 0,
    ) -> None:
        self.cells, self.shape, self.axes, self.checks, self.lead = cells, shape, axes, checks, lead

    @property
    def dtype(self) -> str:
        return "float32"

    @property
    def on_chip(self) -> bool:
        return self.cells.memory != "hbm"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    # -- elements

    def places(self, mask: Any, lenient: bool = False) -> tuple[tuple[Array, ...], Array]:
        """Where each element is, and which ones a mask leaves."""
        coords = list(np.indices(self.shape))
        live = np.broadcast_to(np.asarray(True if mask is None else mask), self.shape)
        limits = list(zip(self.axes, self.cells.data.shape, strict=True))
        found = []
        for number, (axis, count) in enumerate([*limits, *self.checks]):
            at = np.broadcast_to(axis(coords), self.shape)
            outside = (at < 0) | (at >= count)
            if lenient:
                live = live & ~outside
            elif (live & outside).any():
                raise OutsideIndex
            if number < len(limits):
                found.append(np.clip(at, 0, count - 1))
        return tuple(found), live

    def read(self, mask: Any = None) -> tuple[Array, Array]:
        """The elements, and which are known."""
        at, live = self.places(mask)
        return self.cells.data[at], self.cells.known[at] & live

    def write(self, data: Array, known: Array, mask: Any = None) -> None:
        """Set the elements where a mask holds; what is not known may go nowhere."""
        data, known = np.broadcast_to(data, self.shape), np.broadcast_to(known, self.shape)
        self.places(known if mask is None else known & mask)
        at, live = self.places(mask, True)
        where = tuple(one[live] for one in at)
        self.cells.data[where] = rounded(data[live])
        self.cells.known[where] = known[live]

    # -- parts

    def __getitem__(self, key: Any) -> Ref:
        items = list(key) if isinstance(key, tuple) else [key]
        items = [part for item in items for part in (item if isinstance(item, Mesh) else [item])]
        if any(isinstance(item, Ref) or item is None for item in items):
            raise Unmodelled
        places = [n for n, item in enumerate(items) if item is Ellipsis]
        if len(places) > 1 or len(items) - len(places) > self.ndim:
            raise Unmodelled
        missing = self.ndim - (len(items) - len(places))
        at = places[0] if places else len(items)
        items[at : at + len(places)] = [slice(None)] * missing
        if any(isinstance(item, np.ndarray) and item.ndim for item in items):
            return self._advanced(items)
        return self._basic(items)

    def _basic(self, items: list[Any]) -> Ref:
        first = self.lead if self.on_chip else -1
        free = 1 + sum(isinstance(item, slice | Span) for item in items[first + 1 :])
        sizes: list[int] = []
        spans: list[tuple[int, int, int]] = []
        lead = 0
        for axis, (item, count) in enumerate(zip(items, self.shape, strict=True)):
            if isinstance(item, Span):
                item = slice(item.start, item.start + item.size)
            if isinstance(item, slice):
                low, high = _bound(item.start, 0, count), _bound(item.stop, count, count)
                step = 1 if item.step is None else int(item.step)
                size = len(range(low, high, step)) if step > 0 else 0
                if not size:
                    raise Unmodelled
                lead += axis < first
                spans.append((low, step, len(sizes)))
                sizes.append(size)
                continue
            number = int(item) + (count if int(item) < 0 else 0)
            keeps = axis >= first >= 0 and (axis == first or free < 2)
            free += keeps and axis > first
            keeps = keeps or (first < 0 and axis == self.ndim - 1 and not sizes)
            spans.append((number, 0, len(sizes) if keeps else -1))
            if keeps:
                sizes.append(1)
        values = [_line(start, step, at) for start, step, at in spans]
        return self._taken(values, tuple(sizes), lead)

    def _advanced(self, items: list[Any]) -> Ref:
        if any(isinstance(item, Span) or _partial(item) for item in items):
            raise Unmodelled
        given = [n for n, item in enumerate(items) if not isinstance(item, slice)]
        if given != list(range(len(given))):
            raise Unmodelled
        arrays = [np.asarray(items[n]) for n in given]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        sizes = shape + self.shape[len(given) :]
        values: list[Axis] = [_picked(np.broadcast_to(a, shape)) for a in arrays]
        values += [_line(0, 1, len(shape) + n) for n in range(self.ndim - len(given))]
        made = self._taken(values, sizes, 0)
        if not self.on_chip:
            return made
        rows = np.broadcast_to(arrays[self.lead], shape) if self.lead < len(arrays) else None
        if rows is None or any(np.ptp(rows, axis=n).any() for n in range(1, len(shape))):
            raise Unmodelled
        others = [np.broadcast_to(a, shape) for a in arrays[self.lead + 1 :]]
        still = not np.ptp(rows, axis=0).any()
        front = shape[0] > 1 and still and any(np.ptp(a, axis=0).any() for a in others)
        back = len(sizes) + front < 2
        return made.widened(int(front), int(back))

    def widened(self, front: int, back: int) -> Ref:
        """With axes of 1 in front and at the end."""
        shape = (1,) * front + self.shape + (1,) * back
        rank = self.ndim

        def wide(axis: Axis) -> Axis:
            return lambda coords: axis(coords[front : front + rank])

        checks = [(wide(axis), count) for axis, count in self.checks]
        return Ref(self.cells, shape, [wide(axis) for axis in self.axes], checks, self.lead)

    def _taken(self, values: list[Axis], shape: tuple[int, ...], lead: int) -> Ref:
        def composed(axis: Axis) -> Axis:
            return lambda coords: axis([value(coords) for value in values])

        checks = [(composed(axis), count) for axis, count in self.checks]
        checks += list(zip(values, self.shape, strict=True))
        return Ref(self.cells, shape, [composed(axis) for axis in self.axes], checks, lead)

    def __setitem__(self, key: Any, value: Any) -> None:
        into = self[key]
        if isinstance(value, Ref) and into.same(value):  # what `x[key] += …` assigns
            return
        assigned(into, value)

    def same(self, other: Ref) -> bool:
        """Whether another one has the same elements."""
        if self.cells is not other.cells or self.shape != other.shape:
            return False
        pairs = zip(self.places(False)[0], other.places(False)[0], strict=True)
        return all(np.array_equal(a, b) for a, b in pairs)

    def __iadd__(self, other: Any) -> Ref:
        # The slots of the target are read as they are now.
        assigned(self, applied(np.add, self, other), added=True)
        return self

    def __neg__(self) -> Ref:
        return applied(np.negative, self)

    def reshape(self, *_: Any) -> Ref:
        raise Unmodelled


def rounded(data: Array) -> Array:
    with np.errstate(all="ignore"):
        return data.astype(np.float32).astype(np.float64)


def _bound(value: Any, usual: int, count: int) -> int:
    if value is None:
        return usual
    return int(value) + (count if int(value) < 0 else 0)


def _partial(item: Any) -> bool:
    return isinstance(item, slice) and item != slice(None)


def _line(start: int, step: int, at: int) -> Axis:
    return lambda coords: start + (step * coords[at] if step else 0 * coords[0])


def _picked(values: Array) -> Axis:
    return lambda coords: values[tuple(coords[: values.ndim])] if values.ndim else values


class Span:
    """``nl.ds``."""

    def __init__(self, start: Any, size: Any) -> None:
        self.start, self.size = int(start), int(size)
        if self.size < 1:
            raise Unmodelled


class Mesh(tuple[Array, ...]):
    """``nl.mgrid``."""

    p = property(lambda self: self[0])
    x = property(lambda self: self[1])
    y = property(lambda self: self[2])


class _Meshes:
    def __getitem__(self, key: Any) -> Mesh:
        keys = key if isinstance(key, tuple) else (key,)
        made = [np.arange(k.start or 0, k.stop) for k in keys]
        if any(not len(one) for one in made):
            raise Unmodelled
        return Mesh(np.ix_(*made))


def meshes() -> Any:
    return _Meshes()


def whole(cells: Cells) -> Ref:
    axes = [_line(0, 1, n) for n in range(cells.data.ndim)]
    return Ref(cells, cells.data.shape, axes, [], cells.lead)


def new(data: Array, known: Array, memory: str = "sbuf") -> Ref:
    """A tile that holds this."""
    made = whole(Cells(data.shape, memory))
    made.write(data, known)
    return made


# ---------------------------------------------------------------- calls


def tile(value: Any) -> Ref:
    if not isinstance(value, Ref) or not value.on_chip:
        raise Unmodelled
    return value


def fitted(values: Sequence[Array]) -> list[Array]:
    """Arrays of as many axes: those of fewer get axes of 1 after the first."""
    most = max(a.ndim for a in values)
    return [a.reshape((a.shape[0], *(1,) * (most - a.ndim), *a.shape[1:])) for a in values]


def applied(function: Any, *given: Any, mask: Any = None, memory: str = "sbuf") -> Ref:
    """A function of tiles and numbers, element by element."""
    if not any(isinstance(v, Ref) for v in given):
        raise Unmodelled
    tiles = [tile(v).read() for v in given if isinstance(v, Ref)]
    data, known = fitted([d for d, _ in tiles]), fitted([k for _, k in tiles])
    numbers = iter(data)
    with np.errstate(all="ignore"):
        made = function(*(next(numbers) if isinstance(v, Ref) else float(v) for v in given))
    sure = np.logical_and.reduce(np.broadcast_arrays(*known))
    if mask is not None:
        sure = sure & np.broadcast_to(mask, sure.shape)
    return new(rounded(np.broadcast_to(made, sure.shape)), sure, memory)


def assigned(target: Ref, value: Any, mask: Any = None, added: bool = False) -> None:
    """Write a tile, or a number, into elements."""
    if not isinstance(value, Ref):
        target.write(np.full(target.shape, float(value)), np.ones(target.shape, bool), mask)
        return
    if target.cells is value.cells and not added:
        raise Unmodelled  # parts of one tensor that may overlap
    data, known = value.read()
    if data.shape != target.shape:
        if data.size != np.prod(target.shape) or mask is not None:
            raise Unmodelled
        data, known = data.reshape(target.shape), known.reshape(target.shape)
    target.write(data, known, mask)


def _operator(function: Any, turned: bool) -> Any:
    return lambda self, other: applied(function, *((other, self) if turned else (self, other)))


for _name, _function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
    setattr(Ref, f"__{_name}__", _operator(_function, False))
    setattr(Ref, f"__r{_name}__", _operator(_function, True))
