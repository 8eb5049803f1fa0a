"""Which bytes of a tensor have been written."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import itemgetter

import numpy as np

from nasm.views.regions import Region
from nasm.views.tensor import Tensor

Cells = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


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
        self._marks: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None
        self._written: set[Region] = set()
        self._left: list[Region] = []
        self._found: set[Region] = set()
        self._runs: dict[tuple[int, int, int], list[tuple[int, int]]] = {}

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
        if self.all or region in self._found or region in self._written or self._joined(region):
            return 0
        cells = self._marked(region)
        if cells is None or cells.all():
            self._found.add(region)
            return 0
        return int(np.count_nonzero(~cells.all(axis=-1)))

    def _marked(self, region: Region) -> Cells | None:
        """The marks of a part, once all that was written is marked; None if all is taken so."""
        while self._left and not self.all:
            cells = self._cells(self._left.pop())
            if cells is None:
                self.all = True
            else:
                cells[...] = True
        return None if self.all else self._cells(region)

    def _cells(self, region: Region) -> Cells | None:
        """The marks of a part, as its pattern has them; None if it goes beyond the tensor."""
        whole = self._whole()
        row = whole.high - whole.low
        if self._marks is None:
            self._marks = np.zeros(whole.rows[1] * row, np.bool_)
        first, count, step = region.rows
        shape = (count, *(n for _, n in region.dims), region.itemsize)
        strides = (step * row, *(n for n, _ in region.dims), 1)
        offset = (first - whole.rows[0]) * row + region.start - whole.low
        try:
            return np.ndarray(shape, np.bool_, self._marks, offset, strides)
        except ValueError:
            return None
