"""Groups a sequence of operands and operators into a tree. Precedence is Python's."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

from nasm.language.text import tree
from nasm.language.text.syntax_errors import Mistake

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})

NOT, COMPARISON, ARITHMETIC, SIGN, POWER = 3, 4, 5, 11, 12

# The higher the tighter. Prefix operators are between: "not" at NOT, "-" and "~" at SIGN.
LEVELS = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(COMPARISONS, COMPARISON),
    "|": ARITHMETIC,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "@": 10,
    "**": POWER,
}


def grouped(items: Sequence[tree.ExpressionNode | Token], lowest: int = 1) -> tree.ExpressionNode:
    """The tree of operands with operators between and before them.

    ``lowest`` is the loosest level accepted here without brackets. Raises
    :class:`Mistake`. It keeps its own stack: text of any length must not exhaust Python's.
    """
    if len(items) == 1 and isinstance(items[0], tree.ExpressionNode):
        return items[0]
    values: list[tree.ExpressionNode] = []
    waiting: list[tuple[int, Token]] = []
    for item in items:
        if isinstance(item, tree.ExpressionNode):
            values.append(item)
        elif item.type == "PREFIX":
            level = NOT if item == "not" else SIGN
            if level < lowest or (level == NOT and waiting and waiting[-1][0] > NOT):
                raise _needs_brackets(item)
            waiting.append((level, item))
        else:
            level = _level(item, lowest)
            while waiting and _goes_first(waiting[-1], level, item):
                _apply(values, waiting.pop()[1])
            waiting.append((level, item))
    while waiting:
        _apply(values, waiting.pop()[1])
    return values[0]


def chained(operator: Token) -> Mistake:
    """The mistake of a second comparison."""
    assert operator.start_pos is not None
    return Mistake(
        "E0110",
        f"'{operator}' is a second comparison, and comparisons do not chain",
        operator.start_pos,
        operator.start_pos + len(operator),
        "put one comparison in ( ), or join two with 'and'",
    )


def _level(operator: Token, lowest: int) -> int:
    if operator == "~":
        raise _mistake(
            "E0113",
            "'~' between two values is written once, between the two sides of '.expect'",
            operator,
        )
    level = LEVELS[operator]
    if level < lowest:
        raise chained(operator) if level == COMPARISON else _needs_brackets(operator)
    return level


def _goes_first(earlier: tuple[int, Token], level: int, operator: Token) -> bool:
    if earlier[0] == level == COMPARISON:
        raise chained(operator)
    return earlier[0] > level or (earlier[0] == level and level != POWER)


def _apply(values: list[tree.ExpressionNode], operator: Token) -> None:
    right = values.pop()
    if operator.type == "PREFIX":
        assert operator.start_pos is not None
        values.append(tree.Unary(operator.start_pos, right.end, operator.value, right))
    else:
        left = values.pop()
        values.append(tree.Binary(left.start, right.end, left, operator.value, right))


def _needs_brackets(operator: Token) -> Mistake:
    return _mistake(
        "E0112",
        f"'{operator}' binds less tightly than the operators around it",
        operator,
        f"put the part with '{operator}' in ( )",
    )


def _mistake(code: str, message: str, operator: Token, hint: str = "") -> Mistake:
    assert operator.start_pos is not None
    return Mistake(code, message, operator.start_pos, operator.start_pos + len(operator), hint)
