"""Instructions behind a ``;``, which are comments here and were meant to be executed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nasm.base.problems import Problem, Severity
from nasm.base.source import Source, Span
from nasm.isa.instruction import REQUIRED
from nasm.language.text.parse import read_again
from nasm.language.text.suppressions import comments
from nasm.program.builder import ProgramBuilder

CODE = "E0247"

_INSTRUCTION = re.compile(r";[ \t]*(?=(@\w+[ \t]+)?([A-Z]\w*)[^;\n]*)")


def commented(source: Source, builder: ProgramBuilder) -> Iterator[Problem]:
    """A warning for each comment behind a line that is itself a whole instruction."""
    rows = builder.target.isa.rows
    for start, end in comments(source.text):
        found = _INSTRUCTION.match(source.text, start, end)
        row = rows.get(found[2]) if found is not None else None
        if found is None or row is None or not _behind(source, start):
            continue
        stop = source.text.find(";", found.end(), end)
        span = Span(source, found.end(), end if stop < 0 else stop)
        line = read_again(source, span.start, span.end)
        if line is None or line.mnemonic is None:
            continue
        needed = sum(operand.default is REQUIRED for operand in row.written)
        if len(line.operands) < needed or not (found[1] or line.operands):
            continue
        said = f"';' begins a comment: this {row.name} is not executed"
        hint = "write it on a line of its own"
        yield Problem(CODE, said, span, hint, severity=Severity.WARNING)


def _behind(source: Source, start: int) -> bool:
    """Whether something stands before a comment on its line."""
    line, column = source.position(start)
    return bool(source.line(line)[: column - 1].strip())
