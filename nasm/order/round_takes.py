"""Lines of loops at run time, in which each round takes what it waits for."""

from __future__ import annotations

from nasm.order.check import Check
from nasm.order.remedies import Remedy
from nasm.order.skeleton import CounterWait

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""


def again(check: Check, place: Place) -> bool:
    """Whether a line is executed more than once at one place: in a loop at run time."""
    queue, index = place
    pcs = check.watch.pcs[queue]
    return pcs.count(pcs[index]) > 1


def rounds(check: Check, place: Place) -> list[int]:
    """The instructions of a line from one on; of one that is executed again all of them."""
    queue, index = place
    line = check.line(queue, index)
    pcs = check.watch.pcs[queue]
    same = {pc for pc in set(pcs) if check.line_of(queue, pc) == line}
    first = 0 if again(check, place) else index
    return [at for at in range(first, len(pcs)) if pcs[at] in same]


def taking(check: Check, found: Remedy) -> list[Remedy]:
    """The same, but that each round takes what it waits for: the least that is posted at a time."""
    if found.wait is None or not again(check, found.place):
        return []
    posts = check.order.streams(found.wait.counter)
    unit = min(one.totals[n] - one.total(n) for one in posts for n in range(len(one.totals)))
    values = dict.fromkeys((unit, found.wait.value))
    return [found._replace(wait=found.wait._replace(value=v), takes=True) for v in values if v > 0]


def taken(check: Check, found: Remedy) -> dict[Place, CounterWait]:
    """What the rounds of a line take."""
    assert found.wait is not None
    return {(found.place[0], at): found.wait for at in rounds(check, found.place)}
