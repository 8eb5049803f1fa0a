"""A text as levels of nodes: what each queue executes, and what comes before and after it.

The text itself is a level, and so is the body of each loop at run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.isa.instruction import Row
from nasm.program.program import Program, Update, Wait
from nasm.program.receivers import posts_of
from nasm.program.text_items import Drain, Item, MomentMention, Moments, PlacedLabel, RunTimeLoop
from nasm.sync.dependences import OVER


class Columns(NamedTuple):
    """A line as it was appended: numbers of the program's tables."""

    queue: int
    instruction: int
    wait: int
    update: int
    span: int
    chain: int


class Sync(NamedTuple):
    """An instruction that only waits and updates."""

    wait: Wait | None
    update: Update | None


class Need(NamedTuple):
    """What has to have happened before a node starts, a number of rounds earlier.

    ``kind`` is one of those of events: the node has started, is done, or its transfer is over.
    """

    kind: int
    node: Node
    distance: int = 0
    mention: MomentMention | None = None


class Outside(NamedTuple):
    """A node that waits for the end of a loop, since a transfer in it has to have landed."""

    node: Node
    need: Need
    loop: Level


@dataclass(slots=True, eq=False)
class Node:
    """An item of a queue: a line, a drain, the beginning of a loop or its end.

    ``text`` orders the nodes as they are written. ``before`` and ``behind`` are what only waits and
    updates around it, ``takes`` what it waits for in a loop and takes. ``outside`` are the nodes
    after a loop that wait for a transfer in it. A transfer posts so many ``shares`` when it lands.
    What is in ``reach`` of a written branch is executed any number of times.
    """

    queue: int
    text: int
    level: Level
    span: int
    chain: int
    line: Columns | None = None
    row: Row | None = None
    shares: int = 0
    moments: Moments = field(default_factory=Moments)
    drain: Drain | None = None
    wait: Wait | None = None
    update: Update | None = None
    needs: list[Need] = field(default_factory=list)
    before: list[Sync] = field(default_factory=list)
    behind: list[Sync] = field(default_factory=list)
    takes: list[Sync] = field(default_factory=list)
    outside: list[Outside] = field(default_factory=list)
    reach: bool = False

    @property
    def posts(self) -> dict[int, list[MomentMention]]:
        """What it posts, by the kinds of events."""
        made: dict[int, list[MomentMention]] = {}
        for mention in self.moments.posts:
            made.setdefault(posted(self, mention), []).append(mention)
        return made


def posted(node: Node, mention: MomentMention) -> int:
    """The kind of the event that a moment is."""
    if node.shares:
        return OVER
    return 0 if mention.at_read else 1


@dataclass(slots=True, eq=False)
class Level:
    """The text, or the body of a ``loop``; ``entries`` are all its items, in order.

    ``enter`` and ``leave`` are the nodes of the loop on the level around it, by queue. ``last`` is
    what a queue waits for and updates at the end of a round. ``reach`` are pairs of queues of which
    the second waits in the loop for something that needs the first to have entered it. All that are
    ``alike``, this among them, are one loop in other places: the first of the text comes first.
    """

    loop: RunTimeLoop | None = None
    around: Level | None = None
    entries: list[Node | PlacedLabel | Level] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    enter: dict[int, Node] = field(default_factory=dict)
    leave: dict[int, Node] = field(default_factory=dict)
    last: dict[int, list[Sync]] = field(default_factory=dict)
    reach: set[tuple[int, int]] = field(default_factory=set)
    alike: list[Level] = field(default_factory=list)

    @property
    def path(self) -> tuple[Level, ...]:
        """The levels from the text to this one."""
        return (*(self.around.path if self.around is not None else ()), self)

    def inner(self) -> Iterator[Level]:
        """The loops of this level."""
        return (entry for entry in self.entries if isinstance(entry, Level))

    def flat(self) -> Iterator[Node | PlacedLabel]:
        """All nodes and labels of this level and of those within, in their order."""
        for entry in self.entries:
            if isinstance(entry, Level):
                yield from entry.flat()
            else:
                yield entry

    def every(self) -> Iterator[Node]:
        """All nodes of this level and of those within."""
        yield from self.nodes
        for level in self.inner():
            yield from level.every()


class LevelReader:
    """Makes levels of items; ``lines`` are those of a text by their positions."""

    def __init__(self, program: Program, lines: list[Columns], moments: dict[int, Moments]) -> None:
        self.program, self.lines, self.moments = program, lines, moments
        self._count = 0

    def read(self, items: list[Item], loop: RunTimeLoop | None, around: Level | None) -> Level:
        """The level that some items make."""
        level = Level(loop, around)
        for item in items:
            match item:
                case range():
                    for position in item:
                        self._add(level, self._line(level, position))
                case PlacedLabel():
                    level.entries.append(item)
                case Drain():
                    node = Node(item.queue, self._next(), level, item.span, item.chain, drain=item)
                    self._add(level, node)
                case RunTimeLoop():
                    self._loop(level, item)
        return level

    def _add(self, level: Level, node: Node) -> None:
        level.entries.append(node)
        level.nodes.append(node)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _line(self, level: Level, position: int) -> Node:
        line, program = self.lines[position], self.program
        made = Node(line.queue, self._next(), level, line.span, line.chain, line)
        made.row = program.instructions[line.instruction].row
        made.shares = posts_of(program, line.queue, line.instruction)
        made.wait, made.update = program.waits[line.wait], program.updates[line.update]
        if position in self.moments:
            made.moments = self.moments[position]
        return made

    def _loop(self, level: Level, loop: RunTimeLoop) -> None:
        """A loop: nodes where its queues enter it, the level within, nodes where they leave it."""
        queues = list(loop.parts)
        enter = {q: Node(q, self._next(), level, loop.span, loop.chain) for q in queues}
        inner = self.read(loop.body, loop, level)
        leave = {q: Node(q, self._next(), level, loop.span, loop.chain) for q in queues}
        inner.enter, inner.leave = enter, leave
        level.nodes += [*enter.values(), *leave.values()]
        level.entries.append(inner)


def mark_reach(program: Program, text: Level) -> None:
    """Mark what written branches skip or repeat: all between one and its label."""
    queues: dict[int, list[Node | PlacedLabel]] = {}
    for entry in text.flat():
        queues.setdefault(entry.queue, []).append(entry)
    for entries in queues.values():
        labels = {
            entry.name: at for at, entry in enumerate(entries) if isinstance(entry, PlacedLabel)
        }
        for at, entry in enumerate(entries):
            for name in targets(program, entry):
                to = labels.get(name, at)
                first, last = (at + 1, to) if to > at else (to, at + 1)
                for other in entries[first:last]:
                    if isinstance(other, Node):
                        other.reach = True


def targets(program: Program, entry: Node | PlacedLabel) -> Iterator[str]:
    """The labels that a node may branch to."""
    if isinstance(entry, Node) and entry.line is not None and entry.row is not None:
        operands = program.instructions[entry.line.instruction].operands
        yield from (str(operands[at]) for at in entry.row.labels)


def span_of(program: Program, node: Node) -> Span | None:
    """Where a node is written."""
    span = program.spans[node.span]
    return None if span is None else span.within(program.chains[node.chain])


def named(program: Program, node: Node) -> str:
    """A node in a few words."""
    what = ".drain" if node.drain else "a loop" if node.row is None else node.row.name
    return f"{what} on {program.queue_name(node.queue)}"


def tell(node: Node, update: Update) -> None:
    """Let a node make an update, by itself if it can."""
    if node.line is not None and node.update is None:
        node.update = update
    else:
        node.behind.append(Sync(None, update))
