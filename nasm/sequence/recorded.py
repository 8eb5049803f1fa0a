"""Texts with loops at run time and moments: their queues written anew, with all that these take.

The queues are read, cleared, and written again item by item, in the order of the text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from nasm.building.builder import ProgramBuilder
from nasm.building.recorded import Drain, Item, Label, RunTimeLoop


class Columns(NamedTuple):
    """A line as it was appended: numbers of the program's tables."""

    queue: int
    instruction: int
    wait: int
    update: int
    span: int
    chain: int


def put_in(builder: ProgramBuilder) -> None:
    """Write the queues of a text anew, with what its loops and moments take. Raises Failure."""
    lines = _columns(builder)
    items = builder.recorded.items(len(lines))
    builder.clear()
    _Writer(builder, lines).write(items)


def _columns(builder: ProgramBuilder) -> list[Columns]:
    queues = builder.program.queues
    columns: list[tuple[array[int], ...]] = [
        (q.instructions, q.waits, q.updates, q.spans, q.chains) for q in queues
    ]
    return [Columns(n, *(column[pc] for column in columns[n])) for n, pc in builder.order()]


class _Writer:
    """Appends items to the queues of a builder."""

    def __init__(self, builder: ProgramBuilder, lines: list[Columns]) -> None:
        self.builder, self.lines = builder, lines

    def write(self, items: Iterable[Item]) -> None:
        """Write items in their order."""
        for item in items:
            match item:
                case range():
                    for position in item:
                        queue, *made, span, chain = self.lines[position]
                        self.builder.append(queue, (made[0], made[1], made[2]), span, chain)
                case Label():
                    self.builder.label(item.queue, item.name)
                case Drain():
                    raise NotImplementedError
                case RunTimeLoop():
                    self._loop(item)

    def _loop(self, loop: RunTimeLoop) -> None:
        for queue, part in loop.parts.items():
            leave = () if part.leave is None else (part.leave,)
            self._several(loop, queue, (*part.enter, *leave))
            self.builder.label(queue, loop.head)
        self.write(loop.body)
        for queue, part in loop.parts.items():
            self._several(loop, queue, (*part.step, part.back))
            if loop.left or part.leave is not None:
                self.builder.label(queue, loop.end)

    def _several(self, loop: RunTimeLoop, queue: int, instructions: Iterable[int]) -> None:
        for instruction in instructions:
            self.builder.append(queue, (instruction, 0, 0), loop.span, loop.chain)
