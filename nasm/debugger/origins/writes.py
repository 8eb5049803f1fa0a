"""Who wrote some bytes last: found by running stretches of the past again, the latest first.

While a stretch runs an observer notes which completions and landings touch the bytes, by region,
which is exact; what an instruction or a transfer then wrote there is known of those alone. Each
that is found is looked at when it started, when it had read nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from nasm.base.records import dataclass, field
from nasm.debugger.origins.elements import Numbers, TensorElements, elements, touched_elements
from nasm.debugger.origins.origins import EngineElements, Origin, Place, RegisterOrigin
from nasm.debugger.origins.slicing import Way
from nasm.debugger.origins.sources import Reading, reading
from nasm.debugger.origins.transfers import MovedShares, moved
from nasm.isa.implicit_kinds import EngineValue
from nasm.machine import Machine
from nasm.machine.direct_transfers import DirectMove
from nasm.machine.records import Moment
from nasm.sim.channels import Group
from nasm.sim.counters import Who
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue, Task
from nasm.views.regions import Region, intersect
from nasm.views.view import Reg, View


class ReplayedChange(Protocol):
    """A change by hand, and the moment before it."""

    @property
    def moment(self) -> Moment:
        """When it was made."""

    @property
    def change(self) -> object:
        """What was changed; ``str`` says it."""


class Replayable(Protocol):
    """The past of a run, that can be run again."""

    @property
    def changes(self) -> Sequence[ReplayedChange]:
        """What was changed by hand."""

    @property
    def now(self) -> Moment:
        """The moment it is."""

    def goto(self, moment: Moment) -> bool:
        """Go to a moment."""

    def replay(self, end: Moment, *observers: Observer) -> bool:
        """Run on to a moment with observers attached."""

    def excursion(self) -> AbstractContextManager[Moment]:
        """Whatever is done within goes to other moments: at the end it is now again."""

    def intervals(self, end: Moment | None = None) -> Iterator[tuple[Moment, Moment]]:
        """Stretches of the run, from now or ``end`` back; the machine is where each begins."""


Learned = dict[Any, Way]
"""What was found out about the arguments of instructions, by their shape."""

INSTRUCTION, TRANSFER, EXCHANGE, CHANGE = "instruction", "transfer", "exchange", "change"


@dataclass(frozen=True, slots=True)
class Write:
    """Something that wrote: an instruction, a transfer, an exchange or a change by hand.

    It appeared with the event ``position``, at ``tick``; ``began`` is when its engine or its shares
    started. ``record`` is the number of that start. ``flight`` and ``shares`` are those of a
    transfer.
    """

    kind: str
    who: Who
    record: int
    position: int
    tick: int
    began: int
    flight: int = -1
    shares: tuple[int, ...] = ()
    change: object = None

    @property
    def key(self) -> object:
        """What tells its start from others."""
        return (self.flight, self.shares[0]) if self.kind == TRANSFER else self.record


@dataclass(frozen=True, slots=True, eq=False)
class WriteResults:
    """What one write made of the elements that are searched for.

    ``which`` says of which of them; ``origins`` what it was made of, read before the event ``at``;
    ``adds`` whether it was added to what was there. One that is ``kept`` could have been written,
    and was left as it was: ``origins`` say why.
    """

    write: Write
    which: Numbers
    origins: tuple[Origin, ...]
    at: int
    adds: bool = False
    kept: bool = False


@dataclass(slots=True, eq=False)
class Search:
    """The last writes of a place before an event; ``before`` is the number of that event.

    ``left`` says of which elements nothing is known yet, ``made`` has what is, the latest first.
    """

    place: Place
    before: int
    left: np.ndarray[Any, np.dtype[np.bool_]] = field(init=False)
    made: list[WriteResults] = field(default_factory=list)
    candidates: list[tuple[Write, Any]] = field(default_factory=list)
    scanned: int = -1
    over: bool = False

    def __post_init__(self) -> None:
        place = self.place
        size = 1 if isinstance(place, RegisterOrigin) else len(place)
        self.left = np.ones(size, np.bool_)
        self.scanned = self.before

    @property
    def elements(self) -> TensorElements | None:
        """The elements of a memory that it is about."""
        return self.place if isinstance(self.place, TensorElements) else None


class WriteWatch(Observer):
    """Notes what writes to the places of some searches, and what some writes start from."""

    def __init__(self, machine: Machine, searches: Sequence[Search], wanted: set[Any]) -> None:
        self.machine, self.searches, self.wanted = machine, searches, wanted
        self.scheduler = machine.scheduler
        self.regions = [regions(machine, search.place) for search in searches]
        self.areas = {region.area for regions in self.regions for region in regions}
        self.held = {
            (s.place.queue, s.place.name) for s in searches if isinstance(s.place, EngineElements)
        }
        self.noted: list[list[tuple[Write, Any]]] = [[] for _ in searches]
        self.begun: dict[Any, tuple[int, Any]] = {}
        self._known: dict[int, tuple[int, ...]] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Note what is about to be read, and what an engine newly holds."""
        record = queue.record
        if record in self.wanted:
            what = None
            if task.work.arrive is None:
                what = reading(self.machine, (queue.index, queue.pc), record)
            self.begun[record] = self.scheduler.position, what
        if self.held and task.work.sets:
            for name in task.work.sets:
                if (queue.index, name) in self.held:
                    self._hold(queue, name, now)

    def _hold(self, queue: Queue, name: str, now: int) -> None:
        position, who = self.scheduler.position, (queue.index, queue.pc)
        write = Write(INSTRUCTION, who, queue.record, position, now, now)
        for n, search in enumerate(self.searches):
            place = search.place
            if isinstance(place, EngineElements) and (place.queue, place.name) == (
                queue.index,
                name,
            ):
                self._note(n, write, None)

    def finished(self, queue: Queue, done: Flying) -> None:
        """Note what has written."""
        work = done.task.work
        if not work.writes:
            return
        hit = self._known.get(work.number)
        if hit is None:
            hit = self._hits(work.writes)
            if work.number >= 0:
                self._known[work.number] = hit
        if hit:
            exchanged = isinstance(done.payload, tuple) and work.arrive is not None
            kind = EXCHANGE if exchanged else INSTRUCTION
            who = (done.queue, done.pc)
            position = self.scheduler.position
            write = Write(kind, who, done.record, position, done.finish, done.start)
            what = None
            if exchanged:  # what was sent is part of a memory, which changes from now on
                move, taken = done.payload
                what = move, np.array(getattr(taken, "values", taken))
            for n in hit:
                self._note(n, write, what)

    def _hits(self, writes: tuple[Region, ...]) -> tuple[int, ...]:
        if not any(region.area in self.areas for region in writes):
            return ()
        return tuple(n for n, ours in enumerate(self.regions) if intersect(ours, writes))

    def read(self, group: Group, now: int) -> None:
        """Note what is about to be moved."""
        for share in group.shares:
            key = group.flight.key, share
            if key in self.wanted:
                self.begun[key] = self.scheduler.position, moved(self.machine, group, reads=True)

    def landed(self, group: Group, now: int) -> None:
        """Note what a transfer is about to write."""
        flight = group.flight
        if not any(region.area in self.areas for region in flight.writes):
            return
        hit = self._hits(flight.writes)
        what = moved(self.machine, group) if hit else None
        for n in hit if what is not None else ():
            place = self.searches[n].elements
            if place is not None and what is not None and what.touches(place):
                position, shares = self.scheduler.position, group.shares
                write = Write(
                    TRANSFER, flight.origin, group.record, position, now, group.start,
                    flight.key, shares,
                )  # fmt: skip
                self._note(n, write, what)

    def _note(self, n: int, write: Write, what: Any) -> None:
        if write.position < self.searches[n].scanned:
            self.noted[n].append((write, what))


