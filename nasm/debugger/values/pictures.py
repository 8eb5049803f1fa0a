"""A tensor as a picture: its cells, and what each of them represents."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from nasm.base.drawing import Drawn
from nasm.base.dtypes import Array
from nasm.base.pieces import PIECE, Window
from nasm.base.problems import Refused, number_of
from nasm.base.records import dataclass
from nasm.debugger.values.statistics import Statistics, statistics
from nasm.debugger.values.value import Value

MISSING, NAN = -1.0, -2.0
"""The marks of a cell with uninitialised elements only, and of one that has a NaN."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Picture(Drawn):
    """Rows of cells from 0 (the least number of all) to 1 (the greatest), or a mark.

    The value has ``shape`` in rows and columns; a cell represents ``block`` of them, by the element
    that is farthest from zero, or by their mean.
    """

    cells: tuple[tuple[float, ...], ...]
    shape: tuple[int, int]
    block: tuple[int, int]
    mean: bool
    low: float
    high: float
    statistics: Statistics

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<picture of [{rows}, {columns}], {self.low:g} to {self.high:g}>"


def picture(value: Value, rows: int, columns: int, mean: bool = False) -> Picture:
    """A value in at most so many rows and columns of cells; leading axes are rows."""
    if not value.numeric:
        raise Refused("E0822", "packed elements have no picture", "view them as another dtype")
    if not value.shape:
        raise Refused("E0822", "a single number has no picture")
    number_of("rows", rows, 1)
    number_of("columns", columns, 1)
    across = value.shape[-1]
    down = value.size // across
    tall, wide = -(-down // rows), -(-across // columns)
    lines = [
        _line(value, first, min(first + tall, down), wide, mean) for first in range(0, down, tall)
    ]
    finite = np.concatenate([line.numbers[np.isfinite(line.numbers)] for line in lines])
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)
    cells = tuple(line.shades(low, high) for line in lines)
    return Picture(cells, (down, across), (tall, wide), mean, low, high, statistics(value))


class _Line:
    """What a row of blocks represents: a number each, if it has one and no NaN."""

    def __init__(self, count: int) -> None:
        self.best, self.size = np.zeros(count), np.full(count, -1.0)
        self.total, self.seen = np.zeros(count), np.zeros(count, np.int64)
        self.nan = np.zeros(count, np.bool_)

    def add(self, numbers: Array, known: Array, wide: int, mean: bool) -> None:
        """Some rows of elements; each block has so many columns of them."""
        count = len(self.best)
        spare = count * wide - numbers.shape[1]
        numbers = np.pad(numbers, ((0, 0), (0, spare))).reshape(-1, count, wide)
        known = np.pad(known, ((0, 0), (0, spare))).reshape(-1, count, wide)
        numbers, known = (np.moveaxis(a, 1, 0).reshape(count, -1) for a in (numbers, known))
        isnan = np.isnan(numbers)
        self.nan |= (isnan & known).any(axis=1)
        known = known & ~isnan
        self.seen += known.sum(axis=1)
        if mean:
            self.total += np.where(known, numbers, 0.0).sum(axis=1)
            return
        sizes = np.where(known, np.abs(numbers), -1.0)
        at = np.argmax(sizes, axis=1)
        every = np.arange(count)
        farther = sizes[every, at] > self.size
        self.best[farther] = numbers[every, at][farther]
        self.size[farther] = sizes[every, at][farther]

    def end(self, mean: bool) -> None:
        """All of it was added."""
        if mean:
            self.best = self.total / np.maximum(self.seen, 1)

    @property
    def numbers(self) -> Array:
        """The numbers of the blocks that have one."""
        return self.best[(self.seen > 0) & ~self.nan]

    def shades(self, low: float, high: float) -> tuple[float, ...]:
        """The cells, on a scale that begins and ends with these numbers."""
        scale = (self.best - low) / (high - low) if high > low else np.full(len(self.best), 0.5)
        scale = np.where(np.isinf(self.best), self.best > 0, scale)
        shades = np.where(self.seen > 0, np.clip(scale, 0.0, 1.0), MISSING)
        return tuple(np.where(self.nan, NAN, shades).tolist())


def _line(value: Value, first: int, stop: int, wide: int, mean: bool) -> _Line:
    """The blocks of some rows of a value."""
    across = value.shape[-1]
    found = _Line(-(-across // wide))
    with np.errstate(all="ignore"):
        for window in _rows(value.shape, first, stop):
            numbers = np.asarray(value.numbers(window), np.float64).reshape(-1, across)
            found.add(numbers, value.known(window).reshape(-1, across), wide, mean)
        found.end(mean)
    return found


def _rows(shape: tuple[int, ...], first: int, stop: int) -> Iterator[Window]:
    """Rows of the last axis, counted over all others, some at a time."""
    if len(shape) == 1:
        yield (slice(0, shape[0]),)
        return
    most = max(1, PIECE // shape[-1])
    while first < stop:
        *outer, at = (int(n) for n in np.unravel_index(first, shape[:-1]))
        count = min(most, stop - first, shape[-2] - at)
        yield (*(slice(n, n + 1) for n in outer), slice(at, at + count), slice(0, shape[-1]))
        first += count
