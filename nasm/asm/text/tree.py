"""The tree of a program's text: what was written and where, before anything is evaluated.

Nodes carry character offsets into their source; a statement becomes a
:class:`~nasm.source.Span` only when somebody needs to point at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# ---------------------------------------------------------------- expressions


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


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A line or a block."""


@dataclass(frozen=True, slots=True)
class Version(Statement):
    """``.nasm 1``."""

    number: Node


@dataclass(frozen=True, slots=True)
class TargetLine(Statement):
    """``.target trn1``."""

    name: Name


@dataclass(frozen=True, slots=True)
class CoreLine(Statement):
    """``.core 1``."""

    number: Node


@dataclass(frozen=True, slots=True)
class Const(Statement):
    """``.const N = 512, K = N // 4``."""

    items: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class TensorLine(Statement):
    """``.hbm x bf16[128, 512] input = INIT`` and ``.sbuf t bf16[…] @ P:B`` or ``@ bank N``.

    ``space`` is the directive without its dot: any memory the target declares.
    ``place`` is one of ``("at", partition, byte)``, ``("bank", number, None)``,
    ``("byte", byte, None)`` or None. A word that stands alone is the ``role``, although it may be
    an ``arrangement``.
    """

    space: Name
    name: Name | Template
    dtype: Name | Template
    shape: tuple[Node, ...]
    role: Name | None
    init: Node | None
    place: tuple[str, Node, Node | None] | None
    arrangement: Name | None = None


@dataclass(frozen=True, slots=True)
class SemLine(Statement):
    """``.sem a, b = 7``; ``kind`` is ``sem`` or ``event``."""

    kind: str
    items: tuple[tuple[Name | Template, Node | None], ...]


@dataclass(frozen=True, slots=True)
class DmaBlock(Statement):
    """``.dma name queue=Q … .end``: lines ``dst <- src``."""

    name: Name | Template
    options: tuple[Named, ...]
    moves: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """``.for k in a..b step s … .end``; without ``stop``, ``first`` is a list."""

    variable: Name
    first: Node
    stop: Node | None
    step: Node | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Auto(Node):
    """``%auto``: a register that the assembler chooses."""


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """``@engine .loop k in a..b step s … .end``; instead of a name a register, or ``%auto``.

    ``head`` is where its first line ends.
    """

    engine: Name | None
    variable: Name | Register | Auto
    first: Node
    stop: Node
    step: Node | None
    head: int
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """``.break``, or ``.break %r1 >= 3``."""

    engine: Name | None
    condition: Node | None


@dataclass(frozen=True, slots=True)
class If(Statement):
    """``.if`` with its ``.elif`` branches and ``.else`` (condition None)."""

    branches: tuple[tuple[Node | None, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """``.assert e, "message"``."""

    condition: Node
    message: Node | None


@dataclass(frozen=True, slots=True)
class Expect(Statement):
    """``.expect left OP right options``; ``op`` is ``~``, ``==``, ``<=``, … or empty."""

    left: Node
    op: str
    right: Node | None
    options: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class WaitClause(Node):
    """``$s >= n``."""

    name: Name | Template
    op: str
    value: Node


@dataclass(frozen=True, slots=True)
class UpdateClause(Node):
    """``$s++``, ``$s -= n``, ``$s = n``; ``op`` is ``++ -- += -= =``."""

    name: Name | Template
    op: str
    value: Node | None
    at_read: bool


@dataclass(frozen=True, slots=True)
class TakeClause(Node):
    """``take $s, n``: a wait for n, and an update that takes them; 1 if ``value`` is None."""

    name: Name | Template
    value: Node | None
    at_read: bool


@dataclass(frozen=True, slots=True)
class Several(Node):
    """``0..4`` as an index behind ``after``: each of these."""

    first: Node
    stop: Node


@dataclass(frozen=True, slots=True)
class MomentName(Node):
    """``scan[r, i - 1]``, behind ``post`` or ``after``; there with a condition or None."""

    name: Name | Template
    indices: tuple[Node, ...]
    condition: Node | None = None


@dataclass(frozen=True, slots=True)
class PostClause(Node):
    """``post NAME[i, …]``, with ``@read`` or without."""

    moment: MomentName
    at_read: bool


@dataclass(frozen=True, slots=True)
class AfterClause(Node):
    """``after NAME[i, …], NAME``."""

    moments: tuple[MomentName, ...]


Counted = WaitClause | UpdateClause | TakeClause
Sync = Counted | PostClause | AfterClause


@dataclass(frozen=True, slots=True)
class Line(Statement):
    """An instruction line: any of label, engine and instruction may be absent.

    ``sync`` keeps all waits, updates and moments as they were written, so that a second wait, or an
    update before a wait, can be pointed at.
    """

    label: Name | Template | None
    engine: Name | None
    mnemonic: Name | None
    operands: tuple[Node, ...]
    sync: tuple[Sync, ...]


@dataclass(frozen=True, slots=True)
class Like(Statement):
    """A line that differs from others in nothing but its ``numbers``.

    ``line`` is what they have in common; its places are those of one of them.
    """

    line: Line
    numbers: tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class DrainLine(Statement):
    """``.drain`` and ``.drain all``."""

    label: Name | Template | None
    engine: Name | None
    every: bool


@dataclass(frozen=True, slots=True)
class ViewLine(Statement):
    """``.view sorted = xs[0:64]``."""

    name: Name | Template
    value: Node


@dataclass(frozen=True, slots=True)
class SettingLine(Statement):
    """``@engine .cfg name = value``, or ``.cfg name: instruction``; one of both is None."""

    engine: Name | None
    name: Name | Template
    value: Node | None
    instruction: Line | None


@dataclass(frozen=True, slots=True)
class WriteLine(Statement):
    """``label: @engine .write name = value, other = value option=n``."""

    label: Name | Template | None
    engine: Name | None
    items: tuple[tuple[Name | Template, Node], ...]
    options: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class ScopeBlock(Statement):
    """``.scope … .end``: tensors whose bytes others may have behind it."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Include(Statement):
    """``.include "file.nasm"``."""

    path: Text


@dataclass(frozen=True, slots=True)
class Macro(Statement):
    """``.macro name(a, b, n=4) … .end``; a parameter with a default is :class:`Named`."""

    name: Name
    parameters: tuple[Name | Named, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class MacroCall(Statement):
    """``label: @engine name(x, n=2)``; label and engine may be absent."""

    label: Name | Template | None
    engine: Name | None
    name: Name
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A whole text; ``unsaid`` is how many of its mistakes are not among the problems.

    ``unread`` says that lines which could not be read may have declared something.
    """

    body: tuple[Statement, ...]
    unsaid: int = 0
    unread: bool = False