def made(
    search: Search, write: Write, what: Any, begun: tuple[int, Any], learned: Learned
) -> list[WriteResults]:
    """What a write made of those elements of a search of which nothing is known."""
    at, start = begun
    place = search.place
    if write.kind == CHANGE:
        which = what[search.left[what]]
        return [WriteResults(write, which, (), at)] if len(which) else []
    if isinstance(place, TensorElements):
        left = np.flatnonzero(search.left)
        wanted = place.some(left)
        if write.kind == TRANSFER:
            return _transferred(write, left, wanted, what, start, at)
        if write.kind == EXCHANGE:
            return _exchanged(write, left, wanted, what, at)
        return _computed(write, left, wanted, start, at, learned)
    every = np.arange(len(search.left))
    if isinstance(place, RegisterOrigin):
        number = next(
            n for n, _, v in start.outputs() if isinstance(v, Reg) and v.number == place.number
        )
        origins = start.origins(number, (), np.zeros(1, np.int64), learned)
        return [WriteResults(write, every, tuple(origins), at)]
    number = next(
        n
        for n, o, _ in start.outputs()
        if isinstance(o.kind, EngineValue) and o.kind.name == place.name
    )
    origins = start.origins(number, place.path, place.numbers, learned)
    return [WriteResults(write, every, tuple(origins), at)]


