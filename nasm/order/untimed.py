"""One way to execute the steps of a run without time: the queues take turns, a step each."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.order.posts import TakenStep
from nasm.order.skeleton import Step


def in_turns(queues: Sequence[Sequence[TakenStep]]) -> list[Step] | None:
    """The steps in the order in which they start so; None if some never do.

    Whatever a step changes, itself or by a transfer, it changes at once. Steps do not meet.
    """
    at, values, order = [0] * len(queues), dict[int, int](), list[Step]()
    left = sum(map(len, queues))
    while left:
        before = left
        for queue, steps in enumerate(queues):
            if at[queue] < len(steps) and _ready(steps[at[queue]].step, values):
                step = steps[at[queue]].step
                _change(step, values)
                order.append(step)
                at[queue] += 1
                left -= 1
        if left == before:
            return None
    return order


def _ready(step: Step, values: dict[int, int]) -> bool:
    if step.wait is None:
        return True
    value = values.get(step.wait.counter, 0)
    return value == step.wait.value if step.wait.op == "==" else value >= step.wait.value


def _change(step: Step, values: dict[int, int]) -> None:
    change, issue = step.change, step.issue
    if change is not None:
        known = values.get(change.counter, 0) if change.op == "+" else 0
        values[change.counter] = known + change.value
    if issue is not None and issue.counter is not None:
        values[issue.counter] = values.get(issue.counter, 0) + issue.shares
