"""The interlock: whether a task reads what an earlier one of its queue has yet to write."""

from __future__ import annotations

from nasm.sim.queues import Flying, Queue, Task
from nasm.views.regions import intersect

KNOWN = 100_000
"""Pairs of tasks of which it is remembered whether one reads what the other writes."""


class Interlock:
    """Finds what a task has to wait for in its own queue; nothing, unless engines are ``held``."""

    CACHES = ("_overlaps",)

    def __init__(self, held: bool) -> None:
        self.held = held
        self._overlaps: dict[tuple[int, int], bool] = {}

    def writer(self, queue: Queue, task: Task, tick: int) -> Flying | None:
        """The last earlier task of a queue to complete, after a tick, that writes what one reads.

        None if there is none, or if the engine does not wait for it.
        """
        work, found = task.work, None
        if not self.held or not work.reads:
            return None
        known, number = self._overlaps, work.number
        for flying in queue.flight:
            if flying.finish > tick:
                writing = flying.task
                reads = known.get((number, writing.work.number))
                if reads is None:
                    reads = self.reads(task, writing)
                if reads:
                    found, tick = flying, flying.finish
        return found

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
