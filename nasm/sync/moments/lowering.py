"""Moments and drains put in: nodes get waits, updates, and what comes before and after them."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from nasm.base.problems import Failure, Note
from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.forms import Form, Forms
from nasm.program.program import Program
from nasm.program.text_items import MomentMention, Round, RunTimeLoop
from nasm.sync.dependences import Dependences
from nasm.sync.emit import CoreOutput
from nasm.sync.lines import Line
from nasm.sync.moments.drains import Drains
from nasm.sync.moments.errors import CIRCLE, refused, shown
from nasm.sync.moments.loops import Looped, settle
from nasm.sync.moments.names import Names
from nasm.sync.moments.nodes import Level, Node, mark_reach, named, span_of
from nasm.sync.moments.semaphores import Semaphores
from nasm.sync.moments.straight_line import Unrolled


def lower(builder: ProgramBuilder, text: Level) -> None:
    """Put in what the moments and drains of a text take. Raises Failure."""
    program = builder.program
    mark_reach(program, text)
    names = Names(program, text, builder.recorded.passed)
    drains = Drains(program, text)
    for node in sorted(text.every(), key=lambda node: node.text):
        names.needs(node)
        if node.drain is not None:
            drains.needs(node)
    _mark_same_loops([text])
    names.go_on()
    cores = [_Core(builder, core) for core in range(program.cores)]
    queues = {queue: core for core in cores for queue in core.queues}
    _loops(program, [text], queues)
    _known(text.nodes, text, queues)
    nodes = _ordered(program, text)
    for core in cores:
        mine = [node for node in nodes if node.queue in core.queues]
        Unrolled(mine, core.queues, core.semaphores, core.form).put_in()


def _loops(program: Program, levels: Iterable[Level], cores: dict[int, _Core]) -> None:
    """Put in what the moments of the loops within some levels take, those in them first."""
    made = {queue: (core.semaphores, core.dependences) for queue, core in cores.items()}
    for inner in (inner for level in levels for inner in level.inner()):
        if inner is not inner.alike[0]:
            continue
        _loops(program, inner.alike, cores)
        for level in inner.alike:
            _known(level.nodes, level, cores)
            _ordered(program, level)
        Looped(inner.alike, made).put_in()
        for level in inner.alike:
            settle(level.nodes)


def _known(nodes: list[Node], level: Level, cores: dict[int, _Core]) -> None:
    """Leave out what a queue knows when it leaves a loop: that all of its own in it is complete."""
    own = {
        leave
        for inner in level.inner()
        for queue, leave in inner.leave.items()
        if inner.loop is not None and not inner.loop.left and cores[queue].dependences.held
    }
    for node in nodes:
        node.needs = [
            n for n in node.needs if n.node not in own or n.node.queue != node.queue or n.distance
        ]


class _Core:
    """A core: the numbers of its ``queues``, its semaphores, and what its lines touch."""

    def __init__(self, builder: ProgramBuilder, core: int) -> None:
        self.program, self.core = builder.program, core
        numbers = [n for n, queue in enumerate(self.program.queues) if queue.core == core]
        self.queues = {number: own for own, number in enumerate(numbers)}
        self.semaphores = Semaphores(CoreOutput(builder, core, numbers))
        self.forms = Forms(builder.generation)
        held = self.program.target.interlocked(self.program.options)
        self.dependences = Dependences(self.queues, self.form, held)
        self._known: dict[int, Form] = {}

    def form(self, line: Line) -> Form:
        """What a line touches."""
        found = self._known.get(line.instruction)
        if found is None:
            engine = self.program.queues[line.queue].engine
            instruction = self.program.instructions[line.instruction]
            found = self.forms.of(instruction, engine, self.core)
            self._known[line.instruction] = found
        return found


# -- the order of nodes in a round


class _Before(NamedTuple):
    node: Node
    mention: MomentMention | None


def _ordered(program: Program, level: Level) -> list[Node]:
    """All nodes of a level, each after what it needs in the same round.

    Of those that may come next the first of the text does.

    Raises Failure if some come after each other in a circle.
    """
    before: dict[Node, list[_Before]] = {node: [] for node in level.nodes}
    last: dict[int, Node] = {}
    for node in level.nodes:
        if node.queue in last:
            before[node].append(_Before(last[node.queue], None))
        last[node.queue] = node
        before[node] += [_Before(n.node, n.mention) for n in node.needs if not n.distance]
    for inner in level.inner():
        for first, second in sorted(inner.reach):
            before[inner.leave[second]].append(_Before(inner.enter[first], None))
    made = _sorted(level.nodes, before)
    if len(made) < len(level.nodes):
        raise _circle(program, before, set(level.nodes) - set(made))
    return made


def _sorted(nodes: list[Node], before: dict[Node, list[_Before]]) -> list[Node]:
    behind: dict[Node, list[Node]] = {node: [] for node in nodes}
    left = {node: len(before[node]) for node in nodes}
    for node in nodes:
        for one in before[node]:
            behind[one.node].append(node)
    numbers = {node.text: node for node in nodes}
    ready = [node.text for node in nodes if not left[node]]
    heapify(ready)
    made = []
    while ready:
        node = numbers[heappop(ready)]
        made.append(node)
        for other in behind[node]:
            left[other] -= 1
            if not left[other]:
                heappush(ready, other.text)
    return made


def _circle(program: Program, before: dict[Node, list[_Before]], left: Iterable[Node]) -> Failure:
    """What to say of nodes none of which can come next: one circle among them."""
    waiting = set(left)
    node, seen = min(waiting, key=lambda node: node.text), {}
    path: list[_Before] = []
    while node not in seen:
        seen[node] = len(path)
        path.append(_Before(node, None))
        node, mention = next(b for b in before[node] if b.node in waiting)
        path[-1] = path[-1]._replace(mention=mention)
    circle = path[seen[node] :]
    notes = []
    for at, (own, mention) in enumerate(circle):
        other = circle[(at + 1) % len(circle)].node
        if mention is not None:
            message = f"{named(program, own)} comes after {shown(mention.moment)}"
            notes.append(Note(f"{message}, which {named(program, other)} posts", mention.span))
        elif own.queue == other.queue:
            message = f"{named(program, own)} comes after {named(program, other)} in its queue"
            notes.append(Note(message, span_of(program, own)))
    message = "each of these comes after another: none can be the first"
    first = next((m.span for _, m in circle if m is not None), span_of(program, circle[0].node))
    return refused(CIRCLE, message, first, "leave out one of them, or turn it round", *notes)


# -- loops that are written several times


def _mark_same_loops(levels: Iterable[Level]) -> None:
    """Tell the loops within some levels which are one loop, as ``.for`` writes it several times.

    Their queues do the same in a round, wait for the same, and post moments of the same names. What
    they touch, and how many rounds there are, may differ.
    """
    found: dict[object, list[Level]] = {}
    for level in levels:
        for inner in level.inner():
            found.setdefault(_shape(inner), []).append(inner)
    for group in found.values():
        for level in group:
            level.alike = group
        _mark_same_loops(group)


def _shape(level: Level) -> object:
    """What equal loops have in common."""
    loop, numbers = level.loop, {node: number for number, node in enumerate(level.nodes)}
    assert loop is not None
    nodes = tuple(_node(node, numbers, loop) for node in level.nodes)
    inner = tuple(_shape(one) for one in level.inner())
    return loop.step, loop.left, tuple(loop.parts), nodes, inner


def _node(node: Node, numbers: dict[Node, int], loop: RunTimeLoop) -> object:
    """A node; what it needs is by numbers."""
    row = "" if node.row is None else node.row.name
    written = node.drain is None, node.wait is None, node.update is None, len(node.before)
    needs = tuple((need.kind, numbers[need.node], need.distance) for need in node.needs)
    posts = tuple(_post(mention, loop) for mention in node.moments.posts)
    return node.queue, row, node.shares, node.reach, written, needs, posts


def _post(mention: MomentMention, loop: RunTimeLoop) -> object:
    """A moment: which of those of a round it is, whatever the loops are called."""
    indices = tuple(
        i if not isinstance(i, Round) else (i.offset % loop.step if i.loop == loop.number else 0,)
        for i in mention.moment.indices
    )
    return mention.moment.name, mention.at_read, indices
