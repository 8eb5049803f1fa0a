"""Expressions: names, numbers, and what is made of them."""

from __future__ import annotations

from typing import Any

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ExpressionNode:
    """Any expression; ``start`` and ``end`` are offsets into the source."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NumberLiteral(ExpressionNode):
    """An integer or floating-point literal (``inf`` and ``nan`` are names)."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Hole(ExpressionNode):
    """Where similar lines have numbers of their own: which of them, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Numbered(ExpressionNode):
    """An identifier in which similar lines have numbers of their own, by their index."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class StringLiteral(ExpressionNode):
    """A string literal, unescaped."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(ExpressionNode):
    """An identifier, e.g. ``acc``, ``true``, ``multiply``."""

    name: str


@dataclass(frozen=True, slots=True)
class Template(ExpressionNode):
    """An identifier with substitutions, ``w{k}_x``: literal text and expressions in turn."""

    parts: tuple[str | ExpressionNode, ...]


@dataclass(frozen=True, slots=True)
class ExportedName(Name):
    """``@export acc``: a name that a macro declares where it is called."""


@dataclass(frozen=True, slots=True)
class ExportedTemplate(Template):
    """``@export w{k}``."""


@dataclass(frozen=True, slots=True)
class CounterName(ExpressionNode):
    """``$done`` among the arguments of a macro: a semaphore or an event."""

    name: Name | Template


@dataclass(frozen=True, slots=True)
class EngineName(ExpressionNode):
    """``@vector`` among the arguments of a macro."""

    name: str


@dataclass(frozen=True, slots=True)
class RegisterName(ExpressionNode):
    """``%r3``."""

    number: int


@dataclass(frozen=True, slots=True)
class List(ExpressionNode):
    """``[a, b, c]``."""

    items: tuple[ExpressionNode, ...]


@dataclass(frozen=True, slots=True)
class Conditional(ExpressionNode):
    """``a if c else b``."""

    chosen: ExpressionNode
    condition: ExpressionNode
    other: ExpressionNode


@dataclass(frozen=True, slots=True)
class Unary(ExpressionNode):
    """``-x``, ``~x``, ``not x``."""

    op: str
    operand: ExpressionNode


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Postfix(ExpressionNode):
    """What continues the node ``before`` it: ``+ c`` of ``a + b + c``, ``[0]`` of ``x.T[0]``.

    Links that continue one another make a chain, which may be longer than Python's stack: it is
    compared, hashed, shown and pickled as what it begins with and its links, side by side.
    ``start`` and ``end`` are those of the chain as far as this link.
    """

    before: ExpressionNode

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _side_by_side(self) == _side_by_side(other)

    def __hash__(self) -> int:
        return hash(_side_by_side(self))

    def __repr__(self) -> str:
        first, *links = _side_by_side(self)
        shown = (f"{kind.__name__}{tuple(fields)}" for kind, *fields in links)
        return f"chain({first!r}, {', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _continued, _side_by_side(self)


def _side_by_side(node: ExpressionNode) -> tuple[Any, ...]:
    """What a chain begins with, and of each link its type and its fields without ``before``."""
    first, links = chain(node)
    return first, *((type(n), n.start, n.end, *(getattr(n, f) for f in n.__slots__)) for n in links)


def _continued(node: ExpressionNode, *links: tuple[Any, ...]) -> ExpressionNode:
    """The chain of which these are the parts."""
    for kind, start, end, *fields in links:
        node = kind(start, end, node, *fields)
    return node


def chain(node: ExpressionNode) -> tuple[ExpressionNode, list[Postfix]]:
    """What a chain begins with, and its links in their order; none if it is no chain."""
    links: list[Postfix] = []
    while isinstance(node, Postfix):
        links.append(node)
        node = node.before
    return node, links[::-1]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary(Postfix):
    """``x op y``; comparisons and ``and``/``or`` too; ``@`` in expectations alone."""

    op: str
    right: ExpressionNode


@dataclass(frozen=True, slots=True)
class NamedArgument(ExpressionNode):
    """``name=value`` among operands or arguments."""

    name: str
    value: ExpressionNode


@dataclass(frozen=True, slots=True)
class ExportedNamed(NamedArgument):
    """``@export name=value`` of a ``.const``."""


@dataclass(frozen=True, slots=True)
class FunctionCall(ExpressionNode):
    """``f(x, axis=1)``; arguments may be :class:`NamedArgument`."""

    function: Name
    arguments: tuple[ExpressionNode, ...]


@dataclass(frozen=True, slots=True)
class Based(ExpressionNode):
    """``8(sp)``: two operands, an offset and the register that it is added to."""

    offset: ExpressionNode
    base: Name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Postfix):
    """``x.view(u8)``; ``arguments`` is None for a bare attribute such as ``x.T``."""

    name: str
    arguments: tuple[ExpressionNode, ...] | None


@dataclass(frozen=True, slots=True)
class Slice(ExpressionNode):
    """``a:b``, ``a:b:s`` or ``a : +n`` (``length``) inside brackets; parts may be absent."""

    first: ExpressionNode | None
    stop: ExpressionNode | None
    length: ExpressionNode | None
    step: ExpressionNode | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subscript(Postfix):
    """``t[i, a:b]``."""

    items: tuple[ExpressionNode, ...]
