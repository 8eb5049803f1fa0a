"""When things happen: in-order queues and channels over one heap of events.

The scheduler jumps to the next tick at which anything can change. Its promise of order: at one
tick commits come first (results appear, semaphores are posted), in the order they were started,
then queues try to start, in the order they were declared. Nothing else decides an order, so a
program has one run.

Of an instruction it knows a :class:`Task`: what blocks it, what it occupies and how long, and
what to do at its start and at its completion. Within a queue tasks start in order and complete
in order; one that reads what an earlier one has not finished writing waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any, Protocol

from nasm.sim.channels import Channel, Shipment
from nasm.sim.counters import Semaphore, holds
from nasm.sim.memory import Region, meet
from nasm.sim.queues import Queue, Task
from nasm.sim.trace import Trace

COMMIT, ARRIVE, START = 0, 1, 2
"""Phases of a tick, in order."""

UnderWay = tuple[int, int, tuple[Region, ...], tuple[Region, ...], int]
"""A transfer that has not landed: queue, pc, what it reads and writes, and a number below -1
that is the same for every start of the same transfer."""


class Observer(Protocol):
    """Who is told of accesses that no order protects."""

    def race(self, kind: str, reader: tuple[int, int], writer: tuple[int, int], now: int) -> None:
        """Two accesses of different queues met; each is (queue, pc), a queue below 0 a channel."""

    def twice(self, who: tuple[int, int], number: int, now: int) -> None:
        """A post set a bit that was set, or cleared one that was clear."""


class Scheduler:
    """Queues, channels and semaphores, and the heap of what comes next.

    ``late`` are the transfers that had not landed when the last task of all queues completed.
    """

    def __init__(
        self,
        semaphores: Sequence[Semaphore],
        per_core: int,
        channels: Sequence[Channel],
        delay: int,
        observer: Observer,
        trace: Trace,
    ) -> None:
        self.now = 0
        self.queues: list[Queue] = []
        self.semaphores = list(semaphores)
        self.channels = list(channels)
        self.delay = delay
        self.observer = observer
        self.trace = trace
        self.transfers: dict[int, UnderWay] = {}
        self.late: tuple[UnderWay, ...] = ()
        self.per_core = max(1, per_core)
        self._heap: list[tuple[int, int, int, int, Any]] = []
        self._sequence = 0
        self._meets: dict[tuple[int, int], bool] = {}
        self._clashes: dict[tuple[int, int], str] = {}
        self.retired = 0
        self.flying = 0
        self.last: tuple[int, int] = (-1, -1)
        self.acting: tuple[int, int] = (0, 0)

    # -- building

    def add_queue(self, queue: Queue) -> None:
        """Declare a queue; the order of declaration is the order of service at one tick."""
        self.queues.append(queue)
        if not queue.done:
            self._push(self.now, START, queue.index, queue)

    def _push(self, tick: int, phase: int, rank: int, what: Any) -> None:
        self._sequence += 1
        heappush(self._heap, (tick, phase, rank, self._sequence, what))

    # -- running

    @property
    def idle(self) -> bool:
        """Whether nothing is left that could happen by itself."""
        return not self._heap

    def run(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        """Process up to so many events, none after ``until``; returns how many there were.

        Stops early once ``retired`` has reached ``retire``.
        """
        heap = self._heap
        done = 0
        while heap and done < events:
            tick, phase, _, _, what = heap[0]
            if until is not None and tick > until:
                break
            heappop(heap)
            self.now = tick
            done += 1
            if phase == START:
                self._attempt(what)
            elif phase == COMMIT:
                if type(what) is Queue:
                    self._finish(what)
                    if retire is not None and self.retired >= retire:
                        break
                elif type(what) is tuple:
                    self._land(*what)
                else:
                    self._serve(what)
            else:
                self._arrive(what)
        return done

    def _attempt(self, queue: Queue) -> None:
        """Start the head of a queue if nothing blocks it, or come back when it may."""
        now = self.now
        if now > queue.busy_until:
            queue.account(now)
        task = queue.head
        if task is None:
            task = queue.head = queue.fetch(queue.pc)
            queue.reached = now
            queue.waited = task.wait is None
        if not queue.waited:
            assert task.wait is not None
            number, op, value = task.wait
            semaphore = self.semaphores[number]
            seen = semaphore.visible(op, value, now)
            queue.cause = "semaphore"
            if seen is None:
                queue.parked = True
                semaphore.parked.append(queue.index)
                return
            queue.waited = True
            if seen > now:
                self._push(seen, START, queue.index, queue)
                return
        earliest = queue.units[task.unit]
        if task.parts or task.spare:
            earliest = queue.free(task)
        cause = "unit"
        if task.gate is not None and task.gate() > earliest:
            earliest, cause = task.gate(), "data"
        if queue.flight and task.reads:
            ready = self._ready(queue, task)
            if ready > earliest:
                earliest, cause = ready, "data"
        if earliest > now:
            queue.cause = cause
            self._push(earliest, START, queue.index, queue)
            return
        if task.expand is not None:
            queue.head = task.expand()
            self._attempt(queue)
            return
        if task.arrive is not None and queue.arrived is None:
            queue.arrived, queue.parked, queue.cause = now, True, "core"
            self.acting = (queue.index, queue.pc)
            task.arrive(now)
            return
        self._start(queue, task, now)

    def release(self, index: int, at: int) -> None:
        """Let a queue that is held go on at a tick."""
        queue = self.queues[index]
        queue.parked = False
        self._push(at, START, index, queue)

    def _ready(self, queue: Queue, task: Task) -> int:
        """When the last earlier task of the queue that writes what this one reads completes."""
        ready = 0
        for finish, _, _, _, other, _ in queue.flight:
            if finish > ready and other.writes and self._meet(task, other):
                ready = finish
        return ready

    def _meet(self, reader: Task, writer: Task) -> bool:
        """Whether a task reads what another writes."""
        if reader.key < 0 or writer.key < 0:
            return meet(reader.reads, writer.writes)
        pair = (reader.key, writer.key)
        known = self._meets.get(pair)
        if known is None:
            known = self._meets[pair] = meet(reader.reads, writer.writes)
        return known

    def _start(self, queue: Queue, task: Task, now: int) -> None:
        self.acting = (queue.index, queue.pc)
        if self.flying > len(queue.flight) or self.transfers:
            self._watch(queue, task, now)
        payload = task.start(now)
        pc = queue.pc
        if task.branches and payload is not None:
            queue.pc = payload
        else:
            queue.pc = pc + 1
        busy = now + task.interval
        if task.parts or task.spare:
            queue.occupy(task, now, busy)
        else:
            queue.units[task.unit] = busy
        if busy > queue.busy_until:
            queue.busy += busy - max(now, queue.busy_until)
            queue.busy_until = busy
        finish = now + task.latency
        if finish < queue.last_finish:
            finish = queue.last_finish
        queue.last_finish = finish
        started, queue.arrived = (now if queue.arrived is None else queue.arrived), None
        queue.flight.append((finish, pc, queue.reached, started, task, payload))
        self.flying += 1
        self._push(finish, COMMIT, 0, queue)
        if task.update is not None and task.update[3]:
            number, op, value, _ = task.update
            self.post(number, op, value, self.delay)
        if queue.pc < queue.length:
            self._advance(queue, now)
        else:
            queue.head = None
            queue.done = True

    def _advance(self, queue: Queue, now: int) -> None:
        """Bring up the next task; it may start when its unit is free, a tick later at the least."""
        task = queue.head = queue.fetch(queue.pc)
        queue.waited = task.wait is None
        tick = queue.units[task.unit]
        if task.parts or task.spare:
            tick = queue.free(task)
        if tick <= now:
            tick = now + 1
        queue.reached = tick
        queue.cause = "unit"
        self._push(tick, START, queue.index, queue)

    def _finish(self, queue: Queue) -> None:
        """Commit the oldest task in flight of a queue."""
        finish, pc, reached, started, task, payload = queue.flight.popleft()
        self.flying -= 1
        self.last = self.acting = (queue.index, pc)
        task.finish(payload, finish)
        queue.count += 1
        queue.finished = finish
        self.retired += 1
        if queue.done and self.transfers and not self.flying:
            self._ended()
        self.trace.instructions.append((queue.core, queue.index, pc, reached, started, finish))
        if task.update is not None and not task.update[3]:
            number, op, value, _ = task.update
            self.post(number, op, value, self.delay)

    def _ended(self) -> None:
        """Remember which transfers are under way if no queue has anything left to do."""
        if all(queue.done for queue in self.queues):
            self.late = tuple(self.transfers.values())

    # -- semaphores

    def post(self, number: int, op: str, value: int, delay: int) -> None:
        """Change a semaphore now; whoever waits for the new value may start ``delay`` later."""
        semaphore = self.semaphores[number]
        if not semaphore.post(op, value, self.now, delay):
            self.observer.twice(self.acting, number, self.now)
            return
        self.trace.posts.append(
            (number // self.per_core, number % self.per_core, self.now, semaphore.value)
        )
        if not semaphore.parked:
            return
        still: list[int] = []
        for index in semaphore.parked:
            queue = self.queues[index]
            assert queue.head is not None
            assert queue.head.wait is not None
            _, compare, want = queue.head.wait
            if holds(semaphore.value, compare, want):
                queue.parked = False
                queue.waited = True
                self._push(self.now + delay, START, index, queue)
            else:
                still.append(index)
        semaphore.parked = still

    # -- channels

    def submit(self, shipment: Shipment, at: int) -> None:
        """Hand the shares of a shipment to their channels at a tick."""
        self._push(at, ARRIVE, 0, shipment)

    def _arrive(self, shipment: Shipment) -> None:
        self.watch_transfer(shipment.key)
        idle = []
        for share, (number, _, _, _) in enumerate(shipment.shares):
            channel = self.channels[number]
            channel.add(shipment, share)
            if channel.free <= self.now:
                idle.append(channel)
        self._serve(idle)

    def _serve(self, channels: Sequence[Channel]) -> None:
        """Start the next share of each idle channel; those that go together start as one."""
        groups: dict[tuple[int, int, int], tuple[Shipment, list[int], list[Channel]]] = {}
        for channel in channels:
            if channel.free > self.now:
                continue
            taken = channel.take()
            if taken is None:
                continue
            shipment, share = taken
            _, busy, latency, size = shipment.shares[share]
            channel.free = self.now + max(1, busy)
            channel.busy += busy
            channel.bytes += size
            channel.jobs += 1
            together = (shipment.key, busy, latency)
            group = groups.get(together)
            if group is None:
                group = groups[together] = (shipment, [], [])
            group[1].append(share)
            group[2].append(channel)
        for (_, busy, latency), (shipment, shares, servers) in groups.items():
            self.acting = shipment.origin
            payload = shipment.read(shares, self.now)
            landing = self.now + max(busy, latency, 1)
            self._push(landing, COMMIT, 1, (shipment, shares, payload, self.now))
            self._push(self.now + max(1, busy), COMMIT, 2, servers)

    def _land(
        self, shipment: Shipment, shares: Sequence[int], payload: object, started: int
    ) -> None:
        """Shares have landed together: their bytes appear, then each of them posts."""
        self.acting = shipment.origin
        jobs = self.trace.jobs
        for share in shares:
            number, _, _, size = shipment.shares[share]
            channel = self.channels[number]
            jobs.append(
                (
                    channel.core,
                    channel.index,
                    shipment.ring,
                    *shipment.origin,
                    started,
                    self.now,
                    size,
                )
            )
        shipment.land(shares, payload, self.now)

    # -- accesses without an order

    def _watch(self, queue: Queue, task: Task, now: int) -> None:
        """Tell the observer of what others are writing, or have still to read, right now."""
        if not (task.reads or task.writes):
            return
        for other in self.queues:
            if other is queue or not other.flight:
                continue
            for finish, pc, _, _, theirs, _ in other.flight:
                if finish > now and theirs.writes:
                    kind = self._clash(task, theirs.key, (), theirs.writes)
                    if kind:
                        me = (queue.index, queue.pc)
                        self.observer.race(kind, me, (other.index, pc), now)
        for origin, pc, reads, writes, number in self.transfers.values():
            kind = self._clash(task, number, reads, writes)
            if kind:
                self.observer.race(kind, (queue.index, queue.pc), (origin, pc), now)

    def _clash(
        self, task: Task, key: int, reads: tuple[Region, ...], writes: tuple[Region, ...]
    ) -> str:
        """How a task that starts disturbs accesses under way: empty, read, write or overwrite."""
        pair = (task.key, key)
        known = self._clashes.get(pair)
        if known is None or task.key < 0:
            known = ""
            if meet(task.reads, writes):
                known = "read"
            elif meet(task.writes, writes):
                known = "write"
            elif meet(task.writes, reads):
                known = "overwrite"
            self._clashes[pair] = known
        return known

    def watch_transfer(self, key: int) -> None:
        """Tell the observer of writes in flight that meet a transfer about to move its bytes."""
        queue, pc, reads, writes, _ = self.transfers[key]
        me = (queue, pc)
        for other in self.queues:
            for finish, at, _, _, theirs, _ in other.flight:
                if finish <= self.now or not theirs.writes:
                    continue
                kind = "read" if meet(reads, theirs.writes) else ""
                kind = kind or ("write" if meet(writes, theirs.writes) else "")
                if kind:
                    self.observer.race(kind, me, (other.index, at), self.now)
        for number, (origin, at, _, written, _) in self.transfers.items():
            if number < key and meet(reads, written):
                self.observer.race("read", me, (origin, at), self.now)

    def blocked(self) -> list[Queue]:
        """Queues that cannot go on although nothing is left to happen."""
        return [q for q in self.queues if not q.done and q.head is not None]
