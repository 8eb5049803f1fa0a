"""A file of Python as a tree."""

from __future__ import annotations

import ast
import linecache
import threading
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

_LOCK = threading.Lock()


def of_files(make: Callable[[ast.Module], Made]) -> Callable[[str], Made]:
    """What is made of the tree of a file, by its name: once, and again if it is read again."""
    known: dict[str, tuple[list[str], Made]] = {}

    def made(file: str) -> Made:
        lines = linecache.getlines(file)
        before = known.get(file)
        if before is None or (before[0] is not lines and before[0] != lines):
            before = known[file] = lines, make(tree(lines))
        return before[1]

    return made


def tree(lines: list[str]) -> ast.Module:
    """The tree of a text; an empty one if it cannot be parsed.

    One thread at a time: two that make trees at once disturb each other in Python 3.11.
    """
    with _LOCK:
        try:
            return ast.parse("".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # a null character
            return ast.Module([], [])
