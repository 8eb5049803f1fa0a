"""Commands in Python."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import after_going, interruptible
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Failure, Refused
from nasm.show import steps

NAME = "<python>"
"""What a place in such code is called."""


@command(
    "python",
    "py",
    usage="python CODE",
    examples=("python session.now", "python [q.pc for q in session.queues()]"),
)
def python(shell: Shell, rest: str) -> None:
    """Run a statement of Python, with this session in its scope.

    'session' is the nasm.Session at the prompt, 'nasm' the package, 'np' NumPy; names that the code
    gives are kept. The value of an expression is printed. A statement that is not complete, such as
    a loop, continues on the next lines, and an empty line ends it. What moves the run shows where
    it is then.

    It is refused with --no-python and --no-files, and among the commands of a breakpoint.
    """
    if not shell.python:
        hint = "--no-python forbids it, and so does --no-files"
        raise Refused(WRONG, "this prompt runs no Python", hint)
    if shell.attached is not None:
        raise Refused(WRONG, "the commands of a breakpoint run no Python", "type it at the prompt")
    if not rest.strip():
        raise Refused(WRONG, "which code?", "python session.now")
    session = shell.session
    before = session.moment
    with interruptible(shell) as stop, _printing(shell):
        _run(shell, rest)
    if stop.asked is not None and stop.asked.leaving:
        raise stop.asked
    shell.renew()
    if session.moment != before:
        shell.screen.say(steps.status(session))
        after_going(shell)


def _run(shell: Shell, text: str) -> None:
    """Compile and run it; raises Refused for what goes wrong in it."""
    try:
        exec(compile(f"{text}\n", NAME, "single"), _scope(shell))
    except (Failure, Refused, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        where = _line(error)
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise Refused(WRONG, f"{said}{f', in line {where}' if where else ''}") from None


def _line(error: BaseException) -> int:
    """The line of the code that an error is of, if it has more than one; else 0."""
    if isinstance(error, SyntaxError):
        return 0  # its message names it
    found, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == NAME:
            found = at.tb_lineno
        at = at.tb_next
    return found if found > 1 else 0


def _scope(shell: Shell) -> dict[str, Any]:
    """The names that code has, and keeps."""
    import numpy

    nasm = import_module(__name__.partition(".")[0])  # which is above all rooms
    shell.scope |= {"session": shell.session, "nasm": nasm, "np": numpy}
    shell.scope.setdefault("__name__", NAME)
    return shell.scope


class _Lines(io.TextIOBase):
    """Says what is written to it, line by line."""

    def __init__(self, shell: Shell) -> None:
        self._shell, self._held = shell, ""

    def write(self, text: str) -> int:
        """Say the lines that it ends."""
        *lines, self._held = f"{self._held}{text}".split("\n")
        self._shell.screen.say(lines)
        return len(text)

    def end(self) -> None:
        """Say what no end of line came after."""
        if self._held:
            self._shell.screen.say(self._held)


@contextlib.contextmanager
def _printing(shell: Shell) -> Iterator[None]:
    """What is printed, and the value of an expression, go to the screen."""
    lines, shown = _Lines(shell), sys.displayhook

    def show(value: object) -> None:
        if value is not None:
            shell.scope["_"] = value
            shell.screen.say(repr(value).split("\n"))

    sys.displayhook = show
    try:
        with contextlib.redirect_stdout(lines):
            yield
    finally:
        sys.displayhook = shown
        lines.end()
