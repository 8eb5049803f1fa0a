"""A file of NKI 0.1 in today's dialect."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nasm.base.problems import Failure, Problem, quoted
from nasm.base.records import dataclass
from nasm.base.source import Source, Span
from nasm.nki.errors import NOT_NKI
from nasm.nki.exceptions import NOT_RUN
from nasm.nki.migrating.modules_text import modules_of, replacing, with_imports
from nasm.nki.migrating.source_text import SourceText
from nasm.nki.migrating.statements import Edits, Statements


@dataclass(frozen=True, slots=True)
class Migration:
    """A text in today's dialect: what was changed, and ``left``, what could not be.

    ``counts`` says how often each kind of change was made, ``remarks`` where to look.
    """

    text: str
    left: tuple[Problem, ...]
    remarks: tuple[str, ...]
    counts: Mapping[str, int]


def migrate(text: str, name: str = "kernel") -> Migration:
    """Write a file of NKI 0.1 in today's dialect; raises Failure for what is no such file."""
    whole = Source(name, text)
    try:
        source = SourceText(text)
    except SyntaxError as wrong:
        span = _line(whole, wrong.lineno or 1)
        raise Failure(Problem(NOT_RUN, f"SyntaxError: {wrong.msg}", span)) from None
    modules = modules_of(source.tree)
    if not modules:
        message = f"{quoted(name)} imports nothing of neuronxcc.nki"
        raise Failure(Problem(NOT_NKI, message, None, "what it imports decides the dialect"))
    before = dict(modules)
    for word in ("nki", "nl", "nisa"):
        modules.setdefault(word, word)
    edits = Edits()
    assert isinstance(source.tree, ast.Module)
    Statements(source, modules, edits).body(source.tree.body)
    made = with_imports(replacing(text, edits.parts), modules, before)
    left = tuple(
        Problem(NOT_NKI, f"not migrated: {reason}", _line(whole, line))
        for line, reason in dict.fromkeys(edits.left)
    )
    return Migration(made, left, tuple(dict.fromkeys(edits.remarks)), edits.counts)


def _line(source: Source, number: int) -> Span:
    start, text = source.offset(number), source.line(number)
    return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
