"""Regions: which bytes an access touches, and whether two of them overlap."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Runs = NDArray[np.int64]
"""Runs of bytes of a row as [low, high), ascending by where they begin: the shape is [n, 2]."""


RowPattern = tuple[int, int, int]
"""Rows: the first, how many, and the step from one to the next."""

REGISTERS = "registers."
"""How the place of a queue's registers begins; what else there is is memory."""


class Region(NamedTuple):
    """The bytes an access touches: rows, a byte range in each, and the pattern within it.

    ``rows`` are (first, count, step); ``dims`` the free pattern as (byte step, count), slowest
    first. ``place`` tells memories of different cores apart and registers from memories. ``runs``,
    if there are any, say instead which bytes of each row: as [low, high), ascending. Regions of
    different ``area`` have no byte in common, whatever they look like. ``moved`` are the
    bytes that all entries of a gather name, each as often as it is named.
    """

    place: str
    rows: RowPattern
    low: int
    high: int
    start: int
    dims: tuple[tuple[int, int], ...]
    itemsize: int
    runs: tuple[tuple[int, int], ...] = ()
    area: int = -1
    moved: int = 0

    @property
    def dense(self) -> bool:
        """Whether it walks a plain run, so that its lowest and highest byte say everything."""
        if len(self.dims) == 1 and not self.runs:
            ((step, count),) = self.dims
            return not step or count == 1 or abs(step) == self.itemsize
        return not self.runs and self._run() == self.high - self.low

    def _run(self) -> int:
        """Bytes of the plain run that its fastest axes walk."""
        reach = self.itemsize
        for step, count in sorted(self.dims, key=lambda dim: abs(dim[0])):
            if step and abs(step) != reach:
                return reach
            reach *= count if step else 1
        return reach

    def box(self) -> tuple[int, int, int] | None:
        """Length, pitch and number of equal runs that lie evenly apart; None if it is no such."""
        if self.runs:
            return None
        reach, left = self.walk()
        if len(left) > 1:
            return None
        pitch, count = left[0] if left else (reach, 1)
        return reach, pitch, count

    @property
    def size(self) -> int:
        """The bytes that an access moves: those it touches several times, so many times."""
        each = self.moved or sum(high - low for low, high in self.runs)
        if not self.runs:
            each = self.itemsize
            for _, count in self.dims:
                each *= count
        return each * self.rows[1]

    def walk(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Length of the plain runs of a row, and the (step, count) that repeat them from ``low``.

        Not for one that has ``runs``.
        """
        reach, plain = self.itemsize, True
        left = []
        for step, count in sorted(self.dims, key=lambda dim: abs(dim[0])):
            if plain and abs(step) == reach:
                reach *= count
            elif step and count > 1:
                plain = False
                left.append((abs(step), count))
        return reach, tuple(left)

    def spans(self) -> Runs:
        """The runs of bytes it touches in a row."""
        if self.runs:
            return np.array(self.runs, np.int64)
        reach, left = self.walk()
        at = np.zeros(1, np.int64)
        for step, count in left:
            at = (np.arange(count, dtype=np.int64)[:, None] * step + at).reshape(-1)
        at = np.unique(at) + self.low
        return np.stack([at, at + reach], axis=1)

    def covers_row(self, row: int) -> bool:
        """Whether it touches this row."""
        first, count, step = self.rows
        if step == 0:
            return row == first
        at, rest = divmod(row - first, step)
        return rest == 0 and 0 <= at < count


def intersect(these: tuple[Region, ...], those: tuple[Region, ...]) -> bool:
    """Whether any of some accesses touches a byte of any of others."""
    for a in these:
        for b in those:
            if a.area == b.area and overlap(a, b):
                return True
    return False


def overlap(a: Region, b: Region, dense: bool = False) -> bool:
    """Whether two accesses touch a byte in common; exact for any pattern.

    Where both are known to be ``dense`` that is not found out again.
    """
    if a.area != b.area or a.place != b.place or a.low >= b.high or b.low >= a.high:
        return False
    if not rows_intersect(a.rows, b.rows):
        return False
    if dense or (a.dense and b.dense):
        return True
    if a.runs or b.runs:
        return _runs_intersect(a.spans(), b.spans())
    ours, theirs = a.box(), b.box()
    if ours and theirs and (1 in (ours[2], theirs[2]) or ours[1] == theirs[1]):
        return _boxes_intersect(a.low, ours, b.low, theirs)
    met = _walks_intersect(_walk(a), _walk(b), [STEPS])
    return _runs_intersect(a.spans(), b.spans()) if met is None else met


STEPS = 4_096
"""Positions of patterns that are compared before their bytes are enumerated instead."""

Walk = tuple[int, int, int, tuple[tuple[int, int], ...]]
"""From which byte on, how far it reaches, the length of its runs; (step, count), slowest first."""


def _walk(region: Region) -> Walk:
    """The runs of bytes that a region touches in a row."""
    reach, left = region.walk()
    dims = tuple(reversed(left))
    return region.low, sum(step * (count - 1) for step, count in dims) + reach, reach, dims


def _walks_intersect(a: Walk, b: Walk, left: list[int]) -> bool | None:
    """Whether two patterns have a byte in common; None if there is too much to compare.

    A pattern is its slowest axis of patterns. If both walk that at one step only the difference of
    their positions matters; else those positions of one are tried that reach to the other.
    """
    low, size, reach, dims = a
    other, others, run, more = b
    if low >= other + others or other >= low + size:
        return False
    if not dims and not more:
        return True
    left[0] -= 1
    if left[0] < 0:
        return None
    if not dims or (more and more[0][0] > dims[0][0]):
        return _walks_intersect(b, a, left)
    (pitch, count), *rest = dims
    inner = size - pitch * (count - 1)
    if more and more[0][0] == pitch:
        (_, positions), *last = more
        width = others - pitch * (positions - 1)
        first = max(-((low + inner - 1 - other) // pitch), 1 - positions)
        final = min((other + width - 1 - low) // pitch, count - 1)
        beside: Walk = (other, width, run, tuple(last))
    else:
        first = max(-((low + inner - 1 - other) // pitch), 0)
        final = min((other + others - 1 - low) // pitch, count - 1)
        beside = b
    for at in range(first, final + 1):
        met = _walks_intersect((low + at * pitch, inner, reach, tuple(rest)), beside, left)
        if met is not False:
            return met
    return False


def _boxes_intersect(
    low: int, ours: tuple[int, int, int], other: int, theirs: tuple[int, int, int]
) -> bool:
    """Whether evenly spaced runs of one pitch, or one run among them, have a byte in common.

    Run i of ours and run j of theirs do if ``low + i * pitch - (other + j * pitch)`` is above
    ``-length`` and below ``their length``; only ``i - j`` matters.
    """
    length, pitch, count = ours
    other_length, other_pitch, others = theirs
    if count == 1:
        pitch = other_pitch
    ahead = other - low
    first = (ahead - length) // pitch + 1  # the least difference whose run ends after `other`
    last = -((-ahead - other_length) // pitch) - 1  # the greatest that begins before its end
    return max(first, 1 - others) <= min(last, count - 1)


def _runs_intersect(a: Runs, b: Runs) -> bool:
    """Whether two lists of runs have a byte in common."""
    before = np.searchsorted(a[:, 0], b[:, 1])  # runs of a that begin before one of b ends
    reach = np.concatenate(([np.iinfo(np.int64).min], np.maximum.accumulate(a[:, 1])))
    return bool((reach[before] > b[:, 0]).any())


def rows_intersect(a: RowPattern, b: RowPattern) -> bool:
    """Whether two patterns of rows have a row in common."""
    first, count, step = a
    second, n, other = b
    if (step == 1 or count == 1) and (other == 1 or n == 1):
        return first < second + n and second < first + count
    low, high, step = _rows(a)
    below, above, other = _rows(b)
    if low > above or below > high:
        return False
    shared = gcd(step, other)
    ahead, apart = divmod(below - low, shared)
    if apart:
        return False
    turn = other // shared  # every so many rows of a there is one that b's step leads to
    met = low + step * (ahead * pow(step // shared, -1, turn) % turn)
    least = max(low, below)
    return least + (met - least) % (step * turn) <= min(high, above)


def _rows(rows: RowPattern) -> tuple[int, int, int]:
    """The lowest and the highest row, and how far one is from the next."""
    first, count, step = rows
    last = first + step * (count - 1)
    return min(first, last), max(first, last), abs(step) if last != first else 1


def _covers_rows(a: Region, b: Region) -> bool:
    """Whether it touches every row that another one does."""
    low, high, step = _rows(b.rows)
    every = low == high or step % abs(a.rows[2] or step + 1) == 0
    return every and a.covers_row(low) and a.covers_row(high)


def covers(a: Region, b: Region) -> bool:
    """Whether an access touches every byte that another one does; exact for any pattern."""
    if a.area != b.area or a.place != b.place or b.low < a.low or a.high < b.high:
        return False
    if a.rows != b.rows and not _covers_rows(a, b):
        return False
    if a.dense or a[2:] == b[2:]:
        return True
    ours, theirs = a.box(), b.box()
    if ours and theirs and ours[0] < ours[1] and (theirs[2] == 1 or ours[1] == theirs[1]):
        length, pitch, count = ours  # apart from each other, so that a run fits one of them
        ahead, within = divmod(b.low - a.low, pitch)
        return within + theirs[0] <= length and ahead + theirs[2] <= count
    wide, runs = _joined(a.spans()), _joined(b.spans())
    at = np.searchsorted(wide[:, 0], runs[:, 0], side="right") - 1
    return bool((at >= 0).all() and (wide[at, 1] >= runs[:, 1]).all())


def _joined(runs: Runs) -> Runs:
    """Runs of bytes, those that touch as one."""
    ends = np.maximum.accumulate(runs[:, 1])
    begins = np.concatenate(([True], runs[1:, 0] > ends[:-1]))
    first = np.flatnonzero(begins)
    last = np.concatenate((first[1:] - 1, [len(runs) - 1]))
    return np.stack([runs[first, 0], ends[last]], axis=1)
