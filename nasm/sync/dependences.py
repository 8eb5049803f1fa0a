"""What has to be over before an instruction may start, by the bytes that both touch.

The instructions of a core are taken in the order of their meaning. Events are distinguished by
level: the program itself is one, and the body of each loop. An iteration begins when all before it
is over, so that within a body only the iteration itself and what was before the loop matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nasm.base.records import dataclass, field
from nasm.order.places import Place, Places
from nasm.program.footprint.forms import Form
from nasm.sync.lines import Item, Line, Loop
from nasm.views.regions import covers

STARTED, DONE, OVER = range(3)
"""What may have to have happened: the start or the completion of an instruction, or a mark."""


class NodeEvent(NamedTuple):
    """The start or the completion of an instruction of a queue, by its number; or a mark's."""

    kind: int
    queue: int
    at: int


@dataclass(frozen=True, slots=True)
class LevelMark:
    """Something other than an instruction that has an end, numbered within its level.

    It is a transfer that instruction ``index`` of a queue starts; or a ``loop``, after which that
    instruction may signal it to others; or what happened ``outside`` of a loop.
    """

    queue: int = -1
    index: int = -1
    loop: bool = False
    outside: NodeEvent | None = None


@dataclass(slots=True)
class LineStep:
    """A line with what it needs: ``after`` is the last one of its queue that it waits for anyway.

    ``index`` is its number in its queue, on its level; ``mark`` that of its transfer, or -1. It
    ``writes`` itself, or has something moved ``apart`` from its queue.
    """

    line: Line
    queue: int
    index: int
    needs: tuple[NodeEvent, ...] = ()
    after: int = -1
    mark: int = -1
    writes: bool = False
    apart: bool = False


@dataclass(slots=True)
class Body:
    """A loop with the level that its body is, and the step after it that may signal its end.

    ``queues`` are those that do anything in it but count rounds. ``after`` are the
    last instructions before it that queues wait for when they enter it. Those that are ``hasty``
    may begin a round while the end of the round before is not complete.
    """

    loop: Loop
    level: DependenceLevel
    queues: tuple[int, ...]
    leader: int
    mark: int
    signal: LineStep
    after: dict[int, int]
    hasty: frozenset[int]


Node = LineStep | Body


@dataclass(slots=True)
class DependenceLevel:
    """The nodes of one level, with the marks that they mention.

    ``counts`` are the instructions of each queue.
    """

    nodes: list[Node] = field(default_factory=list)
    marks: list[LevelMark] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def bodies(self) -> Iterator[Body]:
        """The loops of this level."""
        return (node for node in self.nodes if isinstance(node, Body))


class _Wanted:
    """The latest of each thing that has to have happened."""

    __slots__ = ("done", "over", "started")

    def __init__(self) -> None:
        self.started: dict[int, int] = {}
        self.done: dict[int, int] = {}
        self.over: dict[int, None] = {}

    def events(self) -> tuple[NodeEvent, ...]:
        """All of it."""
        done = self.done
        found = [_new(NodeEvent, (DONE, *one)) for one in done.items()]
        for queue, index in self.started.items():
            if queue not in done or done[queue] < index:
                found.append(_new(NodeEvent, (STARTED, queue, index)))
        if self.over:
            found += [_new(NodeEvent, (OVER, -1, mark)) for mark in self.over]
        return tuple(found)


_new = tuple.__new__
"""Makes a record of all its fields: twice as fast as by their names."""


