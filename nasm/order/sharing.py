"""Counters that can be one: all uses of one are over before the first of the next begins.

That one counter precedes another is a partial order, so a set of counters that share one is a chain
of it, and the fewest chains that have all counters are as many as the most of which no two are in
order (Dilworth). A matching of counters with those that follow them gives both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nasm.base.records import dataclass, field
from nasm.order.clocks import Order
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event


@dataclass(slots=True)
class CounterLife:
    """The uses of a counter: the first of each queue, and the last of each queue and kind.

    ``total`` is all that is posted to it, less all that is taken. One that is ``apart`` is set, or
    waited for to be just so.
    """

    first: dict[int, int] = field(default_factory=dict)
    last: dict[tuple[int, int], int] = field(default_factory=dict)
    total: int = 0
    apart: bool = False

    def add(self, kind: int, queue: int, index: int) -> None:
        """One more use, after all others of its queue."""
        self.first.setdefault(queue, index)
        self.last[queue, kind] = index


def uses(order: Order) -> dict[int, CounterLife]:
    """The uses of each counter of a run."""
    found: dict[int, CounterLife] = {}
    for taken in order.taken:
        step = taken.step
        wait, change, issue = step.wait, step.change, step.issue
        if wait is not None:
            one = found.setdefault(wait.counter, CounterLife())
            one.add(STARTS, step.queue, step.index)
            one.apart = one.apart or wait.op != ">="
        if issue is not None and issue.counter is not None:
            one = found.setdefault(issue.counter, CounterLife())
            one.add(LANDS, step.queue, step.index)
            one.total += issue.shares
        elif change is not None and issue is None:
            one = found.setdefault(change.counter, CounterLife())
            one.add(STARTS if change.at_start else COMPLETES, step.queue, step.index)
            one.total += change.value
            one.apart = one.apart or change.op != "+"
    return found


def precedes(order: Order, one: CounterLife, other: CounterLife) -> bool:
    """Whether all uses of a counter are over before any of another one begins."""
    return all(
        order.before(Event(kind, queue, index), later, first)
        for (queue, kind), index in one.last.items()
        for later, first in other.first.items()
    )


def chains(counters: Sequence[int], before: Callable[[int, int], bool]) -> list[list[int]]:
    """The fewest chains that have all counters, each in its order."""
    after = {one: [two for two in counters if two != one and before(one, two)] for one in counters}
    previous: dict[int, int] = {}
    for one in counters:
        _matched(one, after, previous, set())
    following = {one: two for two, one in previous.items()}
    found = []
    for one in counters:
        if one not in previous:
            chain = [one]
            while chain[-1] in following:
                chain.append(following[chain[-1]])
            found.append(chain)
    return found


def _matched(
    one: int, after: dict[int, list[int]], previous: dict[int, int], seen: set[int]
) -> bool:
    """Give a counter one that follows it, if need be by giving others another one."""
    for two in after[one]:
        if two in seen:
            continue
        seen.add(two)
        if two not in previous or _matched(previous[two], after, previous, seen):
            previous[two] = one
            return True
    return False


def antichain(
    counters: Sequence[int], before: Callable[[int, int], bool], some: Iterable[int]
) -> bool:
    """Whether no two of some counters are in order: then none of them can share one."""
    few = [one for one in counters if one in set(some)]
    return not any(before(a, b) for a in few for b in few if a != b)
