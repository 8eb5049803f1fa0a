"""What is kept of a run whose cores hold more than programs name: it changes, and is waited for.

Parts of what a core holds, such as a semaphore of the target's own, put instructions in order: one
that has waited for a part comes after those that changed it before. That is so in this run: which
changes have let it continue in others is not known. An object that a core holds also reaches its
memory by addresses, for the instructions that act.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cache
from typing import Any

from nasm.isa.core_state import over
from nasm.order.observer import Watch
from nasm.order.skeleton import COMPLETES, LANDS, SILENT, Event, Issue, Stream, stream_of
from nasm.sim.channels import Flight
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region

Bytes = tuple[int, int, int]
"""A core, the first address, and the one past the last."""

FAR = 64
"""Starts of a queue among which the latest one at a pc is looked for."""


class TileWatch(Watch):
    """The instructions of a run with what they touch by address, and whom they come after.

    ``place`` is the memory of a core by which accesses are compared, with its area.
    ``records`` are the numbers of starts, by queue; ``changed`` says of a part of a core which
    instruction of each queue changed it last, ``sent`` which have sent packets whose answers change
    it. ``follows`` are instructions, by queue and number, each with what it comes after: that
    another one has completed, or what it sent has landed. Of queues that are ``coded`` a load from
    the address of an earlier store comes after that, and ``stored`` are the latest of these; what
    they send has ``streams`` of its own. What instructions of queues that are ``pushed`` touch, by
    units that queues share, they may still do when later ones of the queue are complete: until
    something has waited for that unit, or for what they change at their end. ``touching`` says by
    which unit those do that touch something.
    """

    CACHES = (*Watch.CACHES, "place", "coded", "pushed", "streams")  # type: ignore[assignment]  # more of them

    def __init__(
        self,
        queues: Sequence[Queue],
        place: Callable[[int], tuple[str, int]],
        coded: Collection[int] = (),
        pushed: Collection[int] = (),
    ) -> None:
        super().__init__(queues)
        self.place, self.coded, self.pushed = cache(place), coded, pushed
        self.units: list[list[str]] = [[] for _ in queues]
        self.touching: dict[tuple[int, int], str] = {}
        self.records = [array("q") for _ in queues]
        self.changed: dict[tuple[int, Hashable], dict[int, int]] = {}
        self.sent: dict[tuple[int, Hashable], list[tuple[int, int]]] = {}
        self.follows: list[tuple[int, int, Event]] = []
        self.reads: dict[tuple[int, int], list[Bytes]] = {}
        self.writes: dict[tuple[int, int], list[Bytes]] = {}
        self.streams: dict[Stream, None] = {}
        self.stored: dict[tuple[int, int], int] = {}
        self._latest: dict[tuple[int, int], int] = {}
        self._heard: dict[tuple[int, int, Hashable], int] = {}
        self._past: dict[tuple[int, int], None] = {}

    @property
    def by_address(self) -> TileWatch:
        """What is touched by addresses: it is kept here."""
        return self

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Remember a start, and its number."""
        super().started(queue, task, now)
        index = queue.index
        if self.full:
            self._past[index, queue.pc] = None
        else:
            self.records[index].append(queue.record)
            if index in self.pushed:
                self.units[index].append(task.unit.name if task.unit.shared else "")

    def altered(self, core: int, part: Hashable, record: int) -> None:
        """Remember which instruction changed a part of what a core holds."""
        for queue, records in enumerate(self.records):
            at = bisect_left(records, record)
            if at < len(records) and records[at] == record:
                self.changed.setdefault((core, part), {})[queue] = at
                if (queue, at) in self.touching:
                    self.sent.setdefault((core, part), []).append((queue, at))
                return

    def issued(self, flight: Flight, now: int) -> None:
        """Remember what a transfer touches, and what changes when it is answered."""
        super().issued(flight, now)
        queue, pc = flight.origin
        index = self.issuer(queue, pc)
        moved = self.moved[queue].get(index)
        if moved is None or self.full:
            return
        if index < len(self.pcs[queue]) - 1:
            self.future = object()  # what was judged of the run did not have this
        if queue in self.coded:
            counter = SILENT if moved.silent else moved.counter
            moved = self.moved[queue][index] = moved._replace(way=flight.parts or None)
            self.streams[stream_of(queue, Issue(counter, 0, moved.way))] = None
        for part in flight.parts:
            self.sent.setdefault((flight.core, part), []).append((queue, index))

    def issuer(self, queue: int, pc: int) -> int:
        """The number of the latest instruction at a pc, which may act some starts later.

        It is -1 if that is one past those that are judged: an earlier one is no longer meant.
        """
        if (queue, pc) in self._past:
            return -1
        pcs = self.pcs[queue]
        for index in range(len(pcs) - 1, max(-1, len(pcs) - 1 - FAR), -1):
            if pcs[index] == pc:
                return index
        return -1

    def passed(self, queue: int, core: int, parts: Sequence[Hashable], started: bool) -> None:
        """An instruction of a queue comes after what has changed some parts."""
        if self.full:
            return
        index = len(self.works[queue]) - started
        for part in parts:
            for other, last in self.changed.get((core, part), {}).items():
                if other != queue and self._latest.get((queue, other), -1) < last:
                    self._latest[queue, other] = last
                    self.follows.append((queue, index, Event(COMPLETES, other, last)))
            sent, heard = self.sent.get((core, part), ()), (queue, core, part)
            for other, which in sent[self._heard.get(heard, 0) :]:
                self.follows.append((queue, index, Event(LANDS, other, which)))
            self._heard[heard] = len(sent)

    def reached(
        self, who: tuple[int, int], core: int, address: int, count: int, writes: bool
    ) -> None:
        """The instruction at a place has touched bytes of a core by their addresses."""
        queue, pc = who
        index = self.issuer(queue, pc)
        if index < 0:
            return
        if queue in self.coded:
            self._ordered(queue, index, address, writes)
        if queue in self.pushed and (queue, index) not in self.touching:
            self._lasts(queue, index)
        found = (self.writes if writes else self.reads).setdefault((queue, index), [])
        if found and found[-1][0] == core and found[-1][1] <= address <= found[-1][2]:
            found[-1] = core, found[-1][1], max(found[-1][2], address + count)
        else:
            found.append((core, address, address + count))

    def _lasts(self, queue: int, index: int) -> None:
        """An instruction touches something by a unit, for which others wait."""
        unit = self.units[queue][index]
        if not unit:
            return
        self.touching[queue, index] = unit
        self.streams[stream_of(queue, Issue(SILENT, 0, unit))] = None
        held = self._all[queue]
        self.sent.setdefault((held.core, over(held.engine, unit)), []).append((queue, index))

    def _ordered(self, queue: int, index: int, address: int, writes: bool) -> None:
        """Remember a store by its address, or that a load from there comes after it."""
        if writes:
            self.stored[queue, address] = index
            return
        store = self.stored.pop((queue, address), -1)
        if store >= 0:
            self.follows.append((queue, index, Event(COMPLETES, queue, store)))

    def touched(self, queue: int, index: int) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
        """What an instruction has read and written by addresses."""
        found = (table.get((queue, index), ()) for table in (self.reads, self.writes))
        reads, writes = (tuple(map(self._region, some)) for some in found)
        return reads, writes

    def _region(self, found: Bytes) -> Region:
        core, low, high = found
        place, area = self.place(core)
        return Region(place, (0, 1, 1), low, high, low, ((1, high - low),), 1, (), area)

    def save(self) -> Any:
        """How much there is."""
        changed = {part: dict(by) for part, by in self.changed.items()}
        kept = len(self.follows), dict(self._latest), changed
        touched = tuple(
            {at: tuple(some) for at, some in table.items()} for table in (self.reads, self.writes)
        )
        sent = {part: len(some) for part, some in self.sent.items()}, dict(self._heard)
        counts = len(self.touching), len(self._past)
        return super().save(), kept, touched, sent, dict(self.stored), counts

    def restore(self, saved: Any) -> None:
        """Forget what came later."""
        base, (follows, latest, changed), touched, (sent, heard), stored, (touching, past) = saved
        super().restore(base)
        del self.follows[follows:]
        self._latest, self._heard = dict(latest), dict(heard)
        self.stored = dict(stored)
        while len(self.touching) > touching:
            self.touching.popitem()
        while len(self._past) > past:
            self._past.popitem()
        self.sent = {part: self.sent[part][:count] for part, count in sent.items()}
        self.changed = {part: dict(by) for part, by in changed.items()}
        self.reads, self.writes = ({at: list(s) for at, s in t.items()} for t in touched)
        for queue, records in enumerate(self.records):
            del records[len(self.pcs[queue]) :], self.units[queue][len(self.pcs[queue]) :]
