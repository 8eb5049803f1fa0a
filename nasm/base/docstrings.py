"""Docstrings, of which the manual and the debugger's help are made: whether Python kept them."""

from __future__ import annotations

import sys

NEEDED = "nasm needs its docstrings, which python -OO removes: leave it out, or use -O"


def stripped() -> bool:
    """Whether this Python runs without docstrings (``-OO``, or ``PYTHONOPTIMIZE=2``)."""
    return sys.flags.optimize > 1


def require() -> None:
    """Refuse to be imported without them."""
    if stripped():
        raise ImportError(NEEDED)
