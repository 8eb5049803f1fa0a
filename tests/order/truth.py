"""What of a run is in no order, by the definition alone: slow, and for counters that only go up.

A run is watched by an observer that knows nothing of how nasm judges it. Each event is forbidden
in turn, and everything else happens that can: an access races with an earlier one if it can begin
although the end of that one is forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nasm.debugger.session import Session
from nasm.isa.effects import Clear
from nasm.order.skeleton import (
    COMPLETES,
    LANDS,
    STARTS,
    CounterChange,
    CounterWait,
    Event,
    Issue,
    Step,
)
from nasm.program.program import Program
from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region, intersect, overlap
from nasm.views.view import View
from tests.order.oracle import Skeleton, rising

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""


class Access(NamedTuple):
    """What an instruction or its transfer does to some bytes; ``nth`` is its start in the run."""

    nth: int
    queue: int
    index: int
    moves: bool
    writes: bool
    adds: bool
    region: Region
    end: Event

    @property
    def owner(self) -> tuple[int, int]:
        """Instructions of a queue are in order; a transfer is apart from all."""
        return (self.queue, self.index) if self.moves else (self.queue, -1)


@dataclass(slots=True)
class Executed:
    """An instruction that was executed, and what it touched."""

    nth: int
    queue: int
    pc: int
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    flight: Flight | None = None
    shares: int = 0
    meeting: int = -1


class Log(Observer):
    """Writes down what a run executes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.queues: list[list[Executed]] = [[] for _ in session.program.queues]
        self._count = self._meetings = 0
        self._heads: dict[int, tuple[Region, ...]] = {}
        self._met: dict[int, int] = {}
        self._exchanged: dict[int, Flight] = {}
        session.machine.scheduler.observe(self)

    def head(self, queue: Queue, task: Task, now: int) -> None:
        if task.expand is not None:  # addressed by registers, which it reads
            self._heads[queue.index] = task.work.reads

    def started(self, queue: Queue, task: Task, now: int) -> None:
        at, work = queue.index, task.work
        reads = (*self._heads.pop(at, ()), *work.reads)
        made = Executed(self._count, at, queue.pc, reads, work.writes)
        made.meeting = self._met.pop(at, -1)
        made.flight = self._exchanged.pop(at, None)
        self.queues[at].append(made)
        self._count += 1

    def met(self, queues: Sequence[int]) -> None:
        for queue in queues:
            self._met[queue] = self._meetings
        self._meetings += 1

    def issued(self, flight: Flight, now: int) -> None:
        queue, _ = flight.origin
        if flight.landed is not None:  # moved while its instruction meets others
            self._exchanged[queue] = flight
        else:
            self.queues[queue][-1].flight = flight
            self.queues[queue][-1].shares = flight.left


class Undecided(Exception):
    """Counters do not only go up."""


