"""The time so far as strips: the last stretch of a run again, with what every queue did in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.records import MOVERS, Stall
from nasm.analysis.profile.timeline import (
    BUSY,
    EMPTY,
    READYING,
    Cells,
    Strip,
    Timeline,
    namer,
    rings,
)
from nasm.analysis.summary import instruction_text
from nasm.base.problems import clean, counted
from nasm.base.records import dataclass
from nasm.debugger.engines.context import Scene
from nasm.debugger.engines.records import Location
from nasm.sim.channels import ChannelGroup, Group
from nasm.sim.counters import TRANSFER, Who
from nasm.sim.events import Observer
from nasm.sim.history import NO_QUEUE
from nasm.sim.legs import Arriving
from nasm.sim.queues import Flying, Idle, Queue, Task
from nasm.sim.scheduler import Scheduler

if TYPE_CHECKING:
    from nasm.debugger.moving.past import Past

CYCLES = 10_000
"""Default number of cycles of the base clock in a strip."""


class Spell(NamedTuple):
    """A stretch of time of a queue: ``state`` is as in a :class:`Strip`."""

    begin: int
    end: int
    state: str


@dataclass(frozen=True, slots=True, repr=False)
class Waited:
    """The instruction that completed last, and what it waited for at the head of its queue.

    ``waits`` are stretches in order; ``by`` is who posted, or made what it waited for, last.
    """

    at: Location
    text: str
    start: int
    finish: int
    waits: tuple[Spell, ...]
    by: Location | None

    @property
    def ticks(self) -> int:
        """How long it waited in all."""
        return sum(wait.end - wait.begin for wait in self.waits)

    def __repr__(self) -> str:
        return clean(f"<{self.at}: {self.text}, waited {counted(self.ticks, 'tick')}>")


@dataclass(frozen=True, slots=True, repr=False)
class EngineTime:
    """What an engine did: ``busy``, its ``stalls`` and ``empty`` are all of the time, in ticks."""

    engine: str
    index: int
    busy: int
    stalls: tuple[Stall, ...]
    empty: int
    spells: tuple[Spell, ...]

    def __repr__(self) -> str:
        return clean(f"<{self.engine}: {self.busy} ticks busy of {self.spells[-1].end}>")


@dataclass(frozen=True, slots=True, repr=False)
class TimeSoFar:
    """The last stretch of a run, up to now: in strips, and as sums for each engine."""

    timeline: Timeline
    engines: tuple[EngineTime, ...]
    last: Waited | None

    @property
    def begin(self) -> int:
        """The tick at which it begins."""
        return self.timeline.begin

    @property
    def end(self) -> int:
        """The tick that is now."""
        return self.timeline.end

    def __repr__(self) -> str:
        return f"<ticks {self.begin} to {self.end} of {counted(len(self.engines), 'engine')}>"


_Stretch = tuple[int, int, "Idle | str"]


class _Spells(Observer):
    """What every queue did since the observer was made, and what shares were moved."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.found: list[list[_Stretch]] = []
        self.reach: list[int] = []
        self.waits: list[list[_Stretch]] = []
        self.started_as: dict[int, tuple[tuple[_Stretch, ...], Who | None]] = {}
        self.last: Flying | None = None
        self.shares: list[tuple[int, int, int, int, int]] = []
        for queue in scheduler.queues:
            self.reach.append(queue.busy_until)
            self.found.append([(scheduler.now, queue.busy_until, BUSY)])
            self.waits.append([])

    def idle(self, queue: Queue, now: int) -> None:
        """It waited for something."""
        since = queue.accounted
        if now > since:
            stretch = since, now, queue.idling()
            self.found[queue.index].append(stretch)
            self.waits[queue.index].append(stretch)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """It is busy, and has waited for what it waited for since it was the next."""
        index, by = queue.index, queue.blocker
        waits = tuple(self.waits[index])
        self.started_as[queue.record] = waits, by if isinstance(by, tuple) else None
        self.waits[index].clear()
        self._busy(index, now, now + queue.interval, BUSY)

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """Its unit is made ready."""
        self._busy(queue.index, start, until, READYING)

    def _busy(self, index: int, start: int, until: int, state: str) -> None:
        start = max(start, self.reach[index])
        if until > start:
            self.found[index].append((start, until, state))
            self.reach[index] = until

    def finished(self, queue: Queue, done: Flying) -> None:
        """An instruction completed."""
        self.last = done

    def landed(self, group: Group, now: int) -> None:
        """Shares were moved."""
        self.moved(group, group.free)

    def moved(self, group: Group, until: int) -> None:
        """Note when shares were on their channels."""
        flight = group.flight
        self.shares.append((flight.core, flight.ring, group.start, until, group.channels))


