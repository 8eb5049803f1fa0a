"""What index expressions reach and how they walk, apart from their constants.

A kernel indexes by the same vectors in each round of a loop, with other numbers: what follows from
the steps alone is found once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

Box = tuple[tuple[int, int], ...]
"""Part of an index space: of each axis the first position, and the one after the last."""

Steps = tuple[int, ...]

KEPT = 1 << 13
"""How many answers of each question are kept."""


@lru_cache(KEPT)
def all_of(shape: tuple[int, ...]) -> Box:
    """All of an index space."""
    return tuple([(0, n) for n in shape])


@lru_cache(KEPT)
def units(count: int) -> tuple[Steps, ...]:
    """The steps of expressions that are the positions along each of so many axes."""
    return tuple([tuple([int(axis == n) for n in range(count)]) for axis in range(count)])


@lru_cache(KEPT)
def reach(steps: Steps, box: Box) -> tuple[int, int]:
    """The least and the most that steps add in a part of a space."""
    least = most = 0
    for step, (lo, hi) in zip(steps, box, strict=True):
        ends = step * lo, step * (hi - 1)
        least += min(ends)
        most += max(ends)
    return least, most


@lru_cache(KEPT)
def reaches(steps: tuple[Steps, ...], box: Box) -> tuple[tuple[int, int], ...]:
    """The same of several expressions."""
    return tuple([reach(one, box) for one in steps])


@lru_cache(KEPT)
def begin(steps: Steps, box: Box) -> int:
    """What steps add where a part of a space begins."""
    return sum(step * lo for step, (lo, _) in zip(steps, box, strict=True))


@lru_cache(KEPT)
def repeated(shape: tuple[int, ...], steps: Steps, wanted: tuple[int, ...]) -> Steps:
    """Steps on a space with more axes in front, or longer ones where they are repeated."""
    more = len(wanted) - len(shape)
    lengths = zip(shape, wanted[more:], steps, strict=True)
    return (*(0,) * more, *[0 if own == 1 != length else step for own, length, step in lengths])


@lru_cache(KEPT)
def with_new(
    shape: tuple[int, ...], steps: Steps, new: tuple[bool, ...]
) -> tuple[tuple[int, ...], Steps]:
    """A shape and its steps with new axes of 1 in some places."""
    places = iter(zip(shape, steps, strict=True))
    pairs = [(1, 0) if one else next(places) for one in new]
    return tuple([n for n, _ in pairs]), tuple([s for _, s in pairs])


class Walk(NamedTuple):
    """How expressions walk a tile: the pattern's steps, and where it begins for constants of 0.

    ``weights`` are what 1 of each constant adds to the partition, or to the byte. Axis 0 may walk
    along partitions and ``within`` them, another one ``back``: such a pattern there is not.
    """

    shape: tuple[int, ...]
    steps: Steps
    partition: int
    offset: int
    weights: tuple[int, ...]
    within: bool
    back: bool


@lru_cache(KEPT)
def walk(axes: tuple[Steps, ...], box: Box, tile: Steps, itemsize: int, partitioned: bool) -> Walk:
    """How expressions, one for each axis of a tile of such steps, walk it in a part of a space."""
    shape = tuple([hi - lo for lo, hi in box])
    steps = [0] * len(box)
    partition = offset = 0
    weights = []
    for axis, one in enumerate(axes):
        along = axis < partitioned
        weights.append(tile[axis] if along else tile[axis] * itemsize)
        if along:
            partition += begin(one, box) * weights[-1]
            continue
        offset += begin(one, box) * weights[-1]
        for n, step in enumerate(one):
            steps[n] += step * tile[axis] if shape[n] > 1 else 0
    within = partitioned and shape[0] > 1 and steps[0] != 0
    if partitioned:
        steps[0] = axes[0][0] * tile[0] if shape[0] > 1 else 1
    back = any(step < 0 for step in steps)
    return Walk(shape, tuple(steps), partition, offset, tuple(weights), within, back)
