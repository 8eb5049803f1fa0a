"""From views to bytes: the accesses of a machine, each made once for the bytes that it touches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from nasm.machine.access import Access, PatternLayout
from nasm.machine.lost_results import Losses
from nasm.machine.tiled_access import ArrangedPattern
from nasm.sim.memory import Store
from nasm.views.regions import Region
from nasm.views.tensor import Tensor
from nasm.views.view import View


class TensorPlace(NamedTuple):
    """Where a tensor is: the number of what it shares bytes with, its first partition and byte."""

    number: int
    partition: int
    offset: int


class Addresses:
    """The accesses of a machine; each is made once."""

    CACHES: tuple[str, ...] = ("_patterns", "_tensors")

    def __init__(
        self, stores: Mapping[int, Store], areas: Mapping[int, int], losses: Losses
    ) -> None:
        self.stores, self.areas, self.losses = stores, areas, losses
        self._patterns: dict[tuple[Any, ...], PatternLayout] = {}
        self._tensors: dict[int, TensorPlace] = {}

    def region(self, view: View) -> Region:
        """The bytes that a view touches."""
        return self.access(view).region

    def access(self, view: View) -> Access:
        """A view bound to its memory."""
        tensor = view.tensor
        number, partition, offset = self._tensors.get(tensor.index) or self._placed(tensor)
        key = number, partition + view.partition, view.shape, view.steps, view.dtype.name
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = self._pattern(view)
        return pattern.at(view, offset + view.offset)

    def _placed(self, tensor: Tensor) -> TensorPlace:
        number = self.areas[tensor.index] if tensor.arrangement is None else ~tensor.index
        found = TensorPlace(number, tensor.partition or 0, tensor.offset or 0)
        self._tensors[tensor.index] = found
        return found

    def _pattern(self, view: View) -> PatternLayout:
        tensor = view.tensor.index
        area = self.areas[tensor]
        kind = PatternLayout if view.tensor.arrangement is None else ArrangedPattern
        return kind(view, self.stores[tensor], area, self.losses.area(area))

    def forget(self) -> None:
        """Forget what is known of the memory: a checkpoint was restored."""
        for area in self.losses.areas.values():
            area.forget()
