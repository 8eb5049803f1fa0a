"""Whether steps that ended in one run may hang in another: some queue waits forever.

Where counters only go up, what has ended once ends always. Where something is taken from a counter,
or it is set, another timing may let one step take what another needs. Steps are executed without
time in every order that can matter: a move that nothing can prevent any more and that prevents
nothing is made at once; of all others each is tried. So a hang that is found is one, and if no
order is left to try there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from nasm.order.skeleton import COMPLETES, LANDS, STARTS, CounterChange, CounterWait, Event, Step

STATES = 20_000
"""States in which several orders are tried, up to which it is decided."""

MOVES = 500_000
"""Starts, completions and landings that are made, in all."""


class Hang(NamedTuple):
    """A way in which some steps never start.

    ``stuck`` are the first of each queue, ``moves`` what happened before where the order mattered.
    """

    stuck: tuple[Step, ...]
    moves: tuple[Event, ...]


Path = tuple[Event, "Path | None"]
"""What happened last where the order mattered, and what before that."""


class Undecided(NamedTuple):
    """There are too many orders to try: ``states`` were."""

    states: int


class HangSearch:
    """Executes the steps of a run in every order that can matter."""

    def __init__(self, steps: Sequence[Step], states: int = STATES, moves: int = MOVES) -> None:
        self.steps = steps
        self.queues: dict[int, list[Step]] = {}
        for step in steps:
            self.queues.setdefault(step.queue, []).append(step)
        self.numbers = list(self.queues)
        self.meetings: dict[int, list[Step]] = {}
        for step in steps:
            if step.meeting >= 0:
                self.meetings.setdefault(step.meeting, []).append(step)
        self.states, self.moves = states, moves
        self.place = {(s.queue, s.index): n for q in self.queues.values() for n, s in enumerate(q)}
        self.free = not any(map(_matters, steps))
        self.takes = _by_counter(steps, _taken)
        self.waits = _by_counter(steps, _awaited)
        self.delicate = {c for step in steps for c in _delicate(step)}

    def decide(self) -> Hang | Undecided | None:
        """A hang if there is one; None if there is none."""
        if self.free:
            return None
        if len(self.place) < len(self.steps):  # one that clears several counters at once
            return Undecided(0)
        first = _Execution(self)
        left, seen = [first], set[tuple[object, ...]]()
        while left:
            now = left.pop()
            stuck = now.run()
            self.moves -= now.made
            now.made = 0
            if stuck:
                return Hang(stuck, tuple(_events(now.path)))
            key = now.key
            if key in seen or now.over:
                continue
            seen.add(key)
            if len(seen) > self.states or self.moves < 0:
                return Undecided(len(seen))
            for move in now.possible():
                left += [now.after(move, together) for together in self._orders(move)]
        return None

    def _orders(self, move: Event) -> Iterator[Sequence[Step]]:
        """The orders in which the members of a meeting may make their changes at its start."""
        step = self.step(move)
        among = self.meetings.get(step.meeting, [step])
        early = [one for one in among if one.change is not None and one.change.at_start]
        setting = len(early) > 1 and any(map(_matters, early))
        yield from permutations(among) if setting and move.kind == STARTS else (among,)

    def step(self, event: Event) -> Step:
        """The step that an event is of."""
        return self.queues[event.queue][self.place[event.queue, event.index]]


class _Execution:
    """How far steps have come, by the place of each in its queue."""

    def __init__(self, search: HangSearch, of: _Execution | None = None) -> None:
        self.search = search
        none = dict.fromkeys(search.numbers, 0)
        self.started: dict[int, int] = none if of is None else dict(of.started)
        self.completed: dict[int, int] = dict(none if of is None else of.completed)
        self.flying: dict[tuple[int, int], int] = {} if of is None else dict(of.flying)
        self.values: dict[int, int] = {} if of is None else dict(of.values)
        self.path: Path | None = None if of is None else of.path
        self.made = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What everything that can still happen follows from."""
        values = tuple(sorted((c, self.values.get(c, 0)) for c in self.search.delicate))
        flying = tuple(sorted(self.flying.items()))
        return tuple(self.started.values()), tuple(self.completed.values()), flying, values

    @property
    def over(self) -> bool:
        """Whether every step has started."""
        queues = self.search.queues
        return all(self.started[number] == len(queue) for number, queue in queues.items())

    def run(self) -> tuple[Step, ...]:
        """Make every move that can be made at once; returns what is stuck, if that is all."""
        moved = True
        while moved:
            moved = False
            for move in self.possible():
                if self._harmless(move):
                    self._make(move)
                    moved = True
        if self.over or any(True for _ in self.possible()):
            return ()
        queues = self.search.queues.items()
        return tuple(q[self.started[n]] for n, q in queues if self.started[n] < len(q))

    def after(self, move: Event, among: Sequence[Step]) -> _Execution:
        """Once more, with a move that matters; those that start together do so in this order."""
        other = _Execution(self.search, self)
        other.path = move, self.path
        other._make(move, among)
        return other

    def possible(self) -> Iterator[Event]:
        """What can happen next: of a meeting the start of its first member."""
        for number, queue in self.search.queues.items():
            if self.completed[number] < self.started[number]:
                yield Event(COMPLETES, number, queue[self.completed[number]].index)
            if self.started[number] < len(queue):
                step = queue[self.started[number]]
                among = self.search.meetings.get(step.meeting, (step,))
                if among[0] is step and all(map(self._ready, among)):
                    yield Event(STARTS, number, step.index)
        for number, index in list(self.flying):
            yield Event(LANDS, number, index)

    def _ready(self, step: Step) -> bool:
        """Whether a step can start, as far as it alone is concerned."""
        queue = self.search.queues[step.queue]
        at = self.started[step.queue]
        if at == len(queue) or queue[at] is not step:
            return False
        done = self.completed[step.queue]
        if step.after >= 0 and done < len(queue) and queue[done].index <= step.after:
            return False
        wait = step.wait
        if wait is None:
            return True
        value = self.values.get(wait.counter, 0)
        return value == wait.value if wait.op == "==" else value >= wait.value

    def _make(self, move: Event, among: Sequence[Step] = ()) -> None:
        self.made += 1
        step = self.search.step(move)
        if move.kind == LANDS:
            at = move.queue, move.index
            self.flying[at] -= 1
            if not self.flying[at]:
                del self.flying[at]
            assert step.issue is not None
            if step.issue.counter is not None:
                self._change(CounterChange(step.issue.counter, "+", 1))
        elif move.kind == COMPLETES:
            self.completed[move.queue] += 1
            if step.change is not None and not step.change.at_start:
                self._change(step.change)
        else:
            for one in among or self.search.meetings.get(step.meeting, (step,)):
                self.started[one.queue] += 1
                if one.change is not None and one.change.at_start:
                    self._change(one.change)
                if one.issue is not None and one.issue.counter is not None:
                    self.flying[one.queue, one.index] = one.issue.shares

    def _change(self, change: CounterChange) -> None:
        before = self.values.get(change.counter, 0) if change.op == "+" else 0
        self.values[change.counter] = before + change.value

    # -- what can be made at once

    def _harmless(self, move: Event) -> bool:
        """Whether nothing can prevent a move any more, and it prevents nothing."""
        step = self.search.step(move)
        if move.kind == LANDS:
            assert step.issue is not None
            return step.issue.counter not in self.search.delicate
        if move.kind == COMPLETES:
            change = None if step.change is None or step.change.at_start else step.change
            return self._lets(step, change)
        among = self.search.meetings.get(step.meeting, (step,))
        return all(
            self._lets(one, one.change if one.change is not None and one.change.at_start else None)
            and (one.wait is None or self._lasts(one, one.wait))
            for one in among
        )

    def _lets(self, step: Step, change: CounterChange | None) -> bool:
        """Whether a change keeps nothing from starting that may still be to start."""
        if change is None:
            return True
        if change.counter in self.search.delicate:
            return False
        if change.value >= 0:
            return True
        for queue, places in self.search.waits.get(change.counter, {}).items():
            if places[-1] < self.started[queue]:
                continue
            if queue != step.queue or not self._held_back(step, places):
                return False
        return True

    def _held_back(self, take: Step, waits: Sequence[int]) -> bool:
        """Whether the next wait of its queue comes after a step that needs a take's completion."""
        queue, at = self.search.queues[take.queue], self.started[take.queue]
        after = next(place for place in waits if place >= at)
        return any(queue[n].after >= take.index for n in range(at, after + 1))

    def _lasts(self, step: Step, wait: CounterWait) -> bool:
        """Whether a wait that is over stays so until the step starts."""
        if wait.counter in self.search.delicate:
            return False
        for queue, places in self.search.takes.get(wait.counter, {}).items():
            if queue == step.queue:
                first, last = self.completed[queue], self.started[queue]
                if any(first <= place < last for place in places):
                    return False
            elif places[-1] >= self.completed[queue]:
                return False
        return True


