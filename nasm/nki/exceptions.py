"""What a kernel, or a script, raises of its own: reported at its line, without a traceback."""

from __future__ import annotations

import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from nasm.base.problems import Failure, Problem, quoted
from nasm.base.source import Frame
from nasm.nki.errors import HERE, line_of
from nasm.nki.misspelt import instead

RAISED = "E0655"
"""The code of what a kernel, or the script that calls it, raises."""
NOT_RUN = "E0656"
"""The code of a kernel that cannot be read, or called as the command line says."""


def permitted(program: str, python: bool) -> None:
    """Refuse a program that is Python where none may be run; raises Failure."""
    if not python:
        message = f"{quoted(program)} is Python, and Python may not be run"
        hint = "--no-python forbids it, and so does --no-files (python=False in Python)"
        raise Failure(Problem(NOT_RUN, message, None, hint))


_LIBRARY = tuple(
    {sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


@contextmanager
def telling() -> Iterator[None]:
    """Report as a Failure what is raised inside by the user's code; a defect of ours stays."""
    try:
        yield
    except (Failure, KeyboardInterrupt):
        raise
    except BaseException as error:  # a kernel may define its own, and SystemExit is one
        problem = problem_of(error)
        if problem is None:
            raise
        raise Failure(problem) from error


def problem_of(error: BaseException) -> Problem | None:
    """What was raised as a problem at its line; None if it is a defect of ours."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        span = line_of(error.filename, error.lineno or 0)
        # A text that the kernel itself compiles has no file; what has one could not be read.
        code = RAISED if span is None else NOT_RUN
        return Problem(code, f"{type(error).__name__}: {error.msg}", span)
    steps = list(_steps(error.__traceback__))
    if _ours(steps) and not _of_arguments(error) and not isinstance(error, RecursionError):
        return None
    mine = [(name, file, line) for name, file, line in steps if not foreign(file)]
    spans = [(name, line_of(file, line)) for name, file, line in mine]
    known = [(name, span) for name, span in spans if span is not None]
    hint = "\n".join(map(str, getattr(error, "__notes__", ()))) or instead(error)
    if not known:
        return Problem(RAISED, _description(error), None, hint)
    chain = tuple(Frame(name, span) for name, span in known[:-1])
    return Problem(RAISED, _description(error), known[-1][1].within(chain), hint)


def _description(error: BaseException) -> str:
    """Its type, and what it says if it says anything."""
    name = type(error).__name__
    if isinstance(error, SystemExit):
        return f"the kernel calls sys.exit({_shown(error.code)}): nothing was run"
    try:
        text = str(error)
    except Exception:  # the kernel's own exceptions have a __str__ of the kernel's
        return name
    return f"{name}: {text}" if text else name


def _shown(code: object) -> str:
    return quoted(repr(code)) if isinstance(code, int | str) else ""


def _steps(trace: TracebackType | None) -> Iterator[tuple[str, str, int]]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield code.co_name, code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _ours(steps: list[tuple[str, str, int]]) -> bool:
    """Whether it arose in nasm, and was not raised there on purpose."""
    for _, file, line in reversed(steps):
        if file.startswith(HERE):
            return not linecache.getline(file, line).strip().startswith("raise ")
        if not foreign(file):
            return False
    return False


def _of_arguments(error: BaseException) -> bool:
    """Whether it is what Python says of a call whose arguments a function does not take."""
    return isinstance(error, TypeError) and _ARGUMENTS.search(str(error)) is not None


_ARGUMENTS = re.compile(r"\(\) (got|missing|takes) .*(argument|value)")


def foreign(file: str) -> bool:
    """Whether a file is neither the kernel's nor one that it brought along."""
    return file.startswith((HERE, "<frozen", *_LIBRARY)) or file == sys.executable