def _computed(
    write: Write, left: Numbers, wanted: TensorElements, start: Reading, at: int, learned: Learned
) -> list[WriteResults]:
    answer = start.written(wanted)
    if answer is None:
        return []
    number, mine, which = answer
    stored, found_ = start.stored(number, mine), []
    for kept, some in ((False, stored), (True, ~stored)):
        if not some.any():
            continue
        of = left[np.unique(which[some])]
        adds = kept or start.adds(number) or _in_part(start.targets(number)[0], wanted, which[some])
        origins = start.origins(number, (), mine[some], learned)
        found_.append(WriteResults(write, of, tuple(origins), at, adds, kept))
    return found_


def _transferred(
    write: Write,
    left: Numbers,
    wanted: TensorElements,
    what: MovedShares,
    start: MovedShares,
    at: int,
) -> list[WriteResults]:
    found_ = []
    for kept, answer in ((False, what.written(wanted)), (True, what.skipped(wanted))):
        if answer is None:
            continue
        number, mine, which = answer
        adds = kept or what.adds or _in_part(what.transfer.moves[number][0], wanted, which)
        origins = start.entries(number, mine) if kept else start.origins(number, mine)
        found_.append(WriteResults(write, left[np.unique(which)], tuple(origins), at, adds, kept))
    return found_


def _exchanged(
    write: Write, left: Numbers, wanted: TensorElements, what: Any, at: int
) -> list[WriteResults]:
    move, taken = what
    assert isinstance(move, DirectMove)
    mine, which = touched_elements(move.dst, wanted)
    if not len(mine):
        return []
    origin = Origin("src", elements(move.srcs[0], mine), taken.reshape(-1)[mine])
    return [WriteResults(write, left[np.unique(which)], (origin,), at)]


def _in_part(view: View, wanted: TensorElements, which: Numbers) -> bool:
    """Whether elements of a view are only parts of those that are searched for."""
    whole = view.dtype.itemsize * len(which) >= wanted.dtype.itemsize * len(np.unique(which))
    return not whole


def regions(machine: Machine, place: Place) -> tuple[Region, ...]:
    """Bytes among which those of a place are."""
    if isinstance(place, RegisterOrigin):
        return (machine.state.registers[place.queue].region(place.number),)
    if isinstance(place, EngineElements) or not len(place):
        return ()
    view = place.view
    if view is not None:
        return (machine.addresses.region(view),)
    whole = machine.addresses.region(View.whole(place.tensor))
    first, last = int(place.rows.min()), int(place.rows.max())
    low, high = int(place.lows.min()), int(place.lows.max()) + place.dtype.itemsize
    return (
        whole._replace(
            rows=(first, last - first + 1, 1), low=low, high=high, start=low, dims=(),
            itemsize=high - low,
        ),
    )  # fmt: skip
