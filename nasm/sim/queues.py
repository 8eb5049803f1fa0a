"""Queues and the tasks in them: what is blocked on what, and where the time went."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from nasm.sim.memory import Region

CAUSES = ("semaphore", "data", "unit", "core")
"""Why a queue's next instruction does not start: a wait, a result on its way, a busy unit, or
another core that has not come."""


class Task:
    """An instruction as the scheduler sees it.

    ``parts`` are units of their own within ``unit``: tasks in different parts run side by side,
    and one without parts has the whole unit to itself. ``spare`` is another unit that serves as
    well while ``unit`` is busy. Units count from 1: a spare of 0 is none.

    One with ``arrive`` is held: nothing blocks it any more, and it goes on only once somebody
    releases its queue. ``arrive`` is told of it.
    """

    __slots__ = (
        "arrive",
        "branches",
        "expand",
        "finish",
        "gate",
        "interval",
        "key",
        "latency",
        "parts",
        "reads",
        "spare",
        "start",
        "unit",
        "update",
        "wait",
        "writes",
    )

    def __init__(
        self,
        key: int,
        start: Callable[[int], Any],
        finish: Callable[[Any, int], None],
        interval: int,
        latency: int,
        unit: int = 0,
        reads: tuple[Region, ...] = (),
        writes: tuple[Region, ...] = (),
        wait: tuple[int, str, int] | None = None,
        update: tuple[int, str, int, bool] | None = None,
        branches: bool = False,
        expand: Callable[[], Task] | None = None,
        gate: Callable[[], int] | None = None,
        parts: tuple[int, ...] = (),
        spare: int = 0,
        arrive: Callable[[int], None] | None = None,
    ) -> None:
        self.key = key
        self.start = start
        self.finish = finish
        self.interval = interval
        self.latency = latency
        self.unit = unit
        self.reads = reads
        self.writes = writes
        self.wait = wait
        self.update = update
        self.branches = branches
        self.expand = expand
        self.gate = gate
        self.parts = parts
        self.spare = spare
        self.arrive = arrive


class Queue:
    """An in-order stream of tasks with its own state and counters (all times in ticks)."""

    __slots__ = (
        "arrived",
        "busy",
        "busy_until",
        "cause",
        "core",
        "count",
        "done",
        "fetch",
        "finished",
        "flight",
        "head",
        "index",
        "last_finish",
        "length",
        "mark",
        "name",
        "parked",
        "pc",
        "reached",
        "split",
        "units",
        "waited",
        "waiting",
    )

    def __init__(
        self,
        core: int,
        name: str,
        index: int,
        length: int,
        fetch: Callable[[int], Task],
        units: int,
    ) -> None:
        self.core, self.name, self.index = core, name, index
        self.length, self.fetch = length, fetch
        self.pc = 0
        self.head: Task | None = None
        self.waited = False
        self.parked = False
        self.arrived: int | None = None
        self.done = length == 0
        self.reached = 0
        self.flight: deque[tuple[int, int, int, int, Task, Any]] = deque()
        self.last_finish = 0
        self.units = [0] * (1 + units)
        self.split: dict[int, int] = {}
        self.count = 0
        self.finished = 0
        self.busy = 0
        self.busy_until = 0
        self.mark = 0
        self.cause = "semaphore"
        self.waiting = dict.fromkeys(CAUSES, 0)

    def free(self, task: Task) -> int:
        """When the unit of a task is free: the parts it needs of it, or a spare one."""
        tick = self.units[task.unit]
        if task.parts and tick == self.split.get(task.unit):
            tick = max(self.units[part] for part in task.parts)
        if task.spare and self.units[task.spare] < tick:
            tick = self.units[task.spare]
        return tick

    def occupy(self, task: Task, now: int, until: int) -> None:
        """Take what :meth:`free` found to be free.

        A unit is free once all of its parts are. ``split`` remembers that it is parts that keep
        it busy, not the whole: then parts that are free may be taken.
        """
        if task.spare and self.units[task.unit] > now:
            self.units[task.spare] = until
            return
        for part in task.parts:
            self.units[part] = until
        if task.parts:
            until = self.split[task.unit] = max(until, self.units[task.unit])
        self.units[task.unit] = until

    def account(self, now: int) -> None:
        """Charge the idle time up to now to what the head waits for."""
        since = self.mark if self.mark > self.busy_until else self.busy_until
        if now > since:
            self.waiting[self.cause] += now - since
        self.mark = now
