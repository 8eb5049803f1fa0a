"""From views to bytes: the accesses of a machine, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.machine.access import Access, PatternLayout
from nasm.machine.lost_results import Losses
from nasm.machine.tiled_access import ArrangedPattern
from nasm.program.footprint.layout import layout_key
from nasm.sim.memory import Store
from nasm.views.regions import Region
from nasm.views.view import View


class Addresses:
    """The accesses of a machine; each is made once."""

    CACHES: tuple[str, ...] = ("_patterns",)

    def __init__(
        self, stores: Mapping[int, Store], areas: Mapping[int, int], losses: Losses
    ) -> None:
        self.stores, self.areas, self.losses = stores, areas, losses
        self._patterns: dict[tuple[Any, ...], PatternLayout] = {}

    def region(self, view: View) -> Region:
        """The bytes that a view touches."""
        return self.access(view).region

    def access(self, view: View) -> Access:
        """A view bound to its memory."""
        key = layout_key(view)
        pattern = self._patterns.get(key)
        if pattern is None:
            tensor = view.tensor.index
            area = self.areas[tensor]
            kind = PatternLayout if view.tensor.arrangement is None else ArrangedPattern
            pattern = kind(view, self.stores[tensor], area, self.losses.area(area))
            self._patterns[key] = pattern
        return pattern.at(view)

    def forget(self) -> None:
        """Forget what is known of the memory: a checkpoint was restored."""
        for area in self.losses.areas.values():
            area.forget()