class _Index:
    """Who touched what on one level, and still matters.

    Accesses are kept by key: of a queue's instructions, whose completion ends them; of those whose
    start does (after these); of a mark (below 0).
    """

    def __init__(self, queues: int, held: bool) -> None:
        self.queues, self.held = queues, held
        self.places = Places()
        self._covered: dict[int, tuple[int, list[Place]]] = {}

    # -- what comes before

    def wanted(self, queue: int, form: Form, touched: _Touched, wanted: _Wanted) -> None:
        """What has to have happened before an instruction of a queue touches its bytes."""
        self._reads(touched.reads, queue, wanted, queue if self.held else -1)
        self._writes(touched.writes, queue, wanted, queue, adds=False)
        if form.moved is not None:
            self._reads(touched.taken, queue, wanted, -1)
            self._writes(touched.given, queue, wanted, -1, form.moved.adds)

    def _reads(self, places: tuple[Place, ...], queue: int, wanted: _Wanted, own: int) -> None:
        for place in places:
            for near in place.near:
                if near.writes:
                    self._after(near.writes, queue, wanted, own)
                if near.adds:
                    wanted.over.update((~key, None) for key in near.adds)

    def _writes(
        self, places: tuple[Place, ...], queue: int, wanted: _Wanted, own: int, adds: bool
    ) -> None:
        started = wanted.started
        for place in places:
            for near in place.near:
                if near.writes:
                    self._after(near.writes, queue, wanted, own)
                for key, index in near.reads.items() if near.reads else ():
                    if key < 0:
                        wanted.over[~key] = None
                    elif key != queue and (key not in started or started[key] < index):
                        started[key] = index
                if near.adds and not adds:
                    wanted.over.update((~key, None) for key in near.adds)

    def _after(self, writes: dict[int, int], queue: int, wanted: _Wanted, own: int) -> None:
        """After some writes; those of instructions of queue ``own`` are in order anyway."""
        done = wanted.done
        for key, index in writes.items():
            if key < 0:
                wanted.over[~key] = None
            elif key < self.queues:
                if key != own and (key not in done or done[key] < index):
                    done[key] = index
            elif key - self.queues != queue and wanted.started.get(key - self.queues, -1) < index:
                wanted.started[key - self.queues] = index

    def interlocked(self, queue: int, form: Form, touched: _Touched) -> int:
        """The last instruction of a queue that certainly writes what another one of it reads."""
        after = -1
        for place in touched.reads if self.held else ():
            if form.loose and place.region in form.loose:
                continue
            for near in place.near:
                written = near.written
                if queue in written and written[queue] > after:
                    after = written[queue]
        return after

    # -- what was touched

    def enter(self, queue: int, index: int, form: Form, touched: _Touched, mark: int) -> None:
        """An instruction of a queue touches its bytes."""
        for place in touched.reads:
            place.reads[queue] = index
        for place in touched.writes:
            self._supersede(place)
            place.writes[queue] = index
            if not form.loose or place.region not in form.loose:
                place.written[queue] = index
        moved = form.moved
        if moved is None:
            return
        reader, writer = (queue, queue + self.queues) if moved.meets else (~mark, ~mark)
        for place in touched.taken:
            place.reads[reader] = index
        for place in touched.given:
            if moved.adds:
                place.adds[writer] = index
            else:
                self._supersede(place)
                place.writes[writer] = index

    def looped(self, mark: int, touched: _Touched) -> None:
        """A loop that was entered has touched some bytes, if it had any round."""
        for place in (*touched.reads, *touched.taken):
            place.reads[~mark] = 0
        for place in (*touched.writes, *touched.given):
            place.writes[~mark] = 0

    def _supersede(self, place: Place) -> None:
        """Forget what the next write comes after: who comes after that comes after all of it."""
        seen, covered = self._covered.get(place.number, (0, []))
        if seen < len(place.near):
            covered += [p for p in place.near[seen:] if covers(place.region, p.region)]
            self._covered[place.number] = len(place.near), covered
        for near in covered:
            near.supersede()

    def touched(self, form: Form) -> _Touched:
        """The places of a form."""
        of, moved = self.places.of, form.moved
        if moved is None:
            return _new(_Touched, (of(form.reads), of(form.writes), (), ()))
        touched = of(form.reads), of(form.writes), of(moved.reads), of(moved.writes)
        return _new(_Touched, touched)


class _Touched(NamedTuple):
    """Places: read and written by an instruction, read and written by what it moves."""

    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    taken: tuple[Place, ...] = ()
    given: tuple[Place, ...] = ()


FormOf = Callable[[Line], Form]


class _Frame:
    """A level while it is read: its index, and the numbers that outside events have in it."""

    def __init__(self, level: DependenceLevel, index: _Index) -> None:
        self.level, self.index = level, index
        self.outside: dict[NodeEvent, int] = {}
        self.registers: dict[tuple[int, int], int] = {}
        self.known: dict[int, _Touched] = {}

    def touched(self, number: int, form: Form) -> _Touched:
        """The places of an instruction."""
        found = self.known.get(number)
        if found is None:
            found = self.known[number] = self.index.touched(form)
        return found

    def taken(self, event: NodeEvent) -> NodeEvent:
        """What happened outside, as it is called here."""
        mark = self.outside.get(event)
        if mark is None:
            mark = self.outside[event] = len(self.level.marks)
            self.level.marks.append(LevelMark(outside=event))
        return NodeEvent(OVER, -1, mark)


