"""Which bytes of a tensor, or of several that share bytes, have been written."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from copy import copy
from operator import itemgetter

import numpy as np

from nasm.views.regions import Region
from nasm.views.tensor import Tensor

Cells = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class ByteMarks:
    """A mark for each byte of each row of a region, none of them set at first."""

    def __init__(self, whole: Region) -> None:
        self.whole, self.row = whole, whole.high - whole.low
        self.marks = np.zeros(whole.rows[1] * self.row, np.bool_)

    def cells(self, region: Region) -> Cells | None:
        """The marks of a part, as its pattern has them; None if it goes beyond the region."""
        first, count, step = region.rows
        shape = (count, *(n for _, n in region.dims), region.itemsize)
        strides = (step * self.row, *(n for n, _ in region.dims), 1)
        offset = (first - self.whole.rows[0]) * self.row + region.start - self.whole.low
        try:
            return np.ndarray(shape, np.bool_, self.marks, offset, strides)
        except ValueError:
            return None

    def copy(self) -> ByteMarks:
        """The same marks once more."""
        other = copy(self)
        other.marks = self.marks.copy()
        return other


class WrittenMarks:
    """What of a tensor has been written: a mark for each byte of each of its rows.

    ``whole`` gives the bytes of the tensor. What was written as plain runs is known without marks:
    of some rows these are the runs, joined, in order.
    """

    def __init__(self, tensor: Tensor, whole: Callable[[], Region]) -> None:
        self.tensor = tensor
        self.declared = tensor.span or tensor.index
        self.all = False
        self._whole = whole
        self._marks: ByteMarks | None = None
        self._written: set[Region] = set()
        self._left: list[Region] = []
        self._found: set[Region] = set()
        self._runs: dict[tuple[int, int, int], list[tuple[int, int]]] = {}

    @property
    def whole(self) -> Region:
        """All of it."""
        return self._whole()

    def write(self, region: Region) -> None:
        """Some of it is written."""
        if self.all or region in self._written:
            return
        self._written.add(region)
        self._left.append(region)
        whole = self._whole()
        if region == whole or (region.dense and self._join(region) == whole[1:4]):
            self.all, self._marks = True, None

    def _join(self, region: Region) -> tuple[tuple[int, int, int], int, int]:
        """The rows and the joined run that a plain run is in, once it is written."""
        rows, low, high = region.rows, region.low, region.high
        runs = self._runs.setdefault(rows, [])
        first = bisect_left(runs, low, key=itemgetter(1))  # those from here on end after it begins
        last = bisect_right(runs, high, key=itemgetter(0))
        if first < last:
            low, high = min(low, runs[first][0]), max(high, runs[last - 1][1])
        runs[first:last] = [(low, high)]
        return rows, low, high

    def _joined(self, region: Region) -> bool:
        """Whether a part lies within a run that was written of its rows."""
        runs = self._runs.get(region.rows)
        if not runs:
            return False
        at = bisect_right(runs, region.low, key=itemgetter(0)) - 1
        return at >= 0 and region.high <= runs[at][1]

    def missing(self, region: Region) -> int:
        """How many elements of a part have not been written."""
        cells = self.unwritten(region)
        return 0 if cells is None else int(np.count_nonzero(cells))

    def unwritten(self, region: Region) -> Cells | None:
        """Which elements of a part have not been written; None if all have, or it goes beyond."""
        if self.all or region in self._found or region in self._written or self._joined(region):
            return None
        cells = self._marked(region)
        if cells is None or cells.all():
            self._found.add(region)
            return None
        return np.asarray(~cells.all(axis=-1))

    def copy(self) -> WrittenMarks:
        """The same marks once more."""
        other = copy(self)
        other._marks = None if self._marks is None else self._marks.copy()
        other._written, other._found = set(self._written), set(self._found)
        other._left = list(self._left)
        other._runs = {rows: list(runs) for rows, runs in self._runs.items()}
        return other

    def _marked(self, region: Region) -> Cells | None:
        """The marks of a part, once all that was written is marked; None if all is taken so."""
        if self._marks is None:
            self._marks = ByteMarks(self._whole())
        while self._left and not self.all:
            cells = self._marks.cells(self._left.pop())
            if cells is None:
                self.all = True
            else:
                cells[...] = True
        return None if self.all else self._marks.cells(region)
