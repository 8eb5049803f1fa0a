"""Queues and the tasks in them: what is blocked on what, and where the time went."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from nasm.sim.counters import Who
from nasm.sim.regions import Region
from nasm.sim.resources import Needs, Resource

CAUSES = ("semaphore", "data", "unit", "core")
"""Why a queue's next instruction does not start: a wait, a result on its way, a busy unit, or
another core that has not arrived."""

Wait = tuple[int, str, int]
"""A semaphore, a comparison, and a value."""

Post = tuple[int, str, int, bool]
"""A semaphore, what to do with it, a value, and whether as soon as the task starts."""


@dataclass(slots=True, eq=False)
class Work:
    """What a task does: functions, and the regions that these touch.

    ``start(now)`` returns what ``finish(payload)`` gets. If it ``branches``, that is the
    next pc, or None for the next one. ``gate`` says from which tick on the engine values it needs
    are ready. ``arrive(now)`` is called before it starts; its queue is then parked until it is
    released. ``number`` is this work's own, from 0 on; by one below 0 nothing may be cached.
    """

    number: int
    start: Callable[[int], Any]
    finish: Callable[[Any], None]
    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    gate: Callable[[], int] | None = None
    branches: bool = False
    arrive: Callable[[int], None] | None = None


@dataclass(slots=True, eq=False)
class Task:
    """An instruction as the scheduler sees it.

    It occupies ``unit`` for ``interval`` ticks, or what it ``needs`` where that is not simply one
    resource, and completes ``latency`` ticks after its start. One with ``expand`` stands for
    another, which it makes when it is about to start: its ``work`` only says what that depends on.
    """

    work: Work
    interval: int
    latency: int
    unit: Resource
    needs: Needs | None = None
    wait: Wait | None = None
    update: Post | None = None
    expand: Callable[[], Task] | None = None

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


class Flying(NamedTuple):
    """A task that has started and not completed; ``head`` is when it was next in its queue."""

    core: int
    queue: int
    pc: int
    head: int
    start: int
    finish: int
    task: Task
    payload: Any


class Queue:
    """An in-order stream of tasks with its own state and counters (all times in ticks).

    ``engine`` is what its tasks run on; several queues may have the same. ``blocker`` is what its
    next task waits for, or waited for last: what posts, a resource, or what makes the data;
    ``asked`` is since when it has waited for a resource, and ``due`` when it tries again.
    """

    __slots__ = (
        "arrived", "asked", "blocker", "busy", "busy_until", "cause", "core", "count", "done",
        "due", "engine", "fetch", "finished", "flight", "head", "index", "last_finish", "length",
        "mark", "parked", "pc", "reached", "waited", "waiting",
    )  # fmt: skip
    CHANGES = (
        "pc", "head", "waited", "parked", "arrived", "asked", "blocker", "done", "due", "reached",
        "last_finish", "count", "finished", "busy", "busy_until", "mark", "cause",
    )  # fmt: skip

    def __init__(
        self, core: int, engine: str, index: int, length: int, fetch: Callable[[int], Task]
    ) -> None:
        self.core, self.engine, self.index = core, engine, index
        self.length, self.fetch = length, fetch
        self.pc = 0
        self.head: Task | None = None
        self.waited = False
        self.parked = False
        self.arrived: int | None = None
        self.asked: int | None = None
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
        self.cause = "semaphore"
        self.waiting = dict.fromkeys(CAUSES, 0)

    def account(self, now: int) -> None:
        """Charge the idle time up to now to what the head waits for."""
        since = self.mark if self.mark > self.busy_until else self.busy_until
        if now > since:
            self.waiting[self.cause] += now - since
        self.mark = now

    def save(self) -> Any:
        """Everything that changes."""
        changes = tuple(getattr(self, name) for name in self.CHANGES)
        return changes, tuple(self.flight), dict(self.waiting)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        changes, flight, waiting = saved
        for name, value in zip(self.CHANGES, changes, strict=True):
            setattr(self, name, value)
        self.flight, self.waiting = deque(flight), dict(waiting)
