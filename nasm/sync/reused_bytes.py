"""Reads of a tensor whose bytes another one has taken since it was written.

Only tensors whose places are chosen by hand can share bytes while both are in use. Simulators that
keep each tensor by itself cannot see it; on the machine the reader gets the other one's elements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.views.regions import Region, covers, overlap
from nasm.views.tensor import Tensor


class Writing(NamedTuple):
    """One of the writes of a tensor: its number among all of a core, and what it wrote."""

    number: int
    region: Region
    line: int


class Overwritten:
    """What was written to tensors that share bytes, in the order of a core's lines."""

    def __init__(self, tensors: Iterable[Tensor]) -> None:
        self.sharing = _sharing([t for t in tensors if t.fixed and t.offset is not None])
        self._writes: dict[int, list[Writing]] = {index: [] for index in self.sharing}
        self._number = 0

    def write(self, tensor: int, region: Region, line: int) -> None:
        """A line writes some of a tensor, by its index, that shares bytes."""
        self._number += 1
        self._writes[tensor].append(Writing(self._number, region, line))

    def by(self, tensor: int, read: Region) -> Iterator[tuple[int, int]]:
        """Who has written bytes that are read of a tensor, and at which line, after that was."""
        own = self._writes[tensor]
        if not own:
            return  # nothing wrote it: that is reported elsewhere
        begun = own[0].number
        for other in self.sharing[tensor]:
            theirs = self._writes[other]
            if other == tensor or not theirs or theirs[-1].number < begun:
                continue
            for write in reversed(theirs):
                if write.number < begun:
                    break
                if overlap(write.region, read) and not _written_again(own, write, read):
                    yield other, write.line
                    break


def _written_again(own: list[Writing], write: Writing, read: Region) -> bool:
    """Whether a tensor was not there before a write, or has been written again after it.

    Only bytes that are read count, and of these only those that the write took.
    """
    at = bisect_right(own, write.number, key=itemgetter(0))
    before, after = own[:at], own[at:]
    if any(covers(mine.region, read) or covers(mine.region, write.region) for mine in after):
        return True
    there = [mine for mine in before if overlap(mine.region, write.region)]
    if not any(overlap(mine.region, read) for mine in there):
        return True
    lost = _touched(write.region, read) & _touched(read, read)
    held = np.zeros_like(lost)
    for mine in there:
        held |= _touched(mine.region, read)
    for mine in after:
        held &= ~_touched(mine.region, read)
    return not (lost & held).any()


def _touched(region: Region, box: Region) -> NDArray[np.bool_]:
    """Which bytes a region touches of those between the first and the last of another, by row."""
    first, count, step = box.rows
    rows = range(first, first + (count - 1) * step + 1)
    found = np.zeros((len(rows), box.high - box.low), np.bool_)
    row = np.zeros(box.high - box.low, np.bool_)
    for low, high in region.spans() - box.low:
        row[max(low, 0) : max(high, 0)] = True
    for at, number in enumerate(rows):
        if region.covers_row(number):
            found[at] = row
    return found


Span = tuple[int, int, int, int]
"""Where a tensor is: its first byte and the one after its last, its first row and how many."""


def _sharing(tensors: list[Tensor]) -> dict[int, tuple[int, ...]]:
    """Of each tensor, by index, those that have bytes in common with it; some others have."""
    found: dict[int, tuple[int, ...]] = {}
    memories: dict[tuple[str, int], list[Tensor]] = {}
    for tensor in tensors:
        memories.setdefault((tensor.memory.name, tensor.core), []).append(tensor)
    for members in memories.values():
        members.sort(key=lambda t: t.offset or 0)
        spans: dict[Span, list[int]] = {}
        for at, tensor in enumerate(members):
            spans.setdefault(_span(tensor), []).append(at)
        for span, others in _meeting(list(spans)):
            here = tuple(members[n].index for n in sorted(n for s in others for n in spans[s]))
            if len(here) > 1:
                found.update((members[n].index, here) for n in spans[span])
    return found


def _span(tensor: Tensor) -> Span:
    start = tensor.offset or 0
    return start, start + tensor.bytes, tensor.partition or 0, tensor.partitions


def _meeting(spans: list[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """Each of some spans, which are in order, with those that have bytes in common with it."""
    met: list[list[Span]] = [[span] for span in spans]
    for at, (_, end, row, rows) in enumerate(spans):
        for behind in range(at + 1, len(spans)):
            start, _, first, count = spans[behind]
            if start >= end:
                break
            if not rows or row - count < first < row + rows:
                met[at].append(spans[behind])
                met[behind].append(spans[at])
    return zip(spans, met, strict=True)
