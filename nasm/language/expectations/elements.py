"""The values in an expectation: read and computed in pieces, and as a whole only where need be.

What is computed element by element never exists as a whole: it is a :class:`Joined`, of which a
window is asked for at a time. What needs all of its elements (a sum along an axis, a product of
matrices) asks for the whole ``array``. A row of operators makes a row of them, each the first
operand of the next, which may be longer than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from math import prod
from typing import Any

import numpy as np

from nasm.base import pieces
from nasm.base.dtypes import Array, DType, Float64, to_float64
from nasm.base.host_memory import room_for
from nasm.base.pieces import Window, windows
from nasm.base.records import dataclass

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

    def under(self, window: Window) -> Window:
        """The window that one of a common shape needs of these: axes of 1 are repeated."""
        own = window[len(window) - len(self.shape) :]
        return tuple(slice(0, 1) if n == 1 else w for w, n in zip(own, self.shape, strict=True))

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


@dataclass(frozen=True, slots=True)
class _Changes:
    """A change of shape, and those before it."""

    before: _Changes | None
    change: Change


class Stored(Elements):
    """The elements of a tensor or of a file in their dtype: widened when they are looked at.

    ``base`` is all of it, in row-major order. The whole array is laid out as if it were widened
    first and its shape changed then, for sums go by the layout. Elements with which nothing
    ``computes`` may be of a dtype that is not widened.
    """

    def __init__(self, base: Array, dtype: DType, computes: bool = True) -> None:
        self._changes: _Changes | None = None
        self._base = base
        self._hold(base, dtype)
        if computes:
            to_float64(base.reshape(-1)[:0], dtype)  # says if that cannot be

    def _hold(self, held: Array, dtype: DType) -> None:
        self._held, self.shape, self.dtype = held, held.shape, dtype
        self.straight = self.runs = held.flags.c_contiguous

    def changed(self, change: Change) -> Stored:
        """In another shape."""
        other = copy(self)
        other._changes = _Changes(self._changes, change)
        other._hold(change(self._held), self._dtype)
        return other

    @property
    def held(self) -> Array:
        """All of them as they are stored, in their dtype; not to be written to."""
        return self._held

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
        changes, at = [], self._changes
        while at is not None:
            changes.append(at.change)
            at = at.before
        while changes:
            whole = changes.pop()(whole)
        return whole

    def part(self, window: Window) -> Array:
        """Those of a window."""
        return to_float64(self._held[window], self._dtype)

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another."""
        return to_float64(self._held.reshape(-1)[start:stop], self._dtype)


class Joined(Elements):
    """What a function makes, element by element, of others in their common shape."""

    def __init__(
        self,
        apply: Callable[..., Any],
        operands: Sequence[Elements],
        shape: tuple[int, ...],
        truth: bool = False,
    ) -> None:
        self._apply, self._first, self._others = apply, operands[0], operands[1:]
        self.shape, self.truth = shape, truth
        self.straight = all(o.straight for o in operands)
        self.runs = all(o.size == 1 or (o.shape == shape and o.runs) for o in operands)

    @property
    def array(self) -> Array:
        """All of them at once."""
        row: list[Joined] = []
        at: Elements = self
        while isinstance(at, Joined) and (not at.straight or at.size <= pieces.PIECE):
            row.append(at)
            at = at._first
        value = at._piecewise() if isinstance(at, Joined) else at.array
        while row:
            joined = row.pop()
            value = np.asarray(joined._apply(value, *(o.array for o in joined._others)))
        return value

    def _piecewise(self) -> Array:
        self._makes_room()
        whole: Array = np.empty(self.shape, np.bool_ if self.truth else np.float64)
        for window in windows(self.shape):
            whole[window] = self.part(window)
        return whole

    def part(self, window: Window) -> Array:
        """Those of a window."""
        row: list[tuple[Joined, Window]] = []
        at: Elements = self
        while isinstance(at, Joined):
            row.append((at, window))
            at = at._first
            window = at.under(window)
        value = at.part(window)
        while row:
            joined, window = row.pop()
            others = (o.part(o.under(window)) for o in joined._others)
            value = np.asarray(joined._apply(value, *others))
        return value

    def run(self, start: int, stop: int) -> Array:
        """Some that follow one another."""
        row, at = [self], self._first
        while isinstance(at, Joined) and at.size > 1:
            row.append(at)
            at = at._first
        value = _along(at, start, stop)
        while row:
            joined = row.pop()
            others = (_along(o, start, stop) for o in joined._others)
            value = np.broadcast_to(joined._apply(value, *others), (stop - start,))
        return value


def _along(elements: Elements, start: int, stop: int) -> Array:
    """A run of elements, or the only one."""
    return elements.array.reshape(()) if elements.size == 1 else elements.run(start, stop)


def numbers(array: Array) -> Float64:
    """An array as float64; true is 1."""
    return np.asarray(array, np.float64)
