"""A view bound to its memory: its bytes, its shadow memory and its region.

What follows from a pattern on a tensor is decided once, in a :class:`PatternLayout`; an access adds
an address to it. Memory is changed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Casting, DType
from nasm.base.pieces import PIECE, Window
from nasm.isa.effects import Partial
from nasm.machine.lost_results import TrackedBytes, Unread
from nasm.program.footprint.layout import Layout
from nasm.sim.memory import Array, CopyOnWrite, Derived, Journal, Mask, Store
from nasm.views.view import View

Values = Array | CopyOnWrite


class PatternLayout(Layout):
    """What accesses to one store with one pattern in some partitions have in common.

    Offsets are relative. ``shape`` and ``strides`` have adjacent free axes merged: a simple run has
    exactly one free axis. ``number`` is that of the tensor if it shares its bytes with none, else
    -1; ``whole`` says that such an access is all of it, ``solid`` that it is all of some columns of
    the store.
    """

    __slots__ = (
        "accesses", "dense", "dtype", "last", "number", "plain_shape", "plain_strides", "shape",
        "solid", "start", "store", "strides", "unread", "whole",
    )  # fmt: skip

    def __init__(self, view: View, store: Store, area: int, unread: Unread) -> None:
        super().__init__(view, area)
        self.unread = unread
        tensor, dtype, size, dims = view.tensor, view.dtype, self.size, self.dims
        self.store, self.dtype = store, dtype
        self.shape = tuple(count for _, count in dims)
        self.strides = tuple(step for step, _ in dims)
        self.plain_shape = view.shape
        self.plain_strides = tuple(s * size for s in view.steps)
        row, count, step = self.rows
        if tensor.memory.partitions:
            pitch = step * store.pitch
            self.shape, self.strides = (count, *self.shape), (pitch, *self.strides)
            self.plain_strides = (pitch, *self.plain_strides[1:])
        self.start = (row - store.row) * store.pitch - store.base
        self.last = abs(step) * (count - 1) * store.pitch
        plain = len(dims) == 1 and dims[0][0] == size and step == 1
        self.number = tensor.index if store.alone else -1
        self.whole = store.alone and plain and view.shape == tensor.shape and dtype is tensor.dtype
        self.solid = plain and (row, count) == (store.row, len(store.data))
        self.dense = self.region(0).dense
        self.accesses: dict[int, Access] = {}

    def at(self, view: View, offset: int) -> Access:
        """The access of a view with this pattern from a byte of the memory on; made once."""
        found = self.accesses.get(offset)
        if found is None:
            found = self.accesses[offset] = self._access(view, offset)
        return found

    def _access(self, _: View, offset: int) -> Access:
        return Access(self, offset)


class Access:
    """A view bound to its memory: its bytes as an array, and which of them are initialised.

    Tensors that take the same bytes have it in common. ``place`` has what is known of these bytes,
    whichever access they are written or read by. A tensor that shares its bytes with no other is
    marked as a whole when it is written as a whole, and its mask is then never looked at; other
    marks are pending until the mask is asked for.
    """

    __slots__ = (
        "array", "derived", "high", "kept", "low", "pattern", "place", "region", "start", "store",
        "unread",
    )  # fmt: skip
    CACHES = ("derived", "kept")

    def __init__(self, pattern: PatternLayout, offset: int) -> None:
        self.pattern = pattern
        store = self.store = pattern.store
        start = self.start = pattern.start + offset
        self.array = store.array(pattern.dtype.numpy, start, pattern.shape, pattern.strides)
        self.region = pattern.region(offset)
        self.low, self.high = start + pattern.low, start + pattern.high + pattern.last
        if pattern.rows[2] < 0:
            self.low, self.high = self.low - pattern.last, self.high - pattern.last
        self.kept: Journal | None = None
        self.unread = pattern.unread
        self.derived: dict[Callable[..., Any], Derived] = {}
        self.place: TrackedBytes = self.unread.tracked(self, pattern.dense)

    @property
    def elements(self) -> Array:
        """The elements in the shape of the view, as an array that shares the memory's bytes."""
        pattern = self.pattern
        return self.store.array(
            pattern.dtype.numpy, self.start, pattern.plain_shape, pattern.plain_strides
        )

    def deriving(self, make: Callable[..., Any], array: Array) -> Callable[[], Any]:
        """A function that returns what is made of the elements, kept until they change.

        ``make`` gets the elements. Where they are columns of a store that one tensor has, it also
        gets what returns the same made of all of the store, and which columns they are.
        """
        found = self.derived.get(make)
        if found is None:
            found = self.derived[make] = Derived(
                self.store, partial(make, array, *self._within(make))
            )
        return found.read

    def _within(self, make: Callable[..., Any]) -> tuple[Any, ...]:
        store, dtype = self.store, self.pattern.dtype
        if not (store.alone and self.solid) or store.pitch % dtype.itemsize:
            return ()
        first, last = (byte // dtype.itemsize for byte in self.columns)
        return store.deriving(make, dtype.numpy).read, slice(first, last)

    # -- changes

    @property
    def columns(self) -> tuple[int, int]:
        """Its first byte in a row of the store, and the one after its last."""
        base = self.store.base
        return self.region.low - base, self.region.high - base

    @property
    def number(self) -> int:
        """The number of the tensor; -1 if several share its bytes."""
        return self.pattern.number

    @property
    def solid(self) -> bool:
        """Whether each byte of its columns is one of it, in every row of the store."""
        return self.pattern.solid

    def put(self, values: Values) -> None:
        """Store values, one per element, in the shape of ``array``."""
        self._put(self.array, values)

    def put_parts(self, parts: Iterable[tuple[Window, Array]]) -> None:
        """Store values in the shape of the view, part by part; together they are all of it."""
        self.store.before_change(self)
        target = self.elements
        for window, values in parts:
            target[window] = values
        self.mark()

    def put_elements(self, values: Values) -> None:
        """Store values, one per element, in the shape of the view."""
        self._put(self.elements, values)

    def _put(self, target: Array, values: Values) -> None:
        store = self.store
        if self.kept is not store.journal or store.shared or store.derivatives:
            store.before_change(self)
        target[...] = values.take() if isinstance(values, CopyOnWrite) else values
        place = self.place
        if not place.initialised:
            self.mark()
        if place.token is None:  # as Unread.wrote does, which costs a call
            for other in place.others:
                if other.token is not None:
                    break
            else:
                place.token = place.clock.acting
                return
        self.unread.wrote(place)

    def put_partial(self, part: Partial) -> None:
        """Store the chosen ones of some values; ``where`` has the shape of the array."""
        self.store.before_change(self)
        np.copyto(self.array, part.values, where=part.where)
        if not self.place.initialised:
            mask = self.mask
            if not self.store.knows(self.number):
                mask[part.where] = True

    def put_at(self, window: Array, key: Any, values: Array) -> None:
        """Store values at places of an array of these bytes; of several for one the last stays."""
        self.store.before_change(self)
        window[key] = values
        if not self.complete:
            self.bits(window)[key] = True

    def add(self, values: Array, casting: Casting) -> None:
        """Add values, rounded to float32, in the shape of ``array`` to what it holds."""
        self.look()
        dtype = self.pattern.dtype
        if dtype.name != "float32":
            self.put(added(self.array, values, dtype, casting))
            return
        self.store.before_change(self)
        array: Any = self.array
        np.add(array, values, out=array, dtype=np.float32, casting="same_kind")
        self.mark()
        self.unread.wrote(self.place)

    # -- who reads it

    def look(self) -> None:
        """An instruction or a transfer is about to read it."""
        place = self.place
        if place.token is not None or place.others:
            self.unread.read(place)

    def within(self, bits: Mask, low: int) -> Mask:
        """Its bytes in an array that begins at some byte of the store."""
        array, start = self.array, self.start - low
        shape, strides = (*array.shape, array.itemsize), (*array.strides, 1)
        return np.ndarray(shape, np.bool_, bits.data, start, strides)

    # -- the shadow memory

    @property
    def complete(self) -> bool:
        """Whether all of the tensor is known to be initialised."""
        return self.place.initialised or self.store.knows(self.number)

    @property
    def mask(self) -> Mask:
        """Which bytes are initialised: the shape of ``array`` with a last axis of bytes."""
        if self.store.knows(self.number):
            return np.ones((*self.array.shape, self.array.itemsize), np.bool_)
        return self.bits()

    def bits(self, window: Array | None = None) -> Mask:
        """The mask of the same bytes as the store has it."""
        array = self.array if window is None else window
        return self.store.mask(array.itemsize, self.start, array.shape, array.strides)

    @property
    def uninitialised(self) -> bool:
        """Whether some of its bytes are uninitialised."""
        place = self.place
        if not place.initialised:
            known = place.filled() or self.store.knows(self.number)
            place.initialised = known or bool(self.bits().all())
        return not place.initialised

    def packed_mask(self) -> Iterator[bytes]:
        """The mask of bytes in row-major order, a bit each, piece by piece."""
        size = self.array.nbytes
        if self.store.knows(self.number):
            for start in range(0, size, 8 * PIECE):
                whole, rest = divmod(min(8 * PIECE, size - start), 8)
                yield b"\xff" * whole + (bytes([0xFF00 >> rest & 0xFF]) if rest else b"")
            return
        mask = self.bits()
        if not mask.flags.c_contiguous:
            yield np.packbits(mask).tobytes()
            return
        flat = mask.reshape(-1)
        for start in range(0, size, 8 * PIECE):
            yield np.packbits(flat[start : start + 8 * PIECE]).tobytes()

    def known(self) -> Mask:
        """Which elements are initialised, in the shape of the view; to be read, not written."""
        if self.complete:
            return np.broadcast_to(np.True_, self.pattern.plain_shape)
        marks, whole = self._marks()
        return np.asarray(marks == whole).reshape(self.pattern.plain_shape)

    def missing(self) -> Mask:
        """Which elements are uninitialised, in the shape of the view; to be read, not written."""
        if self.complete:
            return np.broadcast_to(np.False_, self.pattern.plain_shape)
        marks, whole = self._marks()
        return np.asarray(marks != whole).reshape(self.pattern.plain_shape)

    def _marks(self) -> tuple[Array, int]:
        """The mask with the bytes of each element as one number, and what that is if all are."""
        bits = self.bits()
        size = bits.shape[-1]
        return bits.view(f"u{size}"), int.from_bytes(b"\x01" * size, "little")

    def mark(self) -> None:
        """All of it has been written."""
        if self.place.initialised:
            return
        self.place.initialised = True
        if self.pattern.whole:
            self.store.complete.add(self.number)
        elif self.number not in self.store.complete:
            self.store.pending.append(self)

    # -- who wrote it last

    def note_writer(self, accumulable: bool, where: Any = ..., window: Array | None = None) -> None:
        """Remember whether instructions may accumulate onto what was just written."""
        if not accumulable or self.store.not_accumulable is not None:
            self.store.before_change(self)
            self._not_accumulable(window)[where] = not accumulable

    def accumulable(self, where: Any = ..., window: Array | None = None) -> bool:
        """Whether instructions may accumulate onto all of it."""
        known = self.store.not_accumulable is not None
        return not (known and bool(self._not_accumulable(window)[where].any()))

    def _not_accumulable(self, window: Array | None) -> Mask:
        array = self.array if window is None else window
        return self.store.not_accumulable_mask(
            array.itemsize, self.start, array.shape, array.strides
        )


def added(held: Array, values: Array, dtype: DType, casting: Casting) -> Array:
    """What memory holds and values, added in float32 and rounded once into its dtype."""
    total = dtypes.to_float32(held, dtype) + values.astype(np.float32, copy=False)
    return casting.narrower(dtype)(total, dtype)
