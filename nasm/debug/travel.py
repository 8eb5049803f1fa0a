"""Going back, and to any moment: by instructions, by time, to what happened last, to a mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nasm.debug.breakpoints import Breakpoints
from nasm.debug.past import Change, Made, Past
from nasm.debug.stops import Met, Test
from nasm.problems import Refused, did_you_mean
from nasm.records import Moment
from nasm.running import Running
from nasm.sim.queues import Flying, Queue

WRONG = "E0822"

ALL = 1 << 62
"""More events than a run has."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment with a name, and the changes by hand that lead to it."""

    name: str
    moment: Moment
    changes: tuple[Made, ...] = ()


class _Count(Test):
    """A queue has completed so many instructions."""

    def __init__(self, running: Running, queue: Queue, count: int) -> None:
        super().__init__(running)
        self.queue, self.count = queue, count

    def finished(self, queue: Queue, done: Flying) -> None:
        """Whether that was so many."""
        if queue is self.queue and queue.count == self.count:
            self.meet(Met("", queue.index, done.pc))


class Travel:
    """Takes a run to other moments. ``marks`` are those with a name."""

    def __init__(self, running: Running, past: Past, breakpoints: Breakpoints) -> None:
        self.running, self.past, self.breakpoints = running, past, breakpoints
        self.marks: dict[str, Mark] = {}

    # -- back

    def back(self, count: int, queue: Queue | None) -> int:
        """Go back to when so many instructions fewer had completed, of a queue or in all.

        It is where a step would have ended; returns by how many it went, fewer at the start.
        """
        scheduler = self.running.machine.scheduler
        now = queue.count if queue is not None else scheduler.retired
        wanted = max(0, now - count)
        self._leave()
        if queue is None:
            point = self.past.return_before(lambda p: p.retired < wanted)
            while point.retired < wanted and scheduler.retired < wanted:
                if not self.past.advance(ALL, retire=wanted) or self.running.asked:
                    break
            return now - scheduler.retired
        index = queue.index
        point = self.past.return_before(lambda p: p.counts[index] < wanted)
        if point.counts[index] < wanted:
            self.breakpoints.quietly(_Count(self.running, queue, wanted))
        return now - queue.count

    def to_tick(self, tick: int) -> None:
        """Go to the end of what happens at a tick, back or forward."""
        self._leave()
        self.past.return_before(lambda point: point.moment.tick < tick, self.running.now < tick)
        while self.running.now < tick and not self.running.over and not self.running.asked:
            if not self.past.advance(ALL, until=tick):
                break

    def to_position(self, position: int) -> None:
        """Go to just behind an event, by its number."""
        self._leave()
        self.past.to_position(position)

    def to_start(self) -> None:
        """Go to the start; what was changed by hand lies ahead."""
        self._leave()
        self.running.back_to(self.running.checkpoints[0])

    def to_end(self) -> None:
        """Go to the end of the run, whatever is met on the way."""
        self._leave()
        while not self.running.over and not self.running.asked:
            if not self.past.advance(ALL):
                break

    def to_stop(self, which: Sequence[int | str] = ()) -> bool:
        """Go back to where a breakpoint was met last; whether there was such a moment."""
        found = self.breakpoints.before(self._leave(), which)
        return found is not None

    def to_condition(self, test: Test) -> bool:
        """Go back to when a test met something last; whether it did."""
        return self.breakpoints.search(self._leave(), test) is not None

    def to_write(self, test: Test) -> tuple[Met, ...]:
        """Go back to just before what a test of writes met last; returns what that was."""
        found = self.breakpoints.search(self._leave(), test)
        if found is None:
            return ()
        met = tuple(hit.met for hit in self.breakpoints.hits)
        self.past.to_position(found.position - 1)
        self.breakpoints.hits = ()
        return met

    def _leave(self) -> Moment:
        now = self.running.moment
        self.past.leave()
        self.breakpoints.hits = ()
        return now

    # -- moments with a name

    def mark(self, name: str) -> Mark:
        """Give this moment a name."""
        made = Mark(
            name, self.running.moment, tuple(self.past.changes[: self.running.changes_made])
        )
        self.marks[name] = made
        return made

    def to_mark(self, name: str) -> Mark:
        """Go to a moment by its name, and into the future that it belongs to; raises Refused."""
        found = self.marks.get(name)
        if found is None:
            hint = did_you_mean(name, self.marks) or "'moments' lists them, 'mark WORD' makes one"
            raise Refused(WRONG, f"no moment '{name}'", hint)
        self._leave()
        self.past.follow(found.changes)
        self.past.goto(found.moment)
        return found

    def undo(self) -> Change | None:
        """Take the last change by hand back, and go to where it was made; None if there is none."""
        self._leave()
        return self.past.undo()
