"""An expectation as a text of its own: names of other constants are replaced by what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nasm.base.problems import Refused
from nasm.isa.literal_kinds import literal
from nasm.language.expanding.evaluate import name_of
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.constants import METRICS
from nasm.language.expectations.tiles import tile
from nasm.language.expectations.views import sliced
from nasm.language.text import tree
from nasm.language.text.precedence import ARITHMETIC, COMPARISON, LEVELS, NOT, POWER, SIGN
from nasm.program.program import Expectation
from nasm.views.view import View

ATOM = POWER + 1


def written(
    expectation: Expectation,
    constants: Mapping[str, object],
    file: Callable[[str], str],
    view: Callable[[str, View], str],
) -> str:
    """Its line. A text that has it has these ``constants``; ``file`` says how it names a file.

    ``view`` gives the name of a view that is called so here and that no slices say.
    """
    assert isinstance(expectation.tree, tuple)
    statement, values = expectation.tree
    assert isinstance(statement, tree.Expect)
    spelling = _Spelling(
        Scope(expectation.span.source, dict(values), chain=expectation.span.chain), constants, view
    )
    parts = [".expect ", spelling.within(statement.left, ARITHMETIC)]
    right = statement.right
    if isinstance(right, tree.StringLiteral):
        parts += [statement.op, literal(file(right.value))]
    elif right is not None:
        parts += [statement.op, spelling.within(right, ARITHMETIC)]
    options = [f"{o.name}={spelling.within(o.value, 0)}" for o in statement.options]
    return " ".join(parts) + ("  " + " ".join(options) if options else "")


class _Spelling:
    """Nodes as text, each with how tightly what holds it together binds."""

    def __init__(
        self, scope: Scope, constants: Mapping[str, object], view: Callable[[str, View], str]
    ) -> None:
        self.scope, self.constants, self.view = scope, constants, view

    def within(self, node: tree.ExpressionNode, least: int) -> str:
        """A node where only what binds so tightly needs no brackets."""
        text, level = self.expression_text(node)
        return text if level >= least else f"({text})"

    def expression_text(self, node: tree.ExpressionNode) -> tuple[str, int]:
        """A node; a chain link by link, for it may be longer than Python's stack."""
        first, links = tree.chain(node)
        found = tile(first, links, self.scope)
        text, level = self._first(first) if found is None else self._viewed(found.view)
        for link in links if found is None else found.links:
            text, level = self._continued(text, level, link)
        return text, level

    def _continued(self, text: str, level: int, link: tree.Postfix) -> tuple[str, int]:
        if isinstance(link, tree.Binary):
            own = LEVELS[link.op]
            left, right = own + (own in (COMPARISON, POWER)), own + (own != POWER)
            before = text if level >= left else f"({text})"
            after, tight = self.expression_text(link.right)
            after = after if tight >= right and tight != SIGN else f"({after})"
            return f"{before} {link.op} {after}", own
        before = text if level >= ATOM else f"({text})"
        if isinstance(link, tree.Subscript):
            return f"{before}[{', '.join(self._item(i) for i in link.items)}]", ATOM
        assert isinstance(link, tree.Method)
        called = "" if link.arguments is None else f"({self._arguments(link.arguments)})"
        return f"{before}.{link.name}{called}", ATOM

    def _first(self, node: tree.ExpressionNode) -> tuple[str, int]:
        match node:
            case tree.NumberLiteral(value=value) | tree.StringLiteral(value=value):
                return _value(value)
            case tree.Name() | tree.Template():
                return self._name(name_of(node, self.scope))
            case tree.RegisterName(number=number):
                return f"%r{number}", ATOM
            case tree.List(items=items):
                return f"[{', '.join(self.within(i, 0) for i in items)}]", ATOM
            case tree.Unary(op=op, operand=operand):
                level = NOT if op == "not" else SIGN
                inner = self.within(operand, level + (level == SIGN))
                return f"{op}{' ' * (level == NOT)}{inner}", level
            case tree.FunctionCall(function=function, arguments=arguments):
                metric = function.name in METRICS
                return f"{function.name}({self._arguments(arguments, metric)})", ATOM
            case tree.Conditional():
                parts = (node.chosen, node.condition, node.other)
                first, condition, other = (self.within(p, 1) for p in parts)
                return f"{first} if {condition} else {other}", 0
        raise TypeError(f"{type(node).__name__} in an expectation")

    def _name(self, name: str) -> tuple[str, int]:
        """A name, or what it means if only the text it comes from knows that."""
        values = self.scope.values
        kept = self.constants.get(name)
        if name not in values or (type(kept) is type(values[name]) and kept == values[name]):
            return name, ATOM
        held = values[name]
        return self._viewed(held, name) if isinstance(held, View) else _value(held)

    def _viewed(self, view: View, name: str = "") -> tuple[str, int]:
        try:
            return sliced(view), ATOM
        except Refused:
            return self.view(name or view.tensor.name, view), ATOM

    def _arguments(self, arguments: tuple[tree.ExpressionNode, ...], metric: bool = False) -> str:
        """Arguments of a call; the first of a measure is an engine, whatever its name."""
        words = []
        for at, node in enumerate(arguments):
            if isinstance(node, tree.NamedArgument):
                words.append(f"{node.name}={self.within(node.value, 0)}")
            elif metric and at == 0 and isinstance(node, tree.Name):
                words.append(node.name)
            else:
                words.append(self.within(node, 0))
        return ", ".join(words)

    def _item(self, node: tree.ExpressionNode) -> str:
        if not isinstance(node, tree.Slice):
            return self.within(node, 0)
        first, stop, length, step = (
            "" if part is None else self.within(part, 0)
            for part in (node.first, node.stop, node.length, node.step)
        )
        if length:
            return f"{first or 0} : +{length}" + (f":{step}" if step else "")
        return f"{first}:{stop}" + (f":{step}" if step else "")


def _value(value: Any) -> tuple[str, int]:
    text = literal(value)
    return text, SIGN if text.startswith("-") else ATOM
