"""From views to bytes: arrays, written-masks and regions of a machine's memories."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.sim.memory import Array, Region, Store
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


def elements(view: View, store: Store, merged: bool = False) -> Array:
    """The elements of a view as an array that shares the memory's bytes."""
    row, offset, shape, strides = geometry(view, store, merged)
    return store.array(view.dtype.numpy, row, offset, shape, strides)


def written(view: View, store: Store) -> Array:
    """The written-mask of a view, with a last axis over the bytes of each element."""
    row, offset, shape, strides = geometry(view, store, True)
    return store.mask(view.dtype.itemsize, row, offset, shape, strides)


def flattened(array: Array, partitioned: bool) -> Array:
    """An array with its free axes as one; shares memory where they already are."""
    if partitioned:
        return array if array.ndim == 2 else array.reshape(array.shape[0], -1)
    return array.reshape(1, -1)


