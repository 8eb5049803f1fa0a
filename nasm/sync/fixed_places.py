"""Tensors that have their places, and what bytes they take while another one lives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nasm.program.placement import Runs, joined
from nasm.sync.live_ranges import Life
from nasm.views.tensor import Tensor


class Living(NamedTuple):
    """A tensor, and when it is alive."""

    tensor: Tensor
    life: Life


NOTHING: Runs = [], []


class FixedPlaces:
    """Tensors that stay where they are: those that the program placed, and more up to a number.

    They may overlap each other.
    """

    def __init__(self, given: Iterable[Living], most: int) -> None:
        self.count = 0
        self.lows = np.zeros(most, np.int64)
        self.highs, self.begins = np.zeros_like(self.lows), np.zeros_like(self.lows)
        self.ends, self.partitions = np.zeros_like(self.lows), np.zeros_like(self.lows)
        for one in given:
            assert one.tensor.offset is not None
            self.add(one.tensor.offset, one)

    def add(self, at: int, one: Living) -> None:
        """One more, from this byte on."""
        n = self.count
        self.lows[n], self.highs[n] = at, at + one.tensor.bytes
        self.begins[n], self.ends[n] = one.life.begin, one.life.end
        self.partitions[n] = one.tensor.partition or 0
        self.count += 1

    def taken(self, life: Life, partitions: int) -> Runs:
        """What of the first partitions they take at any time while something else lives."""
        if not self.count:
            return NOTHING
        n = self.count
        met = (self.begins[:n] <= life.end) & (self.ends[:n] >= life.begin)
        met &= self.partitions[:n] < partitions
        which = met.nonzero()[0]
        if not which.size:
            return NOTHING
        lows = self.lows[which]
        return joined(sorted(zip(lows.tolist(), self.highs[which].tolist(), strict=True)))
