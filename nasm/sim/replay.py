"""A recorded run once more, on a scheduler of its own, with one queue in any order if asked.

Nothing is computed: every record is a task that takes as long as it took. Waits are for the very
posts that satisfied them, all that were seen until then; shares go through the same channels, and
take their turns there again. Where branches led, and what addresses and tables were, is as it was.
So a replay of the run as it was has its times.

Some waits may be left out: then what each instruction really needs is waited for instead.

The instructions of a free queue start as soon as what they really need is there, the earliest one
first where several may: see :mod:`nasm.sim.conflicts`. Each of its units is a queue of its own.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.pace import Pace
from nasm.sim.channels import Channels, Flight
from nasm.sim.conflicts import FINISHED, LANDED, OCCUPIED, POSTED, STARTED, Conflicts, Tie
from nasm.sim.counters import Counters
from nasm.sim.history import INSTRUCTION, MADE, READY, SHARES, History
from nasm.sim.queues import Fetched, Queue, Task, Work
from nasm.sim.recording import Issued, Recording
from nasm.sim.resources import Needs, Resource, ResourceClaim
from nasm.sim.scheduler import Scheduler

POOLS = 1 << 40
"""The first number of the counters by which pools say how much is ready."""

What = tuple[int, int | tuple[int, int]]
"""Something to wait for: its kind, and which: see Tie."""


class Taken(Pace):
    """Makes a unit ready for as long as it took; ``key`` says how long."""

    def ahead(self, key: Hashable) -> int:
        """What it took."""
        assert isinstance(key, int)
        return key

    def save(self) -> Any:
        """Nothing."""
        return None

    def restore(self, saved: Any) -> None:
        """Nothing."""


TAKEN = Taken()


@dataclass(frozen=True, slots=True)
class WaitsLeftOut:
    """The waits of some ``records`` are left out, and ``ties`` are waited for in addition.

    Instructions that a pace slowed down then need not be slow now: each pace of the run has a new
    one in ``paces``.
    """

    records: Container[int]
    ties: Sequence[Tie]
    paces: Mapping[Pace, Pace]


class Tracked:
    """In the place of a transfer's bytes: says when its shares land."""

    __slots__ = ("issued", "replay")

    def __init__(self, replay: Replay, issued: Issued) -> None:
        self.replay, self.issued = replay, issued

    def read(self, *_: Any) -> None:
        """Nothing."""

    def write(self, shares: Any, _: Any) -> None:
        """Shares land."""
        self.replay.landed(self.issued, len(shares))

    def part(self, *_: Any) -> tuple[None, None]:
        """Nothing."""
        return None, None


class Chain:
    """The posts to a semaphore in the order in which they were seen, and which are made by now."""

    __slots__ = ("made", "seen", "upto")

    def __init__(self, count: int) -> None:
        self.made = [-1] * count
        self.upto = self.seen = 0


class Pool:
    """The instructions of a free queue that run on one unit: what may start, the earliest first."""

    __slots__ = ("known", "ready", "records", "semaphore")

    def __init__(self, semaphore: int) -> None:
        self.semaphore = semaphore
        self.records: list[int] = []
        self.known: list[tuple[int, int]] = []
        self.ready: list[int] = []

    def choose(self, now: int) -> int:
        """The earliest instruction that may start now."""
        while self.known and self.known[0][0] <= now:
            heappush(self.ready, heappop(self.known)[1])
        return heappop(self.ready)


class Meeting:
    """Instructions that wait for each other, by queue, and how many have arrived."""

    __slots__ = ("here", "members")

    def __init__(self) -> None:
        self.members: list[int] = []
        self.here: list[int] = []


