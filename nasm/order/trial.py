"""Trying what a run would be if some of its instructions waited for more: does it reach its end?

What was kept of the run is executed again without time: whatever has started is complete at once.
Counters that only go up have one end whatever the timing. For others the run is executed in two
ways: what started first in the run goes first, and what started last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from nasm.order.check import Apart, Check, Line, Race
from nasm.order.events import More
from nasm.order.skeleton import Step

Head = tuple[int, Step]
"""The next step of a queue, and its place in the run."""

Pick = Callable[[Sequence[Head]], Head]
WAYS: tuple[Pick, ...] = (min, max)
"""Which of the steps that can start, by their places in the run, goes first."""


BUDGET = 2_000_000
"""Instructions of a run that are judged again, in all, to try what is proposed."""


class Trials:
    """Tries what would be added to the program of one run that was judged."""

    def __init__(self, check: Check, apart: Apart | None = None) -> None:
        self.check, self.apart, self.budget = check, apart, BUDGET
        self._finishes: dict[Pick, bool] = {}

    def mends(self, more: More, races: Iterable[Race]) -> bool:
        """Whether a run with more waits finishes, and has none of some races.

        Of what is asked the cheapest comes first: a part of the run, its end, all of its order.
        """
        if self.budget <= 0:
            return False
        check, races = self.check, list(races)
        self.budget -= len(check.watch.queues)
        for first in check.parts:
            made = check.proposed(more, self.apart, first)
            if first == check.parts[-1] and not self._ends(made):
                return False
            made.settle()
            if any(_left(made, race) for race in races):
                return False
        return True

    def _ends(self, made: Check) -> bool:
        """Whether it finishes in each way in which it did without."""
        after = [taken.step for taken in made.taken]
        tried = (Dry(after, way) for way in WAYS)
        for way, dry in zip(WAYS, tried, strict=True):
            if not dry.ends() and self._ended(way):
                return False
            if dry.rises:
                return True
        return True

    def _ended(self, way: Pick) -> bool:
        """Whether the run as it was finishes in a way."""
        known = self._finishes.get(way)
        if known is None:
            before = [taken.step for taken in self.check.order.taken]
            known = self._finishes[way] = Dry(before, way).ends()
        return known


def _only_up(step: Step) -> bool:
    """Whether a counter that a step changes goes up, and what it waits for then stays true."""
    wait, change = step.wait, step.change
    rises = change is None or (change.op == "+" and change.value >= 0)
    return rises and (wait is None or wait.op == ">=")


def _left(check: Check, race: Race) -> bool:
    """Whether a pair of the same two lines is in no order."""
    lines, apart = _lines(check, race), check.apart
    return any(
        _lines(check, one) == lines
        and (apart is None or apart(one.first, one.second) == apart(race.first, race.second))
        for one in check.races
    )


def _lines(check: Check, race: Race) -> set[Line]:
    return {check.line(access.queue, access.index) for access in (race.first, race.second)}


class Dry:
    """Steps executed without time."""

    def __init__(self, steps: Sequence[Step], pick: Pick) -> None:
        self.pick = pick
        self.values: dict[int, int] = {}
        self.queues: dict[int, list[Head]] = {}
        self.sizes: Counter[int] = Counter()
        for place, step in enumerate(steps):
            self.queues.setdefault(step.queue, []).append((place, step))
            if step.meeting >= 0:
                self.sizes[step.meeting] += 1
        for queue in self.queues.values():
            queue.reverse()
        self.heads = {number: queue.pop() for number, queue in self.queues.items()}
        self.rises = all(map(_only_up, steps))

    def ends(self) -> bool:
        """Whether every step starts."""
        heads, sizes = self.heads, self.sizes
        if self.rises and not sizes:
            return self._each_ends()
        while heads:
            some = [head for head in heads.values() if self._ready(head[1])]
            if sizes:
                met = Counter(step.meeting for _, step in some if step.meeting >= 0)
                some = [one for one in some if met[one[1].meeting] == sizes[one[1].meeting]]
            if not some:
                return False
            first = self.pick(some)
            meeting = first[1].meeting
            for one in (first,) if meeting < 0 else some:
                if one[1].meeting == meeting:
                    self._start(one[1])
        return True

    def _each_ends(self) -> bool:
        """The same where what can start stays so: each queue in turn goes as far as it can."""
        heads, moved = self.heads, True
        while heads and moved:
            moved = False
            for number in tuple(heads):
                while number in heads and self._ready(heads[number][1]):
                    self._start(heads[number][1])
                    moved = True
        return not heads

    def _ready(self, step: Step) -> bool:
        event, wait = step.after_event, step.wait
        if event is not None and not self._happened(event.queue, event.index):
            return False
        if wait is None:
            return True
        value = self.values.get(wait.counter, 0)
        return value == wait.value if wait.op == "==" else value >= wait.value

    def _happened(self, queue: int, index: int) -> bool:
        """Whether an instruction has started, and with that is complete."""
        head = self.heads.get(queue)
        return head is None or head[1].index > index

    def _start(self, step: Step) -> None:
        queue = self.queues[step.queue]
        if queue:
            self.heads[step.queue] = queue.pop()
        else:
            del self.heads[step.queue]
        values, change, issue = self.values, step.change, step.issue
        if change is not None:
            known = values.get(change.counter, 0) if change.op == "+" else 0
            values[change.counter] = known + change.value
        if issue is not None and issue.counter is not None:
            values[issue.counter] = values.get(issue.counter, 0) + issue.shares
