"""Masks that a kernel joins by Python's ``and``, and by chains as in ``0 <= i < n``.

Python asks the first part for its truth and then gives the second one alone. Where the text says
that both are comparisons, the first part is kept until the second one is made.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any

from nasm.nki.errors import ours
from nasm.nki.source_tree import of_files

Span = tuple[tuple[int, int], tuple[int, int]]
"""Where an expression begins and ends, as lines and columns."""

_KEPT: ContextVar[tuple[FrameType, Span, Any] | None] = ContextVar("nasm.nki.masks", default=None)


def keep(first: Any) -> bool:
    """Keep the first part of a conjunction; False if the text has none here."""
    frame = _frame()
    place = _place(frame)
    if frame is None or place is None:
        return False
    span = _spans(frame.f_code.co_filename).get(place)
    if span is None:
        return False
    _KEPT.set((frame, span, first))
    return True


def joined(second: Any) -> Any:
    """A part of a mask that was just made, and what was kept of its conjunction."""
    kept = _KEPT.get()
    if kept is None:
        return second
    frame = _frame()
    place = _place(frame)
    if frame is kept[0] and place is not None and kept[1][0] <= place < kept[1][1]:
        _KEPT.set(None)
        return kept[2] & second
    return second


def lost(refuse: Callable[[], None]) -> None:
    """Refuse a mask of which a part was kept and never joined."""
    if _KEPT.get() is not None:
        _KEPT.set(None)
        refuse()


def _frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and ours(frame.f_code):
        frame = frame.f_back
    return frame


def _place(frame: FrameType | None) -> tuple[int, int] | None:
    if frame is None:
        return None
    line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    return None if line is None or column is None else (line, column)


@of_files
def _spans(tree: ast.Module) -> dict[tuple[int, int], Span]:
    """Where each part but the last of a conjunction of comparisons begins, and the whole of it."""
    found: dict[tuple[int, int], Span] = {}
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            if all(isinstance(value, ast.Compare) for value in node.values):
                parts = node.values[:-1]
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            parts = [node]
        for one in parts:
            assert isinstance(node, ast.expr)
            found[one.lineno, one.col_offset] = (
                (node.lineno, node.col_offset),
                (node.end_lineno or 0, node.end_col_offset or 0),
            )
    return found