def _events(path: Path | None) -> list[Event]:
    """What happened, in its order."""
    found = list[Event]()
    while path is not None:
        event, path = path
        found.append(event)
    return found[::-1]


def _matters(step: Step) -> bool:
    """Whether a step takes from a counter or sets it, or waits for just a value."""
    change, wait = step.change, step.wait
    goes = change is not None and (change.op != "+" or change.value < 0)
    return goes or (wait is not None and wait.op == "==")


def _delicate(step: Step) -> Iterator[int]:
    """The counters of which any change may matter: they are set, or waited for to be just so."""
    if step.change is not None and step.change.op != "+":
        yield step.change.counter
    if step.wait is not None and step.wait.op == "==":
        yield step.wait.counter


def _taken(step: Step) -> int | None:
    change = step.change
    return change.counter if change is not None and change.value < 0 else None


def _awaited(step: Step) -> int | None:
    return None if step.wait is None else step.wait.counter


def _by_counter(
    steps: Sequence[Step], of: Callable[[Step], int | None]
) -> dict[int, dict[int, list[int]]]:
    """The places of steps in their queues, by a counter that each has, and queue."""
    found: dict[int, dict[int, list[int]]] = {}
    places: dict[int, int] = {}
    for step in steps:
        place = places[step.queue] = places.get(step.queue, -1) + 1
        counter = of(step)
        if counter is not None:
            found.setdefault(counter, {}).setdefault(step.queue, []).append(place)
    return found
