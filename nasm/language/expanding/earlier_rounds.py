"""Indices that are written as those of an earlier round of a ``.for``: ``made[r - 2]``.

Before the first round there is none, as in a loop at run time. Whether a round is before the first
one is known when all of the text is; here is found out which way earlier rounds are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nasm.language.expanding.evaluate import compile_name
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.walk import contains

Slope = Callable[[Scope], int | None]
"""Whether a value goes up from round to round, 1, or down, -1; 0 if it stays, None of others."""

Directions = Callable[[Scope], tuple[int, ...]]
"""For each index -1 where earlier rounds have smaller ones, 1 where greater ones; 0 of others."""


def directions_of(nodes: tuple[tree.ExpressionNode, ...]) -> Directions:
    """A closure that finds the directions of indices."""
    found = [_direction(node) for node in nodes]
    if not any(found):
        none = (0,) * len(nodes)
        return lambda scope: none
    return lambda scope: tuple(0 if one is None else one(scope) for one in found)


def _direction(node: tree.ExpressionNode) -> Callable[[Scope], int] | None:
    """The direction of an index that is something that moves, minus or plus what does not."""
    if not isinstance(node, tree.Binary) or node.op not in ("+", "-"):
        return None
    moving, still = slope(node.before), slope(node.right)
    sign = 1 if node.op == "+" else -1

    def direction(scope: Scope) -> int:
        return sign if moving(scope) == -sign and still(scope) == 0 else 0

    return direction


def slope(node: tree.ExpressionNode) -> Slope:
    """A closure that finds out which way a value goes in the rounds of the ``.for`` around it."""
    if isinstance(node, tree.Name | tree.Numbered):
        name = compile_name(node)
        return lambda scope: scope.steps.get(name(scope), 0)
    first, links = tree.chain(node)
    if not links:
        moves = contains(node, tree.Name) or contains(node, tree.Numbered)
        return lambda scope: None if moves and scope.steps else 0
    steps = [(link.op, slope(link.right)) for link in links if isinstance(link, tree.Binary)]
    if len(steps) < len(links):
        return lambda scope: None if scope.steps else 0
    begin = slope(first)

    def found(scope: Scope) -> int | None:
        value = begin(scope)
        for op, right in steps:
            value = _combined(value, op, right(scope))
        return value

    return found


def with_slope(name: str, value: tree.ExpressionNode, scope: Scope) -> Mapping[str, int]:
    """Which way names go, with a constant of this value in a round of a ``.for``."""
    way = slope(value)(scope)
    if way:
        return {**scope.steps, name: way}
    return {other: step for other, step in scope.steps.items() if other != name}


def _combined(first: int | None, op: str, second: int | None) -> int | None:
    """Which way a sum goes; a product or a quotient with what stays, which is taken as positive."""
    if first is None or second is None:
        return None
    if op == "-":
        second = -second
    if op in ("+", "-") and first * second >= 0:
        return first or second
    if op in ("*", "//") and not second:
        return first
    return 0 if first == second == 0 else None
