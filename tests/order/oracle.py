"""The definition of order, taken literally: slow, and for small skeletons only.

An instruction starts when the one before it in its queue has, its wait holds, the instruction that
it comes ``after`` is complete. It completes when it has started and the one before it is complete.
A share lands when its instruction has started. A meeting takes place when each of its members could
start but for it; they start then, all at one moment. In whatever order that allows things happen:
*e* comes before the start of a step if no execution reaches that start without *e*.

A share is an event of its own, and all shares of a transfer are alike: "it lands" is that the last
of them does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from nasm.order.skeleton import COMPLETES, LANDS, STARTS, CounterChange, CounterWait, Event, Step

Skeleton = Sequence[Sequence[Step]]
"""The steps of each queue, in their order: the number of a step is its place."""

Start = tuple[int, int]
"""The start of a step: its queue and its number."""


class TooLarge(Exception):
    """There are more states than one wants to walk."""


def steps(skeleton: Skeleton) -> Iterator[Step]:
    """All steps, queue by queue."""
    for queue in skeleton:
        yield from queue


def events(skeleton: Skeleton) -> Iterator[Event]:
    """All that happens, but for single shares."""
    for step in steps(skeleton):
        yield Event(STARTS, step.queue, step.index)
        yield Event(COMPLETES, step.queue, step.index)
        if step.issue is not None:
            yield Event(LANDS, step.queue, step.index)


def meetings(skeleton: Skeleton) -> dict[int, list[Step]]:
    """The members of each meeting."""
    found: dict[int, list[Step]] = {}
    for step in steps(skeleton):
        if step.meeting >= 0:
            found.setdefault(step.meeting, []).append(step)
    return found


def posts(skeleton: Skeleton, counter: int) -> list[CounterChange]:
    """All changes of a counter: a share is a post of 1."""
    found = [s.change for s in steps(skeleton) if s.change and s.change.counter == counter]
    for step in steps(skeleton):
        if step.issue is not None and step.issue.counter == counter:
            found += [CounterChange(counter, "+", 1)] * step.issue.shares
    return found


def counters(skeleton: Skeleton) -> set[int]:
    """All counters that something changes or waits for."""
    found = {s.wait.counter for s in steps(skeleton) if s.wait}
    found |= {s.change.counter for s in steps(skeleton) if s.change}
    return found | {
        s.issue.counter for s in steps(skeleton) if s.issue and s.issue.counter is not None
    }


def rising(skeleton: Skeleton) -> bool:
    """Whether counters only go up: nothing that happens ever keeps anything from happening.

    So does an event that is set once and that all wait for to be set; and ``==`` is as good as
    ``>=`` where all posts together do not carry the counter past the value.
    """
    for counter in counters(skeleton):
        changes = posts(skeleton, counter)
        waits = [s.wait for s in steps(skeleton) if s.wait and s.wait.counter == counter]
        sets = any(c.op == "=" for c in changes)
        if sets and (len(changes) > 1 or any(w.value != changes[0].value for w in waits)):
            return False
        if any(c.value < 0 for c in changes):
            return False
        most = sum(c.value for c in changes)
        if any(w.op == "==" and w.value < most for w in waits):
            return False
    return True


# ---------------------------------------------------------------- counters that only go up


def reached(skeleton: Skeleton, forbidden: Event | None = None) -> set[Start]:
    """The starts that happen when one event never does and all else that can: a least fixpoint.

    Only for skeletons that are :func:`rising`.
    """
    started, completed = [0] * len(skeleton), [0] * len(skeleton)
    values: dict[int, int] = dict.fromkeys(counters(skeleton), 0)
    landed: set[Start] = set()
    met: set[int] = set()
    members = meetings(skeleton)

    def may(kind: int, step: Step) -> bool:
        return forbidden != Event(kind, step.queue, step.index)

    def ready(step: Step) -> bool:
        """Whether a step could start but for its meeting."""
        if started[step.queue] != step.index or completed[step.queue] <= step.after:
            return False
        return step.wait is None or _holds(values[step.wait.counter], step.wait)

    def change(step: Step, at_start: bool) -> None:
        if step.change is not None and step.change.at_start == at_start:
            values[step.change.counter] += step.change.value

    def start(step: Step) -> None:
        started[step.queue] += 1
        change(step, at_start=True)

    moved = True
    while moved:
        moved = False
        for number, among in members.items():
            if number not in met and all(ready(s) and may(STARTS, s) for s in among):
                met.add(number)
                for step in among:
                    start(step)
                moved = True
        for at, queue in enumerate(skeleton):
            for step in queue[started[at] :]:
                if step.meeting >= 0 or not ready(step) or not may(STARTS, step):
                    break
                start(step)
                moved = True
            for step in queue[completed[at] : started[at]]:
                if not may(COMPLETES, step):
                    break
                completed[at] += 1
                change(step, at_start=False)
                moved = True
            for step in queue[: started[at]]:
                if step.issue is not None and (at, step.index) not in landed:
                    landed.add((at, step.index))
                    shares = step.issue.shares - (not may(LANDS, step))
                    if step.issue.counter is not None:
                        values[step.issue.counter] += shares
                    moved = True
    return {(at, index) for at, count in enumerate(started) for index in range(count)}


def _holds(value: int, wait: CounterWait) -> bool:
    return value == wait.value if wait.op == "==" else value >= wait.value


def orders(skeleton: Skeleton) -> set[tuple[Event, Start]]:
    """All pairs of an event and a start that comes after it; for skeletons that are rising."""
    everything = {(s.queue, s.index) for s in steps(skeleton)}
    return {
        (event, start)
        for event in events(skeleton)
        for start in everything - reached(skeleton, event)
    }


# ---------------------------------------------------------------- any counters


class State(NamedTuple):
    """What has happened: of each queue and transfer how much, and what counters are now."""

    started: tuple[int, ...]
    completed: tuple[int, ...]
    landed: tuple[int, ...]
    values: tuple[int, ...]


class Walk:
    """Every state that a skeleton can be in.

    ``unordered`` has the pairs of an event and a start such that some execution reaches the start
    without the event. ``stuck`` are the states in which nothing is left to happen though something
    has not started; ``ends`` those in which everything has happened. ``lowest`` and ``highest`` are
    the extremes of each counter, ``overrun`` the waits that some execution finds too high a value
    at when they come up, or while they do.
    """

    def __init__(self, skeleton: Skeleton, limit: int = 200_000) -> None:
        self.skeleton = skeleton
        self.numbers = sorted(counters(skeleton))
        self.place = {counter: n for n, counter in enumerate(self.numbers)}
        self.transfers = [s for s in steps(skeleton) if s.issue is not None]
        self.members = meetings(skeleton)
        self.unordered: set[tuple[Event, Start]] = set()
        self.stuck: list[State] = []
        self.ends: list[State] = []
        self.overrun: set[Start] = set()
        self._missing: dict[Start, int] = {}
        self._unmade: dict[Event, int] = {}
        self._events = list(events(skeleton))
        self._bits = {event: 1 << n for n, event in enumerate(self._events)}
        self._upto = [self._prefixes(STARTS, q) for q in skeleton]
        self._done = [self._prefixes(COMPLETES, q) for q in skeleton]
        self._walk(limit)
        for start, missing in self._missing.items():
            self.unordered |= {(e, start) for e in self._events if missing & self._bits[e]}

    def before(self, event: Event, queue: int, index: int) -> bool:
        """Whether an event comes before the start of a step in every execution."""
        return (event, (queue, index)) not in self.unordered

    def made_before(self, event: Event, step: Step) -> bool:
        """Whether an event comes before a step makes its change, in every execution."""
        return not self._unmade.get(change_of(step), 0) & self._bits[event]

    def _prefixes(self, kind: int, queue: Sequence[Step]) -> list[int]:
        """The bits of the first so many events of a queue."""
        found = [0]
        for step in queue:
            found.append(found[-1] | self._bits[Event(kind, step.queue, step.index)])
        return found

    def _walk(self, limit: int) -> None:
        none = (0,) * len(self.skeleton)
        first = State(none, none, (0,) * len(self.transfers), (0,) * len(self.numbers))
        seen, left = {first}, [first]
        lowest, highest = list(first.values), list(first.values)
        while left:
            state = left.pop()
            for n, value in enumerate(state.values):
                lowest[n], highest[n] = min(lowest[n], value), max(highest[n], value)
            following = list(self._next(state))
            if not following:
                whole = all(n == len(q) for n, q in zip(state.started, self.skeleton, strict=True))
                (self.ends if whole else self.stuck).append(state)
            for after in following:
                if after not in seen:
                    if len(seen) >= limit:
                        raise TooLarge(f"more than {limit} states")
                    seen.add(after)
                    left.append(after)
        self.states = len(seen)
        self.lowest = dict(zip(self.numbers, lowest, strict=True))
        self.highest = dict(zip(self.numbers, highest, strict=True))

    def _happened(self, state: State) -> int:
        """The bits of what has happened."""
        found = 0
        for queue, (started, completed) in enumerate(
            zip(state.started, state.completed, strict=True)
        ):
            found |= self._upto[queue][started] | self._done[queue][completed]
        for step, landed in zip(self.transfers, state.landed, strict=True):
            assert step.issue is not None
            if landed == step.issue.shares:
                found |= self._bits[Event(LANDS, step.queue, step.index)]
        return found

    def _begins(self, step: Step, state: State) -> None:
        """A step begins now: what has not happened does not come before it."""
        missing = ~self._happened(state)
        start = (step.queue, step.index)
        self._missing[start] = self._missing.get(start, 0) | missing

    def _ready(self, step: Step, state: State) -> bool:
        """Whether a step could start but for its meeting."""
        if state.started[step.queue] != step.index or state.completed[step.queue] <= step.after:
            return False
        if step.wait is None:
            return True
        value = state.values[self.place[step.wait.counter]]
        if step.wait.op == "==" and value > step.wait.value:
            self.overrun.add((step.queue, step.index))
        return _holds(value, step.wait)

    def _next(self, state: State) -> Iterator[State]:
        """What can happen next."""
        for among in self.members.values():
            if all([self._ready(step, state) for step in among]):
                yield from self._start(among, state)
        for at, queue in enumerate(self.skeleton):
            started, completed = state.started[at], state.completed[at]
            step = queue[started] if started < len(queue) else None
            if step is not None and step.meeting < 0 and self._ready(step, state):
                yield from self._start((step,), state)
            if completed < started:
                after = state._replace(completed=_more(state.completed, at))
                yield self._posted(after, queue[completed], at_start=False)
        for number, step in enumerate(self.transfers):
            assert step.issue is not None
            on_its_way = state.started[step.queue] > step.index
            if on_its_way and state.landed[number] < step.issue.shares:
                after = state._replace(landed=_more(state.landed, number))
                if step.issue.counter is not None:
                    after = self._changed(after, CounterChange(step.issue.counter, "+", 1))
                yield after

    def _start(self, together: Sequence[Step], state: State) -> Iterator[State]:
        """Steps start at one moment; what they post then is posted in any order."""
        for step in together:
            self._begins(step, state)
        for step in together:
            state = state._replace(started=_more(state.started, step.queue))
        posting = [step for step in together if step.change is not None and step.change.at_start]
        for some in permutations(posting):
            after = state
            for step in some:
                after = self._posted(after, step, at_start=True)
            yield after

    def _posted(self, state: State, step: Step, at_start: bool) -> State:
        if step.change is None or step.change.at_start != at_start:
            return state
        event = change_of(step)
        self._unmade[event] = self._unmade.get(event, 0) | ~self._happened(state)
        return self._changed(state, step.change)

    def _changed(self, state: State, change: CounterChange) -> State:
        at, values = self.place[change.counter], list(state.values)
        values[at] = change.value if change.op == "=" else values[at] + change.value
        return state._replace(values=tuple(values))


def _more(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*counts[:at], counts[at] + 1, *counts[at + 1 :])


def change_of(step: Step) -> Event:
    """When a step makes its change."""
    assert step.change is not None
    return Event(STARTS if step.change.at_start else COMPLETES, step.queue, step.index)


def unordered_sets(walk: Walk) -> Iterator[tuple[Step, Step]]:
    """Each set with what changes the same counter, or waits for it, in no order with the set."""
    for one in steps(walk.skeleton):
        if one.change is None or one.change.op != "=":
            continue
        counter, event = one.change.counter, change_of(one)
        for other in steps(walk.skeleton):
            change, issue, wait = other.change, other.issue, other.wait
            after = other is not one and walk.before(event, other.queue, other.index)
            ordered = True
            if change is not None and change.counter == counter and other is not one:
                once = one.meeting == other.meeting >= 0
                once &= one.change.at_start and change.at_start
                either = walk.made_before(event, other) or walk.made_before(change_of(other), one)
                ordered &= either and not once
            if issue is not None and issue.counter == counter:
                landing = Event(LANDS, other.queue, other.index)
                ordered &= after or walk.made_before(landing, one)
            if wait is not None and wait.counter == counter:
                start = Event(STARTS, other.queue, other.index)
                ordered &= after or walk.made_before(start, one)
            if not ordered:
                yield one, other


def before(skeleton: Skeleton, event: Event, queue: int, index: int) -> bool:
    """Whether an event comes before the start of a step in every execution."""
    if rising(skeleton):
        return (queue, index) not in reached(skeleton, event)
    return Walk(skeleton).before(event, queue, index)


def deadlocks(skeleton: Skeleton) -> bool:
    """Whether some execution comes to a state in which nothing is left to happen."""
    if rising(skeleton):
        return len(reached(skeleton)) < sum(map(len, skeleton))
    return bool(Walk(skeleton).stuck)
