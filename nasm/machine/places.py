"""From views to bytes: arrays, written-masks and regions of a machine's memories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nasm.sim.memory import POISON, Array, Region, Store
from nasm.spec.view import View


def region(view: View, place: str) -> Region:
    """The bytes a view touches, for overlap tests."""
    tensor = view.tensor
    assert tensor.offset is not None
    size = view.dtype.itemsize
    low, high = view.extent
    rows = (0, 1, 1)
    if view.partitioned:
        rows = ((tensor.partition or 0) + view.partition, view.shape[0], view.steps[0])
    return Region(
        place, rows, tensor.offset + low, tensor.offset + high, tensor.offset + view.offset,
        tuple((step * size, count) for step, count in view.dims), size,
    )  # fmt: skip


def geometry(view: View, store: Store, merged: bool) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
    """Row, byte offset, shape and byte strides of a view; ``merged`` folds adjacent free axes.

    A merged view that is a simple run has exactly one free axis.
    """
    tensor = view.tensor
    assert tensor.offset is not None
    size = view.dtype.itemsize
    offset = tensor.offset + view.offset
    free: Sequence[tuple[int, int]]
    if merged:
        free = view.dims or ((1, 1),)
    else:
        first = 1 if view.partitioned else 0
        free = list(zip(view.steps[first:], view.shape[first:], strict=True))
    shape = tuple(n for _, n in free)
    strides = tuple(s * size for s, _ in free)
    if not view.partitioned:
        return 0, offset, shape, strides
    row = (tensor.partition or 0) + view.partition
    lanes = view.shape[0]
    return row, offset, (lanes, *shape), (view.steps[0] * store.data.strides[0], *strides)


def elements(view: View, store: Store) -> Array:
    """The elements of a view, in its shape, as an array that shares the memory's bytes."""
    row, offset, shape, strides = geometry(view, store, False)
    return store.array(view.dtype.numpy, row, offset, shape, strides)


class Access:
    """A view bound to its memory: its bytes as an array, and which of them were written.

    ``array`` has adjacent free axes merged. ``settled`` once all of it is known to be written,
    which is for ever: nothing becomes unwritten.
    """

    __slots__ = ("array", "mask", "region", "settled", "start", "store", "view")

    def __init__(self, view: View, store: Store, place: str) -> None:
        self.view, self.store = view, store
        row, offset, shape, strides = geometry(view, store, True)
        size = view.dtype.itemsize
        self.array: Array = store.array(view.dtype.numpy, row, offset, shape, strides)
        self.mask = store.mask(size, row, offset, shape, strides)
        self.start = row * store.data.strides[0] + offset
        self.region = region(view, place)
        self.settled = False

    def unwritten(self) -> int:
        """How many elements were never written; makes their bytes read as poison."""
        if self.settled:
            return 0
        if self.mask.all():
            self.settled = True
            return 0
        raw = np.ndarray(
            self.mask.shape, np.uint8, self.store.data.reshape(-1).data, self.start,
            self.mask.strides,
        )  # fmt: skip
        missing = ~self.mask
        raw[missing] = POISON
        return int(missing.any(axis=-1).sum())

    def mark(self) -> None:
        """All of it has been written."""
        if not self.settled:
            self.mask[...] = True
            self.settled = True


def flattened(array: Array, partitioned: bool) -> Array:
    """An array with its free axes as one; shares memory where they already are."""
    if partitioned:
        return array if array.ndim == 2 else array.reshape(array.shape[0], -1)
    return array.reshape(1, -1)
