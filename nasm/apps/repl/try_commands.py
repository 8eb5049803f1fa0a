"""Commands that try something out: typed instructions and declarations, and changes by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from nasm.apps.repl import file_writing
from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import (
    SOME,
    after,
    after_going,
    came_to,
    element,
    interruptible,
    memory_lines,
    whole,
)
from nasm.apps.repl.session_commands import sets
from nasm.apps.repl.shell import Shell
from nasm.base import signals
from nasm.base.problems import Refused, counted, listed, quoted
from nasm.debugger.session import Session
from nasm.show import steps
from nasm.show.columns import wrapped

if TYPE_CHECKING:
    from nasm.debugger.changing.interactive import Typed
    from nasm.debugger.changing.setting import Altered

Result = TypeVar("Result")

ASSIGNED = re.compile(r"((?:[^=\[\]\"]|\[[^\]]*\])+?)\s*=(?!=)\s*(.+)", re.DOTALL)


@command("execute", usage="execute LINE", takes=("instruction",))
def execute(shell: Shell, rest: str) -> None:
    """Execute a typed instruction, or take a declaration.

    It is assembled with the program's names and executed as the next instruction of its engine, on
    the machine as it is; the other engines continue meanwhile. A line that begins with a mnemonic,
    an @engine or a directive needs no command before it, nor does .sbuf t f32[128, 8].
    """
    if not rest:
        raise Refused(
            WRONG, "execute which instruction?", "one as in a program, with its engine: execute @…"
        )
    found = _acted(shell, lambda session: session.execute(rest), _typed)
    if found.pending and shell.session.over:
        shell.fail(1)


@command("try", usage="try LINE", takes=("instruction",))
def try_(shell: Shell, rest: str) -> None:
    """Execute a typed instruction, and go back.

    What it declares stays declared.
    """
    if not rest:
        raise Refused(
            WRONG, "try which instruction?", "one as in a program, with its engine: try @…"
        )
    session = shell.session
    found, asked = _done(shell, lambda session: session.changes.trial(rest))
    shell.renew()
    try:
        shell.screen.say(_typed(session, found, shell.screen.width))
        shell.screen.say(f"and back: {steps.status(session)}")
    finally:
        if asked is not None and asked.leaving:
            raise asked


@sets(r"pc\b(?!\s*[=\[])")
def set_pc(shell: Shell, rest: str) -> None:
    """Send an engine to an instruction: by its number, by a label, or as the first of a line."""
    words = rest.split(maxsplit=2)[1:]
    if len(words) < 2:
        raise Refused(WRONG, "set the pc of which engine to what?", "set pc @vector 3")
    _acted(shell, lambda session: session.set_pc(*words), _diverted)


@sets(r"[$@%]|.*=")
def set_value(shell: Shell, rest: str) -> None:
    """Give a tensor, a semaphore, a register or a part of a core a value, or an array file's."""
    found = ASSIGNED.fullmatch(rest)
    if found is None:
        message = f"set what to what, found '{quoted(rest)}'"
        raise Refused(WRONG, message, "set t[0, 0:4] = 1.5")
    place, value = found[1], found[2]
    _acted(shell, lambda session: session.set(place, value), _set)


@command("skip", usage="skip [ENGINE]", takes=("engine",))
def skip(shell: Shell, rest: str) -> None:
    """Let an engine go past its next instruction.

    The engine may be left out if no other has instructions left.
    """
    _acted(shell, lambda session: session.skip(rest or None), _diverted)


