"""Stretches of time, as arrays of starts and ends: how long any of them lasts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]


def union(starts: Times, ends: Times, until: int) -> int:
    """Ticks up to ``until`` that lie in any of some stretches."""
    first, last = merged(starts, np.minimum(ends, until))
    return int((last - first).sum())


def merged(starts: Times, ends: Times) -> tuple[Times, Times]:
    """The same time in stretches that do not touch, in order; those that are over at once go."""
    kept: Any = ends > starts
    starts, ends = starts[kept], ends[kept]
    if not len(starts):
        return starts, ends
    order = np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    new = np.concatenate(([True], starts[1:] > reach[:-1]))
    return starts[new], reach[np.concatenate((new[1:], [True]))]
