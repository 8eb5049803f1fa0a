"""Small random skeletons, each with an order of starts that can happen; all follows from a seed.

A skeleton is made along an execution of its own, in which whatever has started is complete at once:
so every wait is for something that is there, and what comes later may be in its way, or help it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from nasm.order.skeleton import CounterChange, CounterWait, Issue, Step
from tests.order.oracle import Skeleton, Start, counters, meetings, steps

RISING, EVENTS, PURSES, SETS = "rising", "events", "purses", "sets"
KINDS = (RISING, EVENTS, PURSES, SETS)
"""Counters that only go up; the same with events that are set once; counters that are taken from;
and those that are set, or waited for to be just so."""


class Sizes(NamedTuple):
    """How large a skeleton may be."""

    queues: int = 3
    steps: int = 5
    counters: int = 3
    transfers: int = 2
    shares: int = 3


SMALL = Sizes(2, 4, 2, 1, 2)


class Drawn(NamedTuple):
    """A skeleton, and an order in which its steps can start."""

    skeleton: Skeleton
    order: Sequence[Step]

    def __str__(self) -> str:
        return "\n".join(line(step) for step in self.order)


class _Maker:
    """Adds steps to queues; ``values`` are those of counters when all is complete."""

    def __init__(self, draw: Random, kind: str, sizes: Sizes) -> None:
        self.draw, self.kind, self.sizes = draw, kind, sizes
        self.queues: list[list[Step]] = [[] for _ in range(draw.randint(2, sizes.queues))]
        self.values = [0] * draw.randint(1, sizes.counters)
        self.once = [kind == EVENTS and self.chance(0.5) for _ in self.values]
        self.given: set[int] = set()
        self.transfers = draw.randint(0, sizes.transfers)
        self.order: list[Step] = []
        self.met = 0

    def chance(self, likely: float) -> bool:
        return self.draw.random() < likely

    def make(self) -> Drawn:
        room = [self.draw.randint(1, self.sizes.steps) for _ in self.queues]
        while True:
            free = [n for n, queue in enumerate(self.queues) if len(queue) < room[n]]
            if not free:
                return Drawn(self.queues, self.order)
            if len(free) > 1 and self.chance(0.08):
                members = self.draw.sample(free, self.draw.randint(2, len(free)))
                made = [replace(self.step(at), meeting=self.met) for at in members]
                self.met += 1
            else:
                made = [self.step(self.draw.choice(free))]
            for step in made:
                self.queues[step.queue].append(step)
                self.order.append(step)
            for step in made:
                self.happen(step)

    def happen(self, step: Step) -> None:
        """All that follows from the start of a step."""
        if step.change is not None:
            counter, op, value, _ = step.change
            self.values[counter] = value if op == "=" else self.values[counter] + value
        if step.issue is not None and step.issue.counter is not None:
            self.values[step.issue.counter] += step.issue.shares

    def step(self, queue: int) -> Step:
        index = len(self.queues[queue])
        after = self.draw.randrange(index) if index and self.chance(0.25) else -1
        wait = self.wait() if self.chance(0.45) else None
        if self.transfers and self.chance(0.25):
            self.transfers -= 1
            posts = [n for n, once in enumerate(self.once) if not once]
            counter = self.draw.choice(posts) if posts and self.chance(0.9) else None
            issue = Issue(counter, self.draw.randint(1, self.sizes.shares))
            return Step(queue, index, wait, None, issue, after)
        change = self.change(wait) if self.chance(0.6) else None
        return Step(queue, index, wait, change, None, after)

    def wait(self) -> CounterWait | None:
        """For something that is there by now; seldom for nothing at all."""
        if self.kind == SETS and self.chance(0.2):
            counter = self.draw.randrange(len(self.values))
            return CounterWait(counter, "==", self.values[counter])
        raised = [n for n, value in enumerate(self.values) if value > 0]
        if not raised or self.chance(0.02):
            counter = self.draw.randrange(len(self.values))
            return None if self.once[counter] else CounterWait(counter, ">=", min(0, *self.values))
        counter = self.draw.choice(raised)
        value = self.values[counter]
        if self.once[counter] or (self.kind == SETS and self.chance(0.4)):
            return CounterWait(counter, "==", value)
        wanted = value if self.chance(0.6) else self.draw.randint(1, value)
        return CounterWait(counter, ">=", wanted)

    def change(self, wait: CounterWait | None) -> CounterChange | None:
        at_start = self.chance(0.2)
        if self.kind in (PURSES, SETS) and self.chance(0.5):
            if self.kind == SETS:
                counter = self.draw.randrange(len(self.values))
                return CounterChange(counter, "=", self.draw.choice((0, 0, 1, 2)), at_start)
            if wait is not None and wait.value > 0 and self.chance(0.9):
                return CounterChange(wait.counter, "+", -self.draw.randint(1, wait.value), at_start)
            if self.chance(0.1):
                return CounterChange(self.draw.randrange(len(self.values)), "+", -1, at_start)
        counter = self.draw.randrange(len(self.values))
        if self.once[counter]:
            if counter in self.given:
                return None
            self.given.add(counter)
            return CounterChange(counter, "=", 1, at_start)
        return CounterChange(counter, "+", self.draw.choice((1, 1, 1, 2, 3)), at_start)


def drawn(seed: int, kind: str, sizes: Sizes = Sizes()) -> Drawn:  # noqa: B008
    """The skeleton of a seed, with the order of starts in which it was made."""
    return _Maker(Random(f"{kind} {sizes} {seed}"), kind, sizes).make()


def in_turn(seed: int) -> Drawn:
    """Two queues that change a counter in turn; each waits for just what the one before has left.

    No set is in no order with anything: where nothing but the value says that a set was made, no
    other change leads to that value. Counter 0 is the one; the others say whose turn it is.
    """
    draw, queues, order, value = Random(f"in turn {seed}"), [[], []], list[Step](), 0

    def add(wait: CounterWait, change: CounterChange | None = None) -> None:
        step = Step(queue, len(queues[queue]), wait, change)
        queues[queue].append(step)
        order.append(step)

    turns = draw.randint(2, 5)
    for turn in range(1, turns + 1):
        queue = draw.randrange(2)
        add(CounterWait(turn - 1, ">=", 1) if turn > 1 else CounterWait(0, "==", 0))
        op, amount, at_start = draw.choice("+=="), draw.choice((-2, -1, 1, 2)), draw.random() < 0.3
        late = op == "=" and not at_start
        amount += late and amount == value
        add(CounterWait(0, "==", value), CounterChange(0, op, amount, at_start))
        value = amount if op == "=" else value + amount
        add(
            CounterWait(0, "==" if late else draw.choice((">=", "==")), value),
            CounterChange(turn, "+", 1),
        )
    queue = draw.randrange(2)
    add(CounterWait(turns, ">=", 1))
    add(CounterWait(0, "==", value))
    return Drawn(queues, order)


def in_steps(seed: int) -> Drawn:
    """Queues that post two or three at a time, take two, set, and wait for just what there is."""
    draw = Random(f"in steps {seed}")
    queues: list[list[Step]] = [[] for _ in range(draw.randint(2, 3))]
    order, value = list[Step](), 0
    for _ in range(draw.randint(3, 7)):
        queue = draw.randrange(len(queues))
        wait = (
            CounterWait(0, draw.choice(("==", "==", ">=")), value) if draw.random() < 0.5 else None
        )
        op, amount = draw.choice([*[("+", n) for n in (2, 2, 3, -2)], ("=", 1), ("=", 0), ("=", 3)])
        change = None
        if draw.random() < 0.75 and (op == "=" or value + amount >= 0):
            change = CounterChange(0, op, amount, draw.random() < 0.3)
            value = amount if op == "=" else value + amount
        order.append(Step(queue, len(queues[queue]), wait, change))
        queues[queue].append(order[-1])
    return Drawn(queues, order)


# ---------------------------------------------------------------- executions


def executed(skeleton: Skeleton, draw: Random) -> Drawn:
    """Some execution, to its end or until nothing is left to happen; and what of it was executed.

    What has started and has not completed is left alone as often as not.
    """
    started, completed = [0] * len(skeleton), [0] * len(skeleton)
    left: dict[Start, int] = {}
    values = dict.fromkeys(counters(skeleton), 0)
    members, order = meetings(skeleton), list[Step]()

    def ready(step: Step) -> bool:
        if started[step.queue] != step.index or completed[step.queue] <= step.after:
            return False
        if step.wait is None:
            return True
        value = values[step.wait.counter]
        return value == step.wait.value if step.wait.op == "==" else value >= step.wait.value

    def post(change: CounterChange | None, at_start: bool) -> None:
        if change is not None and change.at_start == at_start:
            counter, op, value, _ = change
            values[counter] = value if op == "=" else values[counter] + value

    def start(step: Step) -> None:
        started[step.queue] += 1
        order.append(step)
        post(step.change, at_start=True)
        if step.issue is not None:
            left[step.queue, step.index] = step.issue.shares

    while True:
        heads = [q[started[n]] for n, q in enumerate(skeleton) if started[n] < len(q)]
        starts = [
            s
            for s in heads
            if ready(s) and (s.meeting < 0 or all(ready(m) for m in members[s.meeting]))
        ]
        ends = [n for n in range(len(skeleton)) if completed[n] < started[n]]
        lands = [at for at, count in left.items() if count]
        if not (starts or ends or lands):
            return cut(Drawn(skeleton, order))
        if starts and (draw.random() < 0.6 or not (ends or lands)):
            step = draw.choice(starts)
            for one in members[step.meeting] if step.meeting >= 0 else (step,):
                start(one)
        elif ends and (draw.random() < 0.5 or not lands):
            queue = draw.choice(ends)
            completed[queue] += 1
            post(skeleton[queue][completed[queue] - 1].change, at_start=False)
        elif lands:
            at = draw.choice(lands)
            left[at] -= 1
            issue = skeleton[at[0]][at[1]].issue
            assert issue is not None
            if issue.counter is not None:
                values[issue.counter] += 1


def cut(drawn: Drawn) -> Drawn:
    """What of a skeleton was executed."""
    counts = [0] * len(drawn.skeleton)
    for step in drawn.order:
        counts[step.queue] += 1
    kept = [queue[:count] for queue, count in zip(drawn.skeleton, counts, strict=True)]
    return Drawn(kept, drawn.order)


def without(drawn: Drawn, gone: Step) -> Drawn | None:
    """The same without a step; None if what is left cannot happen in the same order."""

    def kept(step: Step) -> Step:
        if step.queue != gone.queue:
            return step
        after = step.after - (step.after >= gone.index)
        return replace(step, index=step.index - (step.index > gone.index), after=after)

    queues = [[kept(s) for s in queue if s is not gone] for queue in drawn.skeleton]
    order = [queues[kept(s).queue][kept(s).index] for s in drawn.order if s is not gone]
    return possible(Drawn(queues, order))


def possible(drawn: Drawn) -> Drawn | None:
    """The same, if its order can happen with everything complete as soon as it has started."""
    values = dict.fromkeys(counters(drawn.skeleton), 0)
    groups: list[list[Step]] = []
    for step in drawn.order:
        if groups and step.meeting >= 0 and groups[-1][0].meeting == step.meeting:
            groups[-1].append(step)
        else:
            groups.append([step])
    for group in groups:
        for step in group:
            wait = step.wait
            if wait is not None:
                value = values[wait.counter]
                if not (value == wait.value if wait.op == "==" else value >= wait.value):
                    return None
        for step in group:
            if step.change is not None:
                counter, op, value, _ = step.change
                values[counter] = value if op == "=" else values[counter] + value
            if step.issue is not None and step.issue.counter is not None:
                values[step.issue.counter] += step.issue.shares
    return drawn


def line(step: Step) -> str:
    """A step, to read."""
    said = f"@{step.queue} {step.index}:"
    if step.wait is not None:
        said += f" ${step.wait.counter} {step.wait.op} {step.wait.value}"
    if step.meeting >= 0:
        said += f" meets {step.meeting}"
    if step.change is not None:
        counter, op, value, at_start = step.change
        said += f"{' @read' if at_start else ''} -> ${counter} {op}{'=' * (op == '+')} {value}"
    if step.issue is not None:
        said += f" moves {step.issue.shares}"
        said += "" if step.issue.counter is None else f" -> ${step.issue.counter}"
    return said + (f" (after {step.after})" if step.after >= 0 else "")


def streams(skeleton: Skeleton) -> list[tuple[int, int | None]]:
    """Every queue that starts transfers, with the counter to which they post."""
    found = {(s.queue, s.issue.counter) for s in steps(skeleton) if s.issue is not None}
    return sorted(found, key=lambda one: (one[0], -1 if one[1] is None else one[1]))
