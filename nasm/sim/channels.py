"""Channels: servers that move data beside the queues, each with its own rings of jobs.

A transfer in flight gives each of some channels a share. A channel serves one share at a time: in
order within a ring, round-robin between those rings whose next share is the most urgent. A share
reads its bytes when it starts and writes them when it lands; shares of one transfer that start
and land together are read and written together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from nasm.sim.regions import Region

Timing = tuple[int, int, int, int]
"""A share's channel, the ticks it is busy, the ticks until the share lands, and its bytes."""


class Flight:
    """A transfer in flight, until all of it has landed; shares are named by their index.

    ``read(shares)`` takes the bytes, ``write(shares, payload)`` delivers them. ``origin`` is the
    queue and pc that issued it, ``key`` its number, ``urgency`` the lower the more urgent.
    ``reads`` and ``writes`` are the regions it touches, and ``pattern`` a number below -1 that is
    the same for every flight with the same ones. Each share that has landed posts 1 to
    ``semaphore``, which a waiter sees ``notify`` ticks later; ``landed`` is called when all have.
    ``descriptors`` are the pieces that its channels move one by one.
    """

    __slots__ = (
        "descriptors", "key", "landed", "left", "notify", "origin", "pattern", "read", "reads",
        "ring", "semaphore", "shares", "urgency", "write", "writes",
    )  # fmt: skip
    CACHES = ("pattern",)

    def __init__(
        self,
        key: int,
        origin: tuple[int, int],
        ring: int,
        shares: Sequence[Timing],
        read: Callable[[Sequence[int]], Any],
        write: Callable[[Sequence[int], Any], None],
        *,
        reads: tuple[Region, ...] = (),
        writes: tuple[Region, ...] = (),
        pattern: int = -2,
        semaphore: int | None = None,
        notify: int = 0,
        urgency: int = 0,
        descriptors: int = 0,
        landed: Callable[[], None] | None = None,
    ) -> None:
        self.key, self.origin, self.ring, self.shares = key, origin, ring, shares
        self.read, self.write, self.landed = read, write, landed
        self.reads, self.writes, self.pattern = reads, writes, pattern
        self.semaphore, self.notify, self.urgency = semaphore, notify, urgency
        self.descriptors = descriptors
        self.left = len(shares)

    @property
    def bytes(self) -> int:
        """All that it moves."""
        return sum(share[3] for share in self.shares)

    @property
    def busy(self) -> int:
        """The ticks of all its channels together."""
        return sum(share[1] for share in self.shares)

    @property
    def working(self) -> int:
        """How many channels have something to do for it."""
        return sum(1 for share in self.shares if share[1])


Job = tuple[Flight, int]
"""A share of a transfer in flight."""


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

    def add(self, flight: Flight, share: int) -> None:
        """Queue a share on its ring."""
        ring = self.rings.get(flight.ring)
        if ring is None:
            ring = self.rings[flight.ring] = deque()
        ring.append((flight, share))

    def take(self) -> Job | None:
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

    def serve(self, now: int, busy: int, size: int) -> None:
        """Be busy with a share."""
        self.free = now + max(1, busy)
        self.busy += busy
        self.bytes += size
        self.jobs += 1

    @property
    def pending(self) -> int:
        """Shares queued and not started."""
        return sum(len(jobs) for jobs in self.rings.values())

    def save(self) -> Any:
        """Everything that changes."""
        rings = tuple((ring, tuple(jobs)) for ring, jobs in self.rings.items())
        return rings, self.free, self.last, self.busy, self.bytes, self.jobs

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        rings, self.free, self.last, self.busy, self.bytes, self.jobs = saved
        self.rings = {ring: deque(jobs) for ring, jobs in rings}
