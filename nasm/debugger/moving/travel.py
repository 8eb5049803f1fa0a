"""Going back, and to any moment: by instructions, by time, to what happened last, to a mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from nasm.base.problems import Refused, counted, did_you_mean, in_line, quoted
from nasm.base.records import dataclass
from nasm.debugger.moving import times
from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.moving.past import MadeChange, Past, Redoable
from nasm.debugger.moving.stops import Met, Test
from nasm.machine.records import Moment
from nasm.runs.execution import Execution
from nasm.sim.queues import Flying, Queue

WRONG = "E0822"

ALL = 1 << 62
"""More events than a run has."""


NAME = re.compile(r"[A-Za-z_][\w-]*")
"""What a moment may be called."""

START, END = RESERVED = ("start", "end")
"""The moments that have a name by themselves."""

HINT = "a cycle as in 5000, a time as in 2.5us, start, end, or a moment by its name"


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """A moment with a name, and the changes by hand that lead to it."""

    name: str
    moment: Moment
    changes: tuple[MadeChange, ...] = ()

    def __repr__(self) -> str:
        by_hand = f", {counted(len(self.changes), 'change')} by hand" if self.changes else ""
        return f"<moment {in_line(self.name)} at tick {self.moment.tick}{by_hand}>"


class _Count(Test):
    """A queue has completed so many instructions."""

    def __init__(self, running: Execution, queue: Queue, count: int) -> None:
        super().__init__(running)
        self.queue, self.count = queue, count

    def finished(self, queue: Queue, done: Flying) -> None:
        """Whether that was so many."""
        if queue is self.queue and queue.count == self.count:
            self.meet(Met("", queue.index, done.pc))


class Travel:
    """Takes a run to other moments. ``marks`` are those with a name."""

    def __init__(self, running: Execution, past: Past, breakpoints: Breakpoints) -> None:
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

    def to(self, where: object) -> None:
        """Go to a given place: a cycle, a time, the start, the end, or a moment of any kind.

        Raises Refused.
        """
        if isinstance(where, Mark):
            self.to_made(where.moment, where.changes)
            return
        if isinstance(where, Moment):
            if where.changes > len(self.past.changes):
                message = f"the moment has {counted(where.changes, 'change')} by hand before it"
                raise Refused(
                    WRONG, f"{message}, which are undone", "mark() keeps a moment with them"
                )
            self._leave()
            self.past.goto(where)
            return
        text = str(where).strip()
        if text == START:
            self.to_start()
        elif text == END:
            self.to_end()
        elif NAME.fullmatch(text):
            self.to_mark(text)
        else:
            self.to_tick(times.tick(self.running, text))

    def to_tick(self, tick: int) -> None:
        """Go to the end of what happens at a tick, back or forward."""
        self._leave()
        self.past.return_before(lambda point: point.moment.tick < tick, self.running.now < tick)
        while self.running.now < tick and not self.running.over and not self.running.asked:
            if not self.past.advance(ALL, until=tick):
                break

    def to_position(self, position: int) -> None:
        """Go to just after an event, by its number."""
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
        found = self.to_meeting(test)
        if found is None:
            return ()
        met = tuple(hit.met for hit in self.breakpoints.hits)
        self.past.to_position(found.position - 1)
        self.breakpoints.hits = ()
        return met

    def to_meeting(self, test: Test) -> Moment | None:
        """Go back to just after what a test met last, even if it has just happened; the moment."""
        return self.breakpoints.search(self._leave()._replace(poised=True), test)

    def met_last(self, test: Test) -> tuple[Moment, Met] | None:
        """The same, and what it was."""
        found = self.to_meeting(test)
        if found is None:
            return None
        met = self.breakpoints.hits[-1].met
        self.breakpoints.hits = ()
        return found, met

    @contextmanager
    def excursion(self) -> Iterator[None]:
        """Whatever is done within goes to other moments and stops nowhere; then it is back."""
        with self.breakpoints.aside(), self.past.excursion():
            yield

    @contextmanager
    def at(self, where: object) -> Iterator[None]:
        """Within, the run is at another moment, as for :meth:`to`; then it is back."""
        with self.excursion():
            self.to(where)
            yield

    def _leave(self) -> Moment:
        now = self.running.moment
        self.past.leave()
        self.breakpoints.hits = ()
        return now

    # -- moments with a name

    def mark(self, name: str) -> Mark:
        """Give this moment a name; raises Refused."""
        name = str(name).strip()
        if not NAME.fullmatch(name) or name in RESERVED:
            raise Refused(WRONG, f"wanted a word, found '{quoted(name)}'", "mark before-bug")
        made = Mark(
            name, self.running.moment, tuple(self.past.changes[: self.running.changes_made])
        )
        self.marks[name] = made
        return made

    def to_mark(self, name: str) -> None:
        """Go to a moment by its name; raises Refused."""
        found = self.marks.get(name)
        if found is None:
            hint = did_you_mean(name, [*self.marks, *RESERVED]) or HINT
            raise Refused(WRONG, f"no moment '{quoted(name)}'", hint)
        self.to_made(found.moment, found.changes)

    def to_made(self, moment: Moment, changes: Sequence[MadeChange]) -> None:
        """Go to a moment, and into the future that some changes by hand make."""
        self._leave()
        self.past.follow(changes)
        self.past.goto(moment)

    def undo(self) -> Redoable | None:
        """Take the last change by hand back, and go to where it was made; None if there is none."""
        self._leave()
        return self.past.undo()
