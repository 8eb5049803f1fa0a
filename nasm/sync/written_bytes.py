"""Which bytes of a tensor have been written."""

from __future__ import annotations

import numpy as np

from nasm.views.regions import Region
from nasm.views.tensor import Tensor


class WrittenMarks:
    """What of a tensor has been written: a mark for each byte of each of its rows."""

    def __init__(self, tensor: Tensor, whole: Region) -> None:
        self.tensor, self.whole = tensor, whole
        self.declared = tensor.span or tensor.index
        self.all = False
        self.first, self.low, self.row = whole.rows[0], whole.low, whole.high - whole.low
        self._marks: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None
        self._written: set[Region] = set()
        self._found: set[Region] = set()

    def write(self, region: Region) -> None:
        """Some of it is written."""
        if self.all or region in self._written:
            return
        self._written.add(region)
        if region == self.whole:
            self.all, self._marks = True, None
            return
        cells = self._cells(region)
        if cells is None:
            self.all = True
        else:
            cells[...] = True

    def missing(self, region: Region) -> int:
        """How many elements of a part have not been written."""
        if self.all or region in self._found or region in self._written:
            return 0
        cells = self._cells(region)
        if cells is None or cells.all():
            self._found.add(region)
            return 0
        return int(np.count_nonzero(~cells.all(axis=-1)))

    def _cells(self, region: Region) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
        """The marks of a part, as its pattern has them; None if it goes beyond the tensor."""
        if self._marks is None:
            self._marks = np.zeros(self.whole.rows[1] * self.row, np.bool_)
        first, count, step = region.rows
        shape = (count, *(n for _, n in region.dims), region.itemsize)
        strides = (step * self.row, *(n for n, _ in region.dims), 1)
        offset = (first - self.first) * self.row + region.start - self.low
        try:
            return np.ndarray(shape, np.bool_, self._marks, offset, strides)
        except ValueError:
            return None
