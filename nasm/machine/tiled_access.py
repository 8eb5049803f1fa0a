"""Accesses to tensors whose elements are not one after the other in their bytes.

To everybody else they are like others. What is read is decoded, as it is when it is asked for; what
is written is encoded with the elements around it. No instruction has such an access.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from nasm.base.pieces import Window
from nasm.machine.access import Access, PatternLayout, Values
from nasm.machine.lost_results import Unread
from nasm.sim.memory import Array, CopyOnWrite, Journal, Mask, Store
from nasm.views.arrangement import Arrangement
from nasm.views.view import View


class ArrangedPattern(PatternLayout):
    """All bytes of a tensor, whatever the view of its elements."""

    __slots__ = ()

    def __init__(self, view: View, store: Store, area: int, unread: Unread) -> None:
        super().__init__(view, store, area, unread)
        tensor = view.tensor
        self.shape, self.strides = (tensor.bytes,), (1,)
        self.start, self.last = -store.base, 0
        self.whole = self.solid = False

    def at(self, view: View, offset: int) -> Access:
        """The access of a view; all have the same bytes."""
        found = self.accesses.get(view.offset)
        if found is None:
            begin = offset - view.offset
            found = self.accesses[view.offset] = ArrangedAccess(view, self, begin)
        return found


class ArrangedAccess(Access):
    """A view of such a tensor; ``array`` is all of its bytes."""

    __slots__ = ("view",)

    def __init__(self, view: View, pattern: PatternLayout, offset: int) -> None:
        self.view, self.pattern = view, pattern
        store, start = pattern.store, pattern.start + offset
        self.store, self.start = store, start
        self.array = store.array(np.dtype("u1"), start, pattern.shape, pattern.strides)
        self.region = pattern.region(offset)
        self.low, self.high = start, start + len(self.array)
        self.kept: Journal | None = None
        self.unread = pattern.unread
        self.derived = {}
        self.place = self.unread.tracked(self, pattern.dense)

    @property
    def _arrangement(self) -> Arrangement:
        found = self.view.tensor.arrangement
        assert found is not None
        return found

    def _decoded(self) -> Array:
        """All elements of the tensor, as an array of its own; uninitialised bytes are 0."""
        tensor = self.view.tensor
        data = np.where(self._written, self.array, 0).astype(np.uint8)
        found = self._arrangement.decode(data, tensor.shape)
        return np.ascontiguousarray(found, tensor.dtype.numpy)

    def _seen(self, whole: Array) -> Array:
        """The elements of the view among all of the tensor's, sharing their bytes."""
        view, dtype = self.view, self.view.dtype
        strides = tuple(step * dtype.itemsize for step in view.steps)
        return np.ndarray(view.shape, dtype.numpy, whole, view.offset, strides)

    @property
    def elements(self) -> Array:
        """The elements of the view, decoded: an array of their own."""
        return self._seen(self._decoded())

    # -- changes

    def put(self, values: Values) -> None:
        """Store values, one per element, in the shape of the view."""
        self.put_parts([((), values.take() if isinstance(values, CopyOnWrite) else values)])

    put_elements = put

    def put_parts(self, parts: Iterable[tuple[Window, Array]]) -> None:
        """Store values in the shape of the view, and encode all of the tensor again."""
        tensor, written = self.view.tensor, self._written
        whole = self._decoded()
        seen = self._seen(whole)
        for window, values in parts:
            seen[window] = values
        data = self._arrangement.encode(whole)
        marks = np.zeros((whole.size, whole.itemsize), np.bool_)
        self._bytes(marks)[...] = True
        self.store.before_change(self)
        self.array[...] = data
        uses = self._arrangement.uses(tensor.shape).reshape(whole.size, -1)
        written[uses[marks.any(axis=1)]] = True
        self.unread.wrote(self.place)

    def _bytes(self, marks: Mask) -> Mask:
        """The marks of the bytes of the view's elements, of those of all elements."""
        view, size = self.view, self.view.dtype.itemsize
        strides = (*(step * size for step in view.steps), 1)
        return np.ndarray((*view.shape, size), np.bool_, marks.data, view.offset, strides)

    # -- the shadow memory

    @property
    def complete(self) -> bool:
        """Whether all of its bytes are initialised."""
        return bool(self.bits().all())

    @property
    def mask(self) -> Mask:
        """Which bytes are initialised, with a last axis of one."""
        return self.bits()

    def bits(self, window: Array | None = None) -> Mask:
        """The mask of all bytes as the store has it."""
        return self._written.reshape(-1, 1)

    @property
    def _written(self) -> Mask:
        self.store.flush()
        return self.store.mask(1, self.start, self.array.shape, (1,)).reshape(-1)

    @property
    def uninitialised(self) -> bool:
        """Whether some of its bytes are uninitialised."""
        return not self.complete

    def packed_mask(self) -> Iterator[bytes]:
        """The mask of bytes, a bit each."""
        yield np.packbits(self._written).tobytes()

    def known(self) -> Mask:
        """Which elements are initialised, in the shape of the view."""
        tensor = self.view.tensor
        known = self._arrangement.known(self._written, tensor.shape)
        marks = np.repeat(known.reshape(-1, 1), tensor.dtype.itemsize, axis=1)
        return np.asarray(self._bytes(marks).all(axis=-1))

    def missing(self) -> Mask:
        """Which elements are uninitialised, in the shape of the view."""
        return ~self.known()
