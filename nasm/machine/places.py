"""From views to bytes: arrays, written-masks and regions of a machine's memories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nasm.sim.memory import Array, Loan, Mask, Region, Store
from nasm.spec.effects import Partial
from nasm.spec.view import View


def geometry(
    view: View, store: Store, merged: bool
) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
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
    return row, offset, (lanes, *shape), (view.steps[0] * store.pitch, *strides)


def elements(view: View, store: Store) -> Array:
    """The elements of a view, in its shape, as an array that shares the memory's bytes."""
    row, offset, shape, strides = geometry(view, store, False)
    return store.array(view.dtype.numpy, row, offset, shape, strides)


class Access:
    """A view bound to its memory: its bytes as an array, and which of them were written.

    ``array`` has adjacent free axes merged. ``settled`` once all of it is known to be written,
    which is for ever: nothing becomes unwritten. A tensor that shares its bytes with no other is
    marked as a whole when it is written as a whole, and its mask is then never looked at; other
    marks are owed to the mask until somebody asks.
    """

    __slots__ = ("array", "number", "region", "settled", "start", "store", "view", "whole")

    def __init__(self, view: View, store: Store, place: str, alone: bool) -> None:
        self.view, self.store = view, store
        self.number = view.tensor.index
        row, offset, shape, strides = geometry(view, store, True)
        self.array: Array = store.array(view.dtype.numpy, row, offset, shape, strides)
        self.start = store.position(row, offset)
        low = high = offset
        dims = tuple(zip(strides, shape, strict=True))
        rows = (0, 1, 1)
        if view.partitioned:
            rows, dims = (row, shape[0], view.steps[0]), dims[1:]
        for step, count in dims:
            if step < 0:
                low += step * (count - 1)
            else:
                high += step * (count - 1)
        size = view.dtype.itemsize
        self.region = Region(place, rows, low, high + size, offset, dims, size)
        self.whole = (
            alone
            and self.array.nbytes == view.tensor.bytes * max(1, view.tensor.partitions)
            and self.region.dense
        )
        self.settled = False

    def put(self, values: Array | Loan) -> None:
        """Store values, one per element, or what was lent."""
        if isinstance(values, Loan):
            self.store.put_loan(self.array, values)
        else:
            self.store.put(self.array, values)
        if not self.settled:
            self.mark()

    def put_partial(self, part: Partial) -> None:
        """Store the chosen ones of some values; ``where`` has the shape of the array."""
        self.store.put_where(self.array, part.values, part.where)
        if not self.settled:
            mask = self.mask
            if self.number not in self.store.complete:
                mask[part.where] = True

    def put_own(self, values: Array | Loan) -> None:
        """Store values of an instruction of the kind that may add to them."""
        self.put(values)
        if self.store.foreign is not None:
            self.strangers()[...] = False

    def put_foreign(self, values: Array | Loan) -> None:
        """Store values that another kind of instruction may not add to."""
        self.put(values)
        self.strangers()[...] = True

    def put_foreign_partial(self, part: Partial) -> None:
        """The same for the chosen ones of some values."""
        self.put_partial(part)
        self.strangers()[part.where] = True

    def strangers(self) -> Mask:
        """Which of its bytes were last written by such an instruction."""
        return self.store.strangers(
            self.view.dtype.itemsize, self.start, self.array.shape, self.array.strides
        )

    @property
    def foreign(self) -> bool:
        """Whether any of them were."""
        return self.store.foreign is not None and bool(self.strangers().any())

    @property
    def mask(self) -> Mask:
        """Which bytes were written: the shape of ``array`` with a last axis of bytes."""
        if self.number in self.store.complete:
            return np.ones((*self.array.shape, self.view.dtype.itemsize), np.bool_)
        self.store.pay()
        return self.bits()

    def bits(self) -> Mask:
        """The written-mask of the same bytes as the store has it."""
        return self.store.mask(
            self.view.dtype.itemsize, self.start, self.array.shape, self.array.strides
        )

    def unwritten(self) -> bool:
        """Whether some of it was never written: its bytes still are what they were at power-on."""
        if not self.settled:
            self.settled = self.number in self.store.complete or bool(self.mask.all())
        return not self.settled

    def mark(self) -> None:
        """All of it has been written."""
        if self.settled:
            return
        self.settled = True
        if self.whole:
            self.store.complete.add(self.number)
        elif self.number not in self.store.complete:
            self.store.owed.append(self)


def flattened(array: Array, partitioned: bool) -> Array:
    """An array with its free axes as one; shares memory where they already are."""
    if partitioned:
        return array if array.ndim == 2 else array.reshape(array.shape[0], -1)
    return array.reshape(1, -1)
