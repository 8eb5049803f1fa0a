"""Operands that are fields of a word, whose values have names: ``SFPU|PACK``, ``Mod1=SWAP``.

What a program calls so itself comes first: its constants are integers, as these values are.
"""

from __future__ import annotations

from typing import Any

from nasm.base.dtypes import DType
from nasm.base.problems import Failure, Refused
from nasm.isa.field_values import AND
from nasm.isa.kinds import Kind
from nasm.language.expanding.evaluate import Closure, compile_node
from nasm.language.expanding.functions import truth
from nasm.language.expanding.macro_arguments import WordArgument
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.text import tree


def compile_value(kind: Kind, node: tree.ExpressionNode) -> Closure:
    """The closure of such an operand."""
    if isinstance(node, tree.Conditional):
        condition = compile_node(node.condition)
        chosen, other = compile_value(kind, node.chosen), compile_value(kind, node.other)
        return lambda scope: chosen(scope) if truth(condition(scope), "if") else other(scope)
    if isinstance(node, tree.Binary) and node.op == AND:
        return _compile_bits(kind, node)
    if isinstance(node, tree.Name) and node.name not in CONSTANTS:
        return lambda scope: _named(kind, node, scope)
    return compile_node(node)


def _compile_bits(kind: Kind, node: tree.Binary) -> Closure:
    """A chain of ``|``: as long as that is all it has, what it combines may be names."""
    first, links = tree.chain(node)
    parts = [first]
    for link in links:
        if not isinstance(link, tree.Binary) or link.op != AND:
            return compile_node(node)
        parts.append(link.right)
    values = [compile_value(kind, part) for part in parts]

    def combined(scope: Scope) -> Any:
        value = 0
        for part, find in zip(parts, values, strict=True):
            found = find(scope)
            if type(found) is not int:
                message = f"'{AND}' combines integers, and names of values"
                raise Failure(Refused("E0301", message).at(scope.span(part)))
            value |= found
        return value

    return combined


def _named(kind: Kind, node: tree.Name, scope: Scope) -> Any:
    """What a name means: of the program, or a value of the field."""
    held = scope.values.get(node.name)
    if isinstance(held, WordArgument | DType):
        return _accepted(kind, held.name, node, scope)
    if held is None and not scope.knows(node.name):
        return _accepted(kind, node.name, node, scope)
    return scope.lookup(node.name)


def _accepted(kind: Kind, name: str, node: tree.Name, scope: Scope) -> object:
    if name not in kind.words and scope.undeclared.named(name):
        raise Failure(())
    try:
        return kind.accept(name)
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None
