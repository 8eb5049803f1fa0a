"""What changes in a run, as numbers that grow evenly where a run repeats itself.

Everything a scheduler remembers is passed over in one order, by one of two visitors: one that
notes what there is, and one that puts other numbers in its place. So two moments can be compared,
and a moment as many rounds later be made from them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.isa.pace import Pace
from nasm.sim.channels import ChannelGroup, Channels, Flight, Group, TouchedRegions
from nasm.sim.counters import Counters, Post, Who
from nasm.sim.gates import Gates
from nasm.sim.queues import NEVER, Flying, Queue
from nasm.sim.resources import Resource, Resources
from nasm.sim.service import START, Service

TICK, MOVING, RECORD, COUNT, PLACE = 0, 1, 2, 3, 4
"""Kinds of numbers: of a place, which is a pc, it is this plus the number of the queue."""


class Visitor(Protocol):
    """Is shown every number that a run remembers at a tick, and returns what goes there."""

    writes: bool
    now: int

    def same(self, what: object) -> None:
        """See what has to be equal in both moments."""

    def tick(self, value: int) -> int:
        """See a tick; one that is past may be any."""

    def moving(self, value: int) -> int:
        """See a tick that decides what follows, past or not."""

    def record(self, value: int) -> int:
        """See the number of a start."""

    def count(self, value: int) -> int:
        """See a number that may grow in any way."""

    def place(self, queue: int, pc: int) -> int:
        """See the pc of an instruction of a queue."""


class ShiftHost(Protocol):
    """What of a scheduler changes."""

    now: int
    queues: list[Queue]
    semaphores: Counters
    service: Service
    resources: Resources
    gates: Gates
    paces: list[Pace]
    late: tuple[Who, ...]
    retired: int
    flying: int
    acting: Who
    record: int
    records: int
    heap: list[tuple[int, int, int, Any]]


class Shifted(Protocol):
    """What a machine remembers in addition to its scheduler."""

    def pass_over(self, visitor: Visitor) -> None:
        """Show it to a visitor."""

    @property
    def launched(self) -> int:
        """How many transfers were launched."""

    def touched(self, origin: Who) -> tuple[TouchedRegions, int]:
        """The regions that the transfer of an instruction touches, and its pattern."""


class NotedMoment:
    """A moment of a run as a visitor has noted it."""

    writes = False

    def __init__(self, now: int) -> None:
        self.now = now
        self.shape: list[object] = []
        self.kinds: list[int] = []
        self.numbers: list[int] = []
        self.same = self.shape.append

    def tick(self, value: int) -> int:
        """Note a tick."""
        self.kinds.append(TICK)
        self.numbers.append(value)
        return value

    def moving(self, value: int) -> int:
        """Note a tick that has to move."""
        self.kinds.append(MOVING)
        self.numbers.append(value)
        return value

    def record(self, value: int) -> int:
        """Note the number of a start."""
        self.kinds.append(RECORD)
        self.numbers.append(value)
        return value

    def count(self, value: int) -> int:
        """Note a count."""
        self.kinds.append(COUNT)
        self.numbers.append(value)
        return value

    def place(self, queue: int, pc: int) -> int:
        """Note a place."""
        self.kinds.append(PLACE + queue)
        self.numbers.append(pc)
        return pc

    def step_to(
        self, other: NotedMoment, records: int, places: Sequence[int]
    ) -> NDArray[np.int64] | None:
        """By how much each number is larger in a later moment, if from there on all repeats.

        Ticks, starts and places have grown by as much as the run has, or are of before.
        """
        if self.shape != other.shape or self.kinds != other.kinds:
            return None
        before, kinds = np.array(self.numbers, np.int64), np.array(self.kinds)
        step: NDArray[np.int64] = np.array(other.numbers, np.int64) - before
        ticks = other.now - self.now
        even = (step == np.array([ticks, ticks, records, 0, *places])[kinds]) | (kinds == COUNT)
        past = (kinds >= RECORD) | (kinds == TICK) & ((before <= self.now) | (before == NEVER))
        past &= step == 0
        return step if bool((even | past).all()) else None


class Setter:
    """Puts numbers in the place of those there are, in the order in which they were noted."""

    writes = True

    def __init__(self, now: int, numbers: Sequence[int]) -> None:
        self.now = now
        self._next: Iterator[int] = iter(numbers)

    def same(self, what: object) -> None:
        """It stays."""

    def tick(self, _: int) -> int:
        """The next number."""
        return next(self._next)

    moving = record = count = tick

    def place(self, queue: int, pc: int) -> int:
        """The next number."""
        return next(self._next)


def pass_over(host: ShiftHost, visitor: Visitor, more: Shifted) -> None:
    """Show a visitor everything that changes while a program runs."""
    _Passage(host, visitor, more).all()


class _Passage:
    """One visit. Transfers and their shares are copied: checkpoints may have those there are."""

    def __init__(self, host: ShiftHost, visitor: Visitor, more: Shifted) -> None:
        self.host, self.visitor, self.more = host, visitor, more
        self.flights: dict[int, tuple[int, Flight]] = {}
        self.groups: dict[int, Group] = {}

    def all(self) -> None:
        """Pass over everything."""
        host, visitor = self.host, self.visitor
        visitor.same((host.flying, host.late, tuple(host.gates.closed_queues), host.gates.count))
        host.retired = visitor.count(host.retired)
        host.acting = self._who(host.acting)
        host.record, host.records = visitor.record(host.record), visitor.record(host.records)
        for queue in host.queues:
            self._queue(queue)
        for resource in host.resources:
            self._resource(resource)
        self._semaphores(host.semaphores)
        for pace in host.paces:
            pace.pass_over(visitor)
        self.more.pass_over(visitor)
        transfers = host.service.transfers
        made = [self._flight(flight) for flight in transfers.values()]
        if visitor.writes:
            transfers.clear()
            transfers.update((flight.key, flight) for flight in made)
        for channels in host.service.cores.values():
            self._channels(channels)
        self._heap()

    def _who(self, who: Who) -> Who:
        queue, pc = who
        return queue, self.visitor.place(queue, pc)

    def _whoever(self, who: Who | None) -> Who | None:
        self.visitor.same(who is None)
        return None if who is None else self._who(who)

    def _queue(self, queue: Queue) -> None:
        visitor = self.visitor
        tick, record, count = visitor.tick, visitor.record, visitor.count
        behind, blocker = queue.behind, queue.blocker
        if not visitor.writes:
            at = [n for n, flying in enumerate(queue.flight) if flying is behind]
            entity = blocker if isinstance(blocker, Resource) else blocker is None
            visitor.same(
                (
                    queue.head is None, queue.waited, queue.parked, queue.arrived, queue.asked,
                    at, entity, queue.done, queue.cause, queue.poster, queue.interval,
                    queue.latency, queue.resume, queue.missing, queue.blocked, queue.expansion,
                    len(queue.flight), tuple(queue.waiting),
                )
            )  # fmt: skip
        queue.pc = visitor.place(queue.index, queue.pc)
        queue.because, queue.record = record(queue.because), record(queue.record)
        queue.due, queue.reached = tick(queue.due), tick(queue.reached)
        queue.last_finish, queue.finished = tick(queue.last_finish), tick(queue.finished)
        queue.busy_until, queue.mark = tick(queue.busy_until), tick(queue.mark)
        queue.count, queue.busy = count(queue.count), count(queue.busy)
        for idle, ticks in queue.waiting.items():
            queue.waiting[idle] = count(ticks)
        if isinstance(blocker, tuple):
            queue.blocker = self._who(blocker)
        flight = [self._flying(queue, flying) for flying in queue.flight]
        if not visitor.writes:
            return
        if queue.head is not None:
            queue.head, queue.wait = queue.fetch(queue.pc)
        if behind is not None:
            both = zip(queue.flight, flight, strict=True)
            queue.behind = next((new for old, new in both if old is behind), None)
        queue.flight = deque(flight)

    def _flying(self, queue: Queue, flying: Flying) -> Flying:
        visitor = self.visitor
        core, index, pc, head, start, finish, task, payload, until, record = flying
        visitor.same(payload)
        pc = visitor.place(index, pc)
        head, start, finish = visitor.tick(head), visitor.tick(start), visitor.tick(finish)
        until, record = visitor.tick(until), visitor.record(record)
        if not visitor.writes:
            return flying
        if pc != flying.pc:
            task, _ = queue.fetch(pc)
        return Flying(core, index, pc, head, start, finish, task, payload, until, record)

    def _resource(self, resource: Resource) -> None:
        visitor = self.visitor
        visitor.same((resource, tuple(resource.waiting), frozenset(resource.passed)))
        resource.free_at = visitor.tick(resource.free_at)
        resource.shared_at = visitor.tick(resource.shared_at)
        resource.record = visitor.record(resource.record)
        resource.holder = self._whoever(resource.holder)
        for queue, since in resource.waiting.items():
            resource.waiting[queue] = visitor.tick(since)

    def _semaphores(self, semaphores: Counters) -> None:
        visitor = self.visitor
        for number, semaphore in semaphores.items():
            pending = semaphore.pending
            visitor.same((number, len(pending), tuple(semaphore.parked), semaphore.replaced))
            semaphore.value = visitor.count(semaphore.value)
            semaphore.seen = visitor.count(semaphore.seen)
            visitor.same(semaphore.last is None)
            if semaphore.last is not None:
                semaphore.last = self._post(semaphore.last)
            semaphore.pending = [self._post(post) for post in pending]

    def _post(self, post: Post) -> Post:
        visitor = self.visitor
        at, op, value, by, record, poster = post
        visitor.same((op, value, poster))
        at, by, record = visitor.tick(at), self._whoever(by), visitor.record(record)
        return Post(at, op, value, by, record, poster) if visitor.writes else post

    def _flight(self, flight: Flight) -> Flight:
        visitor = self.visitor
        if not visitor.writes:
            visitor.same(
                (
                    flight.core, flight.ring, flight.portions, flight.cargo, flight.semaphore,
                    flight.notify, flight.urgency, flight.shared, flight.dispatch,
                    flight.descriptors, flight.adds, flight.landed, flight.signals, flight.left,
                    flight.unposted, flight.parts,
                )
            )  # fmt: skip
        key, origin = visitor.count(flight.key), self._who(flight.origin)
        record, made = visitor.record(flight.record), visitor.record(flight.made)
        number, new = len(self.flights), flight
        if visitor.writes and key != flight.key:
            new = Flight.__new__(Flight)
            for name in Flight.__slots__:
                setattr(new, name, getattr(flight, name))
            new.key, new.origin, new.record, new.made = key, origin, record, made
            new.touched, new.pattern = self.more.touched(origin)
        self.flights[id(flight)] = number, new
        return new

    def _group(self, group: Group) -> Group:
        known = self.groups.get(id(group))
        if known is not None:
            return known
        visitor = self.visitor
        number, flight = self.flights[id(group.flight)]
        new = group
        if not visitor.writes:
            visitor.same(
                (
                    number, group.portion, group.channels, group.count, group.done, group.busy,
                    group.packets, group.latency, group.cause, group.payload,
                )
            )  # fmt: skip
        elif flight is not group.flight:
            new = Group(flight, group.portion, group.channels, group.arrived)
            new.restore(group.save())
        new.arrived, new.start = visitor.tick(group.arrived), visitor.tick(group.start)
        new.free, new.landing = visitor.tick(group.free), visitor.tick(group.landing)
        new.record, new.because = visitor.record(group.record), visitor.record(group.because)
        self.groups[id(group)] = new
        return new

    def _channels(self, channels: Channels) -> None:
        visitor = self.visitor
        channels.settle()
        channels.pass_over(visitor.count)
        for server in channels.servers.values():
            rings = server.rings
            visitor.same((server.channels, server.last, tuple(rings), bool(server.serving)))
            server.at, server.due = visitor.tick(server.at), visitor.tick(server.due)
            server.holder = visitor.record(server.holder)
            for ring, groups in rings.items():
                visitor.same(len(groups))
                rings[ring] = deque([self._group(group) for group in groups])
            if server.serving is not None:
                server.serving = self._group(server.serving)

    def _heap(self) -> None:
        """Events are noted in order, and stay in it."""
        host, visitor, made = self.host, self.visitor, []
        last = START + len(host.queues)
        for tick, rank, sequence, what in sorted(host.heap, key=_order):
            new: Any = what
            if isinstance(what, Queue):
                known: object = rank if rank < last else object()
            elif isinstance(what, ChannelGroup):
                known = what.channels if self._live(what) else object()
            elif isinstance(what, Flight):
                known, new = self.flights[id(what)]
            elif isinstance(what, Group):
                known, new = "group", self._group(what)
            else:
                known = object()  # of a network
            visitor.same((rank, known, what.index if isinstance(what, Queue) else -1))
            made.append((visitor.moving(tick), rank, sequence, new))
        if visitor.writes:
            host.heap[:] = made

    def _live(self, server: ChannelGroup) -> bool:
        cores = self.host.service.cores
        return any(core.servers.get(server.channels) is server for core in cores.values())


_order: Callable[[tuple[int, int, int, Any]], tuple[int, int, int]] = lambda event: event[:3]  # noqa: E731
