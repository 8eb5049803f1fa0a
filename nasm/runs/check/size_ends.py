"""Whether a program ends at every size: there is an order in which all of it starts.

The queues take turns, a step each, and nothing takes time. If a larger size is in this order what
a smaller one is, with a block put in that repeats what comes before it, then blocks may be put in
without end, as long as each gives every counter at least as much as waits for it then are for.
Where nothing is taken from counters, what ends in one order ends in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from nasm.order.posts import TakenStep
from nasm.order.repeats import Unproved
from nasm.order.skeleton import Step
from nasm.order.untimed import in_turns
from nasm.runs.check.size_growth import Growth, insertions

NOT_SHOWN = "whether it ends was not shown"


def check_ends(
    smaller: Sequence[Sequence[TakenStep]], larger: Sequence[Sequence[TakenStep]]
) -> None:
    """Show that it ends with any number of rounds more than the larger size; raises Unproved."""
    one, other = in_turns(smaller), in_turns(larger)
    if one is None or other is None:
        raise Unproved(NOT_SHOWN)
    known: dict[object, int] = {}
    numbers = [
        np.array([known.setdefault(_kind(step), len(known)) for step in steps], np.int64)
        for steps in (one, other)
    ]
    blocks = insertions(*numbers)
    for block in blocks:
        _block(other, block)
    _around(one, other, blocks)


def _kind(step: Step) -> object:
    """What a step is, but for the value that it waits for."""
    return step.queue, step.wait and step.wait[:2], step.change, step.issue


def _given(steps: Iterable[Step]) -> Counter[int]:
    """By how much counters are more after some steps."""
    found: Counter[int] = Counter()
    for step in steps:
        if step.change is not None:
            found[step.change.counter] += step.change.value
        if step.issue is not None and step.issue.counter is not None:
            found[step.issue.counter] += step.issue.shares
    return found


def _block(steps: Sequence[Step], block: Growth) -> None:
    """Each block gives its own waits what they need."""
    at, length = block.at, block.length
    given = _given(steps[at : at + length])
    for before, after in zip(steps[at - length : at], steps[at : at + length], strict=True):
        if before.wait is not None and after.wait is not None:
            grows = after.wait.value - before.wait.value
            more = given[after.wait.counter]
            if more < grows or (after.wait.op == "==" and more != grows):
                raise Unproved(NOT_SHOWN)


def _around(one: Sequence[Step], other: Sequence[Step], blocks: Sequence[Growth]) -> None:
    """What comes after blocks is given what it waits for with more of them."""
    left, given, at = list(blocks), Counter[int](), 0
    for step in one:
        while left and at == left[0].at:
            block = left.pop(0)
            given.update(_given(other[at : at + block.length]))
            at += block.length
        same = other[at]
        if step.wait is not None and same.wait is not None:
            grows, more = same.wait.value - step.wait.value, given[same.wait.counter]
            if more < grows or (same.wait.op == "==" and more != grows):
                raise Unproved(NOT_SHOWN)
        at += 1
