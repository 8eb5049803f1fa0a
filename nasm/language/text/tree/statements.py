"""Statements: directives, blocks and instruction lines, and the file they make."""

from __future__ import annotations

from nasm.base.records import dataclass
from nasm.language.text.tree.clauses import Sync
from nasm.language.text.tree.expressions import (
    ExpressionNode,
    Name,
    NamedArgument,
    RegisterName,
    StringLiteral,
    Template,
)


@dataclass(frozen=True, slots=True)
class Statement(ExpressionNode):
    """A line or a block."""


@dataclass(frozen=True, slots=True)
class Version(Statement):
    """``.nasm 1``."""

    number: ExpressionNode


@dataclass(frozen=True, slots=True)
class TargetLine(Statement):
    """``.target trn1``."""

    name: Name


@dataclass(frozen=True, slots=True)
class CoreLine(Statement):
    """``.core 1``."""

    number: ExpressionNode


@dataclass(frozen=True, slots=True)
class TileLine(Statement):
    """``.tile 3, 4``, ``.tile 3, 4, 1`` of another chip, or ``.grid 4, 2``: the ``word`` says."""

    word: str
    x: ExpressionNode
    y: ExpressionNode
    chip: ExpressionNode | None = None


@dataclass(frozen=True, slots=True)
class RanksLine(Statement):
    """``.ranks 4``."""

    number: ExpressionNode


@dataclass(frozen=True, slots=True)
class Const(Statement):
    """``.const N = 512, K = N // 4``."""

    items: tuple[NamedArgument, ...]


@dataclass(frozen=True, slots=True)
class Param(Const):
    """``.param N in 1..64 step 2``: a constant and its first value, with the last and a step.

    Both may be absent.
    """

    stop: ExpressionNode | None = None
    step: ExpressionNode | None = None


@dataclass(frozen=True, slots=True)
class TensorLine(Statement):
    """``.hbm x bf16[128, 512] input = INIT`` and ``.sbuf t bf16[…] @ P:B`` or ``@ bank N``.

    ``space`` is the directive without its dot: any memory the target declares.
    ``place`` is one of ``("at", partition, byte)``, ``("bank", number, None)``,
    ``("byte", byte, None)`` or None. A word on its own is the ``role``, although it may be
    an ``arrangement``. With ``tiles`` there are so many, in an array: ``.sbuf x[2] f32[128, 64]``.
    """

    space: Name
    name: Name | Template
    dtype: Name | Template
    shape: tuple[ExpressionNode, ...]
    role: Name | None
    init: ExpressionNode | None
    place: tuple[str, ExpressionNode, ExpressionNode | None] | None
    arrangement: Name | None = None
    tiles: ExpressionNode | None = None


@dataclass(frozen=True, slots=True)
class SemLine(Statement):
    """``.sem a, b = 7``; ``kind`` is ``sem`` or ``event``."""

    kind: str
    items: tuple[tuple[Name | Template, ExpressionNode | None], ...]


@dataclass(frozen=True, slots=True)
class DmaBlock(Statement):
    """``.dma name queue=Q … .end``: lines ``dst <- src``."""

    name: Name | Template
    options: tuple[NamedArgument, ...]
    moves: tuple[tuple[ExpressionNode, ExpressionNode], ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """``.for k in a..b step s … .end``; without ``stop``, ``first`` is a list."""

    variable: Name
    first: ExpressionNode
    stop: ExpressionNode | None
    step: ExpressionNode | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Auto(ExpressionNode):
    """``%auto``: a register that the assembler chooses."""


@dataclass(frozen=True, slots=True)
class LoopStatement(Statement):
    """``@engine .loop k in a..b step s … .end``; instead of a name a register, or ``%auto``.

    ``head`` is where its first line ends. With ``buffers=2``, its ``copies``, two rounds are
    written out.
    """

    engine: Name | None
    variable: Name | RegisterName | Auto
    first: ExpressionNode
    stop: ExpressionNode
    step: ExpressionNode | None
    head: int
    body: tuple[Statement, ...]
    copies: NamedArgument | None = None


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """``.break``, or ``.break %r1 >= 3``."""

    engine: Name | None
    condition: ExpressionNode | None


@dataclass(frozen=True, slots=True)
class If(Statement):
    """``.if`` with its ``.elif`` branches and ``.else`` (condition None)."""

    branches: tuple[tuple[ExpressionNode | None, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """``.assert e, "message"``."""

    condition: ExpressionNode
    message: ExpressionNode | None


@dataclass(frozen=True, slots=True)
class Expect(Statement):
    """``.expect left OP right options``; ``op`` is ``~``, ``==``, ``<=``, … or empty."""

    left: ExpressionNode
    op: str
    right: ExpressionNode | None
    options: tuple[NamedArgument, ...]


@dataclass(frozen=True, slots=True)
class InstructionLine(Statement):
    """An instruction line: any of label, engine and instruction may be absent.

    ``sync`` keeps all waits, updates and moments as they were written, so that a second wait, or an
    update before a wait, can be pointed at.
    """

    label: Name | Template | None
    engine: Name | None
    mnemonic: Name | None
    operands: tuple[ExpressionNode, ...]
    sync: tuple[Sync, ...]


@dataclass(frozen=True, slots=True)
class Like(Statement):
    """A line that differs from others in nothing but its ``numbers``.

    ``line`` is what they have in common; its places are those of one of them.
    """

    line: InstructionLine
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
    value: ExpressionNode


@dataclass(frozen=True, slots=True)
class SettingLine(Statement):
    """``@engine .cfg name = value``, or ``.cfg name: instruction``; one of both is None."""

    engine: Name | None
    name: Name | Template
    value: ExpressionNode | None
    instruction: InstructionLine | None


@dataclass(frozen=True, slots=True)
class WriteLine(Statement):
    """``label: @engine .write name = value, other = value option=n``, or ``name: instruction``."""

    label: Name | Template | None
    engine: Name | None
    items: tuple[tuple[Name | Template, ExpressionNode | InstructionLine], ...]
    options: tuple[NamedArgument, ...]


@dataclass(frozen=True, slots=True)
class ForeignLine(Statement):
    """``label: @engine .language "file:function" name=value, …``, or statements of the language."""

    label: Name | Template | None
    engine: Name | None
    language: Name
    text: StringLiteral
    options: tuple[NamedArgument, ...]


@dataclass(frozen=True, slots=True)
class ScopeBlock(Statement):
    """``.scope … .end``: tensors whose bytes others may have after it."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Include(Statement):
    """``.include "file.nasm"``."""

    path: StringLiteral


@dataclass(frozen=True, slots=True)
class MacroStatement(Statement):
    """``.macro name(a, b, n=4) … .end``; a parameter with a default is :class:`NamedArgument`."""

    name: Name
    parameters: tuple[Name | NamedArgument, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class MacroCall(Statement):
    """``label: @engine name(x, n=2)``; label and engine may be absent."""

    label: Name | Template | None
    engine: Name | None
    name: Name
    arguments: tuple[ExpressionNode, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A whole text; ``unsaid`` is how many of its mistakes are not among the problems.

    ``unread`` says that lines which could not be read may have declared something.
    """

    body: tuple[Statement, ...]
    unsaid: int = 0
    unread: bool = False