def strip(past: Past, scene: Scene, cycles: int | None, width: int) -> TimeSoFar | None:
    """The last cycles up to now, in so many cells; None if it was halted before it was known."""
    machine = past.running.machine
    now = scene.now
    clock = machine.program.generation.base.cycle
    first = max(0, now - (CYCLES if cycles is None else cycles) * clock)
    with past.excursion() as end:
        past.return_before(lambda point: point.moment.tick <= first)
        spells = _Spells(machine.scheduler)
        past.replay(end, spells)
        if machine.scheduler.halted:
            return None
        _under_way(machine.scheduler, spells)
        return _time_so_far(scene, spells, first, width)


def _under_way(scheduler: Scheduler, spells: _Spells) -> None:
    """Note the shares that have started, and not landed yet."""
    for _, what in scheduler.coming():
        if isinstance(what, Group):
            spells.moved(what, what.free)
        elif isinstance(what, Arriving):
            spells.moved(what.group, what.group.free)
        elif isinstance(what, ChannelGroup):
            for groups in what.rings.values():
                for group in groups:
                    if group.start >= 0:
                        spells.moved(group, scheduler.now)


def _time_so_far(scene: Scene, spells: _Spells, first: int, width: int) -> TimeSoFar:
    """What was noted, as records."""
    machine, now = scene.machine, scene.now
    engines = tuple(
        _engine(scene, queue, spells.found[queue.index], first)
        for queue in machine.scheduler.queues
        if queue.length
    )
    cells = max(1, min(width, now - first))  # none is shorter than a tick
    edges = np.round(np.linspace(first, now, cells + 1)).astype(np.int64)
    strips = [Strip(engine.engine, _states(engine, edges)) for engine in engines]
    shares = np.array(spells.shares, np.int64).reshape(-1, 5).T
    strips += rings(machine, list(shares), edges)
    return TimeSoFar(Timeline(first, now, tuple(strips)), engines, _last(scene, spells))


def _engine(scene: Scene, queue: Queue, found: list[_Stretch], first: int) -> EngineTime:
    """What a queue did since a tick."""
    if scene.now > queue.accounted:
        found.append((queue.accounted, scene.now, queue.idling()))
    inside = [
        (max(begin, first), min(end, scene.now), state)
        for begin, end, state in found
        if end > first and begin < scene.now
    ]
    sums: dict[Idle, int] = {}
    busy = empty = 0
    for begin, end, state in inside:
        if isinstance(state, str):
            busy += end - begin
        elif state[0] == EMPTY:
            empty += end - begin
        else:
            sums[state] = sums.get(state, 0) + end - begin
    stalls = [Stall(cause, _poster(scene, by), ticks) for (cause, by), ticks in sums.items()]
    stalls.sort(key=lambda stall: -stall.ticks)
    name = scene.program.queue_name(queue.index)
    spells = tuple(_spell(scene, one) for one in inside)
    return EngineTime(name, queue.index, busy, tuple(stalls), empty, spells)


def _poster(scene: Scene, by: int | None) -> str:
    if by is None:
        return ""
    return MOVERS if by == TRANSFER else scene.program.queue_name(by)


def _spell(scene: Scene, one: _Stretch) -> Spell:
    begin, end, state = one
    if not isinstance(state, str):
        cause, by = state
        state = namer(scene.machine)(cause, NO_QUEUE if by is None else by)
    return Spell(begin, end, state)


def _states(engine: EngineTime, edges: Times) -> tuple[str, ...]:
    """The state of an engine that lasts longest in each cell."""
    cells = Cells(edges)
    cells.add(EMPTY, edges[:0], edges[:0])
    for state in dict.fromkeys(spell.state for spell in engine.spells):
        mine = np.array([spell[:2] for spell in engine.spells if spell.state == state], np.int64)
        cells.add(state, mine[:, 0], mine[:, 1])
    return cells.longest()


def _last(scene: Scene, spells: _Spells) -> Waited | None:
    """The instruction that completed last, if it started in what was looked at."""
    last = spells.last
    if last is None or last.record not in spells.started_as:
        return None
    waits, by = spells.started_as[last.record]
    return Waited(
        scene.place((last.queue, last.pc)),
        instruction_text(scene.machine, last.queue, last.pc),
        last.start,
        last.finish,
        tuple(_spell(scene, wait) for wait in waits),
        scene.place(by) if by is not None and waits else None,
    )
