"""What may follow an instruction: waits and updates of counters, and moments."""

from __future__ import annotations

from nasm.base.records import dataclass
from nasm.language.text.tree.expressions import ExpressionNode, Name, Template


@dataclass(frozen=True, slots=True)
class WaitClause(ExpressionNode):
    """``$s >= n``."""

    name: Name | Template
    op: str
    value: ExpressionNode


@dataclass(frozen=True, slots=True)
class UpdateClause(ExpressionNode):
    """``$s++``, ``$s -= n``, ``$s = n``; ``op`` is ``++ -- += -= =``."""

    name: Name | Template
    op: str
    value: ExpressionNode | None
    at_read: bool


@dataclass(frozen=True, slots=True)
class TakeClause(ExpressionNode):
    """``take $s, n``: a wait for n, and an update that takes them; 1 if ``value`` is None."""

    name: Name | Template
    value: ExpressionNode | None
    at_read: bool


@dataclass(frozen=True, slots=True)
class IndexRange(ExpressionNode):
    """``0..4`` as an index in ``after``: each of these."""

    first: ExpressionNode
    stop: ExpressionNode


@dataclass(frozen=True, slots=True)
class MomentName(ExpressionNode):
    """``scan[r, i - 1]``, in ``post`` or ``after``; there with a condition or None."""

    name: Name | Template
    indices: tuple[ExpressionNode, ...]
    condition: ExpressionNode | None = None


@dataclass(frozen=True, slots=True)
class PostClause(ExpressionNode):
    """``post NAME[i, …]``, with ``@read`` or without."""

    moment: MomentName
    at_read: bool


@dataclass(frozen=True, slots=True)
class AfterClause(ExpressionNode):
    """``after NAME[i, …], NAME``."""

    moments: tuple[MomentName, ...]


Counted = WaitClause | UpdateClause | TakeClause
Sync = Counted | PostClause | AfterClause
