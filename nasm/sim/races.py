"""The race test: accesses of different queues that overlap while one of them is in flight."""

from __future__ import annotations

from collections.abc import Callable

from nasm.sim.channels import Flight
from nasm.sim.counters import Who
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.sim.regions import Region, intersect
from nasm.sim.scheduler import Scheduler

Regions = tuple[Region, ...]
Report = Callable[[str, Who, Who, int], None]
"""Told of a race: its kind, who comes second, who is in flight, and when."""


KNOWN = 100_000
"""Pairs of accesses whose relation is remembered."""


class Races(Observer):
    """Compares what starts with what is in flight.

    A race is a ``read`` of what is still being written, a ``write`` of it, or an ``overwrite`` of
    what has still to be read.
    """

    CACHES = ("_kinds",)

    def __init__(self, scheduler: Scheduler, report: Report) -> None:
        self.scheduler, self.report = scheduler, report
        self._kinds: dict[tuple[int, int], str] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Compare a task with the writes in flight of other queues, and with transfers.

        Where engines have no interlock, what the own queue has yet to write counts for its reads.
        """
        scheduler, work = self.scheduler, task.work
        if not (work.reads or work.writes):
            return
        me = (queue.index, queue.pc)
        if not scheduler.interlock and work.reads:
            for flying in queue.flight:
                if flying.finish > now and scheduler.reads(task, flying.task):
                    self.report("read", me, (queue.index, flying.pc), now)
        if scheduler.flying <= len(queue.flight) and not scheduler.transfers:
            return
        for other in scheduler.queues:
            if other is queue or not other.flight:
                continue
            for flying in other.flight:
                theirs = flying.task.work
                if flying.finish > now and theirs.writes:
                    kind = self._kind(task, theirs.number, (), theirs.writes)
                    if kind:
                        self.report(kind, me, (other.index, flying.pc), now)
        for flight in scheduler.transfers.values():
            kind = self._kind(task, flight.pattern, flight.reads, flight.writes)
            if kind:
                self.report(kind, me, flight.origin, now)

    def _kind(self, task: Task, number: int, reads: Regions, writes: Regions) -> str:
        """How a task that starts disturbs accesses in flight: empty, read, write or overwrite."""
        work = task.work
        pair = (work.number, number)
        known = self._kinds.get(pair)
        if known is None or work.number < 0:
            known = ""
            if intersect(work.reads, writes):
                known = "read"
            elif intersect(work.writes, writes):
                known = "write"
            elif intersect(work.writes, reads):
                known = "overwrite"
            if len(self._kinds) >= KNOWN:  # every start of an indirect transfer has its own number
                self._kinds.clear()
            self._kinds[pair] = known
        return known

    def queued(self, flight: Flight, now: int) -> None:
        """Compare a transfer that is about to move its bytes with the writes in flight."""
        for other in self.scheduler.queues:
            for flying in other.flight:
                theirs = flying.task.work
                if flying.finish <= now or not theirs.writes:
                    continue
                kind = "read" if intersect(flight.reads, theirs.writes) else ""
                kind = kind or ("write" if intersect(flight.writes, theirs.writes) else "")
                if kind:
                    self.report(kind, flight.origin, (other.index, flying.pc), now)
        for earlier in self.scheduler.transfers.values():
            if earlier.key < flight.key and intersect(flight.reads, earlier.writes):
                self.report("read", flight.origin, earlier.origin, now)
