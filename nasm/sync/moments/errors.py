"""Errors of moments, in words."""

from __future__ import annotations

from nasm.base.problems import Failure, Note, Problem
from nasm.base.source import Span
from nasm.program.text_items import DeferredMoment, Round

NO_POST = "E0331"
TWICE = "E0332"
CIRCLE = "E0333"
IMPOSSIBLE = "E0334"
TOO_MANY = "E0335"


def refused(code: str, message: str, span: Span | None, hint: str = "", *notes: Note) -> Failure:
    """A failure with one problem."""
    return Failure(Problem(code, message, span, hint, notes))


def shown(moment: DeferredMoment) -> str:
    """A moment as it is written; the variable of a loop is its place."""
    if not moment.indices:
        return moment.name
    return f"{moment.name}[{', '.join(_index(index) for index in moment.indices)}]"


def _index(index: int | Round) -> str:
    if not isinstance(index, Round):
        return str(index)
    sign = "-" if index.offset < 0 else "+"
    return f"k {sign} {abs(index.offset)}" if index.offset else "k"
