"""Elements and bytes: which bytes the elements of a view are, and which elements some bytes are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.dtypes import DType
from nasm.base.records import dataclass
from nasm.debugger.origins.dependence import Axes, merged, progressions
from nasm.views.tensor import Tensor
from nasm.views.view import View

Numbers = NDArray[np.int64]

NOWHERE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class TensorElements:
    """Some elements of a tensor, seen as a dtype: the row and the first byte of each.

    Rows are partitions of the memory, 0 in a linear one; bytes are counted within each.
    """

    tensor: Tensor
    dtype: DType
    rows: Numbers
    lows: Numbers

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def some(self, which: Any) -> TensorElements:
        """Those that a mask or numbers choose."""
        return TensorElements(self.tensor, self.dtype, self.rows[which], self.lows[which])

    @property
    def coordinates(self) -> Numbers:
        """The indices of each in the tensor, seen as the dtype: a row of numbers for each."""
        tensor, size = self.tensor, self.dtype.itemsize
        lanes = int(tensor.memory.partitions > 0)
        free = list(tensor.shape[lanes:])
        if free:
            free[-1] = free[-1] * tensor.dtype.itemsize // size
        at = (self.lows - (tensor.offset or 0)) // size
        inner = np.unravel_index(at, free) if free else ()
        rows = [self.rows - (tensor.partition or 0)] if lanes else []
        return np.stack([*rows, *inner], axis=1) if (rows or free) else at[:, None]

    @property
    def box(self) -> Axes | None:
        """The box of the tensor that they are; None if they are none."""
        found = self.coordinates
        axes: list[range] = []
        for column in found.T:
            runs = progressions(np.unique(column).tolist())
            if len(runs) != 1:
                return None
            axes.append(runs[0])
        size = 1
        for axis in axes:
            size *= len(axis)
        return tuple(axes) if size == len(np.unique(found, axis=0)) else None

    @property
    def text(self) -> str:
        """As a program would write them."""
        name, dtype = self.tensor.name, self.dtype
        if dtype is not self.tensor.dtype:
            name += f".view({dtype.name})"
        if not len(self):
            return f"{name}[]"
        axes = self.box
        if axes is not None:
            return f"{name}[{', '.join(map(_index, axes))}]"
        parts = boxes(self.coordinates)
        texts = [f"{name}[{', '.join(map(_index, axes))}]" for axes in parts[:3]]
        more = f" and {len(parts) - 3:,} more" if len(parts) > 3 else ""
        return ", ".join(texts) + more

    @property
    def view(self) -> View | None:
        """A view of them, where they are a box; their order is row-major then."""
        axes = self.box
        if axes is None:
            return None
        whole = View.whole(self.tensor)
        if self.dtype is not self.tensor.dtype:
            whole = whole.view(self.dtype)
        return whole[tuple(slice(a[0], a[-1] + 1, a.step) for a in axes)]


def boxes(coordinates: Numbers) -> list[Axes]:
    """Places in a tensor, a row of numbers each, as boxes: few where there are few."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for *outer, inner in np.unique(coordinates, axis=0).tolist():
        rows.setdefault(tuple(outer), []).append(inner)
    return merged(
        [
            (*(range(n, n + 1) for n in outer), part)
            for outer, found_ in rows.items()
            for part in progressions(found_)
        ]
    )


def _index(axis: range) -> str:
    if len(axis) == 1:
        return str(axis[0])
    return f"{axis[0]}:{axis[-1] + 1}" + (f":{axis.step}" if axis.step != 1 else "")


def flat(axes: Axes, shape: tuple[int, ...]) -> Numbers:
    """The numbers, in row-major order, of the elements of a box in an array of a shape."""
    if not axes:
        return np.zeros(1, np.int64)
    grids = np.meshgrid(*(np.array(axis, np.int64) for axis in axes), indexing="ij")
    return np.asarray(np.ravel_multi_index([g.reshape(-1) for g in grids], shape), np.int64)


