"""Whether a matmul adds to what is in its place: the first into a place overwrites, later ones add.

A place is a byte of a tensor in PSUM: tensors that share an address do not share beginnings, as a
tile that a kernel declares again is a new one. What other instructions write begins nothing, and a
transpose always overwrites. A region of which a part has begun is split where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.views.methods import restepped
from nasm.views.tensor import Tensor
from nasm.views.view import View

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Part = tuple[int, int, bool]
"""Columns of a matmul, from one up to another, and whether they add."""

PARTIAL = "E0652"


class AccumulatedBytes:
    """Which bytes of a tensor have been written, by matmuls or by what else made these views."""

    def __init__(self, tensor: Tensor, views: Iterable[View] = ()) -> None:
        self.tensor = tensor
        self._views: dict[View, None] = dict.fromkeys(views)
        self._mask: Mask | None = None

    @property
    def complete(self) -> bool:
        """Whether all of them have."""
        return bool(self._marked().all())

    def parts(self, dst: View) -> list[Part]:
        """The columns of a region, in runs that add or overwrite; from now on all have begun."""
        if dst in self._views:
            return [(0, dst.elements, True)]
        if dst.dynamic or dst.offsets is not None:
            raise Refused(
                PARTIAL,
                f"nc_matmul into {self.tensor.name} at an address that the run decides: whether "
                "that place has begun is not known",
                "say accumulate=True or accumulate=False",
            )
        found = self._parts(dst) if self._views else [(0, dst.elements, False)]
        self.begin(dst)
        return found

    def begin(self, dst: View) -> None:
        """A region has begun."""
        if dst not in self._views:
            self._views[dst] = None
            if self._mask is not None:
                self._bytes(self._mask, dst)[...] = True

    def _parts(self, dst: View) -> list[Part]:
        if all(_apart(dst, view) for view in self._views):
            return [(0, dst.elements, False)]
        held = self._bytes(self._marked(), dst)
        columns = held.reshape(dst.partitions, dst.elements, -1)
        some: Mask = np.any(columns, axis=(0, 2))
        every: Mask = np.all(columns, axis=(0, 2))
        if (some != every).any():
            raise Refused(
                PARTIAL,
                f"nc_matmul into {self.tensor.name}: of column {int((some != every).argmax())} "
                "earlier ones have begun some partitions only, so that it has to add in these and "
                "to overwrite in the others",
                "say accumulate=True or accumulate=False, or multiply into the partitions apart",
            )
        edges = [0, *(np.flatnonzero(every[1:] != every[:-1]) + 1).tolist(), dst.elements]
        return [(low, high, bool(every[low])) for low, high in pairwise(edges)]

    def _marked(self) -> Mask:
        """The mask of what has been written, from now on kept."""
        if self._mask is None:
            self._mask = np.zeros((self.tensor.partitions, self.tensor.bytes), np.bool_)
            for view in self._views:
                self._bytes(self._mask, view)[...] = True
        return self._mask

    def _bytes(self, mask: Mask, view: View) -> Mask:
        """The bytes of a view in the mask: its shape, with a last axis of the bytes of each."""
        size, pitch = view.dtype.itemsize, self.tensor.bytes
        strides = (view.steps[0] * pitch, *(step * size for step in view.steps[1:]), 1)
        start = view.partition * pitch + view.offset
        return np.ndarray((*view.shape, size), np.bool_, mask.data, start, strides)


def _apart(one: View, other: View) -> bool:
    """Whether two views of a tensor are so far apart that their boxes do not meet."""
    if (
        one.partition + (one.shape[0] - 1) * one.steps[0] < other.partition
        or other.partition + (other.shape[0] - 1) * other.steps[0] < one.partition
    ):
        return True
    (low, high), (from_, to) = one.extent, other.extent
    return high <= from_ or to <= low


def pieces(low: int, high: int, *tiles: View) -> Iterator[tuple[View, ...]]:
    """Columns of some tiles of equally many, as few views as can say them."""
    while low < high:
        found = [_columns(tile, low, high) for tile in tiles]
        count = min(view.elements for view in found)
        yield tuple(
            view if view.elements == count else _columns(tile, low, low + count)
            for view, tile in zip(found, tiles, strict=True)
        )
        low += count


def _columns(tile: View, low: int, high: int) -> View:
    """Columns of a tile from one on, as many of those up to another as one view can say."""
    flat = restepped(tile.shape[1:], tile.steps[1:], (tile.elements,))
    if flat is not None:
        whole = replace(tile, shape=(tile.shape[0], tile.elements), steps=(tile.steps[0], *flat))
        return whole.index([slice(None), slice(low, high)])
    inner = tile.elements // tile.shape[1]
    first, offset = divmod(low, inner)
    if offset == 0 and high - low >= inner:
        return tile.index([slice(None), slice(first, first + (high - low) // inner)])
    row = tile.index([slice(None), first])
    return _columns(row, offset, min(inner, offset + high - low))