class Replay:
    """A run again; :meth:`run` says how long it takes."""

    def __init__(
        self,
        history: History,
        recording: Recording,
        of: Scheduler,
        free: int = -1,
        without: WaitsLeftOut | None = None,
    ) -> None:
        self.history, self.recording, self.delay = history, recording, of.delay
        self.without = without
        channels = [Channels(core.core, core.count) for core in of.service.cores.values()]
        self.scheduler = Scheduler(
            Counters(2 * POOLS, 0),
            channels,
            of.delay,
            supply=of.service.supply,
            interlock=of.interlock.held,
        )
        self.free = free
        self.starts: dict[int, int] = {}
        self._keys = 0
        self._values: dict[tuple[int, str], int] = {}
        self._needs: dict[int, tuple[Needs, Needs]] = {}
        self._left: dict[Issued, int] = {}
        self._index: dict[int, int] = {}
        self._prepare()
        self._tie()
        self._build(of)

    # -- what there is

    def _prepare(self) -> None:
        """Sort out who posts what, who meets whom, and what units were made ready for.

        What a core holds is not replayed: refuses instructions that wait for that.
        """
        if any(task.work.condition is not None for task in self.recording.tasks.values()):
            raise Refused("E0518", "some instructions wait for what their core holds")
        history = self.history
        self.readied: dict[int, int] = {}
        self.meetings: dict[int, Meeting] = {}
        self.sequences: dict[int, list[int]] = {}
        ready: dict[int, int] = {}
        for number in range(len(history)):
            row = history[number]
            if row.kind == READY:
                ready[row.queue] = row.until - row.start
            elif row.kind == INSTRUCTION:
                self.sequences.setdefault(row.queue, []).append(number)
                if row.queue in ready:
                    self.readied[number] = ready.pop(row.queue)
                if row.arrival >= 0:
                    meeting = self.meetings.setdefault(history.released_by(row), Meeting())
                    meeting.members.append(number)
        self._posts()

    def _posts(self) -> None:
        """Find the moments that make each post."""
        history = self.history
        self.chains: dict[int, Chain] = {}
        self.by_start: dict[int, list[tuple[int, int]]] = {}
        self.by_finish: dict[int, list[tuple[int, int]]] = {}
        self.by_landing: dict[Issued, list[tuple[int, int, int]]] = {}
        for semaphore, posts in history.posts.items():
            self.chains[semaphore] = Chain(len(posts.values))
            counted: dict[Issued, int] = {}
            for nth, number in enumerate(posts.records):
                row = history[number]
                if row.kind == SHARES:
                    issued = row.issuer, row.queue
                    counted[issued] = counted.get(issued, 0) + posts.amounts[nth]
                    its = self.by_landing.setdefault(issued, [])
                    its.append((counted[issued], semaphore, nth))
                else:
                    at_start = posts.ticks[nth] < row.finish
                    among = self.by_start if at_start else self.by_finish
                    among.setdefault(number, []).append((semaphore, nth))

    def _tie(self) -> None:
        """Find out what the free queue, and the others because of it, have to wait for."""
        self.waiting: dict[What, list[tuple[int, int]]] = {}
        self.left: dict[int, int] = {}
        self.met: dict[int, int] = {}
        self.arrived: set[int] = set()
        if self.without is not None:
            ties: Iterable[Tie] = self.without.ties
        elif self.free >= 0:
            ties = Conflicts(self.history, self.recording, self.free, self.delay).ties()
        else:
            return
        for tie in dict.fromkeys(ties):
            self.waiting.setdefault((tie.kind, tie.what), []).append((tie.record, tie.delay))
            self.left[tie.record] = self.left.get(tie.record, 0) + 1

    def _build(self, of: Scheduler) -> None:
        scheduler = self.scheduler
        self.pools: dict[int, Pool] = {}
        for queue in of.queues:
            sequence = self.sequences.get(queue.index, [])
            if queue.index == self.free:
                self._pools(queue, sequence)
                continue
            index = len(scheduler.queues)
            fetch = partial(self._fetch, sequence, index)
            scheduler.add_queue(Queue(queue.core, queue.engine, index, len(sequence), fetch))
        for pool in dict.fromkeys(self.pools.values()):
            for number in pool.records:
                if not self.left.get(number):
                    self._may_start(number, 0)

    def _pools(self, queue: Queue, sequence: list[int]) -> None:
        """A queue for each unit that the free one has work for."""
        scheduler = self.scheduler
        by_unit: dict[Resource, Pool] = {}
        for number in sequence:
            unit = self.recording.tasks[number].unit
            pool = by_unit.get(unit)
            if pool is None:
                pool = by_unit[unit] = Pool(POOLS + len(by_unit))
            pool.records.append(number)
            self.pools[number] = pool
        for pool in by_unit.values():
            index, count = len(scheduler.queues), len(pool.records)
            front = Resource(queue.core, "front")
            fetch = partial(self._next, pool, index, front)
            scheduler.add_queue(Queue(queue.core, queue.engine, index, count, fetch))

    # -- tasks

    def _fetch(self, sequence: list[int], index: int, pc: int) -> Fetched:
        number = sequence[pc]
        row = self.history[number]
        wait = (row.semaphore, ">=", row.nth + 1) if row.nth >= 0 else None
        if self.without is not None and number in self.without.records:
            wait = None
        front, reads = self.recording.fronts.get(number), self.recording.tasks[number].work.reads
        if front is None:
            return self._task(number, index, reads), wait
        expand = partial(self._task, number, index, reads)
        depends = Work(-1, _never, _never, front.work.reads)
        return Task(depends, 1, 1, self._resource(front.unit), expand=expand), wait

    def _next(self, pool: Pool, index: int, front: Resource, pc: int) -> Fetched:
        """A placeholder of the next task to start."""
        expand = partial(self._chosen, pool, index)
        return Task(IDLE, 1, 1, front, expand=expand), (pool.semaphore, ">=", pc + 1)

    def _chosen(self, pool: Pool, index: int) -> Task:
        return self._task(pool.choose(self.scheduler.now), index, ())

    def _task(self, number: int, index: int, reads: Any) -> Task:
        row, task = self.history[number], self.recording.tasks[number]
        work = Work(
            task.work.number,
            partial(self._started, number),
            partial(self._finished, number),
            reads,
            task.work.writes,
        )
        if task.work.uses and row.queue != self.free:
            work.gate = partial(self._usable, row.queue, task.work.uses)
        if row.arrival >= 0 or (number in self.left and row.queue != self.free):
            work.arrive = partial(self._arrive, number, index)
        interval, latency, pace, key = self._times(number)
        return Task(
            work,
            interval,
            latency,
            self._resource(task.unit),
            self._needed(task.needs),
            ports=tuple(self._resource(port) for port in task.ports),
            pace=pace,
            key=key,
            issue=task.issue,
        )

    def _times(self, number: int) -> tuple[int, int, Pace | None, Hashable]:
        """How long an instruction takes, and what paces it."""
        row, task = self.history[number], self.recording.tasks[number]
        if self.without is not None and task.pace is not None:
            return task.interval, task.latency, self.without.paces[task.pace], task.key
        ready = self.readied.get(number, 0)
        return row.until - row.start, row.own - row.start, TAKEN if ready else None, ready

    def _resource(self, resource: Resource) -> Resource:
        return self.scheduler.resources.named(resource.core, resource.name, shared=resource.shared)

    def _needed(self, needs: Needs | None) -> Needs | None:
        if needs is None:
            return None
        found = self._needs.get(id(needs))
        if found is None:
            copies = (
                tuple(
                    ResourceClaim(
                        self._resource(claim.resource),
                        tuple(self._resource(part) for part in claim.parts),
                    )
                    for claim in claims
                )
                for claims in needs.alternatives
            )
            found = self._needs[id(needs)] = needs, Needs(tuple(copies))  # kept: so is its id
        return found[1]

    def _usable(self, queue: int, names: tuple[str, ...]) -> int:
        return max(self._values.get((queue, name), 0) for name in names)

    # -- what happens

    def _started(self, number: int, now: int) -> None:
        row, task = self.history[number], self.recording.tasks[number]
        self.starts[number] = now
        for name in task.work.sets:
            self._values[row.queue, name] = now + task.interval
        self._happened((STARTED, number), now)
        self._happened((OCCUPIED, number), now + row.until - row.start)
        for semaphore, nth in self.by_start.get(number, ()):
            self._made(semaphore, nth)
        if (number, row.queue) in self.recording.flights:
            self._launch((number, row.queue), None)

    def _finished(self, number: int, _: Any) -> None:
        self._happened((FINISHED, number), self.scheduler.now)
        for semaphore, nth in self.by_finish.get(number, ()):
            self._made(semaphore, nth)

    def _launch(self, issued: Issued, landed: Any) -> None:
        scheduler, flight = self.scheduler, self.recording.flights[issued]
        self._keys += 1
        self._left[issued] = flight_shares(flight)
        copy = Flight(
            self._keys,
            scheduler.acting,
            flight.core,
            flight.ring,
            flight.portions,
            Tracked(self, issued),
            notify=flight.notify,
            urgency=flight.urgency,
            shared=flight.shared,
            landed=landed,
        )
        at = scheduler.now + flight.dispatch
        if flight.made >= 0:
            made = self.history[flight.made]
            assert made.kind == MADE
            maker = scheduler.resources.named(flight.core, "maker")
            copy.made = scheduler.service.make(maker, made.until - made.start)
            at = max(at, maker.free_at)
        scheduler.service.issue(copy, at)

    def landed(self, issued: Issued, count: int) -> None:
        """Some shares of a transfer have landed."""
        flight = self.recording.flights[issued]
        left = self._left[issued] = self._left[issued] - count
        done = flight_shares(flight) - left
        its = self.by_landing.get(issued, [])
        while its and its[0][0] <= done:
            _, semaphore, nth = its.pop(0)
            self._made(semaphore, nth)
        if not left:
            self._happened((LANDED, issued), self.scheduler.now)

    def _made(self, semaphore: int, nth: int) -> None:
        """A post is made: those up to it are seen as soon as all of them are."""
        scheduler, chain = self.scheduler, self.chains[semaphore]
        posts, now = self.history.posts[semaphore], scheduler.now
        chain.made[nth] = now + posts.seen[nth] - posts.ticks[nth]
        while chain.upto < len(chain.made) and chain.made[chain.upto] >= 0:
            chain.seen = max(chain.seen, chain.made[chain.upto], now)
            scheduler.waits.post(semaphore, "+", 1, chain.seen - now)
            self._happened((POSTED, (semaphore, chain.upto)), chain.seen)
            chain.upto += 1

    # -- who waits for it

    def _happened(self, what: What, at: int) -> None:
        for number, delay in self.waiting.pop(what, ()):
            self.met[number] = max(self.met.get(number, 0), at + delay)
            self.left[number] -= 1
            if not self.left[number]:
                if number in self.pools:
                    self._may_start(number, self.met[number])
                elif number in self.arrived:
                    self._meet(number)

    def _may_start(self, number: int, at: int) -> None:
        pool, now = self.pools[number], self.scheduler.now
        heappush(pool.known, (max(at, now), number))
        self.scheduler.waits.post(pool.semaphore, "+", 1, max(0, at - now))

    def _arrive(self, number: int, index: int, now: int) -> None:
        """An instruction is held until what it needs is there, and who it meets."""
        self.arrived.add(number)
        self._index[number] = index
        if not self.left.get(number):
            self._meet(number)

    def _meet(self, number: int) -> None:
        scheduler, row = self.scheduler, self.history[number]
        at = max(scheduler.now, self.met.get(number, 0))
        if row.arrival < 0:
            scheduler.release(self._index.pop(number), at)
            return
        released = self.history.released_by(row)
        meeting = self.meetings[released]
        meeting.here.append(number)
        if len(meeting.here) < len(meeting.members):
            return
        moved = [(released, self.history[member].queue) for member in meeting.members]
        moved = [issued for issued in moved if issued in self.recording.flights]
        if not moved:
            for member in meeting.here:
                scheduler.release(self._index.pop(member), at)
            return
        notify = max(self.recording.flights[issued].notify for issued in moved)
        left = [len(moved)]
        for issued in moved:
            self._launch(issued, partial(self._exchanged, meeting, left, notify))

    def _exchanged(self, meeting: Meeting, left: list[int], notify: int) -> None:
        left[0] -= 1
        if not left[0]:
            for member in meeting.here:
                self.scheduler.release(self._index.pop(member), self.scheduler.now + notify)

    def run(self) -> int:
        """How many ticks it takes."""
        scheduler = self.scheduler
        while scheduler.run(100_000):
            pass
        assert not scheduler.blocked(), "a replay waits for what never happens"
        return scheduler.now


def flight_shares(flight: Flight) -> int:
    """How many shares a transfer has."""
    return sum(len(portion.shares) for portion in flight.portions)


def _never(_: Any) -> None:
    raise AssertionError("a stored result was started as an instruction")


IDLE = Work(-1, _never, _never)
