"""Large arrays are worked on in pieces: parts of at most so many elements, in row-major order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod

PIECE = 1 << 17
"""Elements of a piece: 1 MiB in float64, which stays in the caches of a host."""

Window = tuple[slice, ...]
"""A part of an array: a slice for each axis."""


def windows(shape: tuple[int, ...], most: int | None = None) -> Iterator[Window]:
    """The parts of an array of a shape, each contiguous in row-major order."""
    if not shape:
        yield ()
        return
    most = PIECE if most is None else most
    axis = next(a for a in range(len(shape)) if prod(shape[a + 1 :]) <= max(1, most))
    step = max(1, most // max(1, prod(shape[axis + 1 :])))
    rest = tuple(slice(0, n) for n in shape[axis + 1 :])
    for index in itertools.product(*(range(n) for n in shape[:axis])):
        first = tuple(slice(i, i + 1) for i in index)
        for at in range(0, shape[axis], step):
            yield (*first, slice(at, min(at + step, shape[axis])), *rest)


def extent(window: Window) -> tuple[int, ...]:
    """The shape of a window."""
    return tuple(part.stop - part.start for part in window)
