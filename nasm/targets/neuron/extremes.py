"""maximum and minimum, with and without NaN, the same on every host.

Of +0 and -0 NumPy's functions take one or the other, depending on the processor. Here maximum takes
+0 and minimum -0, as IEEE 754-2019 has it (assumed: the vendor does not say).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Extreme:
    """One of them; ``zero`` is the zero that it prefers, as bits, and ``other`` the other one."""

    ufunc: np.ufunc
    zero: int
    other: int

    def __call__(self, x: Any, y: Any) -> Floats:
        """Of two arrays, or of an array and a number on either side."""
        result: Floats = self.ufunc(x, y)
        if any(np.ndim(side) == 0 and side != 0 for side in (x, y)):
            return result  # one of them is no zero
        at = result == 0
        if at.any():
            self._choose(result, at, np.logical_or(self._preferred(x), self._preferred(y)))
        return result

    def fold(self, rows: Floats) -> Floats:
        """The extreme of every row."""
        result: Floats = self.ufunc.reduce(rows, axis=1)
        at = result == 0
        if at.any():
            self._choose(result, at, self._preferred(rows).any(axis=1))
        return result

    def accumulate(self, rows: Floats) -> Floats:
        """The extreme of every row so far, at each element."""
        result: Floats = self.ufunc.accumulate(rows, axis=1)
        at = result == 0
        if at.any():
            met = np.logical_or.accumulate(self._preferred(rows), axis=1)
            self._choose(result, at, met)
        return result

    def _preferred(self, x: Any) -> Mask:
        bits = np.asarray(x, np.float32).view(np.uint32)
        return np.asarray(bits == self.zero)

    def _choose(self, result: Floats, at: Mask, preferred: Any) -> None:
        zeros = np.where(preferred, np.uint32(self.zero), np.uint32(self.other))
        np.copyto(result.view(np.uint32), zeros, where=at)


_PLUS, _MINUS = 0, 0x8000_0000

EXTREMES: Final = {
    "maximum": Extreme(np.maximum, _PLUS, _MINUS),
    "minimum": Extreme(np.minimum, _MINUS, _PLUS),
}

NUMBERS: Final = {
    "maximum": Extreme(np.fmax, _PLUS, _MINUS),
    "minimum": Extreme(np.fmin, _MINUS, _PLUS),
}
"""The same where NaN is ignored."""


def descending(rows: Floats, count: int, nan_first: bool) -> Floats:
    """The ``count`` largest of every row, from the largest on; +0 before -0, NaN first or last."""
    if nan_first:
        chosen = np.ascontiguousarray(np.sort(rows, axis=1)[:, : -count - 1 : -1])
    else:
        chosen = -np.sort(-rows, axis=1)[:, :count]
    at = chosen == 0
    if at.any():  # of equal numbers a sort may put either first
        plus = (np.ascontiguousarray(rows).view(np.uint32) == _PLUS).sum(axis=1, keepdims=True)
        first = np.cumsum(at, axis=1) <= plus
        np.copyto(chosen, np.where(first, np.float32(0), np.float32(-0.0)), where=at)
    return chosen
