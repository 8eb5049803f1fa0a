"""Bursts: instructions that are executed at once, where nothing interleaves and nothing observes.

A burst takes a queue from the start of its head to the start of a later instruction. It is made
only if no event of anything else falls into that time, if everything else that waits in the core
keeps waiting, and if all observers of starts and completions accept bursts. What comes of it, and
when, is what comes of its instructions one by one; only events are fewer. What has not completed
when the last one starts is in flight as always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heapify, heappush
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.isa.core_state import Blocked, Burst
from nasm.sim.burst_plan import CompletedBurst, Planned, Times
from nasm.sim.counters import Who
from nasm.sim.gates import Gates
from nasm.sim.queues import NEVER, Flying, Queue, Task
from nasm.sim.resources import Resource
from nasm.sim.service import COMMIT, START

LEAST = 8
"""Instructions that are worth it."""

FIRST, LAST = 1, 1024
"""Instructions that start before a burst is tried again: twice as many each time, up to a limit."""

_AT_ONCE = (0, 0, FIRST)
"""From which tick and from which start on a burst is tried, and the next pause, at first."""

Event = tuple[int, int, int, Any]


class Host(Protocol):
    """What bursts need of a scheduler."""

    now: int
    queues: list[Queue]
    gates: Gates
    heap: list[Event]
    acting: Who
    record: int
    records: int
    retired: int
    flying: int
    listeners: Mapping[str, tuple[Callable[..., None], ...]]

    def finish(self, queue: Queue) -> None:
        """Commit the oldest task in flight of a queue."""

    def go_on(self, queue: Queue, issue: int) -> None:
        """Bring up what follows in a queue on what has just started."""

    def number(self) -> int:
        """The next number for an event."""

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""


class Bursts:
    """Makes bursts for a scheduler.

    ``heard`` means that all observers accept them; ``until`` is the last tick of the run,
    ``retire`` how many instructions are to complete in all.
    """

    CACHES = ("heard", "until", "retire", "_next")

    def __init__(self, host: Host) -> None:
        self.host = host
        self.heard = True
        self.until, self.retire = NEVER, NEVER
        self._next: dict[int, tuple[int, int, int]] = {}

    def begin(self, until: int, retire: int | None) -> bool:
        """A run begins that may go to a tick, and until so many instructions have completed.

        Returns whether there can be bursts in it.
        """
        self.until, self.retire = until, NEVER if retire is None else retire
        self._next.clear()
        return self.heard and any(queue.burst is not None for queue in self.host.queues)

    def made(self, queue: Queue, task: Task) -> bool:
        """Whether a burst was made of the head of a queue, which may start now, and what follows.

        Otherwise nothing has changed.
        """
        host, plan = self.host, queue.burst
        tick, at, pause = self._next.get(queue.index, _AT_ONCE)
        if plan is None or host.now < tick or host.records < at:
            return False
        if task.needs is not None or task.update is not None or task.ports:
            return False
        if self._wanted(queue, task.unit):
            return False
        if any(flying.task.update is not None for flying in queue.flight):
            return False
        free = self._free(queue)
        ticks = free - host.now - 1
        count = self.retire - host.retired - host.flying
        if ticks < LEAST or count < LEAST:
            self._next[queue.index] = free, host.records + pause - 1, min(2 * pause, LAST)
            return False
        blocked = self._blocked(queue)
        if blocked is None:
            return False
        self._next[queue.index] = tick, host.records + pause, min(2 * pause, LAST)
        found = plan(queue, count, ticks, blocked)
        if found is None:
            return False
        if isinstance(found, int):
            self._next[queue.index] = found, at, pause
            return False
        times = self._times(queue, task, found.burst)
        asked = any(by.completions for by in blocked.values())
        count = times.met(count) if asked else min(count, len(times.starts))
        if count < LEAST or self._acts(queue, found.burst, int(times.starts[count - 1])):
            return False
        if not found.burst.perform(count, lambda number: (queue.index, found.place(number))):
            return False
        self._account(queue, task, found, times.cut(count))
        del self._next[queue.index]
        return True

    def _wanted(self, queue: Queue, unit: Resource) -> bool:
        """Whether another queue wants a unit next."""
        return any(
            other is not queue and other.head is not None and unit in other.head.resources
            for other in self.host.queues
        )

    def _free(self, queue: Queue) -> int:
        """The first tick at which something happens that concerns anything else.

        What is blocked in the core is asked again and again, and stays blocked.
        """
        found = self.until + 1
        for event in self.host.heap:
            tick, rank, _, what = event
            own = rank == COMMIT and what is queue
            if tick < found and not own and not _idle(event, queue):
                found = tick
        return found

    def _blocked(self, queue: Queue) -> dict[int, Blocked] | None:
        """What holds up other queues of its core, by queue; None if that changes at this tick.

        Those that come after the queue may not have been asked again yet.
        """
        host, found = self.host, {}
        for index in host.gates.closed_queues:
            other = host.queues[index]
            if other.core != queue.core or other.blocked is None:
                continue
            blocked = other.blocked if other.due > host.now else self._asked(other)
            if blocked is None or blocked.cause != other.blocked.cause:
                return None
            found[index] = blocked
        return found

    def _asked(self, queue: Queue) -> Blocked | None:
        """What holds up a queue by now."""
        host, head = self.host, queue.head
        if queue.missing is not None or head is None or head.work.condition is None:
            return None
        before, host.acting = host.acting, (queue.index, queue.pc)
        blocked = head.work.condition()
        host.acting = before
        return blocked

    @staticmethod
    def _acts(queue: Queue, burst: Burst, last: int) -> bool:
        """Whether anything in flight does something at its completion before a burst is over."""
        harmless = (None, burst.settle)
        return any(f.finish <= last and f.payload not in harmless for f in queue.flight)

    def _times(self, queue: Queue, task: Task, burst: Burst) -> Times:
        starts = self.host.now + np.asarray(burst.starts, np.int64)
        ends = np.maximum.accumulate(starts + np.asarray(burst.latencies, np.int64))
        heads = np.empty(len(starts), np.int64)
        heads[0], heads[1:] = queue.reached, starts[:-1] + max(task.interval, task.issue)
        return Times(heads, starts, np.maximum(ends, queue.last_finish))

    def _account(self, queue: Queue, task: Task, found: Planned, times: Times) -> None:
        """Leave all as it is when the last instruction of a burst has started."""
        host, last = self.host, int(times.starts[-1])
        self._complete(queue, last)
        first, host.records = host.records, host.records + len(times.starts)
        over = int(np.searchsorted(times.finishes, last, side="right"))
        if over:
            self._tell(queue, CompletedBurst(found, times.cut(over), first))
        host.now = last
        self._busy(queue, task, found.burst, times.starts)
        self._fly(queue, found, over, times, first)
        task.unit.take(last + task.interval, host.acting, host.record)
        task.unit.leave(queue.index)
        queue.asked = False
        self._ask_again(queue, last)
        queue.expansion = found.expansion(len(times.starts))
        queue.pc = found.place(len(times.starts) - 1)
        queue.advance(None)
        host.go_on(queue, task.issue)

    def _complete(self, queue: Queue, last: int) -> None:
        """Commit what was in flight and completes before a burst is over."""
        host, heap = self.host, self.host.heap
        while queue.flight and queue.flight[0].finish <= last:
            host.now = queue.flight[0].finish
            host.finish(queue)
        heap[:] = [e for e in heap if e[0] > last or e[1] != COMMIT or e[3] is not queue]
        heapify(heap)

    def _tell(self, queue: Queue, done: CompletedBurst) -> None:
        host, count = self.host, len(done.times.starts)
        queue.count += count
        queue.finished = int(done.times.finishes[-1])
        host.retired += count
        for tell in host.listeners["burst"]:
            tell(queue, done)

    @staticmethod
    def _busy(queue: Queue, task: Task, burst: Burst, starts: NDArray[np.int64]) -> None:
        """Charge the time of a burst: its unit is busy, but for the stalls."""
        since = int(starts[0])
        for number, cause in burst.stalls:
            if number >= len(starts):
                break
            start, free = int(starts[number]), int(starts[number - 1]) + task.interval
            queue.occupy(since, free)
            idle = (cause, None)
            queue.waiting[idle] = queue.waiting.get(idle, 0) + start - free
            queue.mark = since = start
        queue.occupy(since, int(starts[-1]) + task.interval)

    def _fly(self, queue: Queue, found: Planned, over: int, times: Times, first: int) -> None:
        """Put in flight what completes later: the last one does."""
        host, settle = self.host, found.burst.settle
        heads, starts, finishes = (of[over:].tolist() for of in times)
        for number, head, start, finish in zip(
            range(over, len(times.starts)), heads, starts, finishes, strict=True
        ):
            place = found.place(number)
            task, _ = queue.fetch(place)
            until, record = start + task.interval, first + number
            host.acting, host.record = (queue.index, place), record
            flying = (
                queue.core, queue.index, place, head, start, finish, task, settle, until, record,
            )  # fmt: skip
            queue.flight.append(Flying(*flying))
            host.flying += 1
            heappush(host.heap, (finish, COMMIT, host.number(), queue))
            queue.interval, queue.latency = task.interval, task.latency
        queue.last_finish, queue.record = finishes[-1], host.record

    def _ask_again(self, queue: Queue, last: int) -> None:
        """Let those that are blocked be asked as they are for a completion at the last start.

        That is at that very tick, before or after this start, by the order of queues.
        """
        host, heap = self.host, self.host.heap
        heap[:] = [event for event in heap if event[0] > last or not _idle(event, queue)]
        heapify(heap)
        for index in host.gates.closed_queues:
            other = host.queues[index]
            if other.core != queue.core:
                continue
            if index > queue.index:
                host.retry(other, last)
            elif other.due <= last:
                other.due = NEVER


def _idle(event: Event, queue: Queue) -> bool:
    """Whether an event is the next try of a queue that is blocked in the core, or not due."""
    tick, rank, _, other = event
    if rank < START:
        return False
    blocked = other.blocked is not None and other is not queue and other.core == queue.core
    return bool(blocked or other.due != tick)
