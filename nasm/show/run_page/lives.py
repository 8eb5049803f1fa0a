"""Which tensors are in use in memories on chip, and when: from each write to the last read of it.

That of a whole tensor, as ``check --memory`` shows it, is one stretch; here it is one for each time
that it is filled again, so that a buffer that takes turns can be seen to.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.profile import WatchedMachine
from nasm.base.records import dataclass
from nasm.runs.check.accesses import Touches
from nasm.sim.history import INSTRUCTION, SHARES
from nasm.views.tensor import Tensor

MOST = 20_000
"""Stretches of a page: from there on those of a tensor that are close become one."""

READ, WRITE = 0, 1


@dataclass(frozen=True, slots=True)
class PlacedTensor:
    """A tensor on chip: the bytes of each partition that it has, and its partitions."""

    name: str
    memory: int
    low: int
    high: int
    partition: int
    partitions: int


@dataclass(frozen=True, slots=True)
class OnChip:
    """A memory on chip of a core: its bytes per partition, and those of a bank, 0 without banks."""

    name: str
    core: int
    size: int
    bank: int


@dataclass(frozen=True, slots=True, eq=False)
class Lives:
    """Memories, tensors placed in them, and the stretches in which these are in use.

    Of stretches there are the number of a ``tensor``, ``begin`` and ``end``.
    """

    memories: tuple[OnChip, ...]
    tensors: tuple[PlacedTensor, ...]
    tensor: Times
    begin: Times
    end: Times


Uses = dict[int, list[tuple[Times, Times, int]]]
"""Of each tensor, by index: begins and ends of accesses, and of which kind they are."""


def lives(watched: WatchedMachine, most: int = MOST) -> Lives:
    """The lives of the tensors on chip in a run."""
    machine = watched.machine
    held = [t for t in machine.program.tensors.values() if t.memory.partitions and t.memory.size]
    uses = _uses(watched, {tensor.index for tensor in held})
    memories: dict[OnChip, int] = {}
    places, columns = list[PlacedTensor](), list[Times]()
    for tensor in held:
        memory = tensor.memory
        of = OnChip(memory.name, tensor.core, memory.size, memory.bank)
        low, first = tensor.offset or 0, tensor.partition or 0
        number = memories.setdefault(of, len(memories))
        stretches = _stretches(tensor, uses.get(tensor.index, ()), machine.scheduler.now)
        columns.append(np.stack([np.full(stretches.shape[1], len(places)), *stretches]))
        places.append(
            PlacedTensor(tensor.name, number, low, low + tensor.bytes, first, tensor.partitions)
        )
    found = np.concatenate(columns or [np.zeros((3, 0), np.int64)], axis=1)
    return Lives(tuple(memories), tuple(places), *_fewer(found, most, machine.scheduler.now))


def _uses(watched: WatchedMachine, wanted: set[int]) -> Uses:
    """Every access of some tensors, as ranges of time."""
    machine, history = watched.machine, watched.history
    program, touches = machine.program, Touches(machine)
    names = ("kind", "queue", "pc", "start", "until", "finish", "issuer")
    kind, queue, pc, start, until, finish, issuer = map(history.column, names)
    issued = np.where(issuer >= 0, start[issuer], start) if len(start) else start
    found: Uses = {}
    for moved, rows in ((False, kind == INSTRUCTION), (True, kind == SHARES)):
        which = np.flatnonzero(rows)
        for (q, p), mine in _by_place(queue, pc, which):
            if program.instruction(q, p).row.moves is not moved:
                continue
            touched = touches.of(q, p)
            begins = issued[mine] if moved else start[mine]
            for views, kind_of, begin, end in (
                (touched.reads, READ, start[mine], until[mine]),
                (touched.writes, WRITE, begins, finish[mine]),
            ):
                for index in {view.tensor.index for view in views} & wanted:
                    found.setdefault(index, []).append((begin, end, kind_of))
    return found


def _by_place(queue: Times, pc: Times, which: Times) -> Iterable[tuple[tuple[int, int], Times]]:
    """Some records by the place of their instruction."""
    order = which[np.lexsort((which, pc[which], queue[which]))]
    if not len(order):
        return
    new = (np.diff(queue[order], prepend=-1) != 0) | (np.diff(pc[order], prepend=-1) != 0)
    for part in np.split(order, np.flatnonzero(new)[1:]):
        yield (int(queue[part[0]]), int(pc[part[0]])), part


def _stretches(tensor: Tensor, uses: Iterable[tuple[Times, Times, int]], now: int) -> Times:
    """From when to when a tensor is in use: an input from the start, an output to the end."""
    parts = [(b, e, np.full(len(b), kind)) for b, e, kind in uses]
    filled = tensor.init is not None or tensor.role == "input"
    if not parts:
        return np.zeros((2, 0), np.int64)
    begin, end, kind = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((kind, begin))  # what reads and writes at once does not begin a stretch
    begin, end, kind = begin[order], np.minimum(end[order], now), kind[order]
    new = np.concatenate(([True], (kind[1:] == WRITE) & (kind[:-1] == READ)))
    new[1:] &= begin[1:] > begin[:-1]
    first = np.flatnonzero(new)
    begins, ends = begin[first], np.maximum.reduceat(end, first)
    begins[0] = 0 if filled else begins[0]
    ends[-1] = now if tensor.role == "output" else ends[-1]
    return np.stack([begins, ends])


def _fewer(found: Times, most: int, now: int) -> tuple[Times, Times, Times]:
    """The same stretches, or so many of them by joining those that are close."""
    gap = max(1, now // max(1, most))
    while found.shape[1] > most:
        tensor, begin, end = found
        new = np.concatenate(([True], (tensor[1:] != tensor[:-1]) | (begin[1:] > end[:-1] + gap)))
        first = np.flatnonzero(new)
        found = np.stack([tensor[first], begin[first], np.maximum.reduceat(end, first)])
        gap *= 2
        if gap > 4 * max(1, now):
            break
    return found[0], found[1], found[2]
