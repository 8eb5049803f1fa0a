"""Moments and drains put in: nodes get waits, updates, and what stands before and behind them."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.forms import Form, Forms
from nasm.program.program import Program
from nasm.sync.dependences import Dependences
from nasm.sync.emit import Output
from nasm.sync.lines import Line
from nasm.sync.moments.drains import Drains
from nasm.sync.moments.loops import Looped, settle
from nasm.sync.moments.names import Names
from nasm.sync.moments.nodes import Level, Node, mark_reach
from nasm.sync.moments.ordering import ordered
from nasm.sync.moments.semaphores import Semaphores
from nasm.sync.moments.sibling_loops import mark_alike
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
    mark_alike([text])
    names.go_on()
    cores = [_Core(builder, core) for core in range(program.cores)]
    queues = {queue: core for core in cores for queue in core.queues}
    _loops(program, [text], queues)
    _known(text.nodes, text, queues)
    nodes = ordered(program, text)
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
            ordered(program, level)
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
        self.semaphores = Semaphores(Output(builder, core, numbers))
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
