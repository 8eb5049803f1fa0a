"""Transfers that a program prepares before its run."""

from __future__ import annotations

from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.views.view import View


@dataclass(frozen=True, slots=True)
class DeclaredTransfer:
    """A transfer declared by ``.dma``: pairs (dst, src), moved in order."""

    name: str
    moves: tuple[tuple[View, View], ...]
    options: tuple[tuple[str, object], ...]
    span: Span | None = None

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"the transfer {self.name}"
