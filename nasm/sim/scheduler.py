"""When things happen: in-order queues and channels over one heap of events.

The scheduler jumps to the next tick at which anything can change. Its promise of order: at one
tick commits come first (results appear, semaphores are posted), in the order they were started,
then queues try to start, in the order they were declared; a queue that has waited longer for a
resource goes before one that wants it now. Nothing else decides an order, so a program has one
run.

Of an instruction it knows a :class:`Task`: what blocks it, what it occupies and how long, and
what to do at its start and at its completion. Within a queue tasks start in order and complete
in order; one that reads what an earlier one has not finished writing waits for it, unless the
engines have no interlock. What happens it tells the observers, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from nasm.pace import Pace
from nasm.sim.channels import Channels, Flight, Group
from nasm.sim.contention import Contention
from nasm.sim.counters import Counters, Who
from nasm.sim.events import EVENTS, Observer, listeners
from nasm.sim.queues import ORDER, Flying, Queue, Task
from nasm.sim.regions import intersect
from nasm.sim.resources import Resource, Resources
from nasm.sim.service import COMMIT, OVER, Service
from nasm.sim.waits import Waits

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time

KNOWN = 100_000
"""Pairs of tasks of which it is remembered whether one reads what the other writes."""

ARRIVE, START = 1, 2
"""Phases of a tick, in order, behind COMMIT."""

class Scheduler:
    """Queues, channels, semaphores and resources, and the heap of what comes next.

    ``transfers`` are those in flight, by key; ``late`` those that had not landed when the last
    task of all queues completed. ``acting`` is the instruction that starts, completes, or issued
    what moves right now, ``record`` the number of that start or of the shares that move: every
    start has one, given in order, and ``records`` were given. ``listeners`` says who is told of an
    event. Without ``interlock`` an engine does not wait for its own earlier results. While
    ``halted`` is set no event is processed: it may be set at any moment, by a signal handler or
    another thread.
    """

    CACHES = ("_overlaps", "listeners", "_observers", "halted")

    def __init__(
        self,
        semaphores: Counters,
        channels: Sequence[Channels],
        delay: int,
        *,
        supply: Sequence[tuple[int, int]] = (),
        interlock: bool = True,
        paces: Sequence[Pace] = (),
    ) -> None:
        self.now = 0
        self.queues: list[Queue] = []
        self.semaphores = semaphores
        self.waits = Waits(self, semaphores)
        self.contention = Contention(self)
        self.service = Service(self, channels, supply)
        self.resources = Resources()
        self.delay, self.interlock, self.paces = delay, interlock, list(paces)
        self.transfers: dict[int, Flight] = {}
        self.late: tuple[Who, ...] = ()
        self.retired = 0
        self.flying = 0
        self.acting: Who = (0, 0)
        self.record = -1
        self.records = 0
        self.halted = False
        self._heap: list[tuple[int, int, int, int, Any]] = []
        self._sequence = 0
        self._overlaps: dict[tuple[int, int], bool] = {}
        self._observers: list[Observer] = []
        self.listeners: Mapping[str, tuple[Callable[..., None], ...]] = {}
        self._listen()

    # -- building

    def add_queue(self, queue: Queue) -> None:
        """Declare a queue; the order of declaration is the order of service at one tick."""
        self.queues.append(queue)
        if not queue.done:
            self.push(self.now, START, queue.index, queue)

    def observe(self, observer: Observer) -> None:
        """Tell an observer of everything that happens from now on."""
        self._observers.append(observer)
        self._listen()

    def ignore(self, observer: Observer) -> None:
        """Tell an observer nothing more."""
        self._observers.remove(observer)
        self._listen()

    def _listen(self) -> None:
        tell = {event: listeners(self._observers, event) for event in EVENTS}
        self.listeners = tell
        self._tell_head = tell["head"]
        self._tell_started, self._tell_finished = tell["started"], tell["finished"]

    def push(self, tick: int, phase: int, rank: int, what: Any) -> None:
        """Let something happen at a tick: in a phase of it, by rank, and then in order."""
        self._sequence += 1
        heappush(self._heap, (tick, phase, rank, self._sequence, what))

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""
        queue.due = tick
        self.push(tick, START, queue.index, queue)

    def retry_last(self, queue: Queue, tick: int) -> None:
        """The same, but behind all that try at that tick: by now, whoever came last."""
        queue.due = tick
        self.push(tick, START, len(self.queues) + self._sequence, queue)

    # -- running

    @property
    def idle(self) -> bool:
        """Whether nothing is left on the heap: the run is over, or deadlocked."""
        return not self._heap

    @property
    def remaining(self) -> bool:
        """Whether some queue has instructions that are not complete."""
        return self.flying > 0 or not all(queue.done for queue in self.queues)

    def run(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        """Process at most ``events`` events, none after ``until``; returns how many there were.

        Stops early once ``retired`` has reached ``retire``, or when it is ``halted``. The clock
        goes to ``until`` if the next event is later.
        """
        heap = self._heap
        done = 0
        while heap and done < events and not self.halted:
            tick, phase, rank, _, what = heap[0]
            if until is not None and tick > until:
                self.now = max(self.now, until)
                break
            heappop(heap)
            self.now = tick
            done += 1
            if phase == START:
                if what.due == tick:  # or it has been woken earlier than it was to be
                    self._attempt(what)
            elif phase == COMMIT:
                if type(what) is Queue:
                    self._finish(what)
                    if retire is not None and self.retired >= retire:
                        break
                elif type(what) is Group:
                    self.land(what)
                elif rank == OVER:
                    self.service.over(what)
                else:
                    self.service.turn(what)
            else:
                self._arrive(what)
        return done

    def _attempt(self, queue: Queue) -> None:
        """Start the head of a queue if nothing blocks it, or try again when it may."""
        now = self.now
        if now > queue.busy_until:
            queue.account(now)
        task = queue.head
        if task is None:
            task = self._bring_up(queue, now)
        if not queue.waited and not self.waits.over(queue, task, now):
            return
        work = task.work
        earliest = task.unit.free_at if task.needs is None else task.needs.free_at
        writer, gated = None, False
        if work.gate is not None and work.gate() > earliest:
            earliest, gated = work.gate(), True
        if queue.flight and work.reads and self.interlock:
            ready, flying = self._ready(queue, task)
            if ready > earliest:
                earliest, writer = ready, flying
        if earliest > now:
            self._hold(queue, task, earliest, writer, gated)
            return
        contended = task.unit.waiting or task.needs is not None
        if contended and self.contention.yields(queue, task.resources, "unit"):
            return
        if task.expand is not None:
            self.acting = (queue.index, queue.pc)
            queue.head = task.expand()
            if queue.head.pace is not None:
                self._make_ready(queue, queue.head, now, queue.cause, queue.because)
            self._attempt(queue)
            return
        if work.arrive is not None and queue.arrived is None:
            self._arrived(queue, task, now)
            return
        if task.ports and not self.contention.ports(queue, task):
            return
        self._start(queue, task, now)

    def _arrived(self, queue: Queue, task: Task, now: int) -> None:
        """The head of a queue, which nothing else blocks, waits until its queue is released."""
        assert task.work.arrive is not None
        record = self.records
        self.records = record + 1
        queue.arrived, queue.parked = now, True
        self.acting, self.record = (queue.index, queue.pc), record
        for tell in self.listeners["arrived"]:
            tell(queue, task, record, now)
        task.work.arrive(now)

    def _hold(
        self, queue: Queue, task: Task, until: int, writer: Flying | None, gated: bool
    ) -> None:
        """Let the head of a queue try again when a result is there, or its unit is free."""
        queue.cause = "data"
        if writer is not None:
            queue.blocker, queue.because = (queue.index, writer.pc), writer.record
        elif gated:
            held = (flying.record for flying in queue.flight if flying.until == until)
            queue.blocker, queue.because = None, next(held, queue.record)
        else:
            queue.cause, queue.blocker = "unit", task.unit
            queue.because = task.unit.record if task.needs is None else task.needs.record
            if task.contended:
                self.contention.stand(queue, task.resources, self.now)
        self.retry(queue, until)

    def release(self, index: int, at: int) -> None:
        """Let a parked queue start its head at a tick."""
        queue = self.queues[index]
        queue.parked = False
        if at > (queue.arrived or 0):
            queue.cause, queue.because = "core", self.record
        self.retry(queue, at)

    def _ready(self, queue: Queue, task: Task) -> tuple[int, Flying | None]:
        """When the last earlier task of the queue that writes what this one reads completes."""
        ready, writer = 0, None
        for flying in queue.flight:
            finish, writing = flying[5], flying[6]
            if finish > ready and writing.work.writes and self.reads(task, writing):
                ready, writer = finish, flying
        return ready, writer

    def reads(self, reader: Task, writer: Task) -> bool:
        """Whether a task reads what another writes."""
        mine, theirs = reader.work, writer.work
        if mine.number < 0 or theirs.number < 0:
            return intersect(mine.reads, theirs.writes)
        pair = (mine.number, theirs.number)
        known = self._overlaps.get(pair)
        if known is None:
            if len(self._overlaps) >= KNOWN:
                self._overlaps.clear()
            known = self._overlaps[pair] = intersect(mine.reads, theirs.writes)
        return known

    def _start(self, queue: Queue, task: Task, now: int) -> None:
        pc, work = queue.pc, task.work
        record = self.records
        self.records = record + 1
        self.acting, self.record = (queue.index, pc), record
        interval, latency = task.interval, task.latency
        if task.pace is not None:
            interval, latency = task.pace.at(task.key, now, interval, latency)
        queue.record, queue.interval, queue.latency = record, interval, latency
        for tell in self._tell_started:
            tell(queue, task, now)
        payload = work.start(now)
        queue.pc = payload if work.branches and payload is not None else pc + 1
        busy = now + interval
        if task.needs is None:
            unit = task.unit  # as Resource.take does, which costs a call
            unit.free_at = unit.shared_at = busy
            unit.holder, unit.record = self.acting, record
        else:
            task.needs.take(now, busy, self.acting, record)
        for port in task.ports:
            port.take(busy, self.acting, record)
        if queue.asked:
            queue.asked = False
            for resource in (*task.resources, *task.ports):
                resource.leave(queue.index)
        elif task.ports:
            for port in task.ports:
                port.leave(queue.index)
        if busy > queue.busy_until:
            queue.busy += busy - max(now, queue.busy_until)
            queue.busy_until = busy
        finish = now + latency
        if finish < queue.last_finish:
            finish = queue.last_finish
        queue.last_finish = finish
        started, queue.arrived = (now if queue.arrived is None else queue.arrived), None
        flying = (
            queue.core, queue.index, pc, queue.reached, started, finish, task, payload, busy,
            record,
        )  # fmt: skip
        queue.flight.append(_tuple(Flying, flying))
        self.flying += 1
        self.push(finish, COMMIT, 0, queue)
        if task.update is not None and task.update[3]:
            number, op, value, _ = task.update
            self.waits.post(number, op, value, self.delay)
        if queue.pc < queue.length:
            self._bring_up(queue, now + 1)
            self.push(queue.reached, START, queue.index, queue)
        else:
            queue.head = None
            queue.done = True

    def _bring_up(self, queue: Queue, least: int) -> Task:
        """The next task becomes the head, and may start when its unit is free, or at ``least``."""
        task = queue.head = queue.fetch(queue.pc)
        queue.waited = task.wait is None
        if task.pace is not None:
            self._make_ready(queue, task, least, ORDER, queue.record)
        tick = task.unit.free_at if task.needs is None else task.needs.free_at
        if tick > least:
            if task.contended:
                self.contention.stand(queue, task.resources, least)
            queue.cause, queue.blocker = "unit", task.unit
            queue.because = task.unit.record if task.needs is None else task.needs.record
        else:
            tick = least
            queue.cause, queue.blocker, queue.because = ORDER, None, queue.record
        queue.reached = queue.due = tick
        for tell in self._tell_head:
            tell(queue, task, queue.reached)
        return task

    def _make_ready(self, queue: Queue, task: Task, least: int, cause: str, because: int) -> None:
        """Make the unit of a queue's next task ready, as soon as it is free, but not before.

        ``because`` is what let it become next.
        """
        assert task.pace is not None
        ticks = task.pace.ahead(task.key)
        if not ticks:
            return
        record = self.records
        self.records = record + 1
        start = max(task.unit.free_at, least)
        if task.unit.free_at > least:
            cause, because = "unit", task.unit.record
        queue.cause, queue.because = cause, because
        task.unit.take(start + ticks, (queue.index, queue.pc), record)
        queue.occupy(start, start + ticks)
        for tell in self.listeners["readied"]:
            tell(queue, task, record, because, start, start + ticks)

    def _finish(self, queue: Queue) -> None:
        """Commit the oldest task in flight of a queue."""
        done = queue.flight.popleft()
        _, index, pc, _, _, finish, task, payload, _, _ = done
        self.flying -= 1
        self.acting, self.record = (index, pc), done.record
        task.work.finish(payload)
        queue.count += 1
        queue.finished = finish
        self.retired += 1
        if queue.done and self.transfers and not self.flying:
            self._ended()
        for tell in self._tell_finished:
            tell(queue, done)
        if task.update is not None and not task.update[3]:
            number, op, value, _ = task.update
            self.waits.post(number, op, value, self.delay)

    def _ended(self) -> None:
        """Remember which transfers are in flight if no queue has anything left to do."""
        if all(queue.done for queue in self.queues):
            self.late = tuple(flight.origin for flight in self.transfers.values())

    # -- channels

    def make(self, maker: Resource, ticks: int) -> int:
        """Occupy something beside the queues for the instruction that acts, as soon as it is free.

        Returns the number of this.
        """
        record, start, because = self.records, max(self.now, maker.free_at), self.record
        self.records = record + 1
        if maker.free_at > self.now:
            because = maker.record
        maker.take(start + ticks, self.acting, record)
        for tell in self.listeners["made"]:
            tell(self.queues[self.acting[0]], record, because, start, maker.free_at)
        return record

    def issue(self, flight: Flight, at: int) -> None:
        """Put a transfer in flight; its shares reach their channels at a tick."""
        self.transfers[flight.key] = flight
        flight.record = self.record
        for tell in self.listeners["issued"]:
            tell(flight, self.now)
        self.push(at, ARRIVE, 0, flight)

    def _arrive(self, flight: Flight) -> None:
        for tell in self.listeners["queued"]:
            tell(flight, self.now)
        self.service.arrive(flight)

    def land(self, group: Group) -> None:
        """Shares have landed together: their bytes appear, then each of them posts."""
        flight, count = group.flight, group.count
        self.acting, self.record = flight.origin, group.record
        for tell in self.listeners["landed"]:
            tell(group, self.now)
        flight.cargo.write(group.shares, group.payload)
        flight.left -= count
        if not flight.left:
            del self.transfers[flight.key]
            if flight.landed is not None:
                flight.landed()
        if flight.semaphore is not None:
            self.waits.count(flight.semaphore, count, flight.notify)

    def pressing(self, rank: int) -> bool:
        """Whether something of at most this rank is still to be committed at this tick."""
        return bool(self._heap) and self._heap[0][:3] <= (self.now, COMMIT, rank)

    def say(self, text: str) -> None:
        """The instruction that starts says something."""
        for tell in self.listeners["said"]:
            tell(self.queues[self.acting[0]], text, self.now)

    # -- the end, and checkpoints

    def blocked(self) -> list[Queue]:
        """Queues with instructions left, of which none can start: asked when the heap is empty."""
        return [q for q in self.queues if not q.done and q.head is not None]

    def save(self) -> Any:
        """Everything that changes, what observers remember included."""
        return (
            (self.now, self.late, self.retired, self.flying, self._sequence),
            (self.acting, self.record, self.records),
            tuple(self._heap),
            tuple((flight, flight.left) for flight in self.transfers.values()),
            tuple(queue.save() for queue in self.queues),
            self.semaphores.save(),
            self.service.save(),
            self.resources.save(),
            tuple(pace.save() for pace in self.paces),
            tuple((observer, observer.save()) for observer in self._observers),
        )

    def restore(self, saved: Any) -> None:
        """Everything as it was when it was saved; observers that came later stay as they are."""
        numbers, acting, heap, transfers, queues, semaphores, service, *saved = saved
        self.now, self.late, self.retired, self.flying, self._sequence = numbers
        self.acting, self.record, self.records = acting
        resources, paces, observers = saved
        self._heap[:] = heap
        self.transfers.clear()
        for flight, left in transfers:
            self.transfers[flight.key], flight.left = flight, left
        for queue, state in zip(self.queues, queues, strict=True):
            queue.restore(state)
        self.service.restore(service)
        self.semaphores.restore(semaphores)
        self.resources.restore(resources)
        for pace, state in zip(self.paces, paces, strict=True):
            pace.restore(state)
        for observer, state in observers:
            observer.restore(state)
