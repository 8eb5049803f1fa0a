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
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from nasm.isa.pace import Pace
from nasm.sim.bursts import Bursts, Event
from nasm.sim.channels import Channels, Group
from nasm.sim.contention import Contention
from nasm.sim.counters import Counters, Who
from nasm.sim.events import EVENTS, Observer, hear_bursts, listeners
from nasm.sim.gates import Gates
from nasm.sim.interlock import Interlock
from nasm.sim.queues import NEVER, ORDER, Flying, Queue, Task
from nasm.sim.resources import Resources
from nasm.sim.service import ARRIVE, COMMIT, START, TURN, Service
from nasm.sim.waits import Waits

if TYPE_CHECKING:
    from nasm.sim.rounds import RoundFinder

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time

Poise = Callable[[Queue, Task], bool]
"""Whether to stop before a task starts that nothing keeps from starting any more."""


class Scheduler:
    """Queues, channels, semaphores and resources, and the heap of what comes next.

    ``transfers`` are those in flight, by key; ``late`` those that had not landed when the last
    task of all queues completed. ``acting`` is the instruction that starts, completes, or issued
    what moves right now, ``record`` the number of that start or of the shares that move: every
    start has one, given in order, and ``records`` were given. ``listeners`` are the observers of
    each event, ``interlock`` what a task waits for in its own queue: nothing, where engines have
    none. While ``halted`` is set no event is processed: it may be set at any moment, by a signal
    handler or another thread.

    ``position`` is how many events were processed. ``poise``, if there is one, is asked before each
    start; if it objects, the run is ``poised``: the start has not happened, and is what comes next.
    ``poised_at`` is where each queue was so last: the pc, and the record of the start before it.
    """

    CACHES = (
        "listeners", "observers", "halted", "merged", "poise", "_rounds", "_bursting", "_anchor",
    )  # fmt: skip

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
        self.gates = Gates(self)
        self.bursts = Bursts(self)
        self.service = Service(self, channels, supply)
        self.resources = Resources()
        self.delay, self.paces = delay, list(paces)
        self.interlock = Interlock(interlock)
        self.transfers = self.service.transfers
        self.late: tuple[Who, ...] = ()
        self.retired = 0
        self.flying = 0
        self.acting: Who = (0, 0)
        self.record = -1
        self.records = 0
        self.position = 0
        self.poised = False
        self.poised_at: dict[int, tuple[int, int]] = {}
        self.poise: Poise | None = None
        self.halted = self.merged = False
        self.heap: list[Event] = []
        self._sequence = 0
        self._bursting = False
        self._rounds: Any = None
        self._anchor: Queue | None = None
        self.observers: list[Observer] = []
        self.listeners: Mapping[str, tuple[Callable[..., None], ...]] = {}
        self._listen()

    # -- building

    def repeat(self, rounds: RoundFinder | None) -> None:
        """Let rounds that repeat themselves be one event; with None, not any more."""
        self._rounds, self._anchor = rounds, None

    def add_queue(self, queue: Queue) -> None:
        """Declare a queue; the order of declaration is the order of service at one tick."""
        self.queues.append(queue)
        if not queue.done:
            self.push(self.now, START + queue.index, queue)

    def observe(self, *observers: Observer) -> None:
        """Tell observers of everything that happens from now on."""
        self.observers += observers
        self._listen()

    def ignore(self, *observers: Observer) -> None:
        """Tell observers nothing more."""
        for observer in observers:
            self.observers.remove(observer)
        self._listen()

    def _listen(self) -> None:
        tell = {event: listeners(self.observers, event) for event in EVENTS}
        self.listeners = tell
        self._tell_head, self._tell_idle = tell["head"], tell["idle"]
        self._tell_started, self._tell_finished = tell["started"], tell["finished"]
        self.bursts.heard = hear_bursts(self.observers)

    def push(self, tick: int, rank: int, what: Any) -> None:
        """Let something happen at a tick: by rank, and then in order."""
        self._sequence += 1  # as number does, which costs a call
        heappush(self.heap, (tick, rank, self._sequence, what))

    def number(self) -> int:
        """The next number for an event: of those of a tick and a rank the least comes first."""
        self._sequence += 1
        return self._sequence

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""
        queue.due = tick
        self.push(tick, START + queue.index, queue)

    def retry_last(self, queue: Queue, tick: int) -> None:
        """The same, but after all that try at that tick: by now, the last one."""
        queue.due = tick
        self.push(tick, START + len(self.queues) + self._sequence, queue)

    # -- running

    @property
    def idle(self) -> bool:
        """Whether nothing is left on the heap: the run is over, or deadlocked."""
        return not self.heap

    def coming(self) -> list[tuple[int, Any]]:
        """What is to happen, in order: a tick, and a queue, a server, a transfer or shares."""
        return [(tick, what) for tick, _, _, what in sorted(self.heap, key=itemgetter(0, 1, 2))]

    @property
    def remaining(self) -> bool:
        """Whether some queue has instructions that are not complete."""
        return self.flying > 0 or not all(queue.done for queue in self.queues)

    @property
    def stuck(self) -> bool:
        """Whether nothing is in progress, and nothing that is left can start."""
        return not (self.flying or self.transfers) and all(
            queue.done
            or queue.arrived is not None
            or self.gates.shut(queue)
            or self.waits.vain(queue)
            for queue in self.queues
        )

    def run(
        self, events: int, until: int | None = None, retire: int | None = None, bursts: bool = False
    ) -> int:
        """Process at most ``events`` events, none after ``until``; returns how many there were.

        Stops early once ``retired`` has reached ``retire``, or when it is ``halted`` or ``poised``.
        The clock goes to ``until`` if the next event is later. With ``bursts`` many instructions
        may be one event, where that changes nothing else; ``merged`` is set where some were.
        """
        heap, limit = self.heap, NEVER if until is None else until
        begun = self.position
        self._bursting = bursts and self.bursts.begin(limit, retire)
        rounds = self._rounds
        self._anchor = rounds.begin(limit, retire) if bursts and rounds is not None else None
        if self.poised and heap and events and not self.halted:
            self.poised = heap[0][0] > limit
        for self.position in range(begun + 1, begun + events + 1):
            if not heap or self.halted:
                self.position -= 1
                return self.position - begun
            tick, rank, _, what = event = heappop(heap)
            if tick > limit:
                heappush(heap, event)
                self.now = max(self.now, limit)
                self.position -= 1
                return self.position - begun
            self.now = tick
            if rank >= START:
                if what.due == tick:  # or it has been woken earlier than it was to be
                    self.attempt(what)
                    if self.poised:
                        heappush(heap, event)
                        self.position -= 1
                        return self.position - begun
            elif rank == COMMIT:
                self.finish(what)
                if retire is not None and self.retired >= retire:
                    return self.position - begun
            elif rank == ARRIVE:
                self.service.arrive(what)
            elif rank == TURN:
                self.service.turn(what)
            elif type(what) is Group:
                self.service.land(what)
            else:
                self.service.over(what)
        return events

    def attempt(self, queue: Queue) -> None:
        """Start the head of a queue if nothing blocks it, or try again when it may."""
        now = self.now
        if now > queue.busy_until:
            for tell in self._tell_idle:
                tell(queue, now)
            queue.account(now)
        task = queue.head
        if task is None:
            if queue.expand is not None and not self._entered(queue):
                return
            task = self.bring_up(queue, now)
        if queue.missing is not None:
            if not self._came(queue, now):
                return
            task = queue.head
            assert task is not None
        if not queue.waited and not self.waits.over(queue, now):
            return
        if task.plain:
            unit, behind = task.unit, queue.behind
            if unit.free_at > now or (behind is not None and behind.finish > now):
                self._hold(queue, task, unit.free_at)
                return
            if unit.waiting and self.contention.yields(queue, (unit,), "unit"):
                return
        elif not self._may_start(queue, task, now):
            return
        if task.ports and not self.contention.ports(queue, task, now):
            return
        if self.poise is not None and self.poise(queue, task):
            self.poised = True
            self.poised_at[queue.index] = queue.pc, queue.record
            return
        if self._bursting and task.leads and self.bursts.made(queue, task):
            self.merged = True
            return
        if queue is self._anchor and queue.pc >= (rounds := self._rounds).at and rounds.made():
            task, now, self.merged = queue.fetch(queue.pc)[0], self.now, True
        self._start(queue, task, now)

    def _entered(self, queue: Queue) -> bool:
        """Expand the first instruction of a queue; whether there is anything to execute."""
        queue.enter(queue.pc)
        queue.done = queue.pc >= queue.length and not queue.resume
        if queue.done:
            self._gone(queue)
        return not queue.done

    def _gone(self, queue: Queue) -> None:
        """A queue has reached its end without another start: others may have waited for that."""
        queue.head = queue.wait = None
        queue.done, queue.due = True, NEVER
        if self.gates.closed_queues:
            self.gates.changed(queue.core, self.now + 1)

    def revive(self, index: int) -> None:
        """Let a queue that has reached its end begin again in the next tick."""
        queue, now = self.queues[index], self.now
        if not queue.done:
            return
        for tell in self._tell_idle:
            tell(queue, now)
        queue.account(now)
        queue.pc, queue.done, queue.due = 0, False, now + 1
        queue.cause, queue.blocker, queue.because = ORDER, None, self.record
        self.push(queue.due, START + index, queue)

    def _came(self, queue: Queue, now: int) -> bool:
        """Whether what was missing at the head of a queue is there now, and may try to start."""
        self.acting = (queue.index, queue.pc)
        queue.enter(queue.pc)
        if self.gates.closed(queue, lambda: queue.missing):
            return False
        if queue.pc >= queue.length and not queue.resume:
            self._gone(queue)
            return False
        cause, because, reached = queue.cause, queue.because, queue.reached
        self.bring_up(queue, now)
        queue.reached = reached
        if queue.due > now:
            self.push(queue.due, START + queue.index, queue)
            return False
        queue.cause, queue.because = cause, because
        return True

    def _may_start(self, queue: Queue, task: Task, now: int) -> bool:
        """Whether nothing but a port can block a task that is not plain; if not, it tries again."""
        work, behind = task.work, queue.behind
        free, gated = task.free_at, False
        if work.gate is not None and (ready := work.gate()) > free:
            free, gated = ready, True
        if free > now or (behind is not None and behind.finish > now):
            self._hold(queue, task, free, gated)
            return False
        contended = task.unit.waiting or task.needs is not None
        if contended and self.contention.yields(queue, task.resources, "unit"):
            return False
        if task.expand is not None:
            self.acting = (queue.index, queue.pc)
            task = queue.head = task.expand()
            if task.pace is not None:
                self._make_ready(queue, task, now, queue.cause, queue.because)
            queue.behind = self.interlock.writer(queue, task, now)
            self.attempt(queue)
            return False
        if work.condition is not None:
            self.acting = (queue.index, queue.pc)
            if self.gates.closed(queue, work.condition):
                return False
        if work.arrive is not None and queue.arrived is None:
            self._arrived(queue, task, now)
            return False
        return True

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

    def _hold(self, queue: Queue, task: Task, free: int, gated: bool = False) -> None:
        """Let the head of a queue try again when a result is there, or its unit is free.

        An engine value it needs is what it would wait for until it is ``free`` if it is ``gated``.
        """
        behind = queue.behind
        queue.cause = "data"
        if behind is not None and behind.finish > free:
            queue.blocker, queue.because = (queue.index, behind.pc), behind.record
            free = behind.finish
        elif gated:
            held = (flying.record for flying in queue.flight if flying.until == free)
            queue.blocker, queue.because = None, next(held, queue.record)
        else:
            queue.cause, queue.blocker = "unit", task.unit
            queue.because = task.unit.record if task.needs is None else task.needs.record
            if task.contended:
                self.contention.stand(queue, task.resources, self.now)
        self.retry(queue, free)

    def release(self, index: int, at: int) -> None:
        """Let a parked queue start its head at a tick."""
        queue = self.queues[index]
        queue.parked = False
        if at > (queue.arrived or 0):
            queue.cause, queue.because = queue.holder, self.record
        self.retry(queue, at)

    def _start(self, queue: Queue, task: Task, now: int) -> None:
        index, pc, work = queue.index, queue.pc, task.work
        record = self.records
        self.records = record + 1
        self.acting = acting = (index, pc)
        self.record = queue.record = record
        interval, latency = task.interval, task.latency
        if task.pace is not None:
            interval, latency = task.pace.at(task.key, now, interval, latency)
        queue.interval, queue.latency = interval, latency
        for tell in self._tell_started:
            tell(queue, task, now)
        payload = work.start(now)
        if queue.expand is None and not queue.resume:
            queue.pc = payload if work.branches and payload is not None else pc + 1
        else:
            queue.advance(payload if work.branches else None)
        busy = now + interval
        if task.needs is None:
            unit = task.unit  # as Resource.take does, which costs a call
            unit.free_at = unit.shared_at = busy
            unit.holder, unit.record = acting, record
        else:
            task.needs.take(now, busy, acting, record)
        for port in task.ports:
            port.take(busy, acting, record)
            if port.waiting:
                port.leave(index)
        if queue.asked:
            queue.asked = False
            for resource in task.resources:
                resource.leave(index)
        since = queue.busy_until
        if busy > since:
            queue.busy += busy - (since if since > now else now)
            queue.busy_until = busy
        finish = now + latency
        if finish < queue.last_finish:
            finish = queue.last_finish
        queue.last_finish = finish
        arrived = queue.arrived
        if arrived is None:
            arrived = now
        else:
            queue.arrived = None
        flying = (
            queue.core, index, pc, queue.reached, arrived, finish, task, payload, busy, record,
        )  # fmt: skip
        queue.flight.append(_tuple(Flying, flying))
        self.flying += 1
        heap = self.heap
        self._sequence += 1  # as push does, which costs a call
        heappush(heap, (finish, COMMIT, self._sequence, queue))
        update = task.update
        if update is not None and update[3]:
            self.waits.post(update[0], update[1], update[2], self.delay)
        self.go_on(queue, task.issue)

    def go_on(self, queue: Queue, issue: int) -> None:
        """Bring up what follows in a queue on what has just started."""
        if queue.pc < queue.length or queue.resume:
            self.bring_up(queue, self.now + issue)
            self._sequence += 1
            heappush(self.heap, (queue.due, START + queue.index, self._sequence, queue))
        else:
            queue.head = queue.wait = queue.behind = None
            queue.done, queue.due = True, NEVER
        if self.gates.closed_queues:
            self.gates.changed(queue.core, self.now + 1)

    def bring_up(self, queue: Queue, least: int) -> Task:
        """The next task becomes the head, and may start when its unit is free, or at ``least``.

        It tries to at once, unless all that it will have to wait for is an earlier result.
        """
        task, wait = queue.head, queue.wait = queue.fetch(queue.pc)
        queue.waited = wait is None
        if queue.missing is not None:
            queue.cause, queue.blocker, queue.because = ORDER, None, queue.record
            queue.reached = queue.due = least
            queue.behind = None
            return task
        if task.pace is not None:
            self._make_ready(queue, task, least, ORDER, queue.record)
        unit, needs = task.unit, task.needs
        tick = unit.free_at if needs is None else needs.free_at
        if tick > least:
            if (unit.shared or needs is not None) and task.contended:
                self.contention.stand(queue, task.resources, least)
            queue.cause, queue.blocker = "unit", unit
            queue.because = unit.record if needs is None else needs.record
        else:
            tick = least
            queue.cause, queue.blocker, queue.because = ORDER, None, queue.record
        queue.reached = queue.due = tick
        queue.behind = None
        if queue.last_finish > tick and task.work.reads:
            behind = queue.behind = self.interlock.writer(queue, task, tick)
            if behind is not None and task.plain and wait is None and not unit.shared:
                queue.cause, queue.because = "data", behind.record
                queue.blocker, queue.due = (queue.index, behind.pc), behind.finish
        for tell in self._tell_head:
            tell(queue, task, tick)
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

    def finish(self, queue: Queue) -> None:
        """Commit the oldest task in flight of a queue."""
        done = queue.flight.popleft()
        _, index, pc, _, _, finish, task, payload, _, self.record = done
        self.flying -= 1
        self.acting = (index, pc)
        task.work.finish(payload)
        queue.count += 1
        queue.finished = finish
        self.retired += 1
        if queue.done and self.transfers and not self.flying:
            self._ended()
        for tell in self._tell_finished:
            tell(queue, done)
        update = task.update
        if update is not None and not update[3]:
            self.waits.post(update[0], update[1], update[2], self.delay)
        if self.gates.closed_queues:
            self.gates.completed(queue.core)

    def _ended(self) -> None:
        """Remember which transfers are in flight if no queue has anything left to do."""
        if all(queue.done for queue in self.queues):
            self.late = tuple(flight.origin for flight in self.transfers.values())

    # -- what others ask

    def pressing(self, rank: int) -> bool:
        """Whether something of at most this rank is still to be committed at this tick."""
        return bool(self.heap) and self.heap[0][:2] <= (self.now, rank)

    def say(self, text: str) -> None:
        """The instruction that starts says something."""
        for tell in self.listeners["message_printed"]:
            tell(self.queues[self.acting[0]], text, self.now)

    # -- the end, and checkpoints

    def blocked(self) -> list[Queue]:
        """Queues with instructions left, of which none can start: asked when the heap is empty."""
        return [q for q in self.queues if not q.done and q.head is not None]

    def save(self) -> Any:
        """Everything that changes, what observers remember included."""
        return (
            (self.now, self.late, self.retired, self.flying, self._sequence),
            (self.position, self.poised, dict(self.poised_at)),
            (self.acting, self.record, self.records),
            tuple(self.heap),
            tuple(queue.save() for queue in self.queues),
            self.semaphores.save(),
            self.service.save(),
            self.resources.save(),
            tuple(pace.save() for pace in self.paces),
            self.gates.save(),
            tuple((observer, observer.save()) for observer in self.observers),
        )

    def restore(self, saved: Any) -> None:
        """Everything as it was when it was saved; observers that came later stay as they are."""
        numbers, where, acting, heap, queues, semaphores, service, *saved = saved
        self.now, self.late, self.retired, self.flying, self._sequence = numbers
        self.position, self.poised, poised_at = where
        self.poised_at = dict(poised_at)
        self.acting, self.record, self.records = acting
        resources, paces, gates, observers = saved
        self.gates.restore(gates)
        self.heap[:] = heap
        for queue, state in zip(self.queues, queues, strict=True):
            queue.restore(state)
        self.service.restore(service)
        self.semaphores.restore(semaphores)
        self.resources.restore(resources)
        for pace, state in zip(self.paces, paces, strict=True):
            pace.restore(state)
        for observer, state in observers:
            observer.restore(state)
        if self._rounds is not None:
            self._rounds.forget()
