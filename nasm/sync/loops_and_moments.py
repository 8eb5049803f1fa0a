"""Texts with loops at run time and moments: their queues rewritten, with all that these take.

The queues are read, cleared, and written again entry by entry, in the order of the text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from nasm.program.builder import ProgramBuilder
from nasm.program.program import LoopRegister, Posted
from nasm.program.text_items import PlacedLabel, RunTimeLoop
from nasm.sync.moments.lowering import lower
from nasm.sync.moments.nodes import Columns, Level, LevelReader, Node, Sync


def put_in(builder: ProgramBuilder) -> None:
    """Rewrite the queues of a text, with what its loops and moments take. Raises Failure."""
    lines, recorded = _columns(builder), builder.recorded
    recorded.settle()
    items = recorded.items(len(lines))
    text = LevelReader(builder.program, lines, recorded.moments).read(items, None, None)
    if any(node.moments.posts or node.moments.afters or node.drain for node in text.every()):
        lower(builder, text)
    builder.clear()
    _Writer(builder).write(text)


def _columns(builder: ProgramBuilder) -> list[Columns]:
    queues = builder.program.queues
    columns: list[tuple[array[int], ...]] = [
        (q.instructions, q.waits, q.updates, q.spans, q.chains) for q in queues
    ]
    return [Columns(n, *(column[pc] for column in columns[n])) for n, pc in builder.order()]


class _Writer:
    """Appends the entries of levels to the queues of a builder."""

    def __init__(self, builder: ProgramBuilder) -> None:
        self.builder = builder
        self._bare: dict[int, int] = {}

    def write(self, level: Level) -> None:
        """Write the entries of a level in their order."""
        for entry in level.entries:
            match entry:
                case Node():
                    self._node(entry)
                case PlacedLabel():
                    self.builder.label(entry.queue, entry.name)
                case Level():
                    self._loop(entry)

    def _node(self, node: Node) -> None:
        """A node, with what is around it."""
        place = node.span, node.chain
        self._syncs(node.queue, node.before, place)
        if node.line is not None:
            numbers = self.builder.numbers(node.wait, node.update)
            pc = self.builder.append(node.queue, (node.line.instruction, *numbers), *place)
            if node.moments.posts:
                self.builder.program.posts[node.queue, pc] = tuple(
                    Posted(*mention.moment, mention.at_read, mention.span)
                    for mention in node.moments.posts
                )
        self._syncs(node.queue, node.behind, place)

    def _loop(self, level: Level) -> None:
        loop, queues = level.loop, self.builder.program.queues
        assert loop is not None
        begun = {queue: len(queues[queue].instructions) for queue in loop.parts}
        for queue, part in loop.parts.items():
            self._node(level.enter[queue])
            leave = () if part.leave is None else (part.leave,)
            self._append(loop, queue, (*part.enter, *leave))
            self.builder.label(queue, loop.head)
        self.write(level)
        for queue, part in loop.parts.items():
            self._syncs(queue, level.last.get(queue, ()), (loop.span, loop.chain))
            self._append(loop, queue, (*part.step, part.back))
            self.builder.program.loop_registers += (
                LoopRegister(queue, begun[queue], len(queues[queue].instructions), *held)
                for held in loop.registers.get(queue, {}).items()
            )
            if loop.left or part.leave is not None:
                self.builder.label(queue, loop.end)
            self._node(level.leave[queue])

    def _append(self, loop: RunTimeLoop, queue: int, instructions: Iterable[int]) -> None:
        for instruction in instructions:
            self.builder.append(queue, (instruction, 0, 0), loop.span, loop.chain)

    def _syncs(self, queue: int, syncs: Iterable[Sync], place: tuple[int, int]) -> None:
        for sync in syncs:
            made = self._waiting(queue), *self.builder.numbers(sync.wait, sync.update)
            self.builder.append(queue, made, *place)

    def _waiting(self, queue: int) -> int:
        """The instruction that only waits and updates, on a queue."""
        found = self._bare.get(queue)
        if found is None:
            target = self.builder.target
            name = target.waiting if target.sequencing is None else target.sequencing.wait
            row = self.builder.row(name)
            found = self._bare[queue] = self.builder.make(queue, row, [], {}, None, None)[0]
        return found