class Dependences:
    """Reads the items of one core.

    ``queues`` says which number the core gives a queue of the program. Engines that are ``held``
    wait for their own results.
    """

    def __init__(self, queues: dict[int, int], form: FormOf, held: bool) -> None:
        self.queues, self.form, self.held = queues, form, held
        self._frames: list[_Frame] = []

    def read(self, items: list[Item]) -> DependenceLevel:
        """The level that some items make."""
        level = DependenceLevel(counts=[0] * len(self.queues))
        self._frames.append(_Frame(level, _Index(len(self.queues), self.held)))
        for item in items:
            level.nodes.append(self._line(item) if isinstance(item, Line) else self._loop(item))
        self._frames.pop()
        return level

    def interlocks(self, lines: list[Line]) -> list[int]:
        """For each line of one queue the last one before it that it waits for anyway, or -1."""
        if not self.held:
            return [-1] * len(lines)
        found = []
        frame = _Frame(DependenceLevel(), _Index(len(self.queues), self.held))
        for index, line in enumerate(lines):
            form, queue = self.form(line), self.queues[line.queue]
            touched = frame.touched(line.instruction, form)
            found.append(self._interlocked(frame, LineStep(line, queue, index), form, touched))
            frame.index.enter(queue, index, form, touched, index)
        return found

    def _line(self, line: Line) -> LineStep:
        frame, form = self._frames[-1], self.form(line)
        level, queue = frame.level, self.queues[line.queue]
        touched = frame.touched(line.instruction, form)
        wanted = _Wanted()
        frame.index.wanted(queue, form, touched, wanted)
        step = LineStep(line, queue, level.counts[queue], wanted.events())
        step.writes, step.apart = bool(form.writes), form.moved is not None
        if len(self._frames) > 1:
            step.needs += tuple(self._outside(queue, line.instruction, form))
        step.after = self._interlocked(frame, step, form, touched)
        level.counts[queue] += 1
        moved = form.moved
        if moved is not None and not moved.meets:
            step.mark = len(level.marks)
            level.marks.append(LevelMark(queue, step.index))
        frame.index.enter(queue, step.index, form, touched, step.mark)
        return step

    def _interlocked(self, frame: _Frame, step: LineStep, form: Form, touched: _Touched) -> int:
        """The last instruction of its queue that it waits for since it reads what that writes."""
        queue, registers = step.queue, frame.registers
        after = frame.index.interlocked(queue, form, touched)
        if self.held:
            for number in form.taken:
                after = max(after, registers.get((queue, number), -1))
        for number in form.left:
            registers[queue, number] = step.index
        return after

    def _outside(self, queue: int, number: int, form: Form) -> Iterator[NodeEvent]:
        """What has to have happened before the loops that a line is in."""
        for depth, frame in enumerate(self._frames[:-1], 1):
            wanted = _Wanted()
            frame.index.wanted(queue, form, frame.touched(number, form), wanted)
            for event in wanted.events():
                for inner in self._frames[depth:]:
                    event = inner.taken(event)
                yield event

    def _loop(self, loop: Loop) -> Body:
        frame = self._frames[-1]
        after = {queue: index for queue, index in self._decided(frame, loop) if index >= 0}
        level = self.read(loop.body)
        inner = {queue for body in level.bodies() for queue in body.queues}
        queues = tuple(q for q, count in enumerate(level.counts) if count or q in inner)
        every = queues or tuple(self.queues[queue] for queue in loop.leave)
        leader = min(every, key=lambda queue: (level.counts[queue], -queue))
        mark, index = len(frame.level.marks), frame.level.counts[leader]
        frame.level.counts[leader] += 1
        frame.level.marks.append(LevelMark(leader, index, loop=True))
        number = next(q for q, own in self.queues.items() if own == leader)
        signal = LineStep(Line(number, -1, loop.span, loop.chain), leader, index)
        self._touch(frame, mark, level)
        hasty = frozenset(q for n, q in self.queues.items() if q in queues and self._hasty(loop, n))
        return Body(loop, level, queues, leader, mark, signal, after, hasty)

    def _decided(self, frame: _Frame, loop: Loop) -> Iterator[tuple[int, int]]:
        """The last instruction of a queue that writes what it decides on the first round by."""
        for number, leave in loop.leave.items() if self.held else ():
            queue = self.queues[number]
            registers = self.form(Line(number, leave)).taken
            yield queue, max((frame.registers.get((queue, r), -1) for r in registers), default=-1)

    def _hasty(self, loop: Loop, number: int) -> bool:
        """Whether a queue decides on another round by nothing that the end of a round leaves."""
        left = {r for made in loop.step.get(number, ()) for r in self.form(Line(number, made)).left}
        return not (self.held and left & {*self.form(Line(number, loop.leave[number])).taken})

    def _touch(self, frame: _Frame, mark: int, level: DependenceLevel) -> None:
        """All that the body of a loop touches is over when the loop is."""
        for node in level.nodes:
            if isinstance(node, Body):
                self._touch(frame, mark, node.level)
            else:
                form = self.form(node.line)
                frame.index.looped(mark, frame.touched(node.line.instruction, form))
