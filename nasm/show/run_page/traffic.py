"""How many bytes DMA has moved by when: straight pieces, whose slope is bytes per tick."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.analysis.profile.intervals import Times
from nasm.base.records import dataclass
from nasm.sim.history import SHARES, History

MOST = 20_000
"""Points of such a line."""


@dataclass(frozen=True, slots=True, eq=False)
class MovedBytes:
    """The bytes that were moved until some ticks; between them they grow evenly."""

    ticks: Times
    bytes: NDArray[np.float64]


def traffic(history: History, now: int, most: int = MOST) -> MovedBytes:
    """What all shares moved, each evenly while it occupies its channels."""
    mine = history.column("kind") == SHARES
    start, until, size = (history.column(name)[mine] for name in ("start", "until", "bytes"))
    until = np.maximum(until, start + 1)
    rate = size / (until - start)
    ticks = np.concatenate((start, until))
    changes = np.concatenate((rate, -rate))
    points, which = np.unique(np.concatenate((ticks, [0, max(now, 1)])), return_inverse=True)
    slopes: NDArray[Any] = np.zeros(len(points))
    np.add.at(slopes, which[: len(changes)], changes)
    moved = np.cumsum(np.cumsum(slopes)[:-1] * np.diff(points))
    line = np.concatenate(([0.0], moved))
    inside = points <= max(now, 1)
    points, line = points[inside], line[inside]
    if len(points) > most:
        kept = np.unique(np.linspace(0, len(points) - 1, most).astype(np.int64))
        points, line = points[kept], line[kept]
    return MovedBytes(points, np.maximum(line, 0.0))
