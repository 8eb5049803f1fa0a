"""The nodes of a level in an order in which each comes after what it needs in the same round."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from nasm.base.problems import Failure, Note
from nasm.program.deferred import Mention
from nasm.program.program import Program
from nasm.sync.moments.errors import CIRCLE, refused, shown
from nasm.sync.moments.nodes import Level, Node, named, span_of


class _Before(NamedTuple):
    node: Node
    mention: Mention | None


def ordered(program: Program, level: Level) -> list[Node]:
    """All nodes of a level; of those that may come next the first of the text does.

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
            said = f"{named(program, own)} comes after {shown(mention.moment)}"
            notes.append(Note(f"{said}, which {named(program, other)} posts", mention.span))
        elif own.queue == other.queue:
            said = f"{named(program, own)} stands behind {named(program, other)}"
            notes.append(Note(said, span_of(program, own)))
    said = "each of these comes after another: none can be the first"
    first = next((m.span for _, m in circle if m is not None), span_of(program, circle[0].node))
    return refused(CIRCLE, said, first, "leave out one of them, or turn it round", *notes)
