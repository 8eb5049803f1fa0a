"""Loops that are one loop, written several times: as ``.for`` writes them, beside each other."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.program.deferred import Mention, Round, RunTimeLoop
from nasm.sync.moments.nodes import Level, Node


def mark_alike(levels: Iterable[Level]) -> None:
    """Let the loops within some levels know which are alike, where those levels are.

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
        mark_alike(group)


def _shape(level: Level) -> object:
    """What is the same of loops that are alike."""
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


def _post(mention: Mention, loop: RunTimeLoop) -> object:
    """A moment: which of those of a round it is, whatever the loops are called."""
    indices = tuple(
        i if not isinstance(i, Round) else (i.offset % loop.step if i.loop == loop.number else 0,)
        for i in mention.moment.indices
    )
    return mention.moment.name, mention.at_read, indices
