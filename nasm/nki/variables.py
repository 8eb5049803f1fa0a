"""Names that a kernel's text gives to what a call makes: the variable it is assigned to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import islice
from types import CodeType

from nasm.nki.errors import Trail, steps
from nasm.nki.source_tree import of_files

Place = tuple[int, int, int, int]
"""The place of a call in a file: its first line and column, its last."""

RETURNED = "return"
"""Instead of a name: what the call makes is what the function returns; a keyword is no name."""


def variable(found: Trail) -> str:
    """What is made at the innermost place of a trail is assigned to; empty if to nothing."""
    name = _KNOWN.get(found)
    if name is None:
        name = _KNOWN[found] = _variable(found)
    return name


_KNOWN: dict[Trail, str] = {}
"""The variables of trails, whose numbers do not come again."""


def _variable(found: Trail) -> str:
    for code, at in steps(found):
        name = _named(code, at)
        if name != RETURNED:
            return name
    return ""


@cache
def _named(code: CodeType, at: int) -> str:
    positions = next(islice(code.co_positions(), at // 2, None), None)
    if positions is None or None in positions:
        return ""
    line, last, column, end = positions
    return _names(code.co_filename).get((line, column, last, end), "")  # type: ignore[arg-type]


@of_files
def _names(tree: ast.Module) -> dict[Place, str]:
    """The names of all calls of a file that have one."""
    found: dict[Place, str] = {}
    for node in ast.walk(tree):
        for value, name in _given(node):
            _give(value, name, found)
    return found


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The values that a node gives a name to."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names), *_], value=ast.Tuple(elts=values)):
            if len(names) == len(values):
                yield from ((v, _target(n)) for n, v in zip(names, values, strict=True))
        case ast.Assign(targets=[target, *_], value=value):
            yield value, _target(target)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield value, _target(target)
        case ast.NamedExpr(target=target, value=value):
            yield value, _target(target)
        case ast.Return(value=ast.expr() as value):
            yield value, RETURNED
        case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value]):
            yield value, _target(owner)


def _target(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _target(value)
    return ""


def _give(value: ast.expr, name: str, found: dict[Place, str]) -> None:
    """Name the call that a value is, or those that it is made of."""
    match value:
        case ast.Call():
            if value.end_lineno is not None and value.end_col_offset is not None:
                place = value.lineno, value.col_offset, value.end_lineno, value.end_col_offset
                found.setdefault(place, name)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                _give(part, name, found)
        case ast.ListComp(elt=part) | ast.Dict(values=[part]) | ast.DictComp(value=part):
            _give(part, name, found)
        case ast.IfExp(body=body, orelse=other):
            _give(body, name, found)
            _give(other, name, found)
