"""Who owns which bytes of a memory, and when: the lives of tensors in a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from nasm.isa.effects import Transfer
from nasm.machine.machine import Machine
from nasm.runs.check.accesses import Touches
from nasm.runs.check.records import Claim, MemoryMap, Sharing
from nasm.sim.channels import Flight, Group
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.tensor import Tensor
from nasm.views.view import View

DMA = " DMA"
"""After the name of an engine whose transfer it was."""

Life = tuple[int, int, dict[str, None], dict[str, None]]
"""First and last tick of a tensor, who wrote and who read it."""


class Lifetimes(Observer):
    """From when to when each tensor is in use, by its index, and by whom.

    A result is in use from the start of what makes it, a transfer's destination from its issue.
    """

    def __init__(self, machine: Machine, touches: Touches) -> None:
        self.program, self.touches = machine.program, touches
        self.lives: dict[int, Life] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction reads its operands, and begins to write its results."""
        at = queue.index, queue.pc
        if self.program.instruction(*at).row.moves:
            return
        touched, name = self.touches.of(*at), self.program.queue_name(queue.index)
        self._use(touched.reads, now, now, 3, name)
        self._use(touched.writes, now, max(now + queue.latency, queue.last_finish), 2, name)

    def issued(self, flight: Flight, now: int) -> None:
        """A transfer will write, from now on at the earliest."""
        self._moves(flight, now, now)

    def read(self, group: Group, now: int) -> None:
        """Shares read."""
        self._moves(group.flight, now, None)

    def landed(self, group: Group, now: int) -> None:
        """Shares land."""
        self._moves(group.flight, None, now)

    def _moves(self, flight: Flight, reads: int | None, writes: int | None) -> None:
        if self.program.instruction(*flight.origin).row.effect is not Transfer:
            return  # an exchange is reported when its instructions start
        touched = self.touches.of(*flight.origin)
        name = self.program.queue_name(flight.origin[0]) + DMA
        if reads is not None:
            self._use(touched.reads, reads, reads, 3, name)
        if writes is not None:
            self._use(touched.writes, writes, writes, 2, name)

    def _use(self, views: Iterable[View], begin: int, end: int, who: int, name: str) -> None:
        for view in views:
            index = view.tensor.index
            first, last, writers, readers = self.lives.get(index, (begin, end, {}, {}))
            (writers if who == 2 else readers)[name] = None
            self.lives[index] = min(first, begin), max(last, end), writers, readers

    def save(self) -> Any:
        """Every life so far."""
        return {at: (a, b, dict(w), dict(r)) for at, (a, b, w, r) in self.lives.items()}

    def restore(self, saved: Any) -> None:
        """As they were."""
        self.lives = {at: (a, b, dict(w), dict(r)) for at, (a, b, w, r) in saved.items()}


def memory_maps(machine: Machine, lives: dict[int, Life]) -> Iterator[MemoryMap]:
    """A map of each memory in which tensors are placed, in the order of their declaration."""
    groups: dict[tuple[int, str], list[Tensor]] = {}
    for tensor in machine.program.tensors.values():
        core = 0 if tensor.memory.shared else tensor.core
        groups.setdefault((core, tensor.memory.name), []).append(tensor)
    for (core, name), tensors in groups.items():
        memory = tensors[0].memory
        spans = {t.index: _span(t, lives.get(t.index), machine.scheduler.now) for t in tensors}
        ordered = sorted(tensors, key=lambda t: (t.offset or 0, t.partition or 0))
        placed, most, at = _peak(ordered, spans)
        alike: dict[int, list[Tensor]] = {}
        for tensor in ordered:
            alike.setdefault(machine.state.areas[tensor.index], []).append(tensor)
        near = {t.index: others for others in alike.values() for t in others}
        yield MemoryMap(
            name,
            core,
            memory.size,
            memory.bank,
            placed,
            most,
            machine.microseconds(at),
            tuple(_claim(machine, t, near[t.index], spans, lives.get(t.index)) for t in ordered),
        )


Span = tuple[int, int] | None


def _span(tensor: Tensor, life: Life | None, end: int) -> Span:
    """From when to when a tensor is in use: an input from the start, an output to the end."""
    filled = tensor.init is not None or tensor.role == "input"
    if life is None:
        return (0, 0) if filled else None
    return 0 if filled else life[0], end if tensor.role == "output" else life[1]


def _claim(
    machine: Machine,
    tensor: Tensor,
    others: Sequence[Tensor],
    spans: dict[int, Span],
    life: Life | None,
) -> Claim:
    span, low = spans[tensor.index], tensor.offset or 0
    mine = [t for t in others if t is not tensor and _overlap(tensor, t)]
    return Claim(
        tensor.name,
        tensor.partition or 0,
        tensor.partitions,
        low,
        low + tensor.bytes,
        None if span is None else machine.microseconds(span[0]),
        None if span is None else machine.microseconds(span[1]),
        tuple(life[2]) if life else (),
        tuple(life[3]) if life else (),
        tuple(_sharing(tensor, t, span, spans[t.index]) for t in mine),
    )


def _overlap(a: Tensor, b: Tensor) -> bool:
    first, second, start, begin = a.partition or 0, b.partition or 0, a.offset or 0, b.offset or 0
    rows = not a.partitions or (first < second + b.partitions and second < first + a.partitions)
    return rows and start < begin + b.bytes and begin < start + a.bytes


def _sharing(tensor: Tensor, other: Tensor, mine: Span, theirs: Span) -> Sharing:
    low, begin = tensor.offset or 0, other.offset or 0
    meets = bool(mine and theirs and mine[0] < theirs[1] and theirs[0] < mine[1])
    ends = low + tensor.bytes, begin + other.bytes
    return Sharing(other.name, max(low, begin), min(ends), meets)


def _peak(tensors: Sequence[Tensor], spans: dict[int, Span]) -> tuple[int, int, int]:
    """How many bytes of each partition have an owner, how many at most at one time, and when."""
    edges = sorted({edge for t in tensors for edge in _bytes(t)})
    sizes = np.diff(np.array(edges, np.int64))
    at = {edge: n for n, edge in enumerate(edges)}
    owned = np.zeros(len(sizes), np.int64)
    changes: list[tuple[int, int, slice]] = []
    for tensor in tensors:
        low, high = _bytes(tensor)
        cells = slice(at[low], at[high])
        owned[cells] = 1
        span = spans[tensor.index]
        if span is not None:
            changes += [(span[0], 1, cells), (span[1], -1, cells)]
    held = np.zeros(len(sizes), np.int64)
    most = when = 0
    for tick, change, cells in sorted(changes, key=lambda c: c[:2]):
        held[cells] += change
        used = int(sizes[held > 0].sum()) if change > 0 else 0
        if used > most:
            most, when = used, tick
    return int((sizes * owned).sum()), most, when


def _bytes(tensor: Tensor) -> tuple[int, int]:
    low = tensor.offset or 0
    return low, low + tensor.bytes
