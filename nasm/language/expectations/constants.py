"""The parts of an expectation that are constant expressions of the language.

These are indices, sizes, axes and options, and the operands of the integer operators
(``& | ^ << >> ~``), which float64 lacks.
"""

from __future__ import annotations

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.functions import truth
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.functions import ARITHMETIC, COMPARE, LOGIC
from nasm.language.text import tree
from nasm.views.value_text import value_text

METRICS = ("cycles", "busy", "util", "stalls")
WHOLE = ("time_us", "mfu")
"""Measures of a whole run, which take no argument."""

CONSTANT_FUNCTIONS = ("ceil_div", "log2", "len")
OPERATORS = (*ARITHMETIC, "@", *COMPARE, *LOGIC)


def steps(node: tree.ExpressionNode) -> tuple[tree.ExpressionNode, list[tree.Postfix]]:
    """What is computed first, and the links of the chain that then continue it, in their order.

    A part with an integer operator is one constant, a chain or not.
    """
    links: list[tree.Postfix] = []
    while isinstance(node, tree.Postfix) and not _of_integers(node):
        links.append(node)
        node = node.before
    return node, links[::-1]


def _of_integers(node: tree.Postfix) -> bool:
    return isinstance(node, tree.Binary) and node.op not in OPERATORS


def chosen(node: tree.Conditional, scope: Scope) -> tree.ExpressionNode:
    """The side of ``a if c else b`` that counts."""
    try:
        return node.chosen if truth(evaluate(node.condition, scope), "if") else node.other
    except Refused as refused:
        raise Failure(refused.at(scope.span(node.condition))) from None


def integers(node: tree.Method, scope: Scope) -> list[int]:
    """The integers a method is given, one by one or as a list."""
    given = [evaluate(a, scope) for a in node.arguments or ()]
    sizes = given[0] if len(given) == 1 and isinstance(given[0], list) else given
    for size in sizes:
        if type(size) is not int:
            message = f".{node.name} takes integers, found {value_text(size)}"
            raise Failure(Problem("E0222", message, scope.span(node)))
    return sizes


@dataclass(frozen=True, slots=True)
class WindowValue:
    """``first : +length``."""

    first: int
    length: int


def picked(node: tree.ExpressionNode, scope: Scope) -> int | slice | WindowValue:
    """One item between brackets, as numbers."""
    if not isinstance(node, tree.Slice):
        return _integer(node, scope)
    first, stop, length, step = (
        None if part is None else _integer(part, scope)
        for part in (node.first, node.stop, node.length, node.step)
    )
    if step == 0:
        raise Failure(Problem("E0305", "a slice with step 0", scope.span(node)))
    if length is None:
        return slice(first, stop, step)
    if step is not None:
        raise Failure(Problem("E0305", "a window takes no step", scope.span(node)))
    return WindowValue(first or 0, length)


def _integer(node: tree.ExpressionNode, scope: Scope) -> int:
    value = evaluate(node, scope)
    if type(value) is not int:
        message = f"an index is an integer, found {value_text(value)}"
        raise Failure(Problem("E0305", message, scope.span(node)))
    return value
