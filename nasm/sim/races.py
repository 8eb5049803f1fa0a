"""The race test: accesses of different queues that overlap while one of them is in flight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.sim.channels import Flight
from nasm.sim.counters import Who
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task, Work
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

NONE: dict[int, Flight] = {}
"""No transfers in flight."""


class Races(Observer):
    """Compares what starts with what is in flight.

    A race is a ``read`` of what is still being written, a ``write`` of it, or an ``overwrite`` of
    what has still to be read.
    """

    CACHES = ("_entered", "_kinds", "_known", "_others", "_reading", "_writing")

    def __init__(self, scheduler: Scheduler, report: Report) -> None:
        self.scheduler, self.report = scheduler, report
        self._kinds: dict[int, dict[int, str]] = {}
        self._known = 0
        self._others: dict[int, list[Queue]] = {}
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
        writing, reading = self._writing, self._reading
        found: dict[int, Flight] = {}
        for region in reads:
            found.update(writing.get(region.area, NONE))
        for region in writes:
            found.update(writing.get(region.area, NONE))
            found.update(reading.get(region.area, NONE))
        if not found:
            return []
        return [found[key] for key in sorted(found.keys() & self.scheduler.transfers.keys())]

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Compare a task with the writes in flight of other queues, and with transfers.

        Where engines have no interlock, what the own queue has yet to write counts for its reads.
        """
        scheduler = self.scheduler
        alone = scheduler.flying <= len(queue.flight) and not scheduler.transfers
        if alone and scheduler.interlock.held:
            return
        work = task.work
        if not (work.reads or work.writes):
            return
        me = (queue.index, queue.pc)
        if not scheduler.interlock.held and work.reads:
            for flying in queue.flight:
                if flying.finish > now and scheduler.interlock.reads(task, flying.task):
                    self.report("read", me, (queue.index, flying.pc), now)
        if alone:
            return
        kinds = self._kinds.get(work.number)
        if kinds is None:
            kinds = self._kinds_of(work)
        others = self._others.get(queue.index)
        if others is None:
            others = self._others_of(queue)
        for other in others:
            for flying in other.flight:
                theirs = flying.task.work
                kind = kinds.get(theirs.number)
                if kind is None:
                    kind = self._kind(kinds, work, theirs.number, (), theirs.writes)
                if kind and flying.finish > now:
                    self.report(kind, me, (other.index, flying.pc), now)
        if not scheduler.transfers:
            return
        for flight in self._touching(work.reads, work.writes):
            kind = kinds.get(flight.pattern)
            if kind is None:
                kind = self._kind(kinds, work, flight.pattern, flight.reads, flight.writes)
            if kind:
                self.report(kind, me, flight.origin, now)

    def _others_of(self, queue: Queue) -> list[Queue]:
        """The other queues that have something to do at all."""
        others = [q for q in self.scheduler.queues if q is not queue and q.length]
        self._others[queue.index] = others
        return others

    def _kinds_of(self, work: Work) -> dict[int, str]:
        """Where to keep how some work disturbs others, by their numbers."""
        if work.number < 0:
            return {}
        if self._known >= KNOWN:  # every start of an indirect transfer has its own number
            self._known = 0
            self._kinds.clear()
        kinds = self._kinds[work.number] = {}
        return kinds

    def _kind(
        self, kinds: dict[int, str], work: Work, number: int, reads: Regions, writes: Regions
    ) -> str:
        """How work that starts disturbs accesses in flight: empty, read, write or overwrite."""
        found = ""
        if intersect(work.reads, writes):
            found = "read"
        elif intersect(work.writes, writes):
            found = "write"
        elif intersect(work.writes, reads):
            found = "overwrite"
        self._known += 1
        kinds[number] = found
        return found

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
