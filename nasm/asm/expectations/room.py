"""How much memory it takes to judge an expectation, told from its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import prod

from nasm.asm.expanding.evaluate import free_names
from nasm.asm.text import tree
from nasm.spec import pieces
from nasm.spec.memory import Tensor
from nasm.spec.program import Expectation

WORKING = 24
"""Pieces in float64 that are in use at a time, whatever the size of the tensors."""

WHOLE = ("softmax", "cumsum")
"""Functions whose result is as large as what they are given."""


def memory(expectation: Expectation, tensors: Mapping[str, Tensor]) -> int:
    """About how many bytes are taken at a time: pieces, what needs whole arrays, golden files."""
    assert isinstance(expectation.tree, tuple)
    statement: tree.Expect = expectation.tree[0]
    size = 8 * WORKING * pieces.PIECE
    size += 8 * (_whole(statement.left, tensors) + _whole(statement.right, tensors))
    if isinstance(statement.right, tree.Text):
        size += sum(t.dtype.itemsize * prod(t.shape) for t in _named(statement.left, tensors))
    return size


def _whole(node: object, tensors: Mapping[str, Tensor]) -> int:
    """Elements that are widened as a whole."""
    if isinstance(node, tuple):
        return sum(_whole(item, tensors) for item in node)
    if not isinstance(node, tree.Node) or not is_dataclass(node):
        return 0
    if isinstance(node, tree.Call):
        along = any(isinstance(argument, tree.Named) for argument in node.arguments)
        if along or node.function.name in WHOLE:
            return 2 * _elements(node.arguments, tensors)
    elif isinstance(node, tree.List) or (isinstance(node, tree.Binary) and node.op == "@"):
        return 2 * _elements(node, tensors)
    return sum(_whole(getattr(node, f.name), tensors) for f in fields(node))


def _elements(node: object, tensors: Mapping[str, Tensor]) -> int:
    return sum(prod(t.shape) for t in _named(node, tensors))


def _named(node: object, tensors: Mapping[str, Tensor]) -> list[Tensor]:
    return [tensors[name] for name in free_names(node) if name in tensors]
