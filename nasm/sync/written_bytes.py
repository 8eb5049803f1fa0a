"""Which bytes of a tensor, or of several that share bytes, have been written."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

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

    ``whole`` gives the bytes of the tensor.
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
        if region == self._whole():
            self.all, self._marks = True, None

    def missing(self, region: Region) -> int:
        """How many elements of a part have not been written."""
        cells = self.unwritten(region)
        return 0 if cells is None else int(np.count_nonzero(cells))

    def unwritten(self, region: Region) -> Cells | None:
        """Which elements of a part have not been written; None if all have, or it goes beyond."""
        if self.all or region in self._found or region in self._written:
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