class Truth:
    """What of a run is in no order.

    ``races`` are pairs of accesses, the one that began first in front; ``early`` are transfers
    into outputs that the host may read before they have landed.
    """

    def __init__(self, log: Log) -> None:
        self.program: Program = log.session.program
        self.executed = log.queues
        self.skeleton: Skeleton = [
            [self._step(queue, index, one) for index, one in enumerate(some)]
            for queue, some in enumerate(log.queues)
        ]
        if not rising(self.skeleton) or self._clears():
            raise Undecided("the definition is only decided for counters that go up")
        self._reach: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        self._landing: dict[Place, tuple[int, ...]] = {}
        region = log.session.machine.addresses.region
        outputs = (t for t in self.program.tensors.values() if t.role in ("output", "inout"))
        self._outputs = tuple(region(View.whole(tensor)) for tensor in outputs)

    # -- the skeleton

    def _clears(self) -> bool:
        """Whether anything cleared a range of counters: no step says so."""
        return any(
            self.program.instruction(queue, one.pc).row.effect is Clear
            for queue, some in enumerate(self.executed)
            for one in some
        )

    def _step(self, queue: int, index: int, one: Executed) -> Step:
        program, lines = self.program, self.program.queues[queue]
        wait, update = program.waits[lines.waits[one.pc]], program.updates[lines.updates[one.pc]]
        posts = program.instruction(queue, one.pc).row.posts
        return Step(
            queue,
            index,
            None if wait is None else CounterWait(wait.semaphore, wait.op, wait.value),
            None
            if update is None or posts
            else CounterChange(update.semaphore, update.op, update.value, update.at_read),
            Issue(one.flight.semaphore, one.shares) if one.flight and one.shares else None,
            self._after(queue, index, one),
            one.meeting,
        )

    def _after(self, queue: int, index: int, one: Executed) -> int:
        """The last earlier instruction of a queue that writes what one reads."""
        for before in range(index - 1, -1, -1):
            if intersect(one.reads, self.executed[queue][before].writes):
                return before
        return -1

    # -- accesses

    def accesses(self) -> Iterator[Access]:
        """All of them, by when they begin."""
        every = sorted((one for queue in self.executed for one in queue), key=lambda one: one.nth)
        counts = [0] * len(self.executed)
        for one in every:
            queue, index = one.queue, counts[one.queue]
            counts[queue] += 1
            starts, done = Event(STARTS, queue, index), Event(COMPLETES, queue, index)
            for region in one.reads:
                yield Access(one.nth, queue, index, False, False, False, region, starts)
            for region in one.writes:
                yield Access(one.nth, queue, index, False, True, False, region, done)
            flight = one.flight
            if flight is not None:
                over = Event(LANDS, queue, index) if one.shares else starts
                for region in flight.reads:
                    yield Access(one.nth, queue, index, True, False, False, region, over)
                for region in flight.writes:
                    yield Access(one.nth, queue, index, True, True, flight.adds, region, over)

    @cached_property
    def races(self) -> list[tuple[Access, Access]]:
        """Every pair of accesses that conflict and are in no order."""
        areas: dict[object, list[Access]] = {}
        for access in self.accesses():
            region = access.region
            areas.setdefault(region.area if region.area >= 0 else region.place, []).append(access)
        found, known = [], dict[tuple[Region, Region], bool]()
        for some in areas.values():
            if len({access.owner for access in some}) == 1 or not any(a.writes for a in some):
                continue
            for nth, later in enumerate(some):
                for earlier in some[:nth]:
                    if not _may_conflict(earlier, later):
                        continue
                    pair = earlier.region, later.region
                    if pair not in known:
                        known[pair] = overlap(*pair)
                    if known[pair] and not self.ordered(earlier.end, later.queue, later.index):
                        found.append((earlier, later))
        return found

    @cached_property
    def early(self) -> list[Place]:
        """The instructions whose transfers into outputs need not have landed at the end."""
        return [
            (queue, index)
            for queue, some in enumerate(self.executed)
            for index, one in enumerate(some)
            if one.flight is not None
            and one.shares
            and intersect(one.flight.writes, self._outputs)
            and self._ends_without(Event(LANDS, queue, index))
        ]

    # -- order

    def ordered(self, event: Event, queue: int, index: int) -> bool:
        """Whether an event comes before the start of an instruction in every execution."""
        return self._reached(event)[queue] <= index

    def _ends_without(self, event: Event) -> bool:
        everything = tuple(len(queue) for queue in self.skeleton)
        return self._reached(event) == everything

    def _reached(self, event: Event) -> tuple[int, ...]:
        """How many instructions of each queue start when an event never happens."""
        if event.kind == LANDS:
            place = event.queue, event.index
            if place not in self._landing:
                self._landing[place] = Rising(self.skeleton).without(event)
            return self._landing[place]
        key = event.kind, event.queue
        if key not in self._reach:
            rest = Rising(
                self.skeleton
            )  # what happens without one event happens without later ones
            self._reach[key] = [
                rest.without(Event(event.kind, event.queue, index))
                for index in range(len(self.skeleton[event.queue]))
            ]
        return self._reach[key][event.index]

    def line(self, access: Access) -> int:
        """The line of the text that an access is of."""
        span = self.program.span(access.queue, self.executed[access.queue][access.index].pc)
        assert span is not None
        return span.excerpt()[0]

    @cached_property
    def lines(self) -> set[frozenset[int]]:
        """The pairs of lines that race."""
        return {frozenset((self.line(a), self.line(b))) for a, b in self.races}


def _may_conflict(one: Access, other: Access) -> bool:
    """Whether two accesses are in conflict if they have a byte in common."""
    if not (one.writes or other.writes) or (one.adds and other.adds):
        return False
    if one.queue != other.queue:
        return True
    return one.index != other.index and (one.moves or other.moves)


class Rising:
    """What happens of a skeleton whose counters only go up, as far as nothing forbids it."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.started, self.completed = [0] * len(skeleton), [0] * len(skeleton)
        self.values: dict[int, int] = {}
        self.members: dict[int, list[Step]] = {}
        for queue in skeleton:
            for step in queue:
                if step.meeting >= 0:
                    self.members.setdefault(step.meeting, []).append(step)

    def without(self, event: Event) -> tuple[int, ...]:
        """Let everything happen but one event; how far the queues get."""
        while any([self._advance(at, event) for at in range(len(self.skeleton))]):
            pass
        return tuple(self.started)

    def _advance(self, at: int, event: Event) -> bool:
        queue, moved = self.skeleton[at], False
        while True:
            done = self.completed[at]
            if done < self.started[at] and event != Event(COMPLETES, at, done):
                self.completed[at] += 1
                self._change(queue[done], at_start=False)
                moved = True
                continue
            if self.started[at] == len(queue):
                return moved
            step = queue[self.started[at]]
            together = self.members[step.meeting] if step.meeting >= 0 else [step]
            if not all(self._ready(one, event) for one in together):
                return moved
            moved = True
            for one in together:
                self.started[one.queue] += 1
                self._change(one, at_start=True)
                if one.issue is not None and one.issue.counter is not None:
                    shares = one.issue.shares - (event == Event(LANDS, one.queue, one.index))
                    self._post(one.issue.counter, shares)

    def _ready(self, step: Step, event: Event) -> bool:
        if self.started[step.queue] != step.index or self.completed[step.queue] <= step.after:
            return False
        if event == Event(STARTS, step.queue, step.index):
            return False
        wait = step.wait
        return wait is None or self.values.get(wait.counter, 0) >= wait.value

    def _change(self, step: Step, at_start: bool) -> None:
        change = step.change
        if change is not None and change.at_start == at_start:
            self._post(change.counter, change.value)

    def _post(self, counter: int, value: int) -> None:
        self.values[counter] = self.values.get(counter, 0) + value
