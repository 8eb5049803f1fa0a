"""The REPL: step a program, look inside its machine. It sees a Session and records."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from nasm.base import gc_pause, host_files, signals
from nasm.base.problems import Failure, Problem
from nasm.base.records import replace
from nasm.base.source_files import decoded

if TYPE_CHECKING:
    from nasm.apps.repl.shell import Shell
    from nasm.base.source_files import Given
    from nasm.machine.inputs import Inputs
    from nasm.program.program import Program
    from nasm.runs.settings import RunSettings, SessionKeywords

__all__ = ["main"]


def main(
    path: str | None,
    *,
    replay: str | None = None,
    inputs: Inputs | None = None,
    settings: RunSettings | None = None,
    script: str | None = None,
    commands: Sequence[str] = (),
    stay: bool = False,
    echo: bool = False,
    plain: bool = False,
    view: bool = False,
    init: str | None = None,
    no_init: bool = False,
    color: str = "auto",
    kernel: Callable[[], tuple[Program, Mapping[str, Any]]] | None = None,
    typed_python: bool = True,
    rank: int = 0,
    **keywords: Unpack[SessionKeywords],
) -> int:
    """Start the REPL on a program (``-`` is standard input) or on none; returns an exit code.

    With ``replay`` it is where that recording is. ``kernel`` gives the program that ``path`` names,
    with its inputs, where that is no text. Of the ``settings`` one ``run`` obeys
    ``max_instructions``. ``typed_python`` says whether Python may be typed. Of
    a program with several ranks ``rank`` is debugged first.

    With a ``script`` (a file of commands) or ``commands`` it runs those and leaves, or is attended
    then if it is to ``stay``; with what it reads, if standard input is no terminal, it does the
    same. ``init`` is a file of commands to begin with; when it is attended the default is the
    user's start-up file, unless ``no_init``. Unattended it returns 0, or 1 if a command failed or
    the program broke a promise, 2 if it did not assemble, 70 after a defect in nasm, 130 if it was
    interrupted. Raises :class:`~nasm.base.signals.StopSignal` if a signal ends it.
    """
    # Rich and the machine are imported here, so that importing nasm.apps.repl costs nothing.
    with gc_pause.paused():
        from nasm.apps.repl import help_commands  # noqa: F401  (what it imports declares the commands)
        from nasm.apps.repl.screen import ReplScreen, typed_into
        from nasm.apps.repl.shell import NOT_ASSEMBLED, Shell
        from nasm.runs.settings import with_keywords

    chosen, screen = with_keywords(settings, keywords), ReplScreen(color=color)
    screen.settings.echo, screen.settings.plain = echo, plain
    try:
        shell = Shell(
            screen, inputs=inputs, settings=chosen, kernel=kernel, python=typed_python, rank=rank
        )
    except Failure as failure:
        for problem in failure.problems:
            screen.problem(problem)
        return NOT_ASSEMBLED
    shell.adopt(None)
    try:
        with signals.heard():
            attended = (stay or (script is None and not commands)) and typed_into()
            start = init or (startup_file() if attended and not no_init else None)
            return _session(shell, path, replay, start, script, commands, attended, view)
    except BrokenPipeError:  # the reader has closed the pipe (``| head``)
        return _judged(shell)
    finally:
        shell.recording.end()


def startup_file() -> str | None:
    """The file of commands in the user's configuration folder, if there is one."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):  # as the specification of these folders wants it
        base = os.path.expanduser(os.path.join("~", ".config"))
    path = os.path.join(base, "neuron-nasm", "init")
    return path if os.path.isfile(path) else None


def _session(
    shell: Shell,
    path: str | None,
    replay: str | None,
    start: str | None,
    script: str | None,
    commands: Sequence[str],
    attended: bool,
    view: bool,
) -> int:
    """All of it, once there is a shell; returns the exit code."""
    from nasm.apps.repl.run_commands import loaded
    from nasm.apps.repl.shell import NOT_ASSEMBLED, Quit
    from nasm.base.files import ANY

    given = script is not None or bool(commands)
    try:
        lines = list(_script(script)) if script is not None else []
        if start is not None:
            shell.source(start, ANY)
        if replay is not None:
            shell.replay(replay)
        elif path is not None:
            shell.given = path
            shell.load(path, _standard_input() if path == "-" else None)
        else:
            shell.begin_empty()
    except Quit:
        return shell.code
    except Failure as failure:
        shell.refuse(failure.problems, NOT_ASSEMBLED)
        if not attended:
            return shell.code
    if attended and shell.loaded:
        loaded(shell)
    if given or not attended:
        everything = (line for text in (*lines, *commands) for line in text.split("\n"))
        code, left = unattended(shell, everything if given else sys.stdin, view and not attended)
        if left or not attended:
            return code
    return _attended(shell, view)


def _attended(shell: Shell, view: bool) -> int:
    from nasm.apps.repl.prompt import interact

    shell.screen.say("'help' lists the commands, Tab completes, Ctrl-D leaves")
    shell.attended = True
    if view:
        shell.execute("view")
    interact(shell)
    return 0


def unattended(shell: Shell, lines: Iterable[str], view: bool = False) -> tuple[int, bool]:
    """Do commands one after the other; returns the exit code, and whether one was to leave.

    If there is something to ``view``, the panels are printed at last.
    """
    from nasm.apps.repl import input
    from nasm.apps.repl.shell import INTERRUPTED, NOT_ASSEMBLED, Quit

    try:
        for _, line in input.joined(lines):
            if shell.settings.echo and line:
                shell.echo(line)
            shell.take(line)
            if shell.code == INTERRUPTED:
                return INTERRUPTED, False
        if view:
            shell.execute("view")
    except Quit:
        return _judged(shell), True
    except KeyboardInterrupt as error:
        if signals.StopSignal.of(error).leaving:
            raise
        return INTERRUPTED, False
    except UnicodeDecodeError:
        shell.refuse([Problem("E0801", "standard input is not UTF-8 text")], NOT_ASSEMBLED)
    return _judged(shell), False


def _judged(shell: Shell) -> int:
    """The exit code, with what the program broke so far."""
    from nasm.apps.repl.shell import FAILED

    if shell.broken():
        shell.fail(FAILED)
    return shell.code


def _script(name: str) -> list[str]:
    """The lines of a file of commands; raises Failure."""
    if name == "-":
        return sys.stdin.read().splitlines()
    try:
        return decoded(host_files.read_bytes(name), name).splitlines()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise Failure(Problem("E0801", f"cannot read {name}: {reason}")) from None


def _standard_input() -> Given:
    from nasm.base.source_files import LARGEST, given_as

    held = getattr(sys.stdin, "buffer", None)  # a stream of text may replace it
    read = sys.stdin.read().encode() if held is None else held.read(LARGEST + 1)
    return replace(given_as(read, "standard input"), name="<stdin>")
