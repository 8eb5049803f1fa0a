"""Vector clocks of a run: what certainly happened before each instruction starts.

The rule is that of :mod:`nasm.order.skeleton`'s machine without time: forbid an event, let
everything else happen that can, in any order; what has not happened comes after it. For counters
that only go up that is one number for each queue and each stream of transfers:

* a *clock* says how many instructions of each queue have certainly started, how many have
  certainly completed, and how many transfers of each stream have certainly landed;
* a wait for ``n`` may be ended by any of the posts that do not come after it, ``P`` of them. What
  happens before more than ``P - n`` of those posts has certainly happened.

Which posts come after a wait is itself a matter of order. A first sweep, in the order of the run,
takes it that what came later always does; sweeps with the clocks of the sweep before follow until
nothing changes. Each only takes order away, so that what is in no order after any of them is in
none. (Thornley and Chandy, 2000, on monotonic counters; Reed and Kanodia, 1979, on eventcounts.)
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from nasm.order.deltas import ClockDeltas
from nasm.order.down_counters import DownCounters, Place, Unordered
from nasm.order.posts import UNKNOWN, Clock, Posts, TakenStep, Window, both, more_than, posted
from nasm.order.skeleton import (
    COMPLETES,
    LANDS,
    STARTS,
    CounterChange,
    CounterWait,
    Event,
    Step,
    Stream,
    stream_of,
)

TRIED = 100
"""Sweeps at most of what is only tried. No run has been in that order, and they may not end."""


class Overrun(NamedTuple):
    """A wait, where it is, what its counter may be then, and the last that may have posted."""

    wait: CounterWait
    place: tuple[int, int]
    total: int
    posters: tuple[tuple[int, int], ...]


class Order:
    """What certainly happened before what, of the steps that were taken so far.

    ``streams`` are the queues, counters and ways of all transfers, each once. Steps are taken in an
    order in which a run may start them, members of a meeting one after the other. ``columns`` says
    which column of a clock is a stream's, ``owners`` which queue's a column is, ``issued`` which
    instructions issued its transfers. If it is not ``sure`` a run may not start the steps in that
    order after all. The clocks of all instructions may be ``known``, by queue: of a run that is
    over, of which all steps are taken at once.
    """

    def __init__(
        self,
        queues: int,
        streams: Sequence[Stream],
        sure: bool = True,
        known: Sequence[Sequence[Clock]] | None = None,
    ) -> None:
        self.queues, self.sure, self._known = queues, sure, known
        self.columns = {stream: 2 * queues + n for n, stream in enumerate(streams)}
        self.owners = {column: stream[0] for stream, column in self.columns.items()}
        self.issued: dict[int, list[int]] = {column: [] for column in self.owners}
        self.taken: list[TakenStep] = []
        self.starts: list[list[int]] = [[] for _ in range(queues)]
        self.steps: list[list[TakenStep]] = [[] for _ in range(queues)]
        self.nothing: Clock = (0,) * (2 * queues + len(streams))
        self._now: list[Clock] = [self.nothing] * queues
        self._deltas = ClockDeltas(queues)
        self._posts: dict[int, dict[int, Posts]] = {}
        self._falls: dict[int, dict[int, Posts]] = {}
        self._waits: dict[int, dict[int, int]] = {}
        self._changes: list[dict[int, tuple[CounterChange, Posts | None]]]
        self._changes = [{} for _ in range(queues)]
        self._met: list[tuple[TakenStep, Clock]] = []
        self._first = self._settled = True
        self._doubtful: set[int] = set()
        self._exact: list[TakenStep] = []
        self._takes = False
        self._lived: set[int] = set()
        self._again = False
        self._down_counters = DownCounters(())
        self._unordered: list[Unordered] | None = None
        self._later: dict[Place, tuple[tuple[int, int], ...]] = {}

    # -- taking steps

    def expect(self, lived: set[int]) -> None:
        """The steps that are taken next set these counters, or take from them.

        Each wait for such a counter looks at all posts to it as long as that is not known.
        """
        if not lived <= self._lived:
            self._lived |= lived
            self._again = self._from_the_top() or self._again

    def take(self, step: Step) -> None:
        """The next step, in an order in which a run may start them."""
        if self._met and step.meeting != self._met[0][0].step.meeting:
            self._meet()
        if step.issue is not None:
            self.issued[self.columns[stream_of(step.queue, step.issue)]].append(step.index)
            if step.issue.after:
                self._later[step.queue, step.index] = step.issue.after
        change, queue = step.change, step.queue
        if change is None or step.issue is not None:
            posts = self._posts_of(step)
        else:
            known = self._changes[queue].get(id(change))
            if known is None:
                known = self._changes[queue][id(change)] = change, self._posts_of(step)
            posts = known[1]
        taken = TakenStep(step, posts)
        self.taken.append(taken)
        self.starts[queue].append(step.index)
        self.steps[queue].append(taken)
        if self._known is not None:
            self._start_with(taken, self._known[queue][step.index])
        elif step.meeting >= 0:
            self._advance(taken)
        else:  # as it does, which costs a call
            self._start(taken, self._before_start(step))
        if step.wait is not None and step.wait.op == "==":
            self._exact.append(taken)
        if step.change is not None and step.change.value < 0:
            self._takes = True
        self._settled = False

    def _start_with(self, taken: TakenStep, clock: Clock) -> None:
        """A step starts with a clock that is known: nothing that follows has to be looked for."""
        taken.clock = clock
        if taken.posts is not None:
            taken.posts.add(taken.step.index, clock, posted(taken.step)[1])

    def _posts_of(self, step: Step) -> Posts | None:
        """Where the posts of a step belong."""
        queue, change, issue = step.queue, step.change, step.issue
        if issue is not None:
            if issue.counter is None or issue.counter < 0:
                return None
            column = self.columns[stream_of(queue, issue)]
            return _stream(self._posts, issue.counter, queue, LANDS, column)
        if change is None:
            return None
        if change.op != "+" or change.value < 0:
            self._lived.add(change.counter)
        kept = self._posts if change.value > 0 else self._falls
        if change.at_start:
            return _stream(kept, change.counter, queue, STARTS, queue)
        return _stream(kept, change.counter, queue, COMPLETES, self.queues + queue)

    def _advance(self, taken: TakenStep) -> None:
        """Give a step its clock, unless others of its meeting are still to come."""
        step = taken.step
        clock = self._before_start(step)
        if step.meeting >= 0:
            self._met.append((taken, clock))
        else:
            self._start(taken, clock)

    def _before_start(self, step: Step) -> Clock:
        """What has certainly happened before a step starts, meetings aside."""
        queue, wait = step.queue, step.wait
        clock = self._now[queue]
        if step.after >= 0 and clock[self.queues + queue] <= step.after:
            column = self.queues + queue
            clock = (*clock[:column], step.after + 1, *clock[column + 1 :])
            self._deltas.columns[queue].append(column)
        if step.after_event is not None:
            clock = self._deltas.changed(queue, clock, both(clock, self.after(step.after_event)))
        if wait is not None:
            if wait.counter in self._down_counters.counters:
                after = self._down_counters.after(step, clock)
                clock = self._deltas.changed(queue, clock, both(clock, after))
            elif wait.value > 0:
                clock = self._waited(clock, queue, step.index, wait.counter, wait.value)
        return clock

    def _start(self, taken: TakenStep, clock: Clock) -> None:
        """A step starts with a clock, which what it posts then has."""
        step, posts = taken.step, taken.posts
        queue, wait = step.queue, step.wait
        self._now[queue] = taken.clock = clock
        if self._first and wait is not None:
            waiting = self._waits.get(wait.counter)
            if waiting is None:
                waiting = self._waits[wait.counter] = {}
            waiting[queue] = step.index
            if self._lived:
                self._down_counters.wait(taken)
        if posts is None:
            return
        mark = len(self._deltas.columns[queue])
        if step.issue is not None and step.issue.after:
            clock, mark = self.later(clock, queue, step.index), UNKNOWN
        if not self._first:
            posts.clocks[taken.nth] = clock
            if taken.life is not None:
                life, nth = taken.life
                life.clocks[nth] = clock
            return
        change = step.change
        if change is None or step.issue is not None:
            counter, value = posted(step)
        else:  # as it says, which costs a call
            counter, value = change.counter, change.value
        posts.add(step.index, clock, value, mark)
        if self._lived:
            self._down_counters.change(taken)
        waits = self._waits.get(counter)
        if waits is not None:
            for other, index in waits.items():
                if clock[other] <= index and other != queue:
                    self._doubtful.add(counter)

    def _meet(self) -> None:
        """All members of a meeting start together."""
        met, self._met = self._met, []
        clock = [max(column) for column in zip(*(before for _, before in met), strict=True)]
        for taken, _ in met:
            clock[taken.step.queue] = taken.step.index + 1
        together = tuple(clock)
        for taken, before in met:
            self._start(taken, self._deltas.changed(taken.step.queue, before, together))

    # -- waits

    def _waited(self, clock: Clock, queue: int, index: int, counter: int, value: int) -> Clock:
        """A clock after a wait for a counter that only goes up to reach a value."""
        news = self._deltas
        streams = self._posts.get(counter)
        if not streams:
            return clock
        if len(streams) == 1:
            (posts,) = streams.values()
            if posts.kind != LANDS:
                nth = bisect_left(posts.totals, value)
                return clock if nth == len(posts.totals) else news.joined(queue, clock, posts, nth)
        some: list[Window] = []
        slack = -value
        for posts in streams.values():
            count = len(posts.clocks) if self._first else posts.before(queue, index)
            if count:
                some.append((posts, 0, count))
                slack += posts.totals[count - 1]
        if slack > 0:
            return news.changed(queue, clock, more_than(clock, some, slack))
        for posts, _, count in some:
            clock = news.joined(queue, clock, posts, count - 1)
        return clock

    # -- sweeps

    def settle(self) -> bool:
        """Sweep until nothing changes; returns whether an earlier step has another clock now."""
        if self._met:
            self._meet()
        if self._settled:
            return False
        self._settled, self._unordered = True, None
        again, self._again = self._again, False
        if len(self._lived) > len(self._down_counters.counters):
            again = self._from_the_top() or again
        swept = False
        if not self.sure or any(self._matters(counter) for counter in self._doubtful):
            swept = self._sweeps()
            self._doubtful.clear()
        return swept or again

    def _from_the_top(self) -> bool:
        """The first sweep once more: of some counters it is only known now that they are set.

        Returns whether a step has another clock now.
        """
        for streams in self._posts.values(), self._falls.values():
            for posts in itertools.chain.from_iterable(map(dict.values, streams)):
                posts.clear()
        self._down_counters = DownCounters(self._lived)
        self._waits.clear()
        self._doubtful.clear()
        self._deltas.start()
        return self._sweep()

    def _sweeps(self) -> bool:
        self._first, changed = False, False
        self._deltas.stop()
        for streams in self._posts.values():
            for posts in streams.values():
                posts.lose()
        left = TRIED
        while (self.sure or left) and self._sweep():
            changed, left = True, left - 1
        self._first = True
        self._deltas.go_on()
        return changed

    def _matters(self, counter: int) -> bool:
        """Whether it matters which posts to a counter come after a wait for it."""
        if counter in self._down_counters.counters:
            return True
        streams = self._posts.get(counter, {})
        return len(streams) > 1 or any(posts.kind == LANDS for posts in streams.values())

    def _sweep(self) -> bool:
        """Every clock again, by the clocks that there are; returns whether one changed."""
        self._now = [self.nothing] * self.queues
        before = [taken.clock for taken in self.taken]
        for taken in self.taken:
            if self._met and taken.step.meeting != self._met[0][0].step.meeting:
                self._meet()
            self._advance(taken)
        if self._met:
            self._meet()
        return any(taken.clock != old for taken, old in zip(self.taken, before, strict=True))

    # -- questions

    @property
    def unordered(self) -> list[Unordered]:
        """Sets of counters that are in no order with what else happens to them."""
        if self._unordered is None:
            self._unordered = self._down_counters.unordered
        return self._unordered

    def clock(self, queue: int, index: int) -> Clock:
        """What has certainly happened before an instruction starts."""
        nth = bisect_right(self.starts[queue], index)
        return self.steps[queue][nth - 1].clock if nth else self.nothing

    def later(self, clock: Clock, queue: int, index: int) -> Clock:
        """What has happened before a transfer touches bytes, from what has before its start."""
        after = self._later.get((queue, index))
        if after is None:
            return clock
        made = list(clock)
        for column, count in after:
            made[column] = max(made[column], count)
        return tuple(made)

    def done(self) -> Clock:
        """What has certainly happened once the last instruction of each queue has completed."""
        ends = [taken.clock for steps in self.steps for taken in steps[-1:]]
        return reduce(both, ends, self.nothing)

    def after(self, event: Event) -> Clock:
        """What has certainly happened once something has, itself included."""
        queue, index, column = event.queue, event.index, event.queue
        clock = list(self.clock(queue, index) or self.nothing)
        clock[queue] = max(clock[queue], index + 1)
        if event.kind == LANDS:
            landed = self.transfer(queue, index)
            if landed is not None:
                clock[landed[0]] = max(clock[landed[0]], landed[1])
            clock = list(self.later(tuple(clock), queue, index))
        elif event.kind == COMPLETES:
            column = self.queues + queue
            clock[column] = max(clock[column], index + 1)
        return tuple(clock)

    def late_takes(self) -> Iterator[tuple[Place, Place, int]]:
        """Takes that may not be complete when their queue waits for the same counter again.

        Each with the instruction that waits, and the counter.
        """
        takes: dict[Place, int] = {}
        for taken in self.taken if self._takes else ():
            step, wait, change = taken.step, taken.step.wait, taken.step.change
            queue = step.queue
            if wait is not None:
                last = takes.get((queue, wait.counter), -1)
                if taken.clock[self.queues + queue] <= last:
                    yield (queue, last), (queue, step.index), wait.counter
            if change is not None and change.value < 0 and not change.at_start:
                takes[queue, change.counter] = step.index

    def overruns(self) -> Iterator[Overrun]:
        """Waits for just a value that what does not come after them may carry a counter past."""
        for taken in self._exact:
            step, wait = taken.step, taken.step.wait
            if wait is None or wait.counter in self._lived:
                continue
            posts = [
                (posts, count)
                for posts in self._posts.get(wait.counter, {}).values()
                if (count := posts.before(step.queue, step.index))
            ]
            total = sum(posts.total(count) for posts, count in posts)
            if total > wait.value:
                last = [(posts.queue, posts.indices[count - 1]) for posts, count in posts]
                yield Overrun(wait, (step.queue, step.index), total, tuple(last))

    def idle(self) -> Iterator[tuple[int, int]]:
        """The waits without which all would be in the same order, as (queue, index).

        Those of meetings are not looked at, nor those for counters that go down or are set: what
        they add may not be known.
        """
        for queue, steps in enumerate(self.steps):
            before = self.nothing
            for taken in steps:
                step, wait = taken.step, taken.step.wait
                if wait is not None and step.meeting < 0 and wait.counter not in self._lived:
                    own = max(before[self.queues + queue], step.after + 1)
                    column = self.queues + queue
                    if taken.clock == (*before[:column], own, *before[column + 1 :]):
                        yield queue, step.index
                before = taken.clock

    def streams(self, counter: int) -> list[Posts]:
        """All posts to a counter."""
        return list(self._posts.get(counter, {}).values())

    def takes(self, counter: int) -> list[Posts]:
        """All that is taken from a counter."""
        return list(self._falls.get(counter, {}).values())

    @property
    def counters(self) -> list[int]:
        """The counters that something posts to."""
        return list(self._posts)

    def goes_down(self, counter: int) -> bool:
        """Whether a counter goes down, or is set."""
        return counter in self._lived

    def before(self, event: Event, queue: int, index: int) -> bool:
        """Whether something happens before the start of an instruction, in every execution."""
        kind, whose, which = event.kind, event.queue, event.index
        if kind == LANDS:
            landed = self.transfer(whose, which)
            return landed is not None and self.clock(queue, index)[landed[0]] >= landed[1]
        if kind == STARTS and whose == queue:
            return which < index
        column = whose if kind == STARTS else self.queues + whose
        return self.clock(queue, index)[column] > which

    def transfer(self, queue: int, index: int) -> tuple[int, int] | None:
        """The column of a transfer, and what that is once it has landed."""
        for column, issued in self.issued.items():
            if self.owners[column] == queue:
                nth = bisect_left(issued, index)
                if nth < len(issued) and issued[nth] == index:
                    return column, nth + 1
        return None


def _stream(
    kept: dict[int, dict[int, Posts]], counter: int, queue: int, kind: int, column: int
) -> Posts:
    """The posts of a queue to a counter in one way, made when there is the first."""
    streams = kept.get(counter)
    if streams is None:
        streams = kept[counter] = {}
    found = streams.get(column)
    if found is None:
        found = streams[column] = Posts(queue, kind, column)
    return found
