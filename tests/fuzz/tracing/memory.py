"""Memory as a kernel sees it: every tensor has bytes of its own, but for those it places itself.

A byte is unwritten, known, or unknown: written with what this model does not say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nasm.views.tensor import Tensor
from nasm.views.view import View

Array = np.ndarray[Any, Any]
Place = tuple[int, int] | None
"""The partition and the byte at which a kernel placed a tensor, if it did."""

UNWRITTEN, KNOWN, UNKNOWN = range(3)
PARTITIONS = 128


class Unmodelled(Exception):
    """Something whose meaning is not written down here."""


class Value(NamedTuple):
    """Elements, and which of them are not known."""

    x: Array
    bad: Array


class Memory:
    """The bytes of all tensors of a program, and what is known of each."""

    def __init__(self, places: Mapping[int, Place], noise: np.random.Generator | None) -> None:
        self.places, self.noise = places, noise
        self.cells: dict[Any, tuple[Array, Array]] = {}
        self.started: dict[int, Array] = {}
        self.unwritten: set[str] = set()
        """Tensors that were read where nobody had written."""

    def _cells(self, tensor: Tensor) -> tuple[Array, Array, int, int, int]:
        """Bytes and what is known of them, the bytes of a partition, and where a tensor begins."""
        place = self.places.get(tensor.index)
        pitch, rows, key = tensor.bytes, max(1, tensor.partitions), tensor.index
        first, start = 0, 0
        if place is not None and tensor.memory.partitions:
            first, start = place
            pitch, rows = tensor.memory.size, PARTITIONS
            key = (tensor.core, tensor.memory.name)
        if key not in self.cells:
            shape = rows * pitch
            self.cells[key] = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        return (*self.cells[key], pitch, first, start)

    def _windows(self, view: View, moved: tuple[int, int] = (0, 0)) -> tuple[Array, Array]:
        """The elements of a view, and what is known of their bytes; raises ValueError outside."""
        data, known, pitch, first, start = self._cells(view.tensor)
        size = view.dtype.itemsize
        lanes = view.partitioned
        strides = tuple(
            step * (pitch if lanes and axis == 0 else size) for axis, step in enumerate(view.steps)
        )
        partition = (view.partition + first + moved[0]) if lanes else 0
        offset = partition * pitch + start + view.offset + moved[1]
        inside = view.tensor.bytes
        low = high = view.offset + moved[1]
        for count, step in list(zip(view.shape, view.steps, strict=True))[int(lanes) :]:
            reach = step * (count - 1) * size
            low, high = (low + reach, high) if reach < 0 else (low, high + reach)
        if low < 0 or high + size > inside:
            raise ValueError("outside of its tensor")
        elements = np.ndarray(view.shape, view.dtype.numpy, data.data, offset, strides)
        states = np.ndarray((*view.shape, size), np.uint8, known.data, offset, (*strides, 1))
        return elements, states

    def begun(self, view: View) -> Array:
        """Which elements of a view matmuls have written, by their first bytes; to be changed."""
        tensor = view.tensor
        held = self.started.setdefault(
            tensor.index, np.zeros(tensor.bytes * tensor.partitions, bool)
        )
        strides = (
            view.steps[0] * tensor.bytes,
            *(step * view.dtype.itemsize for step in view.steps[1:]),
        )
        start = view.partition * tensor.bytes + view.offset
        return np.ndarray(view.shape, bool, held.data, start, strides)

    def floats_where(self, view: View, wanted: Array) -> Value:
        """What a view holds, where it is wanted: elsewhere 0, and nobody reads."""
        elements, states = self._windows(view)
        if (states[wanted] == UNWRITTEN).any():
            self.unwritten.add(view.tensor.name)
        held = widened(Value(elements.copy(), (states != KNOWN).any(axis=-1)))
        return Value(np.where(wanted, held.x, 0), held.bad & wanted)

    def read(self, view: View, moved: tuple[int, int] = (0, 0)) -> Value:
        """What a view holds, in its own dtype."""
        elements, states = self._windows(view, moved)
        if (states == UNWRITTEN).any():
            self.unwritten.add(view.tensor.name)
        return Value(elements.copy(), (states != KNOWN).any(axis=-1))

    def write(
        self, view: View, value: Value, where: Array | None = None, moved: tuple[int, int] = (0, 0)
    ) -> None:
        """Store elements of the dtype of a view, of repeated ones the last."""
        x, bad = (np.broadcast_to(part, view.shape) for part in value)
        if where is not None:
            where = np.broadcast_to(where, view.shape)
        for axis, step in enumerate(view.steps):
            if step == 0 and (axis or not view.partitioned):
                last = (slice(None),) * axis + (slice(-1, None),)
                x, bad = x[last], bad[last]
                where = None if where is None else where[last]
                sizes = (*view.shape[:axis], 1, *view.shape[axis + 1 :])
                view = replace(view, shape=sizes)
        elements, states = self._windows(view, moved)
        every = True if where is None else where
        np.copyto(elements, x, where=every)
        told = np.where(bad, UNKNOWN, KNOWN).astype(np.uint8)[..., None]
        np.copyto(states, told, where=True if where is None else where[..., None])

    def rounded(self, value: Value, dtype: Any) -> Value:
        """Numbers as a dtype holds them; with noise, as rounding otherwise would have them."""
        x, bad = np.asarray(value.x, np.float64), np.asarray(value.bad) | ~np.isfinite(value.x)
        x = np.where(bad, 0.0, x)
        if self.noise is not None:
            fine = x * 256 != np.rint(x * 256)
            x = np.where(fine, x * (1 + unit(dtype) * self.noise.uniform(-1, 1, x.shape)), x)
        if dtype.is_int:
            info = np.iinfo(dtype.numpy)
            return Value(np.clip(np.rint(x), info.min, info.max).astype(dtype.numpy), bad)
        with np.errstate(all="ignore"):
            made = x.astype(np.float32).astype(dtype.numpy)
            bad = bad | ~np.isfinite(made.astype(np.float32))
        return Value(made, bad)


def widened(value: Value) -> Value:
    """Elements as float32."""
    with np.errstate(all="ignore"):
        x = value.x.astype(np.float32)
    finite = np.isfinite(x)
    return Value(np.where(finite, x, np.float32(0)), value.bad | ~finite)


def unit(dtype: Any) -> float:
    """How far apart two numbers of a dtype are that round to neighbours, about."""
    sizes = {"float32": 1e-6, "float16": 2**-11, "bfloat16": 2**-8, "tfloat32": 2**-11}
    return 1e-6 if dtype.is_int else sizes.get(dtype.name, 2**-3)
