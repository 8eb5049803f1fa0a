"""Queues and the tasks in them: what is blocked on what, and where the time went."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from nasm.base.records import dataclass, field
from nasm.isa.core_state import Blocked
from nasm.isa.micro_instructions import Elsewhere, Micro, numbered
from nasm.isa.pace import Pace
from nasm.sim.counters import Who
from nasm.sim.resources import Needs, Resource
from nasm.views.regions import Region

CAUSES = ("semaphore", "data", "unit", "port", "core", "rank", "empty")
"""Why no instruction of a queue is at work: the next waits for a semaphore, for a result of its
own engine, for its unit, for a port to a memory, for another core or for other ranks; or there is
none. What conditions of instructions wait for has names of its own: see ``Blocked.cause``."""

ORDER = "queue"
"""The constraint of a start that nothing else delayed: instructions start one after another."""

NEVER = 1 << 62
"""A tick that no run reaches."""

Idle = tuple[str, int | None]
"""A cause, and of a semaphore which queue posted what ended the wait: see ``Semaphore.poster``."""

Wait = tuple[int, str, int]
"""A semaphore, a comparison, and a value."""

Post = tuple[int, str, int, bool]
"""A semaphore, what to do with it, a value, and whether as soon as the task starts."""


@dataclass(slots=True, eq=False)
class Work:
    """What a task does: functions, and the regions that these touch.

    ``start(now)`` returns what ``finish(payload)`` gets. If it ``branches``, that is the next pc,
    or None for the next one. ``gate`` says from which tick on the engine values it needs are ready.
    ``arrive(now)`` is called before it starts; its queue is then parked until it is released, and
    waits for what is ``held_by``. If it ``reads_on``, what it reads must stay until it completes.
    ``condition`` says what keeps it from starting once nothing else does. ``uses`` and ``sets``
    name the values of its engine that it needs and replaces, and ``clears`` are the semaphores that
    it sets to 0. ``number`` is this work's own, from 0 on; by one below 0 nothing may be cached.
    """

    number: int
    start: Callable[[int], Any]
    finish: Callable[[Any], None]
    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    gate: Callable[[], int] | None = None
    branches: bool = False
    arrive: Callable[[int], None] | None = None
    held_by: str = "core"
    reads_on: bool = False
    condition: Callable[[], Blocked | None] | None = None
    uses: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    clears: range = range(0)


@dataclass(slots=True, eq=False)
class Task:
    """An instruction as the scheduler sees it.

    It occupies ``unit`` for ``interval`` ticks, or what it ``needs`` where that is not simply one
    resource, and completes ``latency`` ticks after its start; its ``pace`` may know better, which
    is asked with ``key``. For its interval it also holds ``ports``, for which it asks when nothing
    else keeps it from starting. One with ``expand`` is replaced by another, which it makes when it
    is about to start: its ``work`` only says what that depends on. Its queue starts nothing else
    for the ticks of its ``issue``. ``leads`` says whether there are bursts that begin with it. A
    ``plain`` one has nothing of the rest but ports, a pace and its issue, nor a gate, an arrival or
    a condition: it occupies one unit.
    """

    work: Work
    interval: int
    latency: int
    unit: Resource
    needs: Needs | None = None
    update: Post | None = None
    expand: Callable[[], Task] | None = None
    ports: tuple[Resource, ...] = ()
    pace: Pace | None = None
    key: Hashable = None
    issue: int = 1
    leads: bool = True
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        work = self.work
        free = work.gate is None and work.arrive is None and work.condition is None
        self.plain = free and self.needs is None and self.expand is None

    @property
    def free_at(self) -> int:
        """When what it occupies is free."""
        return self.unit.free_at if self.needs is None else self.needs.free_at

    @property
    def contended(self) -> bool:
        """Whether other queues want some of what it occupies."""
        return self.unit.shared or (
            self.needs is not None and any(r.shared for r in self.needs.resources)
        )

    @property
    def resources(self) -> tuple[Resource, ...]:
        """What it could occupy."""
        return (self.unit,) if self.needs is None else self.needs.resources


Expand = Callable[[int], Sequence[Any] | Blocked | Elsewhere | None]
"""What the instruction at a pc expands to, in order; None if that itself is executed. It is called
once, when the instruction reaches the head of its queue; again where it has not come there yet. The
queue may continue elsewhere."""

Fetched = tuple[Task, Wait | None]
"""The content of a pc of a queue: a task, which several may share, and what it waits for here."""


class Flying(NamedTuple):
    """A task that has started and not completed; ``head`` is when it was next in its queue.

    Its interval ends ``until``; ``record`` is the number of its start.
    """

    core: int
    queue: int
    pc: int
    head: int
    start: int
    finish: int
    task: Task
    payload: Any
    until: int
    record: int


class Queue:
    """An in-order stream of tasks with its own state and counters (all times in ticks).

    ``engine`` is what its tasks run on; several queues may have the same. ``head`` is its next
    task, ``wait`` the semaphore that this waits for, and ``waited`` whether that is over.
    ``blocker`` is what its next task waits for, or waited for last: what posts, a resource, or what
    makes the data; ``because`` is the number of the start, or of the shares, that ended that,
    ``poster`` who posted if it was a semaphore. ``behind`` is the earlier task of the queue whose
    result the next one has to wait for, if that was not there when it became the next. ``asked``
    says that it waits for a resource in turn, ``due`` when it tries again. ``record`` is the number
    of its last start; ``interval`` and ``latency`` are what that took. ``resume`` are the pcs at
    which it continues after blocks of tasks that were put before its own, the last one first;
    ``put`` is where such blocks begin, and where the last one ends. ``blocked`` is what the
    condition of its next task said last, unless that may start. ``burst`` plans the execution of
    many at once, if anything can. ``expand`` is asked for what replaces an instruction, if anything
    is; of such its pc is a ``Micro``, and ``expansion`` has those that belong to its pc. What
    has not reached the head of the queue yet is ``missing``: the head then only represents it.
    """

    __slots__ = (
        "arrived",
        "asked",
        "because",
        "behind",
        "blocked",
        "blocker",
        "burst",
        "busy",
        "busy_until",
        "cause",
        "core",
        "count",
        "done",
        "due",
        "engine",
        "expand",
        "expansion",
        "fetch",
        "finished",
        "flight",
        "head",
        "index",
        "interval",
        "last_finish",
        "latency",
        "length",
        "mark",
        "missing",
        "parked",
        "pc",
        "poster",
        "put",
        "reached",
        "record",
        "resume",
        "wait",
        "waited",
        "waiting",
    )  # fmt: skip
    CHANGES = (
        "pc", "head", "wait", "waited", "parked", "arrived", "asked", "behind", "blocked",
        "blocker", "done", "due", "reached", "last_finish", "count", "finished", "busy",
        "busy_until", "mark", "cause", "because", "poster", "record", "interval", "latency",
        "resume", "expansion", "missing",
    )  # fmt: skip

    HEAD: ClassVar[Mapping[str, Any]] = {
        "head": None, "wait": None, "waited": False, "parked": False, "asked": False,
        "behind": None, "blocked": None,
    }  # fmt: skip
    """What changes with the head and follows from trying to start it, as it is before that."""

    def __init__(
        self, core: int, engine: str, index: int, length: int, fetch: Callable[[int], Fetched]
    ) -> None:
        self.core, self.engine, self.index = core, engine, index
        self.length, self.fetch = length, fetch
        self.pc = 0
        self.head: Task | None = None
        self.wait: Wait | None = None
        self.waited = False
        self.parked = False
        self.arrived: int | None = None
        self.asked = False
        self.behind: Flying | None = None
        self.blocked: Blocked | None = None
        self.blocker: Resource | Who | None = None
        self.done = length == 0
        self.due = 0
        self.reached = 0
        self.flight: deque[Flying] = deque()
        self.last_finish = 0
        self.count = 0
        self.finished = 0
        self.busy = 0
        self.busy_until = 0
        self.mark = 0
        self.cause = ORDER
        self.because = -1
        self.poster: int | None = None
        self.record = -1
        self.interval = self.latency = 0
        self.resume: tuple[int, ...] = ()
        self.put: tuple[int, ...] = ()
        self.waiting: dict[Idle, int] = {}
        self.expand: Expand | None = None
        self.burst: Any = None
        self.expansion: Sequence[Any] = ()
        self.missing: Blocked | None = None

    @property
    def started(self) -> int:
        """How many of its tasks have started: the number of the next one."""
        return self.count + len(self.flight)

    def enter(self, pc: int) -> None:
        """Continue at a pc: at the first instruction that it or those after it are expanded to."""
        self.expansion, self.missing = (), None
        while self.expand is not None and pc < self.length:
            found = self.expand(pc)
            if found is None:
                break
            if isinstance(found, Blocked):
                self.missing = found
                break
            if isinstance(found, Elsewhere):
                pc = int(found)
                continue
            if len(found):
                self.expansion, pc = found, numbered(pc, 0, found)
                break
            pc += 1
        self.pc = pc

    def advance(self, to: int | None) -> None:
        """Continue after the instruction that has started, or at the pc to which that branches."""
        pc = self.pc
        if self.resume:
            pc, self.resume = self.following() if to is None else self._jump(to)
            self.enter(pc)
        elif to is not None:
            self.enter(to)
        elif type(pc) is not Micro or pc.last:
            self.enter(int(pc) + 1)
        else:
            self.pc = numbered(pc, pc.micro + 1, self.expansion)

    def following(self) -> tuple[int, tuple[int, ...]]:
        """The pc at which it continues after its next task, and where it has to resume then."""
        pc = int(self.pc) + 1
        if not self.resume or pc < self.block(pc - 1).stop:
            return pc, self.resume
        *rest, pc = self.resume
        return pc, tuple(rest)

    def block(self, pc: int) -> range:
        """The block that was put before its own tasks and has a pc."""
        at = bisect_right(self.put, pc)
        return range(self.put[at - 1], self.put[at])

    def _jump(self, to: int) -> tuple[int, tuple[int, ...]]:
        """The same if a task of a block branches: within it, to its end, or among its own tasks."""
        block = self.block(int(self.pc))
        if to in block and to != self.length:  # no loop begins with its head: that is its own end
            return to, self.resume
        if to == block.stop:
            *rest, to = self.resume
            return to, tuple(rest)
        return to, ()

    def ahead(self) -> Iterator[int]:
        """The pcs of what was put before its own tasks and is still to start, in order.

        Of what branches back it is this round.
        """
        for pc in self.within():
            yield from range(pc, self.block(pc).stop)

    def within(self) -> list[int]:
        """Its place in each block that was put before its own tasks, the last one first."""
        return [int(pc) for pc in (self.pc, *reversed(self.resume[1:]))] if self.resume else []

    def account(self, now: int) -> None:
        """Charge the idle time up to now to what the head waits for."""
        since = self.mark if self.mark > self.busy_until else self.busy_until
        if now > since:
            idle = self.idling()
            self.waiting[idle] = self.waiting.get(idle, 0) + now - since
        self.mark = now

    def idling(self) -> Idle:
        """What an idle tick of now is charged to."""
        if self.done:
            return "empty", None
        if self.arrived is not None:
            return self.holder, None
        return self.cause, self.poster if self.cause == "semaphore" else None

    @property
    def holder(self) -> str:
        """What its next task waits for once it has arrived."""
        return "core" if self.head is None else self.head.work.held_by

    @property
    def accounted(self) -> int:
        """The tick up to which its time is busy, or charged to what it waited for."""
        return max(self.mark, self.busy_until)

    def occupy(self, start: int, until: int) -> None:
        """Count ticks in which a unit is occupied for this queue, each once."""
        if until > self.busy_until:
            self.busy += until - max(start, self.busy_until)
            self.busy_until = until

    def times(self, now: int) -> tuple[int, dict[Idle, int]]:
        """Ticks up to now that were busy, and the idle ones by cause: together all there are."""
        idle = dict(self.waiting)
        since = self.accounted
        if now > since:
            cause = self.idling()
            idle[cause] = idle.get(cause, 0) + now - since
        return self.busy - max(0, self.busy_until - now), idle

    def save(self) -> Any:
        """Everything that changes."""
        changes = tuple(getattr(self, name) for name in self.CHANGES)
        return changes, tuple(self.flight), dict(self.waiting)

    def restore(self, saved: Any, but: Collection[str] = ()) -> None:
        """As it was when it was saved, ``but`` for some of what changes."""
        changes, flight, waiting = saved
        for name, value in zip(self.CHANGES, changes, strict=True):
            if name not in but:
                setattr(self, name, value)
        self.flight, self.waiting = deque(flight), dict(waiting)
