"""Walks over trees without recursion, so that no text is too deep for them."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.records import fields
from nasm.language.text import tree


def children(node: tree.ExpressionNode) -> Iterator[tree.ExpressionNode]:
    """The nodes directly below a node, in the order in which they are declared."""
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tree.ExpressionNode):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes(value)


def _nodes(values: tuple[object, ...]) -> Iterator[tree.ExpressionNode]:
    for value in values:
        if isinstance(value, tree.ExpressionNode):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes(value)


def descendants(node: tree.ExpressionNode) -> Iterator[tuple[int, tree.ExpressionNode]]:
    """A node and all below it, each with its depth (0 for the node itself).

    The links of a chain are equally deep.
    """
    waiting = [(0, node)]
    while waiting:
        depth, current = waiting.pop()
        yield depth, current
        first = current.before if isinstance(current, tree.Postfix) else None
        waiting += [(depth + (child is not first), child) for child in children(current)]


def contains(node: tree.ExpressionNode, kind: type[tree.ExpressionNode]) -> bool:
    """Whether a node, or one below it, is of a kind."""
    return any(isinstance(each, kind) for _, each in descendants(node))
