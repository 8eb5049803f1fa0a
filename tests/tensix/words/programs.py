"""Texts for Wormhole: assembled, and as words."""

from __future__ import annotations

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing.words import words_of
from nasm.program.program import Program
from nasm.targets import TARGETS


def made(*lines: str, queue: str = "t1") -> Program:
    """A program of these lines."""
    text = "\n".join((".target wormhole", f"@{queue}", *lines, ""))
    return assemble(Source("test.nasm", text), TARGETS)


def words(*lines: str) -> list[int]:
    """The words of these lines."""
    return words_of(made(*lines))["t1"]


def word(line: str) -> int:
    """The word of a line."""
    [found] = words(line)
    return found


def problem(*lines: str) -> Problem:
    """The one thing that is wrong with these lines."""
    try:
        made(*lines)
    except Failure as failure:
        [found] = failure.problems
        return found
    raise AssertionError("nothing is wrong")
