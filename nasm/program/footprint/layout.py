"""From views to regions: what those of views with one pattern have in common, and each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.views.regions import Region
from nasm.views.view import View


class Layout:
    """What the regions of views of one tensor with one pattern have in common."""

    __slots__ = ("area", "dims", "high", "low", "place", "rows", "size")

    def __init__(self, view: View, area: int) -> None:
        tensor, memory = view.tensor, view.tensor.memory
        self.area = area
        self.place = f"{0 if memory.shared else tensor.core}.{memory.name}"
        size = self.size = view.dtype.itemsize
        self.dims = tuple((step * size, count) for step, count in view.dims or ((1, 1),))
        self.low = sum(step * (count - 1) for step, count in self.dims if step < 0)
        self.high = sum(step * (count - 1) for step, count in self.dims if step > 0) + size
        if tensor.arrangement is not None:  # whichever elements: all of its bytes
            size = self.size = 1
            self.dims, self.low, self.high = ((1, tensor.bytes),), 0, tensor.bytes
        self.rows = (0, 1, 1)
        if memory.partitions:
            first = (tensor.partition or 0) + view.partition
            self.rows = (first, view.shape[0], view.steps[0])

    def region(self, offset: int) -> Region:
        """The bytes touched from a byte of the memory on."""
        low, high = offset + self.low, offset + self.high
        return Region(self.place, self.rows, low, high, offset, self.dims, self.size, (), self.area)


class Regions:
    """The regions of views, each made once; ``areas`` numbers those that share bytes, if known."""

    def __init__(self, areas: Mapping[int, int] | None = None) -> None:
        self._areas = areas
        self._layouts: dict[tuple[Any, ...], Layout] = {}
        self._regions: dict[tuple[Any, ...], Region] = {}

    def of(self, view: View) -> Region:
        """The bytes that a view touches where no register and no tile moves it."""
        tensor = view.tensor
        key = (
            tensor.index, view.offset, view.partition, view.shape, view.steps, view.dtype.itemsize
        )  # fmt: skip
        found = self._regions.get(key)
        if found is None:
            inside = view.offset if tensor.arrangement is None else 0
            found = self._layout(view).region((tensor.offset or 0) + inside)
            self._regions[key] = found
        return found

    def _layout(self, view: View) -> Layout:
        """The layout of a view, which tensors of a memory have in common."""
        tensor, memory = view.tensor, view.tensor.memory
        area = -1 if self._areas is None else self._areas[tensor.index]
        first = (tensor.partition or 0) + view.partition
        arranged = None if tensor.arrangement is None else tensor.index
        key = (
            memory.name, tensor.core, first, view.shape, view.steps, view.dtype.itemsize, area,
            arranged,
        )  # fmt: skip
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = Layout(view, area)
        return found