@command(
    "save",
    usage="save FILE [replace]",
    takes=("file",),
    examples=("save tried.nasm", "save run.nrec"),
)
def save(shell: Shell, rest: str) -> None:
    """Write the program with all that was typed, or a recording of the run.

    What was typed follows the program, in the order in which it was executed; what was changed by
    hand otherwise is a comment. A file whose name ends in .nrec is a recording: the program and its
    inputs, what was typed and changed by hand, named moments, names of expressions and breakpoints.
    'neuron-nasm repl --replay' continues from there. A file that exists is left as it is unless the
    line ends with 'replace'.
    """
    session = shell.session
    if not re.fullmatch(r".*\.nrec(\s+replace)?", rest.strip()):
        typed = session.changes.typed_text
        name, text = file_writing.write("save", rest, "save tried.nasm", lambda _: typed())
        shell.screen.say(f"saved {counted(len(text.splitlines()), 'line')} in {name}")
        return
    whole(shell)
    name, data = file_writing.write("save", rest, "save run.nrec", lambda _: session.recorded())
    shell.screen.say(f"saved {counted(len(data), 'byte')} in {name}")
    left = [str(one.number) for one in session.breakpoints if one.commands]
    if left:
        shell.screen.say(
            f"the commands of breakpoint {listed(left, 'and')} are not in it", "yellow"
        )


# -- doing it


def _acted(
    shell: Shell, act: Callable[[Session], Result], say: Callable[[Session, Result, int], list[str]]
) -> Result:
    """Do something by hand, and show what came of it."""
    from nasm.debugger.changing.interactive import Typed

    session, width = shell.session, shell.screen.width
    before, status, hits = steps.Snapshot.of(session), session.status, session.hits
    found, asked = _done(shell, act)
    shell.renew()
    try:
        shell.screen.say(say(session, found, width))
        if isinstance(found, Typed) and shell.settings.changes:
            shell.screen.say(steps.changed(before.changes(steps.Snapshot.of(session)), width))
        stopped = session.hits is not hits  # else the stop before it has been reported
        came_to(shell, before, asked, brief=True, ended=session.status is status, stopped=stopped)
        after(shell) if stopped else after_going(shell)
    finally:
        if asked is not None and asked.leaving:
            raise asked
    return found


def _done(
    shell: Shell, act: Callable[[Session], Result]
) -> tuple[Result, signals.StopSignal | None]:
    """Do what may move the machine; also returns by whom that was stopped."""
    whole(shell)
    with interruptible(shell) as stop:
        found = act(shell.session)
    return found, stop.asked


# -- saying it


def _typed(session: Session, found: Typed, width: int) -> list[str]:
    lines = []
    by_kind: dict[str, list[str]] = {}
    for name, what in found.declared:
        by_kind.setdefault(what, []).append(name)
    for what, names in by_kind.items():
        lines.append(f"declared: {counted(len(names), what)}, {listed(names, 'and')}")
    together = len(found.executed) > steps.SHOWN
    if together:
        done = steps.Completed()
        done.add([one for one, _ in found.executed])
        lines += steps.completed(session, done, width)
    for one, cost in () if together else found.executed:
        done = steps.Completed()
        done.add([one])
        lines += steps.completed(session, done, width)
        text = f"busy {cost.interval:,}, results after {cost.latency:,} cycles of"
        lines.append(f"  {text} {session.name(one)} ({cost.evidence.value})")
    if found.others:
        many = counted(len(found.others), "instruction")
        lines.append(f"meanwhile {many} of the program completed")
    if found.pending:
        has = "has" if found.pending == 1 else "have"
        lines.append(f"{counted(found.pending, 'typed instruction')} {has} not completed")
    return lines + memory_lines(found.memory, width)


def _set(_: Session, found: Altered, width: int) -> list[str]:
    if found.after is not None:
        return [str(found)]
    if found.count:
        items = [str(found), *map(element, found.elements[:SOME])]
        return wrapped(items, width, hang="  ")
    return memory_lines(found.memory, width) or ["every element has that value already"]


def _diverted(session: Session, found: Altered, _: int) -> list[str]:
    name = found.what.removeprefix("@").removesuffix(" pc")
    record = next(q for q in session.queues() if session.name(q) == name)
    return [str(found), f"next: {record.text}" if record.text else f"{name} has nothing left"]
