"""The critical path of a run: the chain of records that made it as long as it is.

It is traced backwards from the record that ended last, from each to the one that let it happen, to
tick 0. Every step begins where the one before allowed it, so that together they are as long as the
run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from nasm.base.records import dataclass
from nasm.sim.history import ARRIVAL, INSTRUCTION, MADE, READY, SHARES, History, Record
from nasm.sim.queues import ORDER

Place = TypeVar("Place", bound=Hashable)

START, WITHIN, UNTIL, FINISH = "start", "within", "until", "finish"
"""Where a record lets another one happen: its start, a moment between, the end of what it occupies,
or its end."""

FIRST = ""
"""The edge of a record that nothing had to let happen."""

COMPLETION = "completion"
"""The edge of an instruction that only completed when one before it in its queue did."""

NAMES = {
    ORDER: "order",
    "unit": "unit",
    "port": "port",
    "data": "result",
    "core": "core",
    "arrival": "issue",
    "channel": "channel",
}
"""Edges by what let a record happen; those of conditions have the names of these; by a semaphore it
is "engine" or "transfer", as who posted."""

EDGES = frozenset({*NAMES.values(), FIRST, COMPLETION, "engine", "transfer"})
"""Edges that are none of a condition of the target's."""

WORK = {INSTRUCTION: "", READY: "ready", ARRIVAL: "", MADE: "descriptors", SHARES: "shares"}


@dataclass(frozen=True, slots=True)
class PathStep:
    """A record on the path, from where the one before allowed it to where it allowed the next.

    ``edge`` is how it was allowed: it is the "order" of its queue, its "unit", a "port", an own
    earlier "result", the post of an "engine" or of a "transfer", the other "core", the "issue" of
    its transfer, a "channel", or "completion", where an instruction only ends because one before it
    in its queue does (a step of no ticks). ``lead`` names the time from ``begin`` to ``start``:
    "order", "hand-off", "notification", "dispatch", "turn" if others had their turn first, or the
    cause of a condition. ``work`` names the time from ``start`` to ``end``: the "interval" or the
    "latency" of an instruction, "shares" in flight, or a unit made "ready".
    """

    record: int
    queue: int
    pc: int
    begin: int
    start: int
    end: int
    edge: str
    lead: str
    work: str

    @property
    def ticks(self) -> int:
        """How long it is."""
        return self.end - self.begin

    @property
    def waits(self) -> bool:
        """Whether a condition of the target's is what it was allowed by."""
        return self.edge not in EDGES

    @property
    def parts(self) -> Iterator[tuple[str, int]]:
        """What it is made of, by name."""
        if self.start > self.begin:
            yield self.lead, self.start - self.begin
        if self.end > self.start:
            yield self.work, self.end - self.start


@dataclass(frozen=True, slots=True)
class PathEdge:
    """How a record was let happen: by which one, where of that, at which tick, and what followed.

    ``lead`` names what passed from ``tick`` to its start.
    """

    kind: str
    before: int
    point: str
    tick: int
    lead: str = ""


def edge(history: History, record: Record) -> PathEdge:
    """What let a record happen."""
    if record.because < 0:
        return PathEdge(FIRST, -1, START, record.start)
    cause, number = history.causes[record.cause], record.because
    before = history[number]
    if cause == "semaphore":
        posts = history.posts[record.semaphore]
        tick = posts.ticks[record.nth]
        if before.kind == SHARES:
            return PathEdge("transfer", number, FINISH, tick, "notification")
        return PathEdge(
            "engine", number, FINISH if tick == before.finish else START, tick, "hand-off"
        )
    kind = NAMES.get(cause, cause)
    if cause == ORDER:
        return PathEdge(kind, number, START, before.start, "order")
    if cause == "arrival":
        if record.unit >= 0 and history[record.unit].until == record.head:
            return PathEdge(kind, record.unit, UNTIL, record.head)
        return PathEdge(kind, number, START, before.start, "dispatch")
    if cause == "core":
        if before.kind == SHARES:
            return PathEdge(kind, number, FINISH, before.finish, "notification")
        return PathEdge(kind, number, START, before.start)
    if cause in ("unit", "port"):
        return PathEdge(kind, number, UNTIL, before.until, "turn")
    if cause == "data" and record.start == before.finish:
        return PathEdge(kind, number, FINISH, before.finish)
    if cause not in NAMES:
        if before.finish <= record.start:
            return PathEdge(kind, number, FINISH, before.finish, cause)
        return PathEdge(kind, number, START, before.start, cause)
    if record.start == before.until:
        return PathEdge(kind, number, UNTIL, before.until)
    return PathEdge(kind, number, WITHIN, record.start)


def critical_path(history: History) -> tuple[PathStep, ...]:
    """The steps from tick 0 to the end of what ended last; none if nothing happened."""
    if not len(history):
        return ()
    finish = history.column("finish")
    number, point = int(finish.argmax()), FINISH
    end = int(finish[number])
    steps = []
    while number >= 0:
        record = history[number]
        if point == FINISH and record.finish > record.own:
            steps.append(
                PathStep(number, record.queue, record.pc, end, end, end, COMPLETION, "", "latency")
            )
            number = _blocking_record(history, number, record)
            continue
        found = edge(history, record)
        work = WORK[record.kind] or ("latency" if point == FINISH else "interval")
        steps.append(
            PathStep(number, record.queue, record.pc, found.tick, record.start, end, found.kind,
                 found.lead, work)
        )  # fmt: skip
        number, point, end = found.before, found.point, found.tick
    return tuple(reversed(steps))


def _blocking_record(history: History, number: int, record: Record) -> int:
    """The instruction whose completion a later one of its queue had to wait for."""
    for earlier in range(number - 1, -1, -1):
        other = history[earlier]
        if other.kind == INSTRUCTION and other.queue == record.queue and other.own == record.finish:
            return earlier
    raise AssertionError(f"record {number} completes late, and nothing completes with it")


@dataclass(frozen=True, slots=True)
class Stretch(Generic[Place]):
    """What one place has of a path: its ticks, its steps, and the edge that most of them came by.

    ``parts`` are its ticks by name, the most first.
    """

    place: Place
    ticks: int
    count: int
    edge: str
    parts: tuple[tuple[str, int], ...]


def folded(
    steps: Iterable[PathStep], place: Callable[[int, int], Place]
) -> tuple[Stretch[Place], ...]:
    """A path by place, that of each queue and pc, the longest first.

    Shares and what makes a unit ready count for their instruction.
    """
    found: dict[Place, list[PathStep]] = {}
    for step in steps:
        found.setdefault(place(step.queue, step.pc), []).append(step)
    stretches = []
    for where, its in found.items():
        edges: dict[str, int] = {}
        parts: dict[str, int] = {}
        for step in its:
            edges[step.edge] = edges.get(step.edge, 0) + step.ticks
            for name, ticks in step.parts:
                parts[name] = parts.get(name, 0) + ticks
        main = max(edges, key=edges.__getitem__)
        ordered = tuple(sorted(parts.items(), key=lambda part: -part[1]))
        stretches.append(Stretch(where, sum(step.ticks for step in its), len(its), main, ordered))
    return tuple(sorted(stretches, key=lambda stretch: -stretch.ticks))
