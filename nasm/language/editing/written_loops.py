"""Loops at run time written out, so that the order of their rounds can be read.

``.loop`` becomes ``.for`` in a text of the same length: each place in it is that place of the text
as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source, Span
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import descendants
from nasm.sync.sequential_text import NO_ORDER

_LOOP = re.compile(r"\.(loop|break)\b")


class WrittenLoops(NamedTuple):
    """A text whose loops at run time are written out, and where the variables of these are.

    ``first`` is the first line of the first one, in the text as it is.
    """

    source: Source
    variables: frozenset[int]
    first: Span


def written_out(source: Source, strip: bool) -> WrittenLoops | None:
    """A text with its loops at run time written out; None if it has none. Raises Failure.

    With ``strip`` it has no waits, updates and moments.
    """
    if not _LOOP.search(source.text):
        return None  # most texts, which may be long
    file, _ = parse(source)
    loops = [node for s in file.body for _, node in descendants(s) if _is_loop(node)]
    if not loops:
        return None
    letters = list(source.text)
    for loop in loops:
        if isinstance(loop, tree.Break):
            message = "'.break' ends a loop at a time that only a run knows"
            raise _refused(message, source, loop)
        assert isinstance(loop, tree.LoopStatement)
        for start, end, text in _changes(source, loop):
            letters[start:end] = text.ljust(end - start)
    for line in _lines(file) if strip else ():
        letters[line.sync[0].start : line.end] = " " * (line.end - line.sync[0].start)
    made = [node for node in loops if isinstance(node, tree.LoopStatement)]
    variables = frozenset(node.variable.start for node in made)
    first = Span(source, made[0].start, made[0].head)
    return WrittenLoops(Source(source.name, "".join(letters), source.label), variables, first)


def _lines(file: tree.File) -> Iterator[tree.InstructionLine]:
    """The lines that wait, update or have moments."""
    for statement in file.body:
        for _, node in descendants(statement):
            if isinstance(node, tree.InstructionLine) and node.sync:
                yield node


def _is_loop(node: tree.ExpressionNode) -> bool:
    return isinstance(node, tree.LoopStatement | tree.Break)


def _changes(source: Source, loop: tree.LoopStatement) -> Iterator[tuple[int, int, str]]:
    """What to write where in the first line of a loop."""
    variable = loop.variable
    if loop.engine is not None:
        message = "this loop is for one engine, and its lines name none"
        raise _refused(message, source, loop, "write the engine at each of its lines")
    if isinstance(variable, tree.RegisterName):
        raise _refused("the rounds of this loop are counted in a register", source, loop)
    at = source.text.index(".loop", loop.start)
    yield at, at + len(".loop"), ".for"
    if not isinstance(variable, tree.Name):  # %auto
        yield variable.start, variable.start + 1, "_"
    if loop.copies is not None:
        yield loop.copies.start, loop.copies.end, ""


def _refused(message: str, source: Source, node: tree.Statement, hint: str = "") -> Failure:
    hint = hint or "write moments by hand: 'post done[k]' and 'after done[k - 2]'"
    end = node.head if isinstance(node, tree.LoopStatement) else node.end
    return Failure(Problem(NO_ORDER, message, Span(source, node.start, end), hint))
