"""Takes that may be late, and whether that can do any harm."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from nasm.base.records import replace
from nasm.order.check import Check
from nasm.order.posts import TakenStep
from nasm.order.skeleton import Step
from nasm.order.trial import Dry

Place = tuple[int, int]
"""A queue, and the number of an instruction in it."""


def late_takes(check: Check) -> Iterator[tuple[Place, Place, int]]:
    """Takes that may not be complete when their queue waits for the same counter again.

    Each with the instruction that waits, and the counter. The order does not rely on such takes, so
    that without a race nothing but the end of the run could depend on them: none is given if that
    is certain.
    """
    found = check.order.late_takes()
    first = next(found, None)
    if first is not None and (check.races or not always_ends(check.order.taken)):
        yield first
        yield from found


def always_ends(taken: Sequence[TakenStep]) -> bool:
    """Whether steps end regardless of the timing, as far as this is easily proved.

    A wait for ``n`` is over at the latest when ``n`` more has been posted than was taken: by the
    steps before it in its queue, and by all of other queues that may not come after it. If
    the steps end with all waits for so much, without any takes, they always end: of the steps that
    have not started, the first in that execution could.
    """
    raised: list[Step] = []
    takes: dict[int, dict[int, _Takes]] = {}
    for one in taken:
        change = one.step.change
        if change is not None and change.op != "+":
            return False
        if change is not None and change.value < 0:
            queues = takes.setdefault(change.counter, {})
            queues.setdefault(one.step.queue, _Takes()).add(one, -change.value)
    for one in taken:
        step, wait = one.step, one.step.wait
        if wait is not None:
            if wait.op != ">=":
                return False
            queues = takes.get(wait.counter, {})
            gone = sum(some.before(step, queue) for queue, some in queues.items())
            step = replace(step, wait=wait._replace(value=wait.value + gone))
        if step.change is not None and step.change.value < 0:
            step = replace(step, change=None)
        raised.append(step)
    return Dry(raised, min).ends()


class _Takes:
    """What one queue takes from one counter, in its order."""

    def __init__(self) -> None:
        self.taken: list[TakenStep] = []
        self.totals = [0]

    def add(self, take: TakenStep, amount: int) -> None:
        """One more."""
        self.taken.append(take)
        self.totals.append(self.totals[-1] + amount)

    def before(self, step: Step, queue: int) -> int:
        """How much of it may be taken before a step starts: what comes after it is later."""
        if queue == step.queue:
            count = bisect_left(self.taken, step.index, key=lambda take: take.step.index)
        else:
            count = bisect_right(self.taken, step.index, key=lambda take: take.clock[step.queue])
        return self.totals[count]
