"""A run as lanes of slices: what each queue, shared unit and ring did, and what it waited for.

Everything follows from the history of the run: one slice for each record of a queue, and one for
each transfer. A queue's wait before a slice is the time in which nothing of the queue was at work.
"""

from __future__ import annotations

import numpy as np

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.profile import WatchedMachine
from nasm.analysis.profile.timeline import BUSY, namer
from nasm.base.records import dataclass, replace
from nasm.sim.history import ARRIVAL, INSTRUCTION, MADE, NO_QUEUE, READY, SHARES, History
from nasm.sim.queues import Queue

ROWS = 6
"""Slices of a lane at the same time that are drawn apart; more are drawn over the last of them."""

QUEUE, UNIT, DESCRIPTORS, RING = "queue", "unit", "descriptors", "ring"
"""Kinds of lanes."""

STARTED, MADE_READY, ARRIVED, NOT_STARTED, DESCRIBED, MOVED = range(6)
"""What a slice shows: an instruction, a unit made ready, an arrival, an instruction that still
waited when the run ended, descriptors made for a transfer, or a transfer."""

_KINDS = {INSTRUCTION: STARTED, READY: MADE_READY, ARRIVAL: ARRIVED, MADE: DESCRIBED}


@dataclass(frozen=True, slots=True)
class TimelineLane:
    """A lane of the timeline, which shows so many ``rows`` of slices at a time."""

    name: str
    kind: str
    core: int
    rows: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Slices as columns, by lane and then by start; all times are ticks.

    A slice occupies its lane from ``start`` for ``length``, and its results appear ``tail`` after
    its start. Nothing of its queue was at work for ``wait`` before it: ``why`` counts ``waits``,
    which name what was waited for. ``because`` is the slice that ended that wait, -1 if none did.
    ``what`` is one of the kinds above, ``queue`` and ``pc`` the place of its instruction,
    ``record`` its number in the history, ``size`` the bytes of a transfer. Of a run that is thinned
    one slice may represent ``count`` of them, which were at work for ``busy`` in all.
    """

    lane: Times
    row: Times
    start: Times
    length: Times
    tail: Times
    wait: Times
    why: Times
    because: Times
    what: Times
    queue: Times
    pc: Times
    record: Times
    size: Times
    count: Times
    busy: Times

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Times) -> Slices:
        """Some of them, in this order."""
        return Slices(*(getattr(self, name)[which] for name in COLUMNS))


COLUMNS = tuple(Slices.__dataclass_fields__)


@dataclass(frozen=True, slots=True, eq=False)
class LaneChart:
    """The lanes of a run, their slices, and what these waited for.

    ``of_record`` is the slice of each record, -1 if it has none; ``shared`` are slices that also
    occupy a unit which several queues share: the slice, and the lane of the unit.
    """

    lanes: tuple[TimelineLane, ...]
    slices: Slices
    waits: tuple[str, ...]
    of_record: Times
    shared: tuple[Times, Times]


def lane_chart(watched: WatchedMachine) -> LaneChart:
    """The lanes of all that happened in a run."""
    return _Chart(watched).made()


class _Chart:
    """Gathers the slices of one lane after another."""

    def __init__(self, watched: WatchedMachine) -> None:
        self.watched, self.machine = watched, watched.machine
        self.history: History = watched.history
        self.now = self.machine.scheduler.now
        self.columns = {
            name: self.history.column(name)
            for name in (
                "kind", "core", "queue", "pc", "start", "until", "finish", "cause", "because",
                "poster", "issuer", "ring", "bytes",
            )
        }  # fmt: skip
        self.lanes: list[TimelineLane] = []
        self.parts: list[dict[str, Times]] = []
        self.waits: dict[str, int] = {"": 0}
        self.name = namer(self.machine)
        self.groups = np.full(len(self.history), -1, np.int64)

    def made(self) -> LaneChart:
        """All of it."""
        program = self.machine.program
        for core in range(program.cores):
            for queue in self.machine.scheduler.queues:
                if queue.core == core and (queue.length or queue.count):
                    self.queue(queue)
        shared = self.units()
        for core in range(program.cores):
            self.descriptors(core)
            self.rings(core)
        slices = self.joined()
        of_record = self._by_record(slices)
        because = np.where(slices.because >= 0, of_record[slices.because], -1)
        which, lanes = shared
        return LaneChart(
            tuple(self.lanes),
            replace(slices, because=because) if len(of_record) else slices,
            tuple(self.waits),
            of_record,
            (of_record[which], lanes) if len(which) else shared,
        )

    def joined(self) -> Slices:
        """The slices of all lanes."""
        none = np.zeros(0, np.int64)
        return Slices(
            *(np.concatenate([part[name] for part in self.parts] or [none]) for name in COLUMNS)
        )

    def _by_record(self, slices: Slices) -> Times:
        """The slice of each record; all shares of a transfer have one."""
        found = np.full(len(self.history), -1, np.int64)
        mine = slices.record >= 0
        found[slices.record[mine]] = np.flatnonzero(mine)
        joined = self.groups >= 0
        found[joined] = found[self.groups[joined]]
        return found

    # -- queues, and units that they share

    def queue(self, queue: Queue) -> None:
        """The lane of a queue: its instructions, and what happened before them."""
        kind, of = self.columns["kind"], self.columns["queue"]
        rows = np.flatnonzero((of == queue.index) & np.isin(kind, (INSTRUCTION, READY, ARRIVAL)))
        rows = rows[np.argsort(self.columns["start"][rows], kind="stable")]
        start = self.columns["start"][rows]
        until = np.minimum(self.columns["until"][rows], self.now)
        reach = np.maximum.accumulate(np.concatenate(([0], until)))
        why = self._why(rows)
        made = {
            **self._common(rows, start, until),
            "wait": np.where(why > 0, np.maximum(0, start - reach[:-1]), 0),
            "why": why,
            "what": np.array([_KINDS.get(k, STARTED) for k in range(5)])[kind[rows]],
        }
        if not queue.done and self.now > reach[-1]:
            waiting = self._waiting(queue, int(reach[-1]))
            made = {name: np.append(made[name], waiting[name]) for name in made}
        self._lane(self.machine.program.queue_name(queue.index), QUEUE, queue.core, made)

    def _waiting(self, queue: Queue, since: int) -> dict[str, int]:
        """An instruction that has not started when the run ended."""
        poster = NO_QUEUE if queue.poster is None else queue.poster
        why = self._wait_number(self.name(queue.cause, poster))
        return dict.fromkeys(COLUMNS, 0) | {
            "start": self.now, "wait": self.now - since, "why": why, "because": -1,
            "what": NOT_STARTED, "queue": queue.index, "pc": int(queue.pc), "record": -1,
        }  # fmt: skip

    def units(self) -> tuple[Times, Times]:
        """Lanes of the units that queues share: their records, and the lane of each."""
        program, found = self.machine.program, dict[tuple[int, str], list[int]]()
        names = [unit.name for unit in program.generation.units]
        for record, task in self.watched.recording.tasks.items() if names else ():
            if task.unit.name in names:
                found.setdefault((task.unit.core, task.unit.name), []).append(record)
        records, lanes = list[int](), list[int]()
        for core in range(program.cores):
            for name in names:
                mine = found.get((core, name), [])
                if mine:
                    records += mine
                    lanes += [len(self.lanes)] * len(mine)
                    self.lanes.append(TimelineLane(program.named(core, name), UNIT, core))
        return np.array(records, np.int64), np.array(lanes, np.int64)

    # -- transfers

    def descriptors(self, core: int) -> None:
        """What is made for the transfers of a core apart from its queues."""
        rows = np.flatnonzero((self.columns["kind"] == MADE) & (self.columns["core"] == core))
        if len(rows):
            start, until = self.columns["start"][rows], self.columns["until"][rows]
            made = self._common(rows, start, np.minimum(until, self.now))
            made["what"] = np.full(len(rows), DESCRIBED)
            name = self.machine.program.named(core, DESCRIPTORS)
            self._lane(name, DESCRIPTORS, core, made)

    def rings(self, core: int) -> None:
        """A lane for each ring of a core: its transfers, from the first share to the last."""
        mine = (self.columns["kind"] == SHARES) & (self.columns["core"] == core)
        for ring in np.unique(self.columns["ring"][mine]).tolist():
            rows = np.flatnonzero(mine & (self.columns["ring"] == ring))
            key = self.columns["issuer"][rows] * (len(self.machine.scheduler.queues) + 1)
            _, first, group = np.unique(
                key + self.columns["queue"][rows], return_index=True, return_inverse=True
            )
            start, end = np.full(len(first), self.now), np.zeros(len(first), np.int64)
            np.minimum.at(start, group, self.columns["start"][rows])
            np.maximum.at(end, group, np.minimum(self.columns["finish"][rows], self.now))
            size = np.zeros(len(first), np.int64)
            np.add.at(size, group, self.columns["bytes"][rows])
            self.groups[rows] = rows[first][group]
            order = np.argsort(start, kind="stable")
            made = self._common(rows[first][order], start[order], end[order])
            made |= {"what": np.full(len(first), MOVED), "size": size[order]}
            made["tail"] = made["length"]
            program = self.machine.program
            name = program.named(core, program.generation.ring_name(ring))
            self._lane(name, RING, core, made)

    # -- columns

    def _common(self, rows: Times, start: Times, until: Times) -> dict[str, Times]:
        """The columns of some records that begin and end then."""
        length, none = until - start, np.zeros(len(rows), np.int64)
        return {
            "start": start,
            "length": length,
            "tail": np.minimum(self.columns["finish"][rows], self.now) - start,
            "wait": none,
            "why": none,
            "because": self.columns["because"][rows],
            "what": none,
            "queue": self.columns["queue"][rows],
            "pc": self.columns["pc"][rows],
            "record": rows,
            "size": none,
            "count": none + 1,
            "busy": length,
        }

    def _why(self, rows: Times) -> Times:
        """What some records of a queue waited for last, as numbers of names."""
        pairs = np.stack([self.columns["cause"][rows], self.columns["poster"][rows]], axis=1)
        known, which = np.unique(pairs, axis=0, return_inverse=True)
        numbers = [
            self._wait_number(self.name(self.history.causes[cause], poster))
            for cause, poster in known.tolist()
        ]
        return np.array(numbers, np.int64)[which.reshape(-1)] if numbers else which.reshape(-1)

    def _wait_number(self, name: str) -> int:
        return self.waits.setdefault("" if name == BUSY else name, len(self.waits))

    def _lane(self, name: str, kind: str, core: int, made: dict[str, Times]) -> None:
        rows = apart(made["start"], made["start"] + made["length"])
        lane = np.full(len(rows), len(self.lanes), np.int64)
        self.lanes.append(TimelineLane(name, kind, core, int(rows.max(initial=0)) + 1))
        self.parts.append({**made, "row": rows, "lane": lane})


def apart(starts: Times, ends: Times) -> Times:
    """Rows for slices in the order of their starts, so that those of a row do not overlap."""
    rows = np.zeros(len(starts), np.int64)
    if not len(starts) or (starts[1:] >= np.maximum.accumulate(ends)[:-1]).all():
        return rows
    free = [0]
    for n, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        row = next((row for row, at in enumerate(free) if at <= start), len(free))
        if row == len(free) and row < ROWS:
            free.append(0)
        row = min(row, ROWS - 1)
        free[row], rows[n] = max(end, free[row]), row
    return rows
