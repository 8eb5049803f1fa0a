"""Channels: servers that move data beside the queues, each with its own rings of jobs.

A shipment gives each of some channels a share. A channel serves one share at a time: in order
within a ring, round-robin between those rings whose next share is the most urgent. A share reads
its bytes when it starts and writes them when it lands; shares of one shipment that start and
land together are read and written together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Timing = tuple[int, int, int, int]
"""A share's channel, ticks it is busy, ticks from its start until it lands, and bytes."""


@dataclass(slots=True, eq=False)
class Shipment:
    """What a transfer hands to channels; shares are named by their index.

    ``read(shares, now)`` takes the bytes, ``land(shares, payload, now)`` delivers them. ``origin``
    is the queue and pc that issued it, ``key`` its number, ``urgency`` the lower the more urgent.
    """

    key: int
    origin: tuple[int, int]
    ring: int
    shares: Sequence[Timing]
    read: Callable[[Sequence[int], int], Any]
    land: Callable[[Sequence[int], Any, int], None]
    urgency: int = 0


class Channel:
    """One server: its rings, and until when it is busy."""

    __slots__ = ("busy", "bytes", "core", "free", "index", "jobs", "last", "rings")

    def __init__(self, core: int, index: int) -> None:
        self.core = core
        self.index = index
        self.rings: dict[int, deque[tuple[Shipment, int]]] = {}
        self.free = 0
        self.last = -1
        self.busy = 0
        self.bytes = 0
        self.jobs = 0

    def add(self, shipment: Shipment, share: int) -> None:
        """Queue a share on its ring."""
        ring = self.rings.get(shipment.ring)
        if ring is None:
            ring = self.rings[shipment.ring] = deque()
        ring.append((shipment, share))

    def take(self) -> tuple[Shipment, int] | None:
        """The next share: of the most urgent rings, the first after the last one served."""
        if len(self.rings) == 1:
            ((self.last, jobs),) = self.rings.items()
            return jobs.popleft() if jobs else None
        waiting = {ring: jobs[0][0].urgency for ring, jobs in self.rings.items() if jobs}
        if not waiting:
            return None
        least = min(waiting.values())
        urgent = sorted(ring for ring, urgency in waiting.items() if urgency == least)
        self.last = next((ring for ring in urgent if ring > self.last), urgent[0])
        return self.rings[self.last].popleft()

    @property
    def pending(self) -> int:
        """Shares queued and not started."""
        return sum(len(jobs) for jobs in self.rings.values())