def elements(view: View, numbers: Numbers, entries: Numbers | None = None) -> TensorElements:
    """Elements of a view by their numbers in row-major order.

    ``entries`` are those of the tile that addresses it, if one does.
    """
    tensor, size = view.tensor, view.dtype.itemsize
    lanes = int(view.partitioned)
    at = np.unravel_index(numbers, view.shape)
    rows = np.zeros(len(numbers), np.int64)
    if lanes:
        rows = (tensor.partition or 0) + view.partition + at[0] * view.steps[0]
    lows = np.full(len(numbers), (tensor.offset or 0) + view.offset, np.int64)
    chosen = -1
    if view.offsets is not None:
        assert entries is not None
        step = view.offsets.step * size
        if view.offsets.single:
            lows += int(entries[0]) * step
        else:
            chosen = lanes
            lows += entries[at[lanes]] * step
    for axis in range(lanes, len(view.shape)):
        if axis != chosen:
            lows += at[axis] * (view.steps[axis] * size)
    return TensorElements(tensor, view.dtype, rows.astype(np.int64), lows)


def entry_numbers(view: View, numbers: Numbers) -> Numbers:
    """Which entries address some elements of a view, by number."""
    offsets = view.offsets
    assert offsets is not None
    at = np.zeros(len(numbers), np.int64)
    if not offsets.single:
        at = np.asarray(np.unravel_index(numbers, view.shape)[int(view.partitioned)], np.int64)
    return np.unique(at + offsets.first)


def entry_elements(view: View, numbers: Numbers, group: int) -> TensorElements:
    """The entries that address some elements of a view, as elements of their tile."""
    offsets = view.offsets
    assert offsets is not None
    at, tile = entry_numbers(view, numbers), offsets.tile
    columns, group = tile.size // tile.shape[0], min(offsets.group or group, tile.shape[0])
    return elements(tile, at % group * columns + at // group)


def touched_elements(
    view: View, wanted: TensorElements, entries: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """Which elements of a view have a byte in common with some elements, and with which of those.

    Of several elements of the view in one place the last counts, which is what stays there.
    """
    if not _meet(view.tensor, wanted.tensor):
        return NOWHERE, NOWHERE
    numbers = np.arange(view.size, dtype=np.int64)
    if entries is None:
        numbers = _candidates(view, wanted)
    if not len(numbers):
        return NOWHERE, NOWHERE
    mine = elements(view, numbers, entries)
    order = np.lexsort((numbers, mine.lows, mine.rows))
    span = 1 << 44
    keys = mine.rows[order] * span + mine.lows[order]
    low = np.searchsorted(keys, wanted.rows * span + wanted.lows - view.dtype.itemsize + 1)
    high = np.searchsorted(keys, wanted.rows * span + wanted.lows + wanted.dtype.itemsize)
    counts = high - low
    if not counts.any():
        return NOWHERE, NOWHERE
    which = np.repeat(np.arange(len(wanted)), counts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(low, counts) + within
    last = np.append(keys[1:] != keys[:-1], True)  # sorted by number where the place is the same
    at, which = at[last[at]], which[last[at]]
    return numbers[order[at]], which


def _meet(a: Tensor, b: Tensor) -> bool:
    """Whether tensors could share bytes: places of others are not comparable."""
    if a is b:
        return True
    placed = a.fixed or b.fixed
    return placed and a.memory is b.memory and (a.core == b.core or a.memory.shared)


def _candidates(view: View, wanted: TensorElements) -> Numbers:
    """The numbers of those elements of a view that could be among some: few of a large view."""
    tensor, size, lanes = view.tensor, view.dtype.itemsize, int(view.partitioned)
    axes = [np.arange(count) for count in view.shape]
    if lanes:
        first = (tensor.partition or 0) + view.partition
        axes[0] = axes[0][np.isin(first + axes[0] * view.steps[0], wanted.rows)]
    low = int(wanted.lows.min()) - size + 1 - (tensor.offset or 0) - view.offset
    high = int(wanted.lows.max()) + wanted.dtype.itemsize - (tensor.offset or 0) - view.offset
    reach = [sorted((0, s * (n - 1) * size)) for n, s in zip(view.shape, view.steps, strict=True)]
    for axis in range(lanes, len(view.shape)):
        others = [reach[a] for a in range(lanes, len(view.shape)) if a != axis]
        least, most = (sum(r[end] for r in others) for end in (0, 1))
        at = axes[axis] * view.steps[axis] * size
        axes[axis] = axes[axis][(at + least < high) & (at + most >= low)]
    if not all(map(len, axes)):
        return NOWHERE
    grids = np.meshgrid(*axes, indexing="ij")
    return np.asarray(np.ravel_multi_index([g.reshape(-1) for g in grids], view.shape), np.int64)
