"""Stretches: instructions in a row of which a run without values has nothing to do but to wait.

They occupy one unit, each for as long as the others, wait for nothing and post nothing, and none
reads what an earlier one has yet to write. So one starts after the other, and a stretch of them is
one event where nothing else happens meanwhile: a burst of which nothing but times is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked, Place
from nasm.machine.outlines import nothing
from nasm.program.program import QueueProgram
from nasm.sim.burst_plan import Planned
from nasm.sim.interlock import Interlock
from nasm.sim.queues import Queue, Task

LEAST = 32
"""Instructions that are worth it: one by one some 10 take as long as making a burst."""

MOST = 4096
"""Instructions of a stretch: so long a run cannot be stopped."""


Planner = Callable[[Queue, int, int, Mapping[int, Blocked]], Planned | int | None]
"""What plans a burst from the head of a queue on; see :class:`nasm.sim.bursts.Bursts`."""


@dataclass(frozen=True, slots=True)
class StillBurst:
    """A burst of instructions that do nothing; see :class:`nasm.isa.core_state.Burst`."""

    starts: Sequence[int]
    latencies: Sequence[int]
    settle: Callable[[], None] = nothing
    stalls: Sequence[tuple[int, str]] = ()

    @property
    def route(self) -> None:
        """They come one after the other."""
        return None

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """There is nothing to do."""
        return True


class Stretches:
    """Plans the stretches of one queue, whose instructions expand to nothing else.

    Remembered are the tasks of instructions by their numbers, None if it cannot ``follow`` one of a
    kind, and of which pairs of them the first does not read what the second writes.
    """

    CACHES = ("_apart", "_follow", "_made")

    def __init__(self, lines: QueueProgram, interlock: Interlock) -> None:
        self.lines, self.interlock = lines, interlock
        self._follow: dict[tuple[Any, ...], dict[int, Task | None]] = {}
        self._made: dict[int, Task] = {}
        self._apart: set[tuple[int, int]] = set()

    @staticmethod
    def any(lines: QueueProgram) -> bool:
        """Whether a queue has so many instructions in a row that neither wait nor post."""
        acts = np.frombuffer(lines.waits, np.int32) | np.frombuffer(lines.updates, np.int32)
        ends = np.concatenate(([-1], np.flatnonzero(acts), [len(acts)]))
        return bool((np.diff(ends) > LEAST).any())

    def plan(
        self, queue: Queue, most: int, ticks: int, blocked: Mapping[int, Blocked]
    ) -> Planned | None:
        """A burst of the head of a queue, which may start now, and of what follows; if any."""
        head = queue.head
        if head is None or blocked or queue.resume or not _still(head):
            return None
        if any(queue.fetch(flying.pc)[0] is not flying.task for flying in queue.flight):
            return None  # its address is held in a register
        step = max(head.interval, head.issue)
        latencies = self._latencies(queue, head, min(most, ticks // step + 1, MOST), step)
        count = len(latencies)
        if count < LEAST:
            return None
        pcs = range(queue.pc, queue.pc + count)
        starts = np.arange(count, dtype=np.int64) * step
        burst = StillBurst(starts, latencies)  # type: ignore[arg-type]
        return Planned(burst, (), pcs, (), pcs.__getitem__, _unexpanded)

    def _latencies(self, queue: Queue, head: Task, most: int, step: int) -> list[int]:
        """The latencies of the head and of what can follow it at equal steps."""
        instructions, waits, updates = self.lines.instructions, self.lines.waits, self.lines.updates
        follow = self._follow.setdefault((head.unit, head.interval, head.issue), {})
        held, apart = self.interlock.held, self._apart
        before, ends = self._flying(queue)
        latencies = [head.latency]
        before.append(self._known(instructions[queue.pc], head))
        end = max((*ends, head.latency))
        ends.append(end)
        tick = first = 0
        for pc in range(queue.pc + 1, min(queue.pc + most, queue.length)):
            if waits[pc] or updates[pc]:
                break
            number, tick = instructions[pc], tick + step
            if number not in follow:
                follow[number] = self._following(queue, head, pc)
            task = follow[number]
            if task is None:
                break
            while first < len(ends) and ends[first] <= tick:
                first += 1
            if held and any(
                (number, other) not in apart and self._reads(number, other)
                for other in before[first:]
            ):
                break
            latencies.append(task.latency)
            before.append(number)
            end = max(end, tick + task.latency)
            ends.append(end)
        return latencies

    def _flying(self, queue: Queue) -> tuple[list[int], list[int]]:
        """What is in flight, by number, and the ticks from now to the end of each."""
        flight, instructions = queue.flight, self.lines.instructions
        numbers = [self._known(instructions[flying.pc], flying.task) for flying in flight]
        return numbers, [flying.finish - queue.due for flying in flight]

    def _known(self, number: int, task: Task) -> int:
        self._made[number] = task
        return number

    def _following(self, queue: Queue, head: Task, pc: int) -> Task | None:
        """The task at a pc, if it can follow the head of a queue in a stretch."""
        task, _ = queue.fetch(pc)
        self._known(self.lines.instructions[pc], task)
        same = task.unit is head.unit and task.interval == head.interval
        return task if same and task.issue == head.issue and _still(task) else None

    def _reads(self, number: int, other: int) -> bool:
        """Whether an instruction reads what another one writes."""
        if self.interlock.reads(self._made[number], self._made[other]):
            return True
        self._apart.add((number, other))
        return False


def _still(task: Task) -> bool:
    """Whether a task does nothing but occupy its unit."""
    work = task.work
    return (
        task.plain
        and task.update is None
        and task.pace is None
        and not task.ports
        and work.start is nothing
        and work.finish is nothing
    )


def _unexpanded(count: int) -> tuple[Any, ...]:
    return ()
