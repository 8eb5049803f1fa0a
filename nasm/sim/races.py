"""The race test: accesses of different queues that overlap while one of them is in flight."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

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

SLACK = 64
"""Transfers that have landed and need not be forgotten at once."""

Index = dict[int, dict[int, Flight]]
"""Transfers in flight by area and key, and some that have landed."""

_key = attrgetter("key")


class Races(Observer):
    """Compares what starts with what is in flight.

    A race is a ``read`` of what is still being written, a ``write`` of it, or an ``overwrite`` of
    what has still to be read.
    """

    CACHES = ("_entered", "_kinds", "_reading", "_writing")

    def __init__(self, scheduler: Scheduler, report: Report) -> None:
        self.scheduler, self.report = scheduler, report
        self._kinds: dict[tuple[int, int], str] = {}
        self._reading: Index = {}
        self._writing: Index = {}
        self._entered = 0

    def restore(self, saved: Any) -> None:
        """What is in flight is as it was."""
        self._enter_all()

    def issued(self, flight: Flight, now: int) -> None:
        """Remember a transfer by the areas that it touches, and forget those that have landed."""
        self._enter(flight)
        if self._entered > SLACK + 2 * len(self.scheduler.transfers):
            self._enter_all()

    def _enter_all(self) -> None:
        self._entered = 0
        self._reading.clear()
        self._writing.clear()
        for flight in self.scheduler.transfers.values():
            self._enter(flight)

    def _enter(self, flight: Flight) -> None:
        self._entered += 1
        for index, regions in (self._reading, flight.reads), (self._writing, flight.writes):
            for region in regions:
                index.setdefault(region.area, {})[flight.key] = flight

    def _touching(self, reads: Regions, writes: Regions) -> list[Flight]:
        """Transfers in flight that may write what is read or written, or read what is written."""
        there, found = self.scheduler.transfers, []
        for index, regions in (
            (self._writing, reads),
            (self._writing, writes),
            (self._reading, writes),
        ):
            for region in regions:
                flights = index.get(region.area)
                if flights:
                    found += [flight for key, flight in flights.items() if key in there]
        if len(found) > 1:
            found = list({flight.key: flight for flight in sorted(found, key=_key)}.values())
        return found

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
        for flight in self._touching(work.reads, work.writes) if scheduler.transfers else ():
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
        for earlier in self._touching(flight.reads, ()):
            if earlier.key < flight.key and intersect(flight.reads, earlier.writes):
                self.report("read", flight.origin, earlier.origin, now)
