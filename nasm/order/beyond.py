"""What comes after as much of a run as is remembered: with most rounds of its loop left out."""

from __future__ import annotations

from nasm.order.kept_rounds import ExecutedLoop, KeptRounds, RemovedRounds, loops, without
from nasm.order.observer import Watch
from nasm.order.repeats import Repeat
from nasm.program.program import Program
from nasm.sim.channels import Flight
from nasm.sim.queues import Queue, Task

KEPT = KeptRounds(24, 12, 12)
"""The rounds that are kept."""

MOST = 100_000
"""Instructions after which rounds are left out again."""


class Beyond:
    """Remembers a run of any length, if its loop has rounds that are the same.

    ``watch`` is what is kept of it, None if that was not possible, in which ``repeat`` are the
    rounds next to those that were left out, ``removed`` of them.
    """

    def __init__(self, program: Program, watch: Watch) -> None:
        self.program, self.removed, self.most = program, 0, MOST
        self.watch: Watch | None = watch
        self.repeat: Repeat | None = None
        some = loops(program, watch)
        self.heads = some[0].heads if some else ()
        if some:
            self._shorten()
        if not self.removed:
            self.watch = None

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Remember a start."""
        watch = self.watch
        if watch is not None:
            watch.started(queue, task, now)
            if len(watch.queues) >= self.most:
                self._again(watch)

    def issued(self, flight: Flight, now: int) -> None:
        """Remember what a transfer touches."""
        if self.watch is not None:
            self.watch.issued(flight, now)

    def _again(self, watch: Watch) -> None:
        """Leave out rounds once more; if there are none, that has time until it is too much."""
        before = self.removed
        self._shorten()
        if self.removed == before:
            self.most *= 2
            if self.most > 8 * MOST:
                self.watch = None

    def _shorten(self) -> None:
        assert self.watch is not None
        loop = ExecutedLoop.of(self.heads, self.watch)
        gap = RemovedRounds(KEPT.each, self.removed) if self.removed else None
        found = None if loop is None else without(self.watch, loop, KEPT, gap)
        if loop is not None and found is not None:
            self.removed += loop.rounds - KEPT.rounds
            self.watch, self.repeat = found
            self.most = len(self.watch.queues) + MOST
