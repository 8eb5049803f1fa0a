"""Trying what a run would be if some of its instructions waited for more: does it reach its end?

What was kept of the run is executed again without time: whatever has started is complete at once.
Counters that only go up have one end whatever the timing. For others the run is executed in two
ways: what started first in the run goes first, and what started last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nasm.order.check import Apart, Check, Line, Race
from nasm.order.events import More
from nasm.order.skeleton import CounterWait, Step

Pick = Callable[[Sequence[int]], int]
WAYS: tuple[Pick, ...] = (min, max)
"""Which of the steps that can start, by their places in the run, goes first."""


BUDGET = 2_000_000
"""Instructions of a run that are judged again, in all, to try what is proposed."""


class Trials:
    """Tries what would be added to the program of one run that was judged."""

    def __init__(self, check: Check, apart: Apart | None = None) -> None:
        self.check, self.apart, self.budget = check, apart, BUDGET

    def mends(self, more: More, races: Iterable[Race]) -> bool:
        """Whether a run with more waits finishes, and has none of some races."""
        if self.budget <= 0:
            return False
        self.budget -= len(self.check.watch.queues)
        check = self.check
        made = Check(check.sources, check.watch, check.held, more, apart=self.apart)
        made.settle()
        return not any(_left(made, race) for race in races) and self._ends(made)

    def _ends(self, made: Check) -> bool:
        """Whether it finishes in each way in which it did without."""
        before, after = ([taken.step for taken in one.order.taken] for one in (self.check, made))
        return all(Dry(after, way).ends() or not Dry(before, way).ends() for way in WAYS)


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
        self.queues: dict[int, list[tuple[int, Step]]] = {}
        self.sizes: dict[int, int] = {}
        for place, step in enumerate(steps):
            self.queues.setdefault(step.queue, []).append((place, step))
            if step.meeting >= 0:
                self.sizes[step.meeting] = self.sizes.get(step.meeting, 0) + 1
        self.at = dict.fromkeys(self.queues, 0)
        self.left = len(steps)

    def ends(self) -> bool:
        """Whether every step starts."""
        while self.left:
            ready = {place: step for place, step in self._heads() if self._ready(step)}
            members: dict[int, list[Step]] = {}
            for step in ready.values():
                if step.meeting >= 0:
                    members.setdefault(step.meeting, []).append(step)
            some = [
                place
                for place, step in ready.items()
                if step.meeting < 0 or len(members[step.meeting]) == self.sizes[step.meeting]
            ]
            if not some:
                return False
            step = ready[self.pick(some)]
            for one in members[step.meeting] if step.meeting >= 0 else (step,):
                self._start(one)
        return True

    def _heads(self) -> list[tuple[int, Step]]:
        return [
            queue[self.at[number]]
            for number, queue in self.queues.items()
            if self.at[number] < len(queue)
        ]

    def _ready(self, step: Step) -> bool:
        if step.after_event is not None and not self._happened(
            step.after_event.queue, step.after_event.index
        ):
            return False
        return step.wait is None or self._over(step.wait)

    def _over(self, wait: CounterWait) -> bool:
        value = self.values.get(wait.counter, 0)
        return value == wait.value if wait.op == "==" else value >= wait.value

    def _happened(self, queue: int, index: int) -> bool:
        """Whether an instruction has started, and with that is complete."""
        steps = self.queues.get(queue, ())
        at = self.at.get(queue, 0)
        return at == len(steps) or steps[at][1].index > index

    def _start(self, step: Step) -> None:
        self.at[step.queue] += 1
        self.left -= 1
        values, change, issue = self.values, step.change, step.issue
        if change is not None:
            known = values.get(change.counter, 0) if change.op == "+" else 0
            values[change.counter] = known + change.value
        if issue is not None and issue.counter is not None:
            values[issue.counter] = values.get(issue.counter, 0) + issue.shares
