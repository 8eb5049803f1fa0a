"""What may follow an instruction: waits and updates of counters, and moments."""

from __future__ import annotations

from dataclasses import dataclass

from nasm.language.text.tree.expressions import Name, Node, Template


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
