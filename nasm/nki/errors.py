"""Errors of a kernel, reported at its line, and the place of a call in the kernel."""

from __future__ import annotations

import enum
import linecache
import os
import sys
from enum import Enum
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, Parameter, Signature
from types import CodeType, FrameType
from typing import NoReturn

from nasm.base.problems import Failure, Problem
from nasm.base.source import Frame, Source, Span

HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
"""Where nasm is."""

NOT_NKI = "E0650"
"""The code of what is no NKI of today, or none that runs here."""
MISUSED = "E0651"
"""The code of a call that NKI has no meaning for."""

_SOURCES: dict[str, tuple[list[str], Source]] = {}
_SPANS: dict[tuple[str, CodeType, int], Span | None] = {}
"""By file too: code of two files is equal to Python if only its file differs."""

Mark = tuple[CodeType, int]
"""A line of Python: what it belongs to, and its number."""

Trail = tuple[int, ...]
"""Where Python is: of each frame the number of its code and of its instruction, innermost first."""

_REPORTED, _OURS, _FLOOR = range(3)
_KINDS: dict[int, int] = {}
_SKIPPED: set[int] = set()
_CODES: dict[int, CodeType] = {}
"""What has been met, by its number in this process; kept, so that no number comes again."""
_LINES: dict[tuple[int, int], int] = {}
"""The lines of instructions, by the number of their code."""


def floor(code: CodeType) -> None:
    """Make this the handler of kernel calls: outer handlers do not see them."""
    _CODES[id(code)], _KINDS[id(code)] = code, _FLOOR
    _SKIPPED.discard(id(code))


def refuse(message: str, hint: str = "", code: str = MISUSED) -> NoReturn:
    """Refuse what the kernel does, at its line."""
    raise Failure(Problem(code, message, here(), hint))


def trail(frame: FrameType | None) -> Trail:
    """Where Python is, from a frame out to where the kernel was called; without nasm."""
    while frame is not None:
        number = id(frame.f_code)
        if number not in _SKIPPED:
            kind = _KINDS.get(number)
            if kind is None:
                kind = _met(frame.f_code)
            if kind == _REPORTED:
                return (number, frame.f_lasti, *_around(frame))
            if kind == _FLOOR:
                break
        frame = frame.f_back
    return ()


_last: tuple[FrameType | None, Trail] = None, ()
"""The frame that was asked about last, and the trail from what called it on."""


def _around(frame: FrameType) -> Trail:
    """The trail of what called a frame: the same for all calls that the frame makes."""
    global _last
    known, around = _last
    if known is frame:
        return around
    found: list[int] = []
    outer, flags = frame.f_back, frame.f_code.co_flags
    while outer is not None:
        code = outer.f_code
        kind = _KINDS.get(id(code))
        if kind is None:
            kind = _met(code)
        if kind == _FLOOR:
            break
        if kind == _REPORTED:
            found += (id(code), outer.f_lasti)
        flags |= code.co_flags
        outer = outer.f_back
    if not flags & RESUMED:
        _last = frame, tuple(found)
    return tuple(found)


def forget_last() -> None:
    """Keep no frame of a kernel that is over, and none of what its variables hold."""
    global _last
    _last = None, ()


RESUMED = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
"""Flags of code that is left and resumed, which others may call then."""


def _met(code: CodeType) -> int:
    ours = (HERE, "<frozen ", enum.__file__)  # an enumeration asks for what it has no member of
    kind = _OURS if code.co_filename.startswith(ours) else _REPORTED
    _CODES[id(code)], _KINDS[id(code)] = code, kind
    if kind == _OURS:
        _SKIPPED.add(id(code))
    return kind


def steps(found: Trail) -> list[tuple[CodeType, int]]:
    """The code and the instruction of each frame of a trail, innermost first."""
    return [(_CODES[number], at) for number, at in zip(found[::2], found[1::2], strict=True)]


def marks(found: Trail) -> list[Mark]:
    """The lines of a trail, innermost first."""
    return [(code, _line(code, at)) for code, at in steps(found)]


def _line(code: CodeType, at: int) -> int:
    key = id(code), at
    found = _LINES.get(key)
    if found is None:
        found = _LINES[key] = _line_at(code, at)
    return found


def _line_at(code: CodeType, at: int) -> int:
    for start, end, line in code.co_lines():
        if start <= at < end and line is not None:
            return line
    return code.co_firstlineno


def span_of(mark: Mark) -> Span | None:
    """A line of Python as a place; None if its text is not known."""
    code, number = mark
    key = code.co_filename, code, number
    if key not in _SPANS:
        _SPANS[key] = line_of(code.co_filename, number)
    return _SPANS[key]


def line_of(name: str, number: int) -> Span | None:
    """A line of a file as a place; None if its text is not known."""
    linecache.checkcache(name)
    lines = linecache.getlines(name)
    known, source = _SOURCES.get(name) or ([], None)
    if source is None or known != lines:  # a file may be changed, and imported again
        source = Source(_shown(name), "".join(lines))
        _SOURCES[name] = lines, source
    if not 0 < number <= source.text.count("\n") + 1 or not source.text:
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


def frames(outer: list[Mark]) -> tuple[Frame, ...]:
    """The calls that led to a line, outermost first."""
    chain = ((code.co_name, span_of((code, line))) for code, line in reversed(outer))
    return tuple(Frame(name, span) for name, span in chain if span is not None)


def here() -> Span | None:
    """The line of Python that called into this package; in a kernel, how it got there, too."""
    found = marks(trail(sys._getframe(1)))
    if not found:
        return None
    span = span_of(found[0])
    return span.within(frames(found[1:])) if span and in_kernel() else span


def in_kernel() -> bool:
    """Whether a kernel is running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _KINDS.get(id(frame.f_code)) == _FLOOR:
            return True
        frame = frame.f_back
    return False


def with_signature(wrong: TypeError, name: str, signature: Signature) -> None:
    """Add to what Python says of the arguments of a call what the function takes."""
    trace = wrong.__traceback__
    if trace is None or trace.tb_next is not None:  # raised further in
        return
    each = signature.parameters.values()
    wrong.add_note(f"{name}({', '.join(map(_parameter, each))})")


def _parameter(parameter: Parameter) -> str:
    value = parameter.default
    if value is Parameter.empty:
        return parameter.name
    word = f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
    return f"{parameter.name}={word}"


def ours(code: CodeType) -> bool:
    """Whether some code is nasm's, or Python's own import."""
    kind = _KINDS.get(id(code))
    return (_met(code) if kind is None else kind) == _OURS
