"""A run as strips of cells: what queues, units that they share, and rings did in each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nasm.analysis.profile.intervals import Times, merged
from nasm.analysis.profile.records import MOVERS
from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.machine import Machine
from nasm.sim.counters import TRANSFER
from nasm.sim.history import ARRIVAL, INSTRUCTION, NO_QUEUE, READY, SHARES, History
from nasm.sim.queues import ORDER, Queue, Task

Floats = NDArray[np.float64]

BUSY, READYING, EMPTY = "busy", "made ready", "empty"
"""States of a queue in addition to what it waits for: a poster, or a cause that is no semaphore."""

UNITS = {"ns": 1e-3, "us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
LATEST = 1 << 62
"""A tick that no run reaches."""

_TIME = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)(ns|us|µs|ms|s)")
_LINE = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Strip:
    """What a queue, a unit or a ring did, cell by cell.

    ``states`` are a queue's: "busy", "made ready", who it waits for the post of, another cause, or
    "empty". ``levels`` are from 0 to 1: of a ring the part of its channels that were occupied, of a
    ``unit`` that queues share the part of the time that it was.
    """

    name: str
    states: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()
    unit: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """Strips from a tick to another; in each cell a queue has the state that lasts longest."""

    begin: int
    end: int
    strips: tuple[Strip, ...]


def timeline(
    machine: Machine,
    history: History,
    tasks: Mapping[int, Task],
    width: int,
    begin: str = "",
    end: str = "",
) -> Timeline:
    """Strips of ``width`` cells, or of as many as there are ticks, between two bounds.

    Raises Refused for one that means nothing.

    A bound is a time, a line of the program or a label; an empty one is the start or the end.
    ``tasks`` are those that have started, by the numbers of their records.
    """
    if width < 1:
        raise ValueError(f"a timeline has 1 cell or more, not {width}")
    total = machine.scheduler.now
    first = bound(machine, history, begin, last=False) if begin else 0
    final = min(total, bound(machine, history, end, last=True) if end else total)
    if first >= final:
        micro = machine.microseconds
        raise Refused(
            "E0816",
            f"the timeline ends at {micro(final):,.3f} µs, and begins at {micro(first):,.3f}",
            f"the run takes {micro(total):,.3f} µs",
        )
    cells = min(width, final - first)  # none is shorter than a tick
    edges = np.round(np.linspace(first, final, cells + 1)).astype(np.int64)
    strips = [
        Strip(machine.program.queue_name(queue.index), _states(machine, history, queue, edges))
        for queue in machine.scheduler.queues
        if queue.length
    ]
    strips += _units(machine, history, tasks, edges)
    return Timeline(first, final, (*strips, *_rings(machine, history, edges)))


# -- bounds


def bound(machine: Machine, history: History, text: str, *, last: bool) -> int:
    """The tick of a bound: when what it names starts first, or has ended for the last time."""
    time = _TIME.fullmatch(text)
    if time:
        micro = float(time[1].replace("_", "")) * UNITS[time[2]]
        return round(min(micro * machine.program.generation.ticks, LATEST))
    named = _named(machine, text)
    kind, queues, pcs = (history.column(name) for name in ("kind", "queue", "pc"))
    mine = np.zeros(len(kind), np.bool_)
    for queue, pc in named:
        mine |= (kind == INSTRUCTION) & (queues == queue) & (pcs == pc)
    if not mine.any():
        raise Refused("E0816", f"nothing of '{quoted(text)}' has started in this run")
    column = history.column("finish" if last else "start")[mine]
    return int(column.max() if last else column.min())


def _named(machine: Machine, text: str) -> list[tuple[int, int]]:
    """The instructions that a line number or a label names."""
    program = machine.program
    labels = {label for lines in program.queues for label in lines.labels}
    found = []
    for queue, lines in enumerate(program.queues):
        if text in lines.labels:
            found.append((queue, min(lines.labels[text], len(lines) - 1)))
        elif _LINE.fullmatch(text):
            numbers = {
                n
                for n, span in enumerate(program.spans)
                if span is not None and span.line <= int(text) <= _last_line(span)
            }
            found += [(queue, pc) for pc, number in enumerate(lines.spans) if number in numbers]
    if not found:
        hint = did_you_mean(text, labels) or "a bound is a time (2.5us), a line or a label"
        raise Refused("E0816", f"no instruction is at '{quoted(text)}'", hint)
    return found


def _last_line(span: Span) -> int:
    return span.source.position(max(span.start, span.end - 1))[0]


# -- cells


class Cells:
    """How long each state lasts in each cell."""

    def __init__(self, edges: Times) -> None:
        self.edges = edges
        self.ticks: dict[str, Floats] = {}

    def add(self, state: str, starts: Times, ends: Times) -> None:
        """Stretches of a state."""
        covered = covering(starts, ends, self.edges)
        self.ticks[state] = self.ticks.get(state, np.zeros(len(covered))) + covered

    def longest(self) -> tuple[str, ...]:
        """The state of each cell."""
        names = list(self.ticks)
        which = np.argmax([self.ticks[name] for name in names], axis=0)
        return tuple(names[n] for n in which.tolist())


def covering(starts: Times, ends: Times, edges: Times) -> Floats:
    """How much of each cell some stretches cover."""
    first, last = merged(starts, ends)
    if not len(first):
        return np.zeros(len(edges) - 1)
    points = np.stack([first, last], axis=1).reshape(-1)
    reached = np.concatenate(([0], np.cumsum(last - first)))
    totals = np.stack([reached[:-1], reached[1:]], axis=1).reshape(-1)
    return np.diff(np.interp(edges, points, totals))


def _states(machine: Machine, history: History, queue: Queue, edges: Times) -> tuple[str, ...]:
    """What a queue did in each cell."""
    kind, of = history.column("kind"), history.column("queue")
    rows = np.flatnonzero((of == queue.index) & np.isin(kind, (INSTRUCTION, READY, ARRIVAL)))
    columns = ("kind", "start", "until", "cause", "poster")
    kind, start, until, cause, poster = (history.column(name)[rows] for name in columns)
    order = np.argsort(start, kind="stable")
    kind, start, until = kind[order], start[order], until[order]
    cause, poster = cause[order], poster[order]
    cells, now = Cells(edges), machine.scheduler.now
    worked = kind == INSTRUCTION
    cells.add(BUSY, start[worked], until[worked])
    cells.add(READYING, start[kind == READY], until[kind == READY])
    reach = np.concatenate(([0], np.maximum.accumulate(until)))
    name = namer(machine)
    for code, by in {*zip(cause.tolist(), poster.tolist(), strict=True)}:
        mine = (cause == code) & (poster == by)
        cells.add(name(history.causes[code], by), reach[:-1][mine], start[mine])
    cause_now = EMPTY if queue.done else name(queue.cause, _poster_number(queue.poster))
    end = np.array([max(now, int(edges[-1]))])
    cells.add(cause_now, reach[-1:], end)
    return cells.longest()


def _poster_number(poster: int | None) -> int:
    return NO_QUEUE if poster is None else poster


def namer(machine: Machine) -> Callable[[str, int], str]:
    """What a wait is called: by who posted if it is for a semaphore."""

    def name(cause: str, poster: int) -> str:
        if cause == ORDER:
            return BUSY  # a tick between two starts
        if cause != "semaphore" or poster == NO_QUEUE:
            return cause
        return MOVERS if poster == TRANSFER else machine.program.queue_name(poster)

    return name


def _units(
    machine: Machine, history: History, tasks: Mapping[int, Task], edges: Times
) -> Iterator[Strip]:
    """What the units did that the queues of a core share, if anything."""
    program = machine.program
    shared = program.generation.units
    rows: dict[tuple[int, str], list[int]] = {}
    for record, task in tasks.items() if shared else ():
        rows.setdefault((task.unit.core, task.unit.name), []).append(record)
    start, until = history.column("start"), history.column("until")
    for core in range(program.cores):
        for unit in shared:
            mine = rows.get((core, unit.name), [])
            levels = covering(start[mine], until[mine], edges) / np.diff(edges)
            if levels.any():
                name = program.named(core, unit.name)
                yield Strip(name, levels=tuple(levels.tolist()), unit=True)


def _rings(machine: Machine, history: History, edges: Times) -> Iterable[Strip]:
    """What the rings of each core did."""
    shares = history.column("kind") == SHARES
    names = ("core", "ring", "start", "until", "channels")
    return rings(machine, [history.column(name)[shares] for name in names], edges)


def rings(machine: Machine, shares: Sequence[Times], edges: Times) -> Iterator[Strip]:
    """What the rings of each core did with shares: their core, ring, start, end and channels."""
    core, ring, start, until, mask = shares
    channels = np.bitwise_count(mask.astype(np.uint64))
    program = machine.program
    most = max(1, program.generation.channels)
    for one, number in sorted({*zip(core.tolist(), ring.tolist(), strict=True)}):
        mine = (core == one) & (ring == number)
        levels = np.zeros(len(edges) - 1)
        for width in np.unique(channels[mine]).tolist():
            some = mine & (channels == width)
            levels += width * stacked(start[some], until[some], edges)
        levels = np.minimum(1, levels / most / np.maximum(1, np.diff(edges)))
        name = program.named(one, program.generation.ring_name(number))
        yield Strip(name, levels=tuple(levels.tolist()))


def stacked(starts: Times, ends: Times, edges: Times) -> Floats:
    """How many ticks of each cell some stretches have, each counted for itself."""
    if not len(starts):
        return np.zeros(len(edges) - 1)
    points = np.concatenate((starts, ends))
    order = np.argsort(points, kind="stable")
    points = points[order]
    depth = np.cumsum(np.concatenate((np.ones(len(starts)), -np.ones(len(ends))))[order])
    reached = np.concatenate(([0], np.cumsum(depth[:-1] * np.diff(points))))
    return np.diff(np.interp(edges, points, reached))
