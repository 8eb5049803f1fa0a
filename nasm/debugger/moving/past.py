"""The past of a run: checkpoints taken on the way, and any moment reached from one of them.

A moment is reached by returning to the last checkpoint before it and running on from there, which
does exactly what was done then. Checkpoints are taken after every 30 ms of computing, and thinned
so that what they keep stays within a bound: the older, the fewer. What was changed by hand is in a
journal, and is done again on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from nasm.base.processor_time import thread_seconds
from nasm.machine.records import Moment
from nasm.runs.execution import Checkpoint, Execution
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.sim.scheduler import Poise

KEPT = 256 << 20
"""Default limit of the bytes that are kept of the past."""

EVERY = 0.03
"""Seconds of computing between two checkpoints."""

SHARE = 8
"""How many times as long as one takes it is computed before the next, at least."""

REACH = 0.1
"""Seconds of computing within which any moment is reached, as long as what may be kept allows."""

SLICE = 0.004
"""Seconds of computing between two looks at the clock, about."""

FIRST, MOST = 64, 4096
"""Events between two looks at the clock: at first, and at the most."""

Advance = Callable[[int, int | None, int | None], int]
"""Processes so many events at the most, until a tick, until so many instructions have completed."""


class Redoable(Protocol):
    """Something done by hand, that can be done again at the same moment; ``str`` says what.

    It reads neither files nor a clock: done again, it does the same.
    """

    def apply(self, running: Execution) -> object:
        """Do it; raises Failure. It moves nothing: no event is processed."""


class MadeChange(NamedTuple):
    """A change, and the moment before it."""

    moment: Moment
    change: Redoable


class Past:
    """The past of a run.

    ``advance`` moves the run, and knows nothing of this. ``changes`` are those made by hand: as
    many as the run counts are in its past, the others ahead. At most ``kept`` bytes are kept; with
    0 no checkpoints are taken on the way, and going back begins at the start. ``changed`` is called
    when a change was made again.
    """

    def __init__(self, running: Execution, advance: Advance, kept: int = KEPT) -> None:
        self.running, self.kept = running, kept
        self.changes: list[MadeChange] = []
        self.changed: Callable[[], None] = lambda: None
        self._forward = advance
        self._events = FIRST
        self._since = self._took = 0.0

    @property
    def now(self) -> Moment:
        """The moment it is."""
        return self.running.moment

    @property
    def next_change(self) -> Moment | None:
        """The moment of the next change that was made already; None if there is none."""
        made = self.running.changes_made
        return self.changes[made].moment if made < len(self.changes) else None

    # -- forward

    def advance(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        """Process events, and take checkpoints on the way; changes that lie ahead are made again.

        Returns how many it were. Arguments are those of :meth:`Scheduler.run`.
        """
        scheduler = self.running.machine.scheduler
        begun = scheduler.position
        while (left := begun + events - scheduler.position) > 0:
            next_change = self.next_change
            if next_change is None:
                if not self._slice(left, until, retire):
                    break
            elif scheduler.position < next_change.position:
                if not self._slice(
                    min(left, next_change.position - scheduler.position), until, retire
                ):
                    break
            elif until is not None and until < next_change.tick:
                self._slice(1, until, retire)
                break
            elif not self._wait_for(next_change):
                break
            else:
                self._change_again()
        return scheduler.position - begun

    def _slice(self, events: int, until: int | None = None, retire: int | None = None) -> bool:
        """Process some of so many events; whether nothing stopped it."""
        scheduler = self.running.machine.scheduler
        some = min(self._events, events) if self.kept else events
        before, begun = scheduler.position, thread_seconds()
        self._forward(some, until, retire)
        if self.kept:
            self._spent(thread_seconds() - begun, some)
        stopped = scheduler.poised or scheduler.halted
        if retire is not None and scheduler.retired >= retire:
            stopped = True
        return not stopped and scheduler.position - before == some

    def _spent(self, seconds: float, events: int) -> None:
        """So many seconds went into events: how often to look, and whether for a checkpoint."""
        if seconds > SLICE:
            self._events = max(1, events // 2)
        elif seconds < SLICE / 2 and events == self._events:
            self._events = min(MOST, events * 2)
        self._since += seconds
        if self._since >= max(EVERY, SHARE * self._took):
            begun = thread_seconds()
            self._take()
            self._thin()
            self._took = thread_seconds() - begun

    def _take(self) -> Checkpoint:
        """Take a checkpoint now."""
        made = self.running.checkpoint(pinned=False)
        made.work, self._since = self._since, 0.0
        return made

    def _thin(self) -> None:
        """Give up checkpoints once they keep more than they may, until some room is free again.

        First those without which any moment is still reached soon, then those that, for how long
        ago they are, make the way from their neighbours the shortest.
        """
        points = self.running.checkpoints
        most = self.kept
        while sum(point.size for point in points) > most:
            most = self.kept * 7 // 8
            cheapest = self._cheapest_to_drop(points)
            if not cheapest:
                return
            for point, after in cheapest:
                after.work += point.work
                self.running.discard(point)
                if sum(point.size for point in points) <= most:
                    return

    @staticmethod
    def _cheapest_to_drop(points: Sequence[Checkpoint]) -> list[tuple[Checkpoint, Checkpoint]]:
        """Checkpoints with the ones after them, the cheapest to lose first.

        No neighbours, none that is pinned, nor the first or the last.
        """
        age, scores = points[-1].work, list[tuple[bool, float, int]]()
        for n in range(len(points) - 2, 0, -1):
            if not points[n].pinned:
                ways = points[n].work + points[n + 1].work
                scores.append((ways > REACH, ways / max(age, 1e-9), n))
            age += points[n].work
        found: dict[int, None] = {}
        for far, _, n in sorted(scores):
            if far and found:
                break
            if n - 1 not in found and n + 1 not in found:
                found[n] = None
            if len(found) * 8 > len(points):
                break
        return [(points[n], points[n + 1]) for n in found]

    # -- to a moment

    def goto(self, moment: Moment, torn: bool = False) -> bool:
        """Go to a moment that the machine has reached or could reach.

        Whether it got there: it was halted, or ended before. A machine that is ``torn``, because
        something was raised within an event, starts from a checkpoint.
        """
        stay = not torn and self.now <= moment
        self.return_before(lambda point: point.moment <= moment, stay)
        while (
            next_change := self.next_change
        ) is not None and self.running.changes_made < moment.changes:
            if not self._arrive(next_change):
                return False
            self._change_again()
        return self._arrive(moment)

    def leave(self) -> None:
        """The run is about to go elsewhere: what halted it is over, and nothing is torn."""
        self.running.halt(False)
        self.running.stopped = False

    def to_position(self, position: int) -> bool:
        """Go to just after an event, by the number of events until then; as :meth:`goto`."""
        self.return_before(lambda point: point.moment.position < position)
        while (next_change := self.next_change) is not None and next_change.position < position:
            if not self._arrive(next_change):
                return False
            self._change_again()
        return self._arrive(Moment(position, 0, 0, False))

    def return_before(self, early: Callable[[Checkpoint], bool], stay: bool = False) -> Checkpoint:
        """Return to the last checkpoint that is early enough; the first always is.

        If it may ``stay`` the run does not go back to one that it would come from anyway.
        """
        points = self.running.checkpoints
        n = len(points) - 1
        while n and not early(points[n]):
            n -= 1
        if n < len(points) - 1 or not stay or self.now < points[n].moment:
            self.running.back_to(points[n])
            self._since = 0.0
        return points[n]

    def _arrive(self, moment: Moment) -> bool:
        """Run on to a moment before which no change has to be made."""
        scheduler = self.running.machine.scheduler
        while (left := moment.position - scheduler.position) > 0:
            if not self._slice(left) and scheduler.position < moment.position:
                return False
        return self._wait_for(moment)

    def _wait_for(self, moment: Moment) -> bool:
        """The clock advances to a moment, and the machine is poised if it was; whether it did."""
        scheduler = self.running.machine.scheduler
        if moment.poised and not scheduler.poised:
            return self._poise()
        if scheduler.now < moment.tick:
            self._forward(1, moment.tick, None)
        return scheduler.now >= moment.tick

    def _poise(self) -> bool:
        """Stop before the next start; whether nothing else stops there."""
        scheduler = self.running.machine.scheduler
        asked, wanted = scheduler.poise, False

        def always(queue: Queue, task: Task) -> bool:
            nonlocal wanted
            wanted = asked is not None and asked(queue, task)
            return True

        with poising(self.running, always):
            self._forward(1, None, None)
        return not wanted

    # -- changes by hand

    def change(self, change: Redoable) -> object:
        """Change something now; what was changed later, in what was the future, is forgotten.

        Returns what the change does. It is undone if it fails.
        """
        before = self._take()
        try:
            found = change.apply(self.running)
        except BaseException:
            self.running.back_to(before)
            raise
        moment = before.moment
        del self.changes[moment.changes :]
        self.changes.append(MadeChange(moment, change))
        self.running.changes_made += 1
        self._take()
        self._thin()
        return found

    def undo(self) -> Redoable | None:
        """Go back to before the last change, and forget it; returns it, None if there was none."""
        made = self.running.changes_made
        if not made:
            return None
        moment, change = self.changes[made - 1]
        self.goto(moment)
        del self.changes[made - 1 :]
        return change

    def _change_again(self) -> None:
        self.changes[self.running.changes_made].change.apply(self.running)
        self.running.changes_made += 1
        self.changed()

    def follow(self, changes: Sequence[MadeChange]) -> None:
        """Go back to where other changes were made than these, and let these lie ahead."""
        same = 0
        for ours, theirs in zip(self.changes, changes, strict=False):
            if ours != theirs:
                break
            same += 1
        first = changes[same].moment if same < len(changes) else None
        if self.running.changes_made > same or (first is not None and self.now > first):
            self.return_before(
                lambda point: (
                    point.moment.changes <= same and (first is None or point.moment <= first)
                )
            )
        self.changes[same:] = changes[same:]

    # -- running an interval again

    def replay(self, end: Moment, *observers: Observer) -> bool:
        """Run on to a moment with observers attached."""
        with watching(self.running, *observers):
            return self.goto(end)

    @contextmanager
    def excursion(self) -> Iterator[Moment]:
        """Whatever is done within goes to other moments: at the end it is now again."""
        moment, torn = self.now, True
        try:
            yield moment
            torn = False
        finally:
            self.running.halt(False)
            self.goto(moment, torn)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Whatever is done or changed by hand within is forgotten: at the end all is as it is."""
        changes = list(self.changes)
        try:
            with self.excursion():
                yield
        finally:
            self.changes[:] = changes

    def intervals(self, end: Moment | None = None) -> Iterator[tuple[Moment, Moment]]:
        """The stretches of the run between checkpoints, from now or ``end`` back to the start.

        The machine is at the beginning of each when it is yielded.
        """
        end = self.now if end is None else end
        while True:
            point = self.return_before(lambda point, end=end: point.moment < end)  # type: ignore[misc]
            begin = point.moment
            yield begin, end
            if begin >= end or point is self.running.checkpoints[0]:
                return
            end = begin


@contextmanager
def watching(running: Execution, *observers: Observer) -> Iterator[None]:
    """Observers see what happens within."""
    scheduler = running.machine.scheduler
    scheduler.observe(*observers)
    try:
        yield
    finally:
        scheduler.ignore(*observers)


@contextmanager
def poising(running: Execution, poise: Poise | None) -> Iterator[None]:
    """Before each start within it is asked whether to stop there."""
    scheduler = running.machine.scheduler
    before, scheduler.poise = scheduler.poise, poise
    try:
        yield
    finally:
        scheduler.poise = before
