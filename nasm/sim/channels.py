"""Channels: servers that move data beside the queues, each with its own rings of jobs.

A channel serves one job at a time: in order within a ring, round-robin between rings. A job
reads its bytes when it starts and writes them when it lands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Job:
    """A channel's share of a transfer; times are in ticks."""

    channel: int
    ring: int
    busy: int
    latency: int
    bytes: int
    read: Callable[[int], object]
    land: Callable[[object, int], None]
    origin: tuple[int, int]
    started: int = 0


class Channel:
    """One server: its rings, and until when it is busy."""

    __slots__ = ("busy", "bytes", "core", "free", "index", "jobs", "last", "rings")

    def __init__(self, core: int, index: int) -> None:
        self.core = core
        self.index = index
        self.rings: dict[int, deque[Job]] = {}
        self.free = 0
        self.last = -1
        self.busy = 0
        self.bytes = 0
        self.jobs = 0

    def add(self, job: Job) -> None:
        """Queue a job on its ring."""
        self.rings.setdefault(job.ring, deque()).append(job)

    def take(self) -> Job | None:
        """The next job: the first ring after the last one served that has any."""
        waiting = sorted(ring for ring, jobs in self.rings.items() if jobs)
        if not waiting:
            return None
        ring = next((r for r in waiting if r > self.last), waiting[0])
        self.last = ring
        return self.rings[ring].popleft()

    @property
    def pending(self) -> int:
        """Jobs queued and not started."""
        return sum(len(jobs) for jobs in self.rings.values())
