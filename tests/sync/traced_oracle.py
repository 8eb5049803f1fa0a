"""Whether what was traced keeps its meaning in every execution, and which waits are needless.

Apart from what found the waits: the bytes of each instruction are enumerated from its operands, and
an event comes before another one if that does not happen while it is forbidden, whatever else does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nasm.isa.effects import Clear
from nasm.nki.kernel import Traced
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event, Step
from nasm.program.program import Program
from nasm.sync.lines import Line, Sequence
from tests.order.truth import Rising
from tests.sync.conflicts import Place, Walk


class Unordered(NamedTuple):
    """Two places of which the second may begin before the first is over; or none, at the end."""

    first: Place
    second: Place | None
    said: str


@dataclass(frozen=True)
class Verdict:
    """What is in no order, and the waits that nobody needs; how many of each were looked at.

    Of two cores only what the kernel says orders one's accesses and the other's: where it does not,
    that is ``between`` them, and nothing that a wait could mend.
    """

    unordered: list[Unordered]
    needless: list[Place]
    pairs: int
    waits: int
    between: list[Unordered]


def judge(traced: Traced) -> Verdict | None:
    """Judge a kernel; None if it has loops at run time."""
    return judged(traced.program, traced.sequence)


def judged(program: Program, sequence: Sequence) -> Verdict | None:
    """Judge a program that was made of a sequence."""
    if not _straight(program, sequence):
        return None
    walk = Walk(program, sequence)
    return Judge(walk).verdict()


def _straight(program: Program, sequence: Sequence) -> bool:
    """Whether nothing is executed twice and counters only go up."""
    if any(not isinstance(item, Line) for items in sequence.cores for item in items):
        return False
    return (
        all(wait is None or wait.op == ">=" for wait in program.waits)
        and all(update is None or update.op == "+" for update in program.updates)
        and all(one.row.effect is not Clear for one in program.instructions if one is not None)
    )


# -- what comes before what


@dataclass
class Reached:
    """What has happened when all has but for one event."""

    started: list[int]
    completed: list[int]
    values: dict[int, int]

    def again(self, steps: list[list[Step]]) -> Rising:
        """A copy that can go on."""
        rest = Rising(steps)
        rest.started, rest.completed = self.started.copy(), self.completed.copy()
        rest.values = self.values.copy()
        return rest


class Judge:
    """Decides what a walk has found.

    ``wanted`` are, by the end of an access, the first start in each queue that comes after it.
    """

    def __init__(self, walk: Walk) -> None:
        self.walk, self.steps = walk, walk.steps
        self.everything = [len(row) for row in self.steps]
        touches = walk.touches
        self.landing = {Event(LANDS, *p) for p, one in touches.items() if one.lands}
        ends = {end for end, _ in walk.pairs} | self.landing
        ends |= {access.end for pair in walk.crossing for access in pair}
        self.reached = self._reach(ends)
        self.wanted: dict[Event, dict[int, int]] = {event: {} for event in self.reached}
        self.unordered = list(self._unordered())
        self.between = list(self._between())

    def verdict(self) -> Verdict:
        """What there is to say."""
        waits = [Place(s.queue, s.index) for row in self.steps for s in row if s.wait is not None]
        needless = [] if self.unordered else [place for place in waits if not self._needed(place)]
        pairs = len(self.walk.pairs) + len(self.walk.crossing)
        return Verdict(self.unordered, needless, pairs, len(waits), self.between)

    def _reach(self, ends: set[Event]) -> dict[Event, Reached]:
        """How far everything gets without each of some events.

        What happens without an event of a queue happens without a later one of its kind; what
        happens without a transfer's start, without its landing.
        """
        found: dict[Event, Reached] = {}
        starts = {Event(STARTS, e.queue, e.index) for e in ends if e.kind == LANDS}
        for kind in (STARTS, COMPLETES):
            for queue in range(len(self.steps)):
                mine = [e for e in ends | starts if e.kind == kind and e.queue == queue]
                rest = Rising(self.steps)
                for event in sorted(mine, key=lambda e: e.index):
                    found[event] = _let(rest, event)
        for event in sorted(ends, key=lambda e: (e.queue, e.index)):
            if event.kind == LANDS:
                before = found[Event(STARTS, event.queue, event.index)]
                found[event] = _let(before.again(self.steps), event)
        return {event: found[event] for event in ends}

    def _unordered(self) -> Iterator[Unordered]:
        for end, place in self.walk.pairs:
            if self._before(end, place):
                self._want(end, place)
            else:
                yield Unordered(Place(end.queue, end.index), place, self._said(end, place))
        for event in self.landing:
            if self.reached[event].started == self.everything:
                yield Unordered(Place(event.queue, event.index), None, self._said(event, None))
        if list(Rising(self.steps).without(Event(STARTS, -1, -1))) != self.everything:
            yield Unordered(Place(-1, -1), None, "it hangs")

    def _between(self) -> Iterator[Unordered]:
        for first, second in self.walk.crossing:
            for one, other in ((first, second), (second, first)):
                if self._before(one.end, other.place):
                    self._want(one.end, other.place)
                    break
            else:
                said = self._said(first.end, second.place)
                yield Unordered(first.place, second.place, said)

    def _before(self, end: Event, place: Place) -> bool:
        return self.reached[end].started[place.queue] <= place.pc

    def _want(self, end: Event, place: Place) -> None:
        wanted = self.wanted[end]
        wanted[place.queue] = min(wanted.get(place.queue, place.pc), place.pc)

    def _said(self, end: Event, place: Place | None) -> str:
        what = ("start", "completion", "landing")[end.kind]
        later = "the end" if place is None else self._named(place)
        return f"the {what} of {self._named(Place(end.queue, end.index))} before {later}"

    def _named(self, place: Place) -> str:
        program = self.walk.program
        row = program.instruction(*place).row.name
        span = program.span(*place)
        where = "" if span is None else f" (line {span.excerpt()[0]})"
        return f"{program.queue_name(place.queue)}[{place.pc}] {row}{where}"

    # -- without one wait

    def _needed(self, place: Place) -> bool:
        """Whether something is in no order without the wait of an instruction.

        That can only be so of an event without which its queue stands at that wait for good.
        """
        step = self.steps[place.queue][place.pc]
        wait, step.wait = step.wait, None
        assert wait is not None
        try:
            stuck = [
                event
                for event, all_else in self.reached.items()
                if all_else.started[place.queue] == place.pc
                and all_else.values.get(wait.counter, 0) < wait.value
            ]
            stuck.sort(key=lambda event: self._far(event, place))
            return any(self._breaks(event, place.queue) for event in stuck)
        finally:
            step.wait = wait

    def _far(self, event: Event, place: Place) -> int:
        return self.wanted[event].get(place.queue, 1 << 30) - place.pc

    def _breaks(self, event: Event, queue: int) -> bool:
        """Whether something starts too early without an event, now that a wait is gone."""
        rest = self.reached[event].again(self.steps)
        rest._advance(queue, event)
        if self._early(event, rest):
            return True
        rest.without(event)
        return self._early(event, rest)

    def _early(self, event: Event, rest: Rising) -> bool:
        if event in self.landing and rest.started == self.everything:
            return True
        return any(rest.started[queue] > pc for queue, pc in self.wanted[event].items())


def _let(rest: Rising, event: Event) -> Reached:
    """Let everything happen but an event, and remember how far it got."""
    rest.without(event)
    return Reached(rest.started.copy(), rest.completed.copy(), rest.values.copy())
