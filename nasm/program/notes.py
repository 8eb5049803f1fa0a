"""Notes of a problem: where a name was declared; and problems in order."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nasm.base.problems import Note, Problem
from nasm.base.source import Span
from nasm.views.tensor import Tensor
from nasm.views.view import View


def declared_note(name: str, span: Span | None) -> tuple[Note, ...]:
    """A note that says where a name was declared."""
    return (Note(f"{name} is declared here", span),) if span is not None else ()


def another(name: str, span: Span | None, before: Span | None) -> str:
    """A hint for a line that declares the same name again, because it is repeated."""
    if not (before and span and (before.source, before.start) == (span.source, span.start)):
        return ""
    for frame in reversed(span.chain):
        match = _ROUND.match(frame.what)
        if match:
            return f"each round needs a name of its own, as in {name}{{{match[1]}}}"
    return "each call needs a name of its own" if span.chain else ""


_ROUND = re.compile(r"\.for (\w+) = ")


def declared(value: object) -> tuple[Note, ...]:
    """The same for the tensor that a value is, or is a part of."""
    tensor = value.tensor if isinstance(value, View) else value
    return declared_note(tensor.name, tensor.span) if isinstance(tensor, Tensor) else ()


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Each once, in the order of the text."""
    seen: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        where = problem.span
        key = (problem.code, problem.message, where and (where.source.name, where.start))
        seen.setdefault(key, problem)
    return sorted(
        seen.values(), key=lambda p: (p.span.source.name, p.span.start) if p.span else ("", -1)
    )
