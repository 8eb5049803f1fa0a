"""Whether what was traced keeps its meaning in every execution, and which waits it could do without.

Apart from what found the waits: the bytes of each instruction are enumerated from its operands, and
an event comes before another one if that does not happen while it is forbidden, whatever else does.
Of each byte only neighbours are compared, a read with the last write and a write with the reads
since: what comes after them comes after all before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nasm.nki.kernel import Traced
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Change, Event, Issue, Step, Wait
from nasm.sequence.lines import Line, Sequence
from nasm.spec.effects import Clear
from nasm.spec.program import Program
from tests.order.truth import Rising
from tests.sequence.touched import Patch, Runs, Touch, Touches, touched

SHARES = 16


class Place(NamedTuple):
    """A queue of the program, and the number of an instruction in it."""

    queue: int
    pc: int


class Unordered(NamedTuple):
    """Two places of which the second may begin before the first is over; or none, at the end."""

    first: Place
    second: Place | None
    said: str


@dataclass(frozen=True)
class Verdict:
    """What is in no order, and the waits that nobody needs; how many of each were looked at."""

    unordered: list[Unordered]
    needless: list[Place]
    pairs: int
    waits: int


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


# -- who touched what


class Access(NamedTuple):
    """An access that was made, and when it is over; ``plain`` is what the queue itself does."""

    place: Place
    end: Event
    plain: bool
    writes: bool
    adds: bool


class Sets:
    """Sets of accesses by number; 0 is the empty one."""

    def __init__(self) -> None:
        self.members: list[tuple[int, ...]] = [()]
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def number(self, members: tuple[int, ...]) -> int:
        """The number of a set."""
        found = self._numbers.get(members)
        if found is None:
            found = self._numbers[members] = len(self.members)
            self.members.append(members)
        return found


class Space:
    """A memory, cut where some patch begins or ends: of each cell who wrote and read it last."""

    def __init__(self, patches: list[Patch]) -> None:
        self._rows = np.unique(np.concatenate([one.rows.ravel() for one in patches]))
        self._bytes = np.unique(np.concatenate([one.bytes.ravel() for one in patches]))
        self.size = len(self._rows), len(self._bytes)
        self.kept: dict[object, np.ndarray[Any, np.dtype[np.int32]]] = {}

    def cells(self, one: Patch) -> Any:
        """The cells of a patch, as an index."""
        return np.ix_(_cells(self._rows, one.rows), _cells(self._bytes, one.bytes))

    def of(self, what: object) -> np.ndarray[Any, np.dtype[np.int32]]:
        """A number for each cell; 0 at first."""
        if what not in self.kept:
            self.kept[what] = np.zeros(self.size, np.int32)
        return self.kept[what]


def _cells(cuts: Runs, runs: Runs) -> Any:
    ranges = np.searchsorted(cuts, runs)
    return np.concatenate([np.arange(first, last) for first, last in ranges])


def _distinct(numbers: Any) -> list[int]:
    first = numbers.flat[0]
    if (numbers == first).all():
        return [int(first)]
    return np.unique(numbers).tolist()  # type: ignore[no-any-return]


class Walk:
    """Goes through the lines of each core in order, and finds the pairs that conflict.

    ``pairs`` are the end of an access and the place that may not start before it; ``crossing`` are
    pairs of accesses of two cores, which have no order of their own.
    """

    def __init__(self, program: Program, sequence: Sequence) -> None:
        self.program = program
        self.steps: list[list[Step]] = []
        self.touches: dict[Place, Touches] = {}
        self.pairs: dict[tuple[Event, Place], None] = {}
        self.crossing: dict[tuple[Access, Access], None] = {}
        self.order = [list(self._placed(core, items)) for core, items in enumerate(sequence.cores)]
        self._after: dict[Place, int] = {}
        self._held = program.target.interlocked(program.options)
        self._made: list[Access | None] = [None]
        self._sets = Sets()
        self._spaces = self._cut()
        for core, places in enumerate(self.order):
            self._core(core, places)
        self._cross()
        self._steps()

    def _placed(self, core: int, items: Iterable[Any]) -> Iterator[Place]:
        """Where the lines of a core stand; what only waits and updates is passed over."""
        program, at = self.program, dict.fromkeys(range(len(self.program.queues)), 0)
        for line in items:
            numbers = program.queues[line.queue].instructions
            while numbers[at[line.queue]] != line.instruction:
                self._bare(Place(line.queue, at[line.queue]))
                at[line.queue] += 1
            place = Place(line.queue, at[line.queue])
            at[line.queue] += 1
            engine = program.queues[place.queue].engine
            made = program.instructions[line.instruction]
            self.touches[place] = touched(made, engine, core, program.generation)
            yield place
        for queue, pc in at.items():
            lines = program.queues[queue]
            if lines.core == core:
                for rest in range(pc, len(lines)):
                    self._bare(Place(queue, rest))

    def _bare(self, place: Place) -> None:
        sequencing = self.program.target.sequencing
        assert sequencing is not None
        assert self.program.instruction(*place).row.name == sequencing.wait, place

    def _cut(self) -> dict[str, Space]:
        every: dict[str, list[Patch]] = {}
        for touches in self.touches.values():
            for touch in touches.each:
                every.setdefault(touch.patch.space, []).append(touch.patch)
        return {name: Space(patches) for name, patches in every.items()}

    def _core(self, core: int, places: list[Place]) -> None:
        registers: dict[tuple[int, int], int] = {}
        for place in places:
            touches = self.touches[place]
            after = [registers.get((place.queue, number), -1) for number in touches.taken]
            for touch in touches.each:
                space = self._spaces[touch.patch.space]
                cells = space.cells(touch.patch)
                if not touch.apart and not touch.writes and touch.surely:
                    after.append(int(space.of(("wrote", place.queue))[cells].max()) - 1)
                self._compare(core, space, cells, place, touch)
            for touch in sorted(touches.each, key=lambda one: one.writes):
                space = self._spaces[touch.patch.space]
                self._enter(core, space, space.cells(touch.patch), place, touch)
            registers |= {(place.queue, number): place.pc for number in touches.left}
            self._after[place] = max(after, default=-1) if self._held else -1

    def _compare(self, core: int, space: Space, cells: Any, place: Place, touch: Touch) -> None:
        """Compare an access with those that it has to come after."""
        asked = [("writes", core), ("adds", core)] if not touch.adds else [("writes", core)]
        for what in [*asked, ("reads", core)] if touch.writes else asked:
            for number in _distinct(space.of(what)[cells]):
                for each in self._sets.members[number]:
                    other = self._made[each]
                    assert other is not None
                    same = other.place.queue == place.queue
                    if not (same and other.plain and not touch.apart):
                        self.pairs[other.end, place] = None

    def _enter(self, core: int, space: Space, cells: Any, place: Place, touch: Touch) -> None:
        """Make an access the last one of its cells."""
        kind = COMPLETES if touch.writes else STARTS
        touches = self.touches[place]
        if touch.apart:
            kind = LANDS if touches.lands else STARTS
        number = len(self._made)
        made = Access(place, Event(kind, *place), not touch.apart, touch.writes, touch.adds)
        self._made.append(made)
        if not touch.writes or touch.adds:
            self._also(space.of(("adds" if touch.adds else "reads", core)), cells, number)
        else:
            space.of(("writes", core))[cells] = self._sets.number((number,))
            space.of(("reads", core))[cells] = 0
            space.of(("adds", core))[cells] = 0
            if not touch.apart and touch.surely:
                space.of(("wrote", place.queue))[cells] = place.pc + 1
        if touch.patch.space[0].isalpha() and touches.meeting[:1] != ("barrier",):
            self._also(space.of(("every", core)), cells, number, keep=True)

    def _also(self, held: Any, cells: Any, number: int, keep: bool = False) -> None:
        """Add an access to the sets of some cells; of reads of one queue the last one will do."""
        now, made = held[cells], self._made[number]
        assert made is not None
        grown = {}
        for old in _distinct(now):
            members = self._sets.members[old]
            if made.plain and not keep:
                members = tuple(m for m in members if not self._earlier(m, made.place.queue))
            grown[old] = self._sets.number((*members, number))
        if len(grown) == 1:
            held[cells] = next(iter(grown.values()))
        else:
            olds = np.array(sorted(grown))
            news = np.array([grown[old] for old in olds.tolist()], np.int32)
            held[cells] = news[np.searchsorted(olds, now)]

    def _earlier(self, member: int, queue: int) -> bool:
        other = self._made[member]
        return other is not None and other.plain and other.place.queue == queue

    def _cross(self) -> None:
        """Find what two cores touch in the memory that they share."""
        for name, space in self._spaces.items():
            if not name[0].isalpha() or len(self.order) < 2:
                continue
            both = np.stack([space.of(("every", core)).ravel() for core in range(2)], axis=1)
            for one, other in np.unique(both, axis=0).tolist():
                for first in map(self._made.__getitem__, self._sets.members[one]):
                    for second in map(self._made.__getitem__, self._sets.members[other]):
                        assert first is not None
                        assert second is not None
                        if (first.writes or second.writes) and not (first.adds and second.adds):
                            self.crossing[first, second] = None

    # -- what decides the order

    def _steps(self) -> None:
        meetings, counts = dict[tuple[object, ...], int](), dict[tuple[object, ...], int]()
        met: dict[Place, int] = {}
        for core, places in enumerate(self.order):
            for place in places:
                name = self.touches[place].meeting
                if name:
                    nth = counts[core, *name] = counts.get((core, *name), 0) + 1
                    met[place] = meetings.setdefault((*name, nth), len(meetings))
        for queue, lines in enumerate(self.program.queues):
            places = [Place(queue, pc) for pc in range(len(lines))]
            self.steps.append([self._step(place, met.get(place, -1)) for place in places])

    def _step(self, place: Place, meeting: int) -> Step:
        program, lines = self.program, self.program.queues[place.queue]
        wait = program.waits[lines.waits[place.pc]]
        update = program.updates[lines.updates[place.pc]]
        touches = self.touches.get(place)
        change = issue = None
        if touches is not None and touches.lands:
            issue = Issue(None if update is None else update.semaphore, SHARES)
        elif update is not None:
            change = Change(update.semaphore, update.op, update.value, update.at_read)
        needed = None if wait is None else Wait(*wait)
        return Step(*place, needed, change, issue, self._after.get(place, -1), meeting)


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
        self.leaving = {Event(LANDS, *p) for p, one in touches.items() if one.leaves}
        ends = {end for end, _ in walk.pairs} | self.leaving
        ends |= {access.end for pair in walk.crossing for access in pair}
        self.reached = self._reach(ends)
        self.unordered = list(self._unordered())

    def verdict(self) -> Verdict:
        """What there is to say."""
        waits = [Place(s.queue, s.index) for row in self.steps for s in row if s.wait is not None]
        needless = [] if self.unordered else [place for place in waits if not self._needed(place)]
        pairs = len(self.walk.pairs) + len(self.walk.crossing)
        return Verdict(self.unordered, needless, pairs, len(waits))

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
        self.wanted: dict[Event, dict[int, int]] = {event: {} for event in self.reached}
        for end, place in self.walk.pairs:
            if self._before(end, place):
                self._want(end, place)
            else:
                yield Unordered(Place(end.queue, end.index), place, self._said(end, place))
        for first, second in self.walk.crossing:
            for one, other in ((first, second), (second, first)):
                if self._before(one.end, other.place):
                    self._want(one.end, other.place)
                    break
            else:
                said = self._said(first.end, second.place)
                yield Unordered(first.place, second.place, f"two cores: {said}")
        for event in self.leaving:
            if self.reached[event].started == self.everything:
                yield Unordered(Place(event.queue, event.index), None, self._said(event, None))
        if list(Rising(self.steps).without(Event(STARTS, -1, -1))) != self.everything:
            yield Unordered(Place(-1, -1), None, "it hangs")

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
        if event in self.leaving and rest.started == self.everything:
            return True
        return any(rest.started[queue] > pc for queue, pc in self.wanted[event].items())


def _let(rest: Rising, event: Event) -> Reached:
    """Let everything happen but an event, and remember how far it got."""
    rest.without(event)
    return Reached(rest.started.copy(), rest.completed.copy(), rest.values.copy())
