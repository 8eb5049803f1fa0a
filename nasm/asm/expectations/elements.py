"""The values in an expectation: read and computed in pieces, and as a whole only where need be.

What is computed element by element never exists as a whole: it is a :class:`Joined`, of which a
window is asked for at a time. What needs all of its elements (a sum along an axis, a product of
matrices) asks for the whole ``array``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from nasm.dtypes import Array, DType, Float64, to_float64
from nasm.host_memory import room_for
from nasm.spec import pieces
from nasm.spec.pieces import Window, windows

Change = Callable[[Array], Array]
"""A change of shape: a slice, a transpose, a reshape."""


class Elements:
    """Float64 elements, or bool ones, which are the ``truth`` of comparisons."""

    shape: tuple[int, ...]
    truth = False
    dtype: DType | None = None
    """The dtype they are stored in if a tensor holds them."""

    straight = False
    """Whether the whole array is in row-major order without gaps."""

    runs = False
    """Whether :meth:`run` can be asked for."""

    @property
    def size(self) -> int:
        """How many there are."""
        return prod(self.shape)

    @property
    def array(self) -> Array:
        """All of them at once."""
        raise NotImplementedError

    def part(self, window: Window) -> Array:
        """Those of a window."""
        raise NotImplementedError

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another in row-major order, as a line."""
        raise NotImplementedError

    def _makes_room(self) -> None:
        if self.size > pieces.PIECE:
            room_for([("an expectation's values in float64", 8 * self.size)])


class Plain(Elements):
    """Elements that exist: numbers, results of what needs a whole array."""

    def __init__(self, array: Array) -> None:
        self._array, self.shape = array, array.shape
        self.truth = array.dtype == np.bool_
        self.straight = self.runs = array.flags.c_contiguous

    @property
    def array(self) -> Array:
        """All of them at once."""
        if self.truth or self._array.dtype == np.float64:
            return self._array
        self._makes_room()
        return numbers(self._array)

    def part(self, window: Window) -> Array:
        """Those of a window."""
        part = self._array[window]
        return part if self.truth else numbers(part)

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another."""
        part = self._array.reshape(-1)[start:stop]
        return part if self.truth else numbers(part)


class Stored(Elements):
    """The elements of a tensor or of a file in their dtype: widened when they are looked at.

    ``base`` is all of it, in row-major order, and ``changes`` lead from there to what is meant. The
    whole array is laid out as if it were widened first, for sums go by the layout.
    """

    def __init__(self, base: Array, dtype: DType, changes: tuple[Change, ...] = ()) -> None:
        self._base, self.dtype, self._changes = base, dtype, changes
        held = base
        for change in changes:
            held = change(held)
        self._held, self.shape = held, held.shape
        self.straight = self.runs = held.flags.c_contiguous
        to_float64(base.reshape(-1)[:0], dtype)  # says if that cannot be

    def changed(self, change: Change) -> Stored:
        """In another shape."""
        return Stored(self._base, self._dtype, (*self._changes, change))

    @property
    def _dtype(self) -> DType:
        assert self.dtype is not None
        return self.dtype

    @property
    def array(self) -> Array:
        """All of them at once."""
        self._makes_room()
        if self.straight:
            return to_float64(self._held, self._dtype)
        whole: Array = to_float64(self._base, self._dtype)
        for change in self._changes:
            whole = change(whole)
        return whole

    def part(self, window: Window) -> Array:
        """Those of a window."""
        return to_float64(self._held[window], self._dtype)

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another."""
        return to_float64(self._held.reshape(-1)[start:stop], self._dtype)


@dataclass(frozen=True, slots=True)
class _Operand:
    elements: Elements

    def under(self, window: Window) -> Array:
        """The part that a window of the common shape needs: axes of 1 are repeated."""
        shape = self.elements.shape
        own = window[len(window) - len(shape) :]
        return self.elements.part(
            tuple(slice(0, 1) if n == 1 else w for w, n in zip(own, shape, strict=True))
        )


class Joined(Elements):
    """What a function makes, element by element, of others in their common shape."""

    def __init__(
        self,
        apply: Callable[..., Any],
        operands: Sequence[Elements],
        shape: tuple[int, ...],
        truth: bool = False,
    ) -> None:
        self._apply, self._operands = apply, operands
        self.shape, self.truth = shape, truth
        self.straight = all(o.straight for o in operands)
        self.runs = all(o.size == 1 or (o.shape == shape and o.runs) for o in operands)

    @property
    def array(self) -> Array:
        """All of them at once."""
        if not self.straight or self.size <= pieces.PIECE:
            return np.asarray(self._apply(*(o.array for o in self._operands)))
        self._makes_room()
        whole: Array = np.empty(self.shape, np.bool_ if self.truth else np.float64)
        for window in windows(self.shape):
            whole[window] = self.part(window)
        return whole

    def part(self, window: Window) -> Array:
        """Those of a window."""
        return np.asarray(self._apply(*(_Operand(o).under(window) for o in self._operands)))

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another."""
        parts = [o.array.reshape(()) if o.size == 1 else o.run(start, stop) for o in self._operands]
        return np.broadcast_to(self._apply(*parts), (stop - start,))


def numbers(array: Array) -> Float64:
    """An array as float64; true is 1."""
    return np.asarray(array, np.float64)
