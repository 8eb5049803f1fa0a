"""Ways to read a text and to write a tree down, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nasm.base.source import Source
from nasm.language.text import tree
from nasm.language.text.parse import parse_expression, parse_statement
from nasm.language.text.tree import (
    Binary,
    FunctionCall,
    List,
    Method,
    Name,
    NamedArgument,
    NumberLiteral,
    RegisterName,
    Slice,
    StringLiteral,
    Subscript,
    Template,
    Unary,
)


def _statement(text: str) -> tree.Statement:
    return parse_statement(Source("test.nasm", text))


def _expression(text: str, *, expectation: bool = False) -> tree.ExpressionNode:
    return parse_expression(Source("test.nasm", text), 0, len(text), expectation=expectation)


def _shape(node: object) -> str:
    """A tree as fully bracketed text, offsets left out."""
    match node:
        case NumberLiteral(value=value):
            return repr(value)
        case StringLiteral(value=value):
            return repr(value)
        case Name(name=name):
            return name
        case RegisterName(number=number):
            return f"%r{number}"
        case Template(parts=parts):
            return "".join(p if isinstance(p, str) else f"{{{_shape(p)}}}" for p in parts)
        case List(items=items):
            return f"[{', '.join(map(_shape, items))}]"
        case Unary(op=op, operand=operand):
            return f"({op} {_shape(operand)})"
        case Binary(op=op, before=left, right=right):
            return f"({_shape(left)} {op} {_shape(right)})"
        case NamedArgument(name=name, value=value):
            return f"{name}={_shape(value)}"
        case FunctionCall(function=function, arguments=arguments):
            return f"{_shape(function)}({', '.join(map(_shape, arguments))})"
        case Method(before=target, name=name, arguments=None):
            return f"{_shape(target)}.{name}"
        case Method(before=target, name=name, arguments=arguments):
            return f"{_shape(target)}.{name}({', '.join(map(_shape, arguments))})"
        case Subscript(before=target, items=items):
            return f"{_shape(target)}[{', '.join(map(_shape, items))}]"
        case Slice(first=first, stop=stop, length=length, step=step):
            return f"<{_shape(first)}:{_shape(stop)} +{_shape(length)} /{_shape(step)}>"
        case None:
            return ""
    raise AssertionError(node)


@pytest.fixture
def statement() -> Callable[[str], tree.Statement]:
    """Read the one statement of a text."""
    return _statement


@pytest.fixture
def expression() -> Callable[..., tree.ExpressionNode]:
    """Read a text that is one expression."""
    return _expression


@pytest.fixture
def shape() -> Callable[[object], str]:
    """Write a tree as fully bracketed text."""
    return _shape
