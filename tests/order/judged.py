"""What the clocks say of a skeleton, beside what the definition says."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nasm.order.clocks import Order
from nasm.order.skeleton import STARTS, Event, Step
from tests.order.oracle import Skeleton, Walk, events, orders, rising, steps
from tests.order.skeletons import Drawn, line, streams, without

Before = Callable[[Event, int, int], bool]


class Difference(NamedTuple):
    """An event and a start whose order is wrong."""

    event: Event
    start: Step
    claimed: bool

    def __str__(self) -> str:
        kind = ("start", "completion", "landing")[self.event.kind]
        said = "said to come" if self.claimed else "not seen to come"
        return (
            f"the {kind} of @{self.event.queue} {self.event.index} is {said} before "
            f"the start of {line(self.start)}"
        )


class Judged(NamedTuple):
    """How the clocks did: their mistakes, and how much of the order there is they know."""

    differences: list[Difference]
    ordered: int
    known: int


def clocks(drawn: Drawn) -> Order:
    """The clocks, told of an execution."""
    order = Order(len(drawn.skeleton), streams(drawn.skeleton))
    for step in drawn.order:
        order.take(step)
    order.settle()
    return order


def definition(skeleton: Skeleton, limit: int = 200_000) -> Before:
    """What comes before what."""
    if rising(skeleton):
        pairs = orders(skeleton)
        return lambda event, queue, index: (event, (queue, index)) in pairs
    return Walk(skeleton, limit).before


def judged(drawn: Drawn, limit: int = 200_000) -> Judged:
    """Every event and every start: equal where counters go up, else never more than there is."""
    before, order = definition(drawn.skeleton, limit), clocks(drawn)
    exact = rising(drawn.skeleton)
    differences, ordered, known = [], 0, 0
    for event in events(drawn.skeleton):
        for start in steps(drawn.skeleton):
            if _together(drawn.skeleton, event, start):
                continue
            is_so = before(event, start.queue, start.index)
            claimed = order.before(event, start.queue, start.index)
            ordered += is_so
            known += claimed and is_so
            if claimed != is_so and (exact or claimed):
                differences.append(Difference(event, start, claimed))
    return Judged(differences, ordered, known)


def _together(skeleton: Skeleton, event: Event, start: Step) -> bool:
    """Whether an event is of the step itself, or the start of one that it meets: one moment."""
    if (event.queue, event.index) == (start.queue, start.index):
        return True
    fellow = skeleton[event.queue][event.index].meeting == start.meeting >= 0
    return fellow and event.kind == STARTS


def smallest(drawn: Drawn, wrong: Callable[[Drawn], bool]) -> Drawn:
    """The same fault in as few steps as leaving out one after the other leads to."""
    found = True
    while found:
        found = False
        for step in reversed(drawn.order):
            less = without(drawn, step)
            if less is not None and wrong(less):
                drawn, found = less, True
                break
    return drawn


def report(drawn: Drawn) -> str:
    """What is wrong with the order of a skeleton, made small; empty if nothing is."""
    if not judged(drawn).differences:
        return ""
    least = smallest(drawn, lambda one: bool(judged(one).differences))
    return "\n".join([str(least), *map(str, judged(least).differences)])
