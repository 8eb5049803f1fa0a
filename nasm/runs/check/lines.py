"""The lines of a program's text, each with all the instructions that came from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nasm.base.problems import Note, Problem, counted
from nasm.base.source import Span
from nasm.language import codes
from nasm.program.program import Program

CUT_SHORT = "E0535"
"""The code of what was not looked at, and why."""


class CheckedLine(NamedTuple):
    """A line of the text in one queue: an instruction, or one for each round of its loops."""

    queue: int
    pcs: tuple[int, ...]


def lines(program: Program, queue: int, pcs: Sequence[int] | None = None) -> Iterator[CheckedLine]:
    """The lines of a queue in the order of their first instructions; of these pcs, if given."""
    found: dict[int, list[int]] = {}
    spans = program.queues[queue].spans
    for pc in range(len(spans)) if pcs is None else pcs:
        found.setdefault(spans[pc] or -1 - pc, []).append(pc)
    for rounds in found.values():
        yield CheckedLine(queue, tuple(rounds))


def span_of(program: Program, line: CheckedLine) -> Span | None:
    """Where a line is written; of several rounds, without saying which."""
    queue, pcs = line
    first = program.span(queue, pcs[0])
    if len(pcs) == 1 or first is None:
        return first
    return Span(first.source, first.start, first.end)


def subject(program: Program, line: CheckedLine) -> str:
    """The instructions of a line as sentences name them."""
    queue, pcs = line
    if len(pcs) == 1:
        return program.instruction_name(queue, pcs[0])
    name = program.instruction(queue, pcs[0]).row.name
    return f"{name} of {program.queue_name(queue)} (all {counted(len(pcs), 'round')})"


def finding(
    code: str, message: str, span: Span | None, hint: str = "", notes: tuple[Note, ...] = ()
) -> Problem:
    """What a program does to no good: nothing that fails it."""
    row = codes.find(code)
    assert row is not None
    return Problem(code, message, span, hint, notes, row.severity)
