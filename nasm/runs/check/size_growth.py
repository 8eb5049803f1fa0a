"""What a larger size of a program has more: rounds, put between those that a smaller size has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import views
from nasm.machine.machine import Machine
from nasm.machine.writers import written
from nasm.order.observer import Watch
from nasm.order.repeats import Place, Repeat, Unproved
from nasm.program.program import Program

Signatures = NDArray[np.int64]
"""What instructions are, as numbers: equal for rounds of a line that do the same."""

SPLITS = 64
"""Places at the most in which a queue has more."""

ROUNDS = (12, 8, 6, 4)
"""Rounds that are looked at, of all that are the same."""

EVENTS = 1 << 60


class RunOfSize(NamedTuple):
    """A size of a program, followed to its end without values."""

    program: Program
    watch: Watch


class Growth(NamedTuple):
    """Of each queue: where more is put in, how long that is, and what around it repeats it.

    ``at`` is a place of the larger size, ``first`` to ``last`` what repeats every ``length``.
    """

    at: int
    length: int
    first: int
    last: int

    @property
    def rounds(self) -> int:
        """How many rounds there are that are the same."""
        return (self.last - self.first) // self.length


def followed(program: Program) -> RunOfSize:
    """A program followed to its end, of which it is known that it comes there."""
    machine = Machine(program, trace=False, values=False, checked=False)
    watch = Watch(machine.scheduler.queues)
    machine.scheduler.observe(watch)
    machine.prepare()
    machine.run(EVENTS, None, None, True)
    return RunOfSize(program, watch)


def repeats(smaller: RunOfSize, larger: RunOfSize, most: int) -> list[Repeat]:
    """The rounds of the larger size between which there are more in it; raises Unproved.

    ``most`` rounds of each loop at most.
    """
    known: dict[object, int] = {}
    found = []
    for queue in range(len(larger.program.queues)):
        one, other = (_signatures(run, queue, known) for run in (smaller, larger))
        found.append(insertions(one, other))
    counts = {len(some) for some in found if some}
    if len(counts) > 1:
        raise Unproved("its engines have more rounds in different numbers of places")
    return [
        _repeat([some[nth] if some else None for some in found], most)
        for nth in range(max(counts, default=0))
    ]


def _repeat(some: Sequence[Growth | None], most: int) -> Repeat:
    """The rounds in the middle of those that are the same, of all queues that go through a loop."""
    rounds = min(most, *(one.rounds for one in some if one is not None))
    if rounds < most:
        raise Unproved("it has too few rounds that are the same")
    starts = []
    for one in some:
        left = 0 if one is None else (one.rounds - rounds) // 2
        starts.append(0 if one is None else one.first + left * one.length)
    lengths = tuple(0 if one is None else one.length for one in some)
    return Repeat(tuple(starts), lengths, rounds)


def _signatures(run: RunOfSize, queue: int, known: dict[object, int]) -> Signatures:
    """What a queue executes, as numbers."""
    program, watch = run
    lines, of = program.queues[queue], dict[int, int]()
    shares = {watch.pcs[queue][at]: moved.shares for at, moved in watch.moved[queue].items()}
    for pc in set(watch.pcs[queue]):
        span, wait = program.span(queue, pc), program.waits[lines.waits[pc]]
        update = program.updates[lines.updates[pc]]
        instruction = program.instruction(queue, pc)
        touched = [view for operand in instruction.operands for view in views(operand)]
        what = (
            None if span is None else (span.source.name, span.start),
            instruction.row.name,
            None if wait is None else (program.semaphore_name(wait.semaphore), wait.op),
            update and (program.semaphore_name(update.semaphore), update.op, update.value),
            tuple(view.tensor.name for view in touched),
            shares.get(pc),
        )
        of[pc] = known.setdefault(what, len(known))
    return np.array([of[pc] for pc in watch.pcs[queue]], np.int64)


def insertions(one: Signatures, other: Signatures) -> list[Growth]:
    """Where a sequence has more than another one, of the same length each; raises Unproved."""
    more = len(other) - len(one)
    if not more and np.array_equal(one, other):
        return []
    for count in range(1, SPLITS + 1):
        if more > 0 and more % count == 0:
            found = _inserted(one, other, more // count)
            if len(found) == count:
                return found
    raise Unproved("a larger size does not only have more of the same rounds")


def _inserted(one: Signatures, other: Signatures, length: int) -> list[Growth]:
    """The same for one length; nothing if that is not so."""
    found = list[Growth]()
    here = there = 0
    again = other[:-length] == other[length:]
    while here < len(one) or there < len(other):
        same = _common(one[here:], other[there:])
        here, there = here + same, there + same
        if there == len(other):
            break
        before = there - length
        if before < 0 or not np.array_equal(other[there : there + length], other[before:there]):
            return []
        unlike = np.flatnonzero(~again[:before])
        first = int(unlike[-1]) + 1 if len(unlike) else 0
        later = np.flatnonzero(~again[before:])
        last = (before + int(later[0]) if len(later) else len(again)) + length
        found.append(Growth(there, length, first, last))
        there += length
    return found if here == len(one) else []


def _common(one: Signatures, other: Signatures) -> int:
    """How many are the same from the first on."""
    most = min(len(one), len(other))
    unlike = np.flatnonzero(one[:most] != other[:most])
    return int(unlike[0]) if len(unlike) else most


def slopes(smaller: RunOfSize, larger: RunOfSize, some: Sequence[Repeat]) -> dict[Place, int]:
    """By how much waits of the larger size are for more than those of the smaller, outside of it.

    What is put in is the same everywhere, so that each place has an equal part in that.
    """
    found: dict[Place, int] = {}
    for queue, lines in enumerate(larger.program.queues):
        pcs, old = larger.watch.pcs[queue], smaller.watch.pcs[queue]
        gone = sorted((one.cut(queue), one.lengths[queue]) for one in some if one.lengths[queue])
        apart = all(cut + length <= after for (cut, length), (after, _) in pairwise(gone))
        if not apart or len(pcs) - len(old) != sum(length for _, length in gone):
            raise Unproved("a larger size has more rounds in places that overlap")
        number = 0
        for index, pc in enumerate(pcs):
            while gone and index >= gone[0][0] + gone[0][1]:
                number += gone.pop(0)[1]
            if gone and index >= gone[0][0]:
                continue
            wait = larger.program.waits[lines.waits[pc]]
            before = old[index - number]
            less = smaller.program.waits[smaller.program.queues[queue].waits[before]]
            if wait is not None and less is not None and wait.value != less.value:
                by, rest = divmod(wait.value - less.value, len(some))
                if rest:
                    raise Unproved("what a wait is for does not grow evenly")
                found[queue, index] = by
    return found


def written_names(run: RunOfSize) -> set[str]:
    """The names of what a size writes, and those of its arrays."""
    program, found = run.program, set[str]()
    for queue, pcs in enumerate(run.watch.pcs):
        for pc in set(pcs):
            instruction = program.instruction(queue, pc)
            found |= {view.tensor.name for view in written(instruction)}
            for operand in instruction.operands:
                if isinstance(operand, DeclaredTransfer):
                    found |= {to.tensor.name for to, _ in operand.moves}
    return found | {name.rstrip("0123456789") for name in found}


def shapes(run: RunOfSize) -> set[tuple[object, ...]]:
    """The shapes of the operands of each line that a size executes."""
    program, found = run.program, set[tuple[object, ...]]()
    for queue, pcs in enumerate(run.watch.pcs):
        for pc in set(pcs):
            instruction, span = program.instruction(queue, pc), program.span(queue, pc)
            some = [view.shape for operand in instruction.operands for view in views(operand)]
            found.add((None if span is None else span.start, instruction.row.name, *some))
    return found
