"""Moments and drains put in: nodes get waits, updates, and what stands before and behind them."""

from __future__ import annotations

from nasm.building.builder import ProgramBuilder
from nasm.footprint.forms import Form, Forms
from nasm.sequence.dependences import FormOf
from nasm.sequence.lines import Line
from nasm.sequence.moments.drains import Drains
from nasm.sequence.moments.names import Names
from nasm.sequence.moments.nodes import Level, mark_reach
from nasm.sequence.moments.ordering import ordered
from nasm.sequence.moments.semaphores import Semaphores
from nasm.sequence.moments.unrolled import Unrolled
from nasm.sequence.writing import Output


def lower(builder: ProgramBuilder, text: Level) -> None:
    """Put in what the moments and drains of a text take. Raises Failure."""
    program = builder.program
    mark_reach(program, text)
    names, drains = Names(program, text), Drains(program, text)
    for node in sorted(text.every(), key=lambda node: node.text):
        names.needs(node)
        if node.drain is not None:
            drains.needs(node)
    nodes = ordered(program, text)
    for core in range(program.cores):
        numbers = [n for n, queue in enumerate(program.queues) if queue.core == core]
        queues = {number: own for own, number in enumerate(numbers)}
        mine = [node for node in nodes if node.queue in queues]
        semaphores = Semaphores(Output(builder, core, numbers))
        Unrolled(mine, queues, semaphores, _forms(builder, core)).put_in()


def _forms(builder: ProgramBuilder, core: int) -> FormOf:
    """What lines of a core touch."""
    program, forms = builder.program, Forms(builder.generation)
    known: dict[int, Form] = {}

    def form(line: Line) -> Form:
        found = known.get(line.instruction)
        if found is None:
            engine = program.queues[line.queue].engine
            instruction = program.instructions[line.instruction]
            found = known[line.instruction] = forms.of(instruction, engine, core)
        return found

    return form
