"""A scheduler of some of a machine's cores, which keeps what puts its events among those of others.

Cores that meet by a network alone may be simulated apart for as long as nothing can cross. Each
group of them has a heap of its own, and numbers of its own; the order in which one scheduler would
process all events follows from what is kept here of each: see ``nasm/tiles/merging.py``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from nasm.isa.pace import Pace
from nasm.sim.channels import Channels
from nasm.sim.counters import Counters
from nasm.sim.queues import NEVER, Queue
from nasm.sim.scheduler import Scheduler
from nasm.sim.service import COMMIT, START

CrossingKey = tuple[Any, ...]
"""What orders events of a network at one tick: when, and with what, it became known of each."""


GONE = "gone"
"""The first word of what is heard where a queue reaches its end without another start."""


class KeptEvent(NamedTuple):
    """An event of a group: its place in the group's order, and what came of it.

    ``key`` is its number among what the group has pushed, or of an event of a network what orders
    it. It pushed so many events, and so many ``records`` got their numbers: below 0 they are those
    of an event that did not happen after all. ``heard`` is what observers would have heard, as
    tuples that begin with a word.
    """

    tick: int
    rank: int
    key: int | CrossingKey
    pushes: int
    records: int
    heard: tuple[tuple[Any, ...], ...]


class GroupScheduler(Scheduler):
    """Executes what the queues of some ``cores`` have, and what a network brings them.

    ``kept`` are the events that it has not reported, ``heard`` is what the event of now has heard,
    ``rank`` its own.
    """

    def __init__(
        self,
        semaphores: Counters,
        channels: Sequence[Channels],
        delay: int,
        *,
        cores: Collection[int],
        supply: Sequence[tuple[int, int]] = (),
        interlock: bool = True,
        paces: Sequence[Pace] = (),
    ) -> None:
        super().__init__(
            semaphores, channels, delay, supply=supply, interlock=interlock, paces=paces
        )
        self.cores = frozenset(cores)
        self.kept: list[KeptEvent] = []
        self.heard: list[tuple[Any, ...]] = []
        self.rank = 0

    def add_queue(self, queue: Queue) -> None:
        """Declare a queue, which starts if its core is one of the group."""
        if queue.core in self.cores:
            super().add_queue(queue)
        else:
            self.queues.append(queue)

    def _gone(self, queue: Queue) -> None:
        self.heard.append((GONE,))
        super()._gone(queue)

    def place(self, tick: int, rank: int, key: CrossingKey, act: Callable[[], None]) -> None:
        """Let something of a network happen at a tick, in the order of keys."""
        heappush(self.heap, (tick, rank, key, act))  # type: ignore[misc]  # no queue has this rank

    def run(
        self, events: int, until: int | None = None, retire: int | None = None, bursts: bool = False
    ) -> int:
        """Process every event up to ``until``, one by one, and keep what puts it in order."""
        heap, kept, begun = self.heap, self.kept, self.position
        limit = NEVER if until is None else until
        while heap and not self.halted and heap[0][0] <= limit:
            tick, rank, key, what = heappop(heap)
            self.now, self.rank, self.heard = tick, rank, []
            pushed, numbered = self._sequence, self.records
            self.position += 1
            if rank >= START:
                if what.due == tick:
                    self.attempt(what)
            elif rank == COMMIT:
                self.finish(what)
            else:
                what()
            pushes, records = self._sequence - pushed, self.records - numbered
            if pushes or records or self.heard:
                kept.append(KeptEvent(tick, rank, key, pushes, records, tuple(self.heard)))
        return self.position - begun

    @property
    def coming_tick(self) -> int | None:
        """When the next event is; None if there is none."""
        return self.heap[0][0] if self.heap else None

    def revoke(self, tick: int, rank: int, key: CrossingKey) -> None:
        """An event of a network, which pushed nothing, did not happen after all."""
        kept = self.kept
        for at in range(len(kept) - 1, -1, -1):
            if kept[at][:3] == (tick, rank, key):
                kept[at] = KeptEvent(tick, rank, key, 0, -kept[at].records, ())
                return
        raise AssertionError("an event that is taken back is one of those that are kept")

    def reported(self, until: int | None) -> list[KeptEvent]:
        """The events before a tick, or all of them, that were not reported yet."""
        if until is None:
            found, self.kept = self.kept, []
        else:
            count = bisect_left(self.kept, until, key=_tick)
            found = self.kept[:count]
            del self.kept[:count]
        return found


def _tick(event: KeptEvent) -> int:
    return event.tick
