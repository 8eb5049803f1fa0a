"""Statements: directives, blocks and instruction lines, and the file they make."""

from __future__ import annotations

from dataclasses import dataclass

from nasm.language.text.tree.clauses import Sync
from nasm.language.text.tree.expressions import Name, Named, Node, Register, Template, Text


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
