"""What is wrong with a kernel, told at its line, and where a call stands in the kernel."""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType, FrameType
from typing import NoReturn

from nasm.problems import Failure, Problem
from nasm.source import Frame, Source, Span

HERE = os.path.dirname(__file__) + os.sep

NOT_NKI = "E0650"
"""The code of what is no NKI of today, or none that runs here."""
MISUSED = "E0651"
"""The code of a call that NKI has no meaning for."""

_SOURCES: dict[str, Source] = {}
_SPANS: dict[tuple[CodeType, int], Span | None] = {}

Mark = tuple[CodeType, int]
"""A line of Python: what it belongs to, and its number."""


def refuse(message: str, hint: str = "", code: str = MISUSED) -> NoReturn:
    """Refuse what the kernel does, at its line."""
    raise Failure(Problem(code, message, here(), hint))


def span_of(mark: Mark) -> Span | None:
    """A line of Python as a place; None if its text is not known."""
    if mark not in _SPANS:
        _SPANS[mark] = _span(*mark)
    return _SPANS[mark]


def _span(code: CodeType, number: int) -> Span | None:
    name = code.co_filename
    source = _SOURCES.get(name)
    if source is None:
        source = _SOURCES[name] = Source(_shown(name), "".join(linecache.getlines(name)))
    if not source.text:
        return None
    start, text = source.offset(number), source.line(number)
    indent = len(text) - len(text.lstrip())
    return Span(source, start + indent, start + len(text.rstrip()))


def _shown(name: str) -> str:
    """A file as a user would name it: from the working directory if it is in there."""
    try:
        near = os.path.relpath(name)
    except ValueError:  # another drive
        return name
    return name if near.startswith(os.pardir) else near


def marks(frame: FrameType | None, last: FrameType | None = None) -> list[Mark]:
    """The lines of Python that led to a frame, itself first, up to one that is not told.

    Those of this package are left out.
    """
    found: list[Mark] = []
    while frame is not None and frame is not last:
        code = frame.f_code
        if not code.co_filename.startswith(HERE):
            found.append((code, frame.f_lineno))
        frame = frame.f_back
    return found


def frames(outer: list[Mark]) -> tuple[Frame, ...]:
    """The calls that led to a line, outermost first."""
    chain = ((code.co_name, span_of((code, line))) for code, line in reversed(outer))
    return tuple(Frame(name, span) for name, span in chain if span is not None)


def here() -> Span | None:
    """The line of Python that called into this package."""
    found = marks(sys._getframe(1))
    return span_of(found[0]) if found else None
