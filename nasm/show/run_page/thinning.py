"""Fewer slices than a run has, so that a page of any run opens at once."""

from __future__ import annotations

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.base.records import replace
from nasm.show.run_page.slices import NOT_STARTED, LaneChart, Slices

MOST = 200_000
"""Slices of a page."""


def thinned(found: LaneChart, most: int = MOST) -> tuple[LaneChart, int]:
    """The same lanes with at most about so many slices, and from which length on all are kept.

    Slices of a row of a lane that are shorter than that, and begin in the same stretch of that
    length, become one: it has the place of the longest of them, and the longest wait.
    """
    slices, quantum = found.slices, 0
    if len(slices) <= most:
        return found, 0
    quantum = max(1, int(slices.start.max(initial=0)) // most)
    group = _groups(slices, quantum)
    while group[-1] >= most:
        quantum *= 2
        group = _groups(slices, quantum)
    made = _joined(slices, group)
    return _renumbered(found, made, group), quantum


def _groups(slices: Slices, quantum: int) -> Times:
    """The number of the group of each slice; those of a group follow each other."""
    stretch = slices.start // quantum
    alone = (slices.length >= quantum) | (slices.what == NOT_STARTED)
    new = np.ones(len(slices), np.bool_)
    same = (slices.lane[1:] == slices.lane[:-1]) & (stretch[1:] == stretch[:-1])
    new[1:] = ~same | alone[1:] | alone[:-1]
    found: Times = np.cumsum(new) - 1
    return found


def _joined(slices: Slices, group: Times) -> Slices:
    """One slice for each group."""
    first = np.flatnonzero(np.diff(group, prepend=-1))
    longest, waited = (_greatest(each, group) for each in (slices.length, slices.wait))
    ends = np.maximum.reduceat(slices.start + slices.length, first)
    made = slices.take(longest)
    start = slices.start[first]
    return replace(
        made,
        row=slices.row[first],
        start=start,
        length=ends - start,
        tail=np.maximum.reduceat(slices.start + slices.tail, first) - start,
        wait=slices.wait[first],
        why=slices.why[waited],
        because=slices.because[waited],
        size=np.add.reduceat(slices.size, first),
        count=np.add.reduceat(slices.count, first),
        busy=np.add.reduceat(slices.busy, first),
    )


def _greatest(values: Times, group: Times) -> Times:
    """The position of the greatest value of each group."""
    order = np.lexsort((-values, group))
    found: Times = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
    return found


def _renumbered(found: LaneChart, made: Slices, group: Times) -> LaneChart:
    """The chart with other slices, where it counts slices."""
    renumbered = np.append(group, -1)  # by which -1 stays what it is
    shared, lanes = found.shared
    pairs = np.unique(np.stack([renumbered[shared], lanes], axis=1), axis=0)
    return replace(
        found,
        slices=replace(made, because=renumbered[made.because]),
        of_record=renumbered[found.of_record],
        shared=(pairs[:, 0], pairs[:, 1]),
    )
