"""What was kept of a run, with most rounds of its longest loop left out: the first and last remain.

Left out are rounds that are the same, in the instructions that were executed and in what these
touch, but for bytes that move on by as much from each round to the next.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.order.observer import TransferTouches, Watch
from nasm.order.repeat_accesses import shift
from nasm.order.repeats import Repeat
from nasm.program.program import Program
from nasm.views.regions import Region

Positions = NDArray[np.int64]
"""Numbers of instructions of a queue."""


class KeptRounds(NamedTuple):
    """How many rounds of a loop are kept: the first, so many before and after the others, the last.

    The first may be unlike, until each round knows of the others what all later ones do.
    """

    first: int
    each: int
    last: int

    @property
    def rounds(self) -> int:
        """How many that is."""
        return self.first + 2 * self.each + self.last


TRIED = (KeptRounds(6, 4, 2), KeptRounds(24, 12, 12), KeptRounds(96, 48, 48))
"""How much is kept, until the rest follows from it."""

WORTH = 3
"""A loop has so many times the rounds that are kept, or all are."""


class RemovedRounds(NamedTuple):
    """Where rounds were left out before: after so many of those that are compared, and how many."""

    at: int
    rounds: int


Heads = tuple[int | None, ...]
"""Of each queue the place of the first instruction of a loop."""


class ExecutedLoop(NamedTuple):
    """A loop of a run: where its rounds start in each queue, which is nowhere in some."""

    heads: Heads
    starts: tuple[Positions, ...]

    @staticmethod
    def of(heads: Heads, watch: Watch) -> ExecutedLoop | None:
        """The rounds of a loop; None if there are none."""
        starts = tuple(_at(column, head) for column, head in zip(watch.pcs, heads, strict=True))
        return ExecutedLoop(heads, starts) if any(map(len, starts)) else None

    @property
    def rounds(self) -> int:
        """How many there are, in every queue that has any."""
        return min(len(starts) for starts in self.starts if len(starts))

    @property
    def size(self) -> int:
        """About how many instructions it has, all queues together."""
        return sum(int(starts[-1] - starts[0]) for starts in self.starts if len(starts))


def loops(program: Program, watch: Watch) -> list[ExecutedLoop]:
    """The loops at run time that are in no other, the longest first."""
    heads: dict[object, dict[int, int]] = {}
    for queue, lines in enumerate(program.queues):
        outer: dict[int, object] = {}
        for pc, chain in enumerate(lines.chains):
            if chain not in outer:
                frames = program.chains[chain]
                outer[chain] = next(((f.span, f.loop.number) for f in frames if f.loop), None)
            if outer[chain] is not None:
                heads.setdefault(outer[chain], {}).setdefault(queue, pc)
    queues = range(len(program.queues))
    found = (ExecutedLoop.of(tuple(at.get(q) for q in queues), watch) for at in heads.values())
    return sorted((loop for loop in found if loop is not None), key=lambda loop: -loop.size)


def _at(pcs: array[int], pc: int | None) -> Positions:
    """Where a queue has executed an instruction."""
    if pc is None or not pcs:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.frombuffer(pcs, np.int32) == pc).astype(np.int64)


def without(
    watch: Watch, loop: ExecutedLoop, kept: KeptRounds, gap: RemovedRounds | None = None
) -> tuple[Watch, Repeat] | None:
    """A run without most rounds of a loop, and those next to them; None if they are not the same.

    ``watch`` remains as it is. It may be without some already.
    """
    rounds = loop.rounds
    if rounds < WORTH * kept.rounds or watch.meetings or watch.signals:
        return None
    first, last = kept.first, rounds - kept.last
    lengths = [_length(starts[first : last + 1]) for starts in loop.starts]
    if None in lengths:
        return None
    repeat = Repeat(
        tuple(int(s[first]) if len(s) else 0 for s in loop.starts),
        tuple(length or 0 for length in lengths),
        last - first,
    )
    if not all(_same(watch, repeat, queue, gap) for queue, n in enumerate(repeat.lengths) if n):
        return None
    shorter = repeat._replace(rounds=2 * kept.each)
    gone = [
        (start + kept.each * n, start + (repeat.rounds - kept.each) * n)
        for start, n in zip(repeat.starts, repeat.lengths, strict=True)
    ]
    return _cut(watch, gone), shorter


def _length(starts: Positions) -> int | None:
    """How many instructions each round of a queue has; None if they differ."""
    if not len(starts):
        return 0
    apart = np.diff(starts)
    return int(apart[0]) if (apart == apart[0]).all() else None


def _same(watch: Watch, repeat: Repeat, queue: int, gap: RemovedRounds | None) -> bool:
    """Whether all rounds of a queue do the same."""
    start, length, rounds = repeat.starts[queue], repeat.lengths[queue], repeat.rounds
    end = start + rounds * length
    pcs = np.frombuffer(watch.pcs[queue], np.int32)[start:end]
    if not np.array_equal(pcs[length:], pcs[:-length]):
        return False
    works, moved = watch.works[queue], watch.moved[queue]
    moving = sum(start <= index < end for index in moved)
    for phase in range(start, start + length):
        some = works[phase:end:length]
        if some.count(some[0]) < rounds:
            if any(work.clears for work in some):
                return False
            sides = [(work.reads, work.writes) for work in some]
            if not steady(sides, gap):
                return False
        if phase in moved:
            flights = [moved.get(index) for index in range(phase, end, length)]
            if not _flights(flights, gap):
                return False
            moving -= rounds
    return not moving


def _flights(flights: Sequence[TransferTouches | None], gap: RemovedRounds | None) -> bool:
    """Whether the transfers of all rounds are the same."""
    some = [one for one in flights if one is not None]
    kinds = {one[MOVED:] for one in some}
    if len(some) < len(flights) or len(kinds) > 1:
        return False
    if all(one.pattern == some[0].pattern for one in some):
        return True
    return steady([(one.reads, one.writes) for one in some], gap)


MOVED = TransferTouches._fields.index("counter")
"""From which field on a transfer is the same in every round: what it touches may move."""

Sides = tuple[tuple[Region, ...], tuple[Region, ...]]


def steady(sides: Sequence[Sides], gap: RemovedRounds | None = None) -> bool:
    """Whether what the rounds touch moves on by as much each time."""
    for side in (0, 1):
        some = [each[side] for each in sides]
        count = len(some[0])
        if any(len(regions) != count for regions in some):
            return False
        for nth in range(count):
            if not _even([regions[nth] for regions in some], gap):
                return False
    return True


def _even(row: Sequence[Region], gap: RemovedRounds | None) -> bool:
    """Whether each region is as far from the one before as the second from the first."""
    first = shift(row[0], row[1])
    if first is None:
        return False
    rows, low = first
    for number, (one, other) in enumerate(pairwise(row), 1):
        times = 1 if gap is None or number != gap.at else gap.rounds + 1
        if not _apart(one, other, rows * times, low * times):
            return False
    return True


def _apart(one: Region, other: Region, rows: int, low: int) -> bool:
    """Whether a region is so many rows and bytes from another one of the same form."""
    return (
        one.rows[0] + rows == other.rows[0]
        and one.low + low == other.low
        and one.high + low == other.high
        and one.start + low == other.start
        and one.dims == other.dims
        and one.rows[1:] == other.rows[1:]
        and one.place == other.place
        and one.area == other.area
        and one.itemsize == other.itemsize
        and one.runs == other.runs
        and not (one.runs and low)
    )


def _cut(watch: Watch, gone: Sequence[tuple[int, int]]) -> Watch:
    """What was kept of a run without some instructions of each queue."""
    made, order = watch.empty(), np.frombuffer(watch.queues, np.uint16)
    left = np.ones(len(order), bool)
    for queue, (low, high) in enumerate(gone):
        if low < high:
            left[np.flatnonzero(order == queue)[low:high]] = False
        made.works[queue] += watch.works[queue][:low] + watch.works[queue][high:]
        for new, old in zip(made.columns(queue), watch.columns(queue), strict=True):
            new.extend(old[:low])
            new.extend(old[high:])
        for index, moved in watch.moved[queue].items():
            if not low <= index < high:
                made.moved[queue][index if index < low else index - high + low] = moved
    made.queues.frombytes(order[left].tobytes())
    return made
