"""Waits and posts that a run certainly needs as they are: without each there is a race.

One look at all accesses, each with several clocks. What an instruction would know without the last
wait of its queue is at most the clock before that wait; with a wait for less it is what fewer posts
tell. An access that conflicts with one that such a clock lacks is a race of the program without the
wait, or with one for less. For posts the clock of the access itself is taken, less the last event
of each queue: if that is known from one post alone, and the access needs it, the post cannot be
sooner. What is not found here may be needed anyway: trying it decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from nasm.order.accesses import NOTHING, Accesses, ByteAccess, Touched
from nasm.order.check import Check
from nasm.order.observer import TransferTouches
from nasm.order.places import Place as BytePlace
from nasm.order.posts import Clock, TakenStep, Window, joined, more_than
from nasm.order.skeleton import LANDS, CounterWait

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""


class FirmWaits:
    """What cannot be changed of a run that is in order, as far as one look shows it.

    ``needed`` are instructions whose wait cannot go, ``enough`` those that cannot wait for less,
    ``placed`` those whose own accesses need their wait. ``completing`` are instructions whose
    post cannot come before their completion, ``posting`` those whose post cannot come from an
    earlier instruction. ``units`` are the least that anything posts to each counter.
    """

    def __init__(self, check: Check) -> None:
        self.check, self.order = check, check.order
        self.needed: set[Place] = set()
        self.enough: set[Place] = set()
        self.placed: set[Place] = set()
        self.completing: set[Place] = set()
        self.posting: set[Place] = set()
        self._met = False
        self._reduced: Clock = ()
        self._accesses = Accesses(self.order.queues, check.held, self._conflict)
        self._accesses.shared = check.accesses.shared
        self._posters = {(t.step.queue, t.step.index) for t in self.order.taken if t.posts}
        self.units = _units(self.order.taken)
        self._known_later = _known_later(self.order.steps, self.order.queues)
        self._look()

    def _conflict(
        self, near: BytePlace, column: int, count: int, kind: str, now: ByteAccess
    ) -> None:
        """An access lacks an earlier one that it conflicts with."""
        self._met = True
        queues = self.order.queues
        if not self._reduced or column >= 2 * queues:
            return
        place = column % queues, count - 1
        if place not in self._posters:
            return
        if column >= queues and place not in self._known_later:
            self.completing.add(place)
            self.posting.add(place)
        elif column < queues:
            self.posting.add(place)

    def _look(self) -> None:
        watch, queues = self.check.watch, self.order.queues
        at, nexts = [0] * queues, [0] * queues
        clocks = [[self.order.nothing] * 3 for _ in range(queues)]
        waits: list[int] = [-1] * queues
        compared = self._accesses.compared
        for queue in watch.queues:
            index = at[queue]
            at[queue] = index + 1
            steps = self.order.steps[queue]
            while nexts[queue] < len(steps) and steps[nexts[queue]].step.index == index:
                clocks[queue] = self._advanced(clocks[queue], steps[nexts[queue]], waits)
                nexts[queue] += 1
            work, moved = watch.works[queue][index], watch.moved[queue].get(index)
            touched = compared(work.number, work.reads, work.writes)
            if touched != NOTHING or moved is not None:
                self._access(queue, index, clocks[queue], waits[queue], touched, moved)

    def _advanced(self, before: list[Clock], taken: TakenStep, waits: list[int]) -> list[Clock]:
        """The clock of a step; that without the last wait of its queue; that with one for less."""
        step, queue = taken.step, taken.step.queue
        if step.wait is None and step.meeting < 0:
            column = self.order.queues + queue
            own = max(taken.clock[column], 0)
            return [taken.clock, *(_at_least(clock, column, own) for clock in before[1:])]
        waits[queue] = step.index if step.meeting < 0 else -1
        column = self.order.queues + queue
        without = _at_least(before[0], column, step.after + 1)
        less = taken.clock
        if step.wait is not None and step.meeting < 0:
            less = self._less(without, queue, step.index, step.wait)
        return [taken.clock, without, less]

    def _less(self, clock: Clock, queue: int, index: int, wait: CounterWait) -> Clock:
        """What follows from a wait for a little less."""
        value = wait.value - self.units[wait.counter]
        streams = self.order.streams(wait.counter)
        if value <= 0:
            return clock
        if self.order.goes_down(wait.counter) or wait.op != ">=":
            return self.order.clock(queue, index)
        if len(streams) == 1 and streams[0].kind != LANDS:
            nth = bisect_left(streams[0].totals, value)
            return clock if nth == len(streams[0].totals) else joined(clock, streams[0], nth)
        some: list[Window] = []
        slack = -value
        for posts in streams:
            count = posts.before(queue, index)
            if count:
                some.append((posts, 0, count))
                slack += posts.totals[count - 1]
        if slack > 0:
            return more_than(clock, some, slack)
        for posts, _, count in some:
            clock = joined(clock, posts, count - 1)
        return clock

    def _access(
        self,
        queue: int,
        index: int,
        clocks: list[Clock],
        wait: int,
        touched: Touched,
        moved: TransferTouches | None,
    ) -> None:
        """Compare what an instruction touches with its clock, and with those of less order."""
        true, without, less = clocks
        if wait >= 0:
            place = queue, wait
            if (place not in self.needed or index == wait) and self._lacks(
                queue, index, without, touched, moved
            ):
                self.needed.add(place)
                if index == wait:
                    self.placed.add(place)
            if place not in self.enough and self._lacks(queue, index, less, touched, moved):
                self.enough.add(place)
        self._reduced = tuple([max(0, count - 1) for count in true])
        self._lacks(queue, index, self._reduced, touched, moved)
        self._reduced = ()
        self._accesses.instruction(
            queue, index, true, touched, self.check.watch.works[queue][index].reads_on
        )
        end = self.check.steps.ends[queue].get(index)
        if moved is not None and end is not None:
            self._accesses.transfer(queue, index, true, moved, *end)

    def _lacks(
        self, queue: int, index: int, clock: Clock, touched: Touched, moved: TransferTouches | None
    ) -> bool:
        """Whether an instruction with this clock would be in a race."""
        self._met = False
        self._accesses.look(queue, index, clock, touched, moved)
        return self._met


def _at_least(clock: Clock, column: int, value: int) -> Clock:
    if clock[column] >= value:
        return clock
    return (*clock[:column], value, *clock[column + 1 :])


def _units(taken: list[TakenStep]) -> Counter[int]:
    """The least that anything posts to each counter."""
    found: Counter[int] = Counter()
    for one in taken:
        step = one.step
        if step.issue is not None and step.issue.counter is not None:
            counter, value = step.issue.counter, step.issue.shares
        elif step.change is not None and step.change.op == "+" and step.change.value > 0:
            counter, value = step.change.counter, step.change.value
        else:
            continue
        found[counter] = min(found[counter] or value, value)
    for counter in list(found):
        found[counter] = max(1, found[counter])
    return found


def _known_later(steps: list[list[TakenStep]], queues: int) -> set[Place]:
    """The instructions whose completion a later one of their queue knows, and may pass on."""

    def every() -> Iterator[Place]:
        for queue, some in enumerate(steps):
            for taken in some:
                known = taken.clock[queues + queue]
                if 0 < known <= taken.step.index:
                    yield queue, known - 1

    return set(every())
