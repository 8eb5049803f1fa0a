"""From views to regions: what those of views with one pattern have in common, and each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.views.regions import Region
from nasm.views.view import View


class Layout:
    """What the regions of views of one tensor with one pattern have in common."""

    __slots__ = ("_regions", "area", "dims", "high", "low", "place", "rows", "size")

    def __init__(self, view: View, area: int) -> None:
        tensor, memory = view.tensor, view.tensor.memory
        self._regions: dict[int, Region] = {}
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
        found = self._regions.get(offset)
        if found is None:
            found = self._regions[offset] = _new(
                Region,
                (
                    self.place, self.rows, offset + self.low, offset + self.high, offset,
                    self.dims, self.size, (), self.area, 0,
                ),
            )  # fmt: skip
        return found


_new = tuple.__new__
"""Makes a region of all its fields: twice as fast as by their names."""


class Regions:
    """The regions of views, each made once; ``areas`` numbers those that share bytes, if known."""

    def __init__(self, areas: Mapping[int, int] | None = None) -> None:
        self._areas = areas
        self._layouts: dict[tuple[Any, ...], Layout] = {}

    def of(self, view: View) -> Region:
        """The bytes that a view touches where no register and no tile moves it.

        Tensors of a memory have layouts in common.
        """
        tensor = view.tensor
        arranged = None if tensor.arrangement is None else tensor.index
        area = -1 if self._areas is None else self._areas[tensor.index]
        key = (
            tensor.memory.name, tensor.core, (tensor.partition or 0) + view.partition, view.shape,
            view.steps, view.dtype.itemsize, area, arranged,
        )  # fmt: skip
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = Layout(view, area)
        return layout.region((tensor.offset or 0) + (view.offset if arranged is None else 0))
