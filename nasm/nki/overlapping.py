"""Rounds of loops of NKI 0.1 that overlap: calls go before earlier ones that have to wait.

The compiler of NKI 0.1 reorders rounds of an ``affine_range``. Here loops are unrolled, and each
engine executes its calls in their order; where a call of Vector or Scalar has to wait, later ones
that depend on nothing that is missing go first, out of so many calls as are looked at together, the
``depth``. Which goes first follows from the costs of the rows and an estimate of transfers. A call
stays after all calls whose results it reads or overwrites, and after those that read what it
overwrites; all that depends on what an engine holds, transfers and what other engines execute keep
their order. So each call computes what it computes in the order of the kernel.

A tile lives longer then: depths are tried until the placement finds places for all tiles, which are
as many buffers as the rounds in progress need.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from nasm.base.records import dataclass, field
from nasm.isa.effects import Transfer
from nasm.isa.list_kinds import views
from nasm.nki.call_values import changed_views, continues_sums, stateless
from nasm.nki.engines import Engines
from nasm.nki.tile_live_ranges import CallTensors
from nasm.nki.tracing import Call, CoreTrace, Made
from nasm.views.view import View

DEPTHS = (1024, 512, 256, 128, 64, 32)
"""Calls that are looked at together, each tried if with more not all tiles have places."""

FREE = ("vector", "scalar")
"""The engines that may execute calls in another order."""

LANDS, RATE = 2.0, 190_000
"""Microseconds until a transfer has landed, and the bytes that all of them move in one: estimates
that decide of the order alone."""


def overlap(trace: CoreTrace, engines: Engines, depth: int | None) -> int:
    """Let calls of a trace, whose engines are known, overlap; returns how deep they do.

    Without a ``depth`` it is the first one with which all tiles find places.
    """
    made = trace.made
    if trace.cores > 1 or trace.registers or not all(map(_plain, made)):
        return 0
    calls = [one for one in made if isinstance(one, Call)]
    memories = trace.builder.generation.memories
    graph = _Graph(calls, engines)
    on_chip = [CallTensors(calls, memories[memory]) for memory in ("sbuf", "psum")]
    for each in DEPTHS if depth is None else (depth,):
        if each >= 1:
            order = _Schedule(graph, each).order()
            if all(one.placeable(order) for one in on_chip):
                made[:] = [calls[n] for n in order]
                return each
    return 0


def _plain(one: Made) -> bool:
    """Whether it is a call that the next one follows, and that meets no other core."""
    return isinstance(one, Call) and one.row.effect in (None, Transfer) and not one.row.condition


Box = tuple[int, int, int, int]
"""Partitions and bytes of each: a first one, and one after the last."""


@dataclass(slots=True)
class _Accesses:
    """Calls that read and write an area, with the bytes that they reach."""

    reads: list[tuple[int, Box]] = field(default_factory=list)
    writes: list[tuple[int, Box]] = field(default_factory=list)


class _Graph:
    """What calls wait for: the results of others, or just that these have begun.

    ``after`` are the calls that wait for each, and whether they wait for its results. ``times`` are
    for how long each keeps its engine, moves data, and has no results yet, in ticks.
    """

    def __init__(self, calls: Sequence[Call], engines: Engines) -> None:
        self.calls, self.engines = calls, engines
        self.sums = continues_sums(calls)
        self.after: list[dict[int, bool]] = [{} for _ in calls]
        self.before = [0] * len(calls)
        self.areas: dict[object, _Accesses] = {}
        last: dict[str, int] = {}
        for number, call in enumerate(calls):
            for chain in self._chains(call):
                if chain in last:
                    self._wait(number, last[chain], False)
                last[chain] = number
            self._accesses(number, call)
        self.times = [self._times(call) for call in calls]

    def _wait(self, number: int, other: int, results: bool) -> None:
        known = self.after[other].get(number)
        if known is None:
            self.before[number] += 1
        self.after[other][number] = bool(known) or results

    def _chains(self, call: Call) -> list[str]:
        """In which orders a call is: of its engine, and of what touches HBM that is written."""
        found = []
        if call.engine not in FREE or call.row.posts or not stateless(call.row, self.sums):
            found.append(call.engine)
        if any(not v.partitioned and v.tensor.role != "input" for v in _touched(call)):
            found.append("hbm")
        return found

    def _accesses(self, number: int, call: Call) -> None:
        """Have a call wait for those before it that it conflicts with."""
        written = changed_views(call)
        for view in _touched(call):
            if view.partitioned:
                self._access(number, view, any(view is one for one in written))

    def _access(self, number: int, view: View, writes: bool) -> None:
        tensor = view.tensor
        area: object = tensor.index if tensor.offset is None else tensor.memory.name
        box = _box(view)
        known = self.areas.get(area)
        if known is None:
            known = self.areas[area] = _Accesses()
        for other, there in known.writes:
            if other != number and _meet(box, there):
                self._wait(number, other, True)
        if not writes:
            known.reads.append((number, box))
            return
        for other, there in known.reads:
            if other != number and _meet(box, there):
                self._wait(number, other, True)
        known.reads = [one for one in known.reads if not _within(one[1], box)]
        known.writes = [one for one in known.writes if not _within(one[1], box)]
        known.writes.append((number, box))

    def _times(self, call: Call) -> tuple[int, int, int]:
        """For how long it keeps its engine, what it moves, and when its results are there."""
        busy, latency = self.engines.cost(call.row, call.operands, call.engine)
        if call.row.posts:
            ticks = self.engines.generation.ticks
            dst = call.operands["dst"]
            size = dst.size * dst.dtype.itemsize
            return busy, int(size * ticks / RATE), int(LANDS * ticks)
        return busy, 0, latency


def _touched(call: Call) -> list[View]:
    found = [view for value in call.operands.values() for view in views(value)]
    return found + [view.offsets.tile for view in found if view.offsets is not None]


def _box(view: View) -> Box:
    low, high = (0, view.tensor.bytes) if view.dynamic else view.extent
    first, base = view.tensor.partition or 0, view.tensor.offset or 0
    if view.dynamic:
        return first, first + view.tensor.partitions, base + low, base + high
    ends = view.partition, view.partition + (view.shape[0] - 1) * view.steps[0]
    return first + min(ends), first + max(ends) + 1, base + low, base + high


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _within(one: Box, other: Box) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and other[2] <= one[2] and one[3] <= other[3]


@dataclass(slots=True)
class _Queue:
    """The calls that an engine may begin: those that could at once, and those that have to wait."""

    free: int = 0
    now: list[int] = field(default_factory=list)
    later: list[tuple[int, int]] = field(default_factory=list)

    def first(self) -> tuple[int, int] | None:
        """When it begins the next one, and which."""
        while self.later and self.later[0][0] <= self.free:
            heappush(self.now, heappop(self.later)[1])
        if self.now:
            return self.free, self.now[0]
        return self.later[0] if self.later else None

    def take(self) -> None:
        """The first one begins."""
        heappop(self.now) if self.now else heappop(self.later)


class _Schedule:
    """The calls in the order in which engines begin them, looking at so many at once.

    ``changed`` are the engines whose next call may be another one.
    """

    def __init__(self, graph: _Graph, depth: int) -> None:
        self.graph, self.depth = graph, depth
        self.missing = list(graph.before)
        self.ready = [0] * len(graph.calls)
        self.queues = {call.engine: _Queue() for call in graph.calls}
        self.seen = self.oldest = self.moving = 0
        self.begun = [False] * len(graph.calls)
        self.changed = set[str]()

    def order(self) -> list[int]:
        """All calls, by their numbers."""
        found: list[int] = []
        firsts: dict[str, tuple[int, int]] = {}
        while len(found) < len(self.begun):
            self._look()
            for engine in self.changed:
                first = self.queues[engine].first()
                if first is not None:
                    firsts[engine] = first
                else:
                    firsts.pop(engine, None)
            self.changed.clear()
            at, number = min(firsts.values())
            engine = self.graph.calls[number].engine
            queue = self.queues[engine]
            queue.take()
            self.changed.add(engine)
            found.append(number)
            self._begin(number, at, queue)
        return found

    def _look(self) -> None:
        """Look at the calls up to the depth."""
        while self.oldest < len(self.begun) and self.begun[self.oldest]:
            self.oldest += 1
        while self.seen < min(len(self.begun), self.oldest + self.depth):
            self.seen += 1
            if not self.missing[self.seen - 1]:
                self._may_begin(self.seen - 1)

    def _may_begin(self, number: int) -> None:
        engine = self.graph.calls[number].engine
        heappush(self.queues[engine].later, (self.ready[number], number))
        self.changed.add(engine)

    def _begin(self, number: int, at: int, queue: _Queue) -> None:
        """A call begins: those that wait for it may, too, some when its results are there."""
        busy, moves, latency = self.graph.times[number]
        self.begun[number] = True
        queue.free = at + busy
        done = at + latency
        if moves:
            self.moving = max(self.moving, at) + moves
            done = self.moving + latency
        for other, results in self.graph.after[number].items():
            if results:
                self.ready[other] = max(self.ready[other], done)
            self.missing[other] -= 1
            if not self.missing[other] and other < self.seen:
                self._may_begin(other)
