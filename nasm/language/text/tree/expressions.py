"""Expressions: names, numbers, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """Any expression; ``start`` and ``end`` are offsets into the source."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Number(Node):
    """An integer or floating-point literal (``inf`` and ``nan`` are names)."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Hole(Node):
    """Where lines that are alike have numbers of their own: which of them, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Numbered(Node):
    """An identifier, where lines that are alike have numbers of their own in it, by their index."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal, unescaped."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """An identifier, e.g. ``acc``, ``true``, ``multiply``."""

    name: str


@dataclass(frozen=True, slots=True)
class Template(Node):
    """An identifier with substitutions, ``w{k}_x``: literal text and expressions in turn."""

    parts: tuple[str | Node, ...]


@dataclass(frozen=True, slots=True)
class ExportedName(Name):
    """``@export acc``: a name that a macro declares where it is called."""


@dataclass(frozen=True, slots=True)
class ExportedTemplate(Template):
    """``@export w{k}``."""


@dataclass(frozen=True, slots=True)
class Counter(Node):
    """``$done`` among the arguments of a macro: a semaphore or an event."""

    name: Name | Template


@dataclass(frozen=True, slots=True)
class Engine(Node):
    """``@vector`` among the arguments of a macro."""

    name: str


@dataclass(frozen=True, slots=True)
class Register(Node):
    """``%r3``."""

    number: int


@dataclass(frozen=True, slots=True)
class List(Node):
    """``[a, b, c]``."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """``a if c else b``."""

    chosen: Node
    condition: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """``-x``, ``~x``, ``not x``."""

    op: str
    operand: Node


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Link(Node):
    """What continues the node ``before`` it: ``+ c`` of ``a + b + c``, ``[0]`` of ``x.T[0]``.

    Links that continue one another make a chain, which may be longer than Python's stack: it is
    compared, hashed, shown and pickled as what it begins with and its links, side by side.
    ``start`` and ``end`` are those of the chain as far as this link.
    """

    before: Node

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


def _side_by_side(node: Node) -> tuple[Any, ...]:
    """What a chain begins with, and of each link its type and its fields without ``before``."""
    first, links = chain(node)
    return first, *((type(n), n.start, n.end, *(getattr(n, f) for f in n.__slots__)) for n in links)


def _continued(node: Node, *links: tuple[Any, ...]) -> Node:
    """The chain of which these are the parts."""
    for kind, start, end, *fields in links:
        node = kind(start, end, node, *fields)
    return node


def chain(node: Node) -> tuple[Node, list[Link]]:
    """What a chain begins with, and its links in their order; none if it is no chain."""
    links: list[Link] = []
    while isinstance(node, Link):
        links.append(node)
        node = node.before
    return node, links[::-1]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary(Link):
    """``x op y``; comparisons and ``and``/``or`` too; ``@`` in expectations alone."""

    op: str
    right: Node


@dataclass(frozen=True, slots=True)
class Named(Node):
    """``name=value`` among operands or arguments."""

    name: str
    value: Node


@dataclass(frozen=True, slots=True)
class ExportedNamed(Named):
    """``@export name=value`` of a ``.const``."""


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``f(x, axis=1)``; arguments may be :class:`Named`."""

    function: Name
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Link):
    """``x.view(u8)``; ``arguments`` is None for a bare attribute such as ``x.T``."""

    name: str
    arguments: tuple[Node, ...] | None


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """``a:b``, ``a:b:s`` or ``a : +n`` (``length``) inside brackets; parts may be absent."""

    first: Node | None
    stop: Node | None
    length: Node | None
    step: Node | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index(Link):
    """``t[i, a:b]``."""

    items: tuple[Node, ...]
