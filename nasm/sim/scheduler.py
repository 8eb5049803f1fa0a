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

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from nasm.pace import Pace
from nasm.sim.channels import Channels, Flight, Group
from nasm.sim.counters import TRANSFER, Counters, Post, Who
from nasm.sim.events import EVENTS, Observer, listeners
from nasm.sim.queues import ORDER, Flying, Queue, Task
from nasm.sim.regions import intersect
from nasm.sim.resources import Resource, Resources
from nasm.sim.service import COMMIT, OVER, Service

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time

KNOWN = 100_000
"""Pairs of tasks of which it is remembered whether one reads what the other writes."""

ARRIVE, START = 1, 2
"""Phases of a tick, in order, behind COMMIT."""

NEVER = 1 << 62
"""A tick that no run reaches."""


class Scheduler:
    """Queues, channels, semaphores and resources, and the heap of what comes next.

    ``transfers`` are those in flight, by key; ``late`` those that had not landed when the last
    task of all queues completed. ``acting`` is the instruction that starts, completes, or issued
    what moves right now, ``record`` the number of that start or of the shares that move: every
    start has one, given in order, and ``records`` were given. Without ``interlock`` an engine does
    not wait for its own earlier results. While ``halted`` is set no event is processed: it may be
    set at any moment, by a signal handler or another thread.
    """

    CACHES = ("_overlaps", "_listeners", "_observers", "halted")

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
        self._listeners = tell
        self._tell_head, self._tell_waited = tell["head"], tell["waited"]
        self._tell_started, self._tell_finished = tell["started"], tell["finished"]

    def push(self, tick: int, phase: int, rank: int, what: Any) -> None:
        """Let something happen at a tick: in a phase of it, by rank, and then in order."""
        self._sequence += 1
        heappush(self._heap, (tick, phase, rank, self._sequence, what))

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
        if not queue.waited and not self._wait(queue, task, now):
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
        if (task.unit.waiting or task.needs is not None) and self._yields(queue, task, "unit"):
            return
        if task.expand is not None:
            self.acting = (queue.index, queue.pc)
            queue.head = task.expand()
            if queue.head.pace is not None:
                self._make_ready(queue, queue.head, now)
            self._attempt(queue)
            return
        if work.arrive is not None and queue.arrived is None:
            queue.arrived, queue.parked = now, True
            self.acting, self.record = (queue.index, queue.pc), queue.because
            work.arrive(now)
            return
        if task.ports and not self._ports(queue, task, now):
            return
        self._start(queue, task, now)

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
            self._ask(queue, task, self.now)
        queue.due = until
        self.push(until, START, queue.index, queue)

    def _ports(self, queue: Queue, task: Task, now: int) -> bool:
        """Whether a task can have the ports that it wants now; if not, it waits for its turn."""
        last = max(task.ports, key=lambda port: port.free_at)
        if last.free_at <= now:
            return not self._yields(queue, task, "port")
        queue.cause, queue.blocker, queue.because = "port", last, last.record
        self._stand(queue, task.ports, now)
        queue.due = last.free_at
        self.push(queue.due, START, queue.index, queue)
        return False

    def _wait(self, queue: Queue, task: Task, now: int) -> bool:
        """Whether the wait of a queue's head is over; if not, parks the queue or tries again."""
        assert task.wait is not None
        number, op, value = task.wait
        semaphore = self.semaphores[number]
        if not queue.parked:
            found = semaphore.visible(op, value, now)
            if found is None or found[1] is not None:
                queue.parked, queue.due = True, NEVER
                queue.cause, queue.poster, queue.because = "semaphore", None, -1
                queue.blocker = semaphore.by
                semaphore.parked.append(queue.index)
                if found is not None:
                    self._wake(queue, found)
                return False
        else:
            queue.parked = False
            semaphore.parked.remove(queue.index)
        queue.waited = True
        for tell in self._tell_waited:
            tell(queue, number, semaphore.by if queue.cause != "semaphore" else queue.blocker, now)
        return True

    def _wake(self, queue: Queue, found: tuple[int, Post | None]) -> None:
        """Let a parked queue go on at the tick at which it sees what it waits for."""
        at, post = found
        assert post is not None
        queue.due, queue.blocker = at, post.by
        queue.because, queue.poster = post.record, post.poster
        self.push(at, START, queue.index, queue)

    def _ask(self, queue: Queue, task: Task, now: int) -> None:
        """Wait for what a task occupies, in turn with the other queues that want it."""
        if task.contended:
            self._stand(queue, task.resources, now)

    def _stand(self, queue: Queue, resources: Sequence[Resource], now: int) -> None:
        """Stand in line for resources, from now on unless it does already."""
        queue.asked = True
        for resource in resources:
            resource.waiting.setdefault(queue.index, now)

    def _yields(self, queue: Queue, task: Task, cause: str) -> bool:
        """Whether another queue goes first, so that this one tries again after it.

        One that has waited longer does if it is due now, or was passed over before.
        """
        now, resources = self.now, task.ports if cause == "port" else task.resources
        for resource in resources:
            asked = resource.waiting.get(queue.index, now)
            for index, since in resource.waiting.items():
                due = self.queues[index].due
                passed = index in resource.passed and due >= now
                if (since, index) < (asked, queue.index) and (due == now or passed):
                    if due > now:
                        self._stand(queue, resources, now)
                        queue.due, queue.cause, queue.blocker = due, cause, resource
                        queue.because = resource.record
                    behind = len(self.queues) + self._sequence  # whoever yielded before, too
                    self.push(due, START, behind, queue)
                    return True
        return False

    def release(self, index: int, at: int) -> None:
        """Let a parked queue start its head at a tick."""
        queue = self.queues[index]
        queue.parked = False
        if at > (queue.arrived or 0):
            queue.cause, queue.because = "core", self.record
        queue.due = at
        self.push(at, START, index, queue)

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
            self.post(number, op, value, self.delay)
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
            self._make_ready(queue, task, least)
        tick = task.unit.free_at if task.needs is None else task.needs.free_at
        if tick > least:
            if task.unit.shared or task.needs is not None:
                self._ask(queue, task, least)
            queue.cause, queue.blocker = "unit", task.unit
            queue.because = task.unit.record if task.needs is None else task.needs.record
        else:
            tick = least
            queue.cause, queue.blocker, queue.because = ORDER, None, queue.record
        queue.reached = queue.due = tick
        for tell in self._tell_head:
            tell(queue, task, queue.reached)
        return task

    def _make_ready(self, queue: Queue, task: Task, least: int) -> None:
        """Make the unit of a queue's next task ready, as soon as it is free."""
        assert task.pace is not None
        ticks = task.pace.ahead(task.key)
        if not ticks:
            return
        record = self.records
        self.records = record + 1
        start = max(task.unit.free_at, least)
        because = task.unit.record if task.unit.free_at > least else queue.record
        task.unit.take(start + ticks, (queue.index, queue.pc), record)
        queue.occupy(start, start + ticks)
        for tell in self._listeners["readied"]:
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
            self.post(number, op, value, self.delay)

    def _ended(self) -> None:
        """Remember which transfers are in flight if no queue has anything left to do."""
        if all(queue.done for queue in self.queues):
            self.late = tuple(flight.origin for flight in self.transfers.values())

    # -- semaphores

    def post(self, number: int, op: str, value: int, delay: int, poster: int | None = None) -> None:
        """Change a semaphore now; a queue that waits for it may start ``delay`` later.

        ``poster`` is the queue that acts, or ``TRANSFER``.
        """
        semaphore, now = self.semaphores[number], self.now
        who = self.acting[0] if poster is None else poster
        post = _tuple(Post, (now + delay, op, value, self.acting, self.record, who))
        if not semaphore.post(post, now):
            for tell in self._listeners["unchanged"]:
                tell(number, semaphore, self.acting, now)
            return
        for tell in self._listeners["posted"]:
            tell(number, semaphore, now)
        for index in semaphore.parked:
            queue = self.queues[index]
            assert queue.head is not None
            assert queue.head.wait is not None
            _, compare, want = queue.head.wait
            found = semaphore.visible(compare, want, now)
            if found is not None and found[0] < queue.due:
                self._wake(queue, (found[0], found[1] or post))

    # -- channels

    def issue(self, flight: Flight, at: int) -> None:
        """Put a transfer in flight; its shares reach their channels at a tick."""
        self.transfers[flight.key] = flight
        flight.record = self.record
        for tell in self._listeners["issued"]:
            tell(flight, self.now)
        self.push(at, ARRIVE, 0, flight)

    def _arrive(self, flight: Flight) -> None:
        for tell in self._listeners["queued"]:
            tell(flight, self.now)
        self.service.arrive(flight)

    def land(self, group: Group) -> None:
        """Shares have landed together: their bytes appear, then each of them posts."""
        flight, count = group.flight, group.count
        self.acting, self.record = flight.origin, group.record
        for tell in self._listeners["landed"]:
            tell(group, self.now)
        flight.cargo.write(group.shares, group.payload)
        flight.left -= count
        if not flight.left:
            del self.transfers[flight.key]
            if flight.landed is not None:
                flight.landed()
        if flight.semaphore is not None:
            self._count(flight.semaphore, count, flight.notify)

    def _count(self, number: int, count: int, notify: int) -> None:
        """Post 1 for each of some shares: at once, unless a queue waits for one of the values."""
        each = 1
        for index in self.semaphores[number].parked:
            task = self.queues[index].head
            if task is not None and task.wait is not None and task.wait[1] == "==":
                break
        else:
            each, count = count, 1
        for _ in range(count):
            self.post(number, "+", each, notify, TRANSFER)

    def pressing(self, rank: int) -> bool:
        """Whether something of at most this rank is still to be committed at this tick."""
        return bool(self._heap) and self._heap[0][:3] <= (self.now, COMMIT, rank)

    def listeners(self, event: str) -> tuple[Any, ...]:
        """Who is told of an event."""
        return self._listeners[event]

    def say(self, text: str) -> None:
        """The instruction that starts says something."""
        for tell in self._listeners["said"]:
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
