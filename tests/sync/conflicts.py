"""Which accesses of a program in sequential order are in conflict, byte by byte.

Of each byte only neighbours are compared, a read with the last write and a write with the reads
since: what comes after them comes after all before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nasm.order.skeleton import (
    COMPLETES,
    LANDS,
    STARTS,
    CounterChange,
    CounterWait,
    Event,
    Issue,
    Step,
)
from nasm.program.program import Program
from nasm.sync.lines import Sequence
from tests.sync.touched import Patch, Runs, Touch, Touches, touched

SHARES = 16


class Place(NamedTuple):
    """A queue of the program, and the number of an instruction in it."""

    queue: int
    pc: int


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
            change = CounterChange(update.semaphore, update.op, update.value, update.at_read)
        needed = None if wait is None else CounterWait(*wait)
        return Step(*place, needed, change, issue, self._after.get(place, -1), meeting)
