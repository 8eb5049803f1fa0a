"""How much memory it takes to judge an expectation, estimated from its text."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from nasm.base import pieces
from nasm.language.expanding.evaluate import free_names
from nasm.language.expanding.functions import has_tiles
from nasm.language.text import tree
from nasm.language.text.walk import children
from nasm.program.program import Expectation
from nasm.views.tensor import Tensor

WORKING = 24
"""Pieces in float64 that are in use at a time, whatever the size of the tensors."""

WHOLE = ("softmax", "cumsum")
"""Functions whose result is as large as what they are given."""


def memory(expectation: Expectation, tensors: Mapping[str, Tensor]) -> int:
    """About how many bytes are taken at a time: pieces, what needs whole arrays, golden files."""
    assert isinstance(expectation.tree, tuple)
    statement: tree.Expect = expectation.tree[0]
    arrays = {name: held for name, held in expectation.tree[1].items() if has_tiles(held)}
    tensors = {**tensors, **{name: held[0].tensor for name, held in arrays.items()}}
    size = 8 * WORKING * pieces.PIECE
    size += 8 * (_whole(statement.left, tensors) + _whole(statement.right, tensors))
    if isinstance(statement.right, tree.StringLiteral):
        size += sum(t.dtype.itemsize * prod(t.shape) for t in _named(statement.left, tensors))
    return size


def _whole(side: tree.ExpressionNode | None, tensors: Mapping[str, Tensor]) -> int:
    """Elements that are widened as a whole."""
    found, waiting = 0, [side] if side is not None else []
    while waiting:
        node = waiting.pop()
        match node:
            case tree.FunctionCall(function=tree.Name(name=name), arguments=arguments) if (
                name in WHOLE or any(isinstance(a, tree.NamedArgument) for a in arguments)
            ):
                found += 2 * _elements(arguments, tensors)
            case tree.List() | tree.Binary(op="@"):
                found += 2 * _elements(node, tensors)
            case _:
                waiting += children(node)
    return found


def _elements(node: object, tensors: Mapping[str, Tensor]) -> int:
    return sum(prod(t.shape) for t in _named(node, tensors))


def _named(node: object, tensors: Mapping[str, Tensor]) -> list[Tensor]:
    return [tensors[name] for name in free_names(node) if name in tensors]
