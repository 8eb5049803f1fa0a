"""Commands that try something out: typed instructions and declarations, and changes by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from nasm import stopping
from nasm.debug.setting import Altered
from nasm.debug.typed import Element, Typed, Written
from nasm.dtypes import format_value
from nasm.problems import Refused, counted, listed, quoted
from nasm.records import Executed
from nasm.repl import text
from nasm.repl.command import WRONG, command
from nasm.repl.moving import came_to, interruptible, whole
from nasm.repl.screen import wrapped
from nasm.repl.session_commands import sets
from nasm.repl.shell import Shell
from nasm.report.arrays import UNWRITTEN
from nasm.session import Session
from nasm.spec.evidence import Cost

Result = TypeVar("Result")

ASSIGNED = re.compile(r"((?:[^=\[\]\"]|\[[^\]]*\])+?)\s*=(?!=)\s*(.+)", re.DOTALL)


@command("execute", usage="execute LINE", takes=("instruction",))
def execute(shell: Shell, rest: str) -> None:
    """Execute a typed instruction, or take a declaration.

    It is assembled with the program's names and executed as the next instruction of its engine, on
    the machine as it stands; the other engines go on meanwhile. A line that begins with a mnemonic,
    an @engine or a directive needs no command before it: Memset t, 1.0 and .sbuf t f32[128, 8].
    """
    if not rest:
        raise Refused(WRONG, "execute which instruction?", "execute @vector Memset t, 1.0")
    found = _acted(shell, lambda session: session.execute(rest), _typed)
    if found.pending and shell.session.over:
        shell.fail(1)


@command("try", usage="try LINE", takes=("instruction",))
def try_(shell: Shell, rest: str) -> None:
    """Execute a typed instruction, and go back.

    What it declares stays declared.
    """
    if not rest:
        raise Refused(WRONG, "try which instruction?", "try @vector Memset t, 1.0")
    session = shell.session
    found, asked = _moving(shell, lambda session: session.trial(rest))
    shell.adopt(session)
    try:
        shell.screen.say(_typed(session, found, shell.screen.width))
        shell.screen.say(f"and back: {text.status(session)}")
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
    """Give a tensor, a semaphore or a register a value: an expression, or an array file."""
    found = ASSIGNED.fullmatch(rest)
    if found is None:
        said = f"set what to what, found '{quoted(rest)}'"
        raise Refused(WRONG, said, "set t[0, 0:4] = 1.5")
    place, value = found[1], found[2]
    _acted(shell, lambda session: session.set(place, value), _set)


@command("skip", usage="skip [ENGINE]", takes=("engine",))
def skip(shell: Shell, rest: str) -> None:
    """Let an engine go past its next instruction.

    The engine may be left out if no other has instructions left.
    """
    _acted(shell, lambda session: session.skip(rest or None), _diverted)


# -- doing it


def _acted(
    shell: Shell, act: Callable[[Session], Result], say: Callable[[Session, Result, int], list[str]]
) -> Result:
    """Do something by hand, and show what came of it."""
    session = shell.session
    before = text.Snapshot.of(session)
    found, asked = _moving(shell, act)
    shell.adopt(session)
    try:
        shell.screen.say(say(session, found, shell.screen.width))
        changes = before.changes(text.Snapshot.of(session))
        if not isinstance(found, Altered):
            shell.screen.say(text.changed(changes, shell.screen.width))
        came_to(shell, before, asked, brief=True)
    finally:
        if asked is not None and asked.leaving:
            raise asked
    return found


def _moving(shell: Shell, act: Callable[[Session], Result]) -> tuple[Result, stopping.Told | None]:
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
    for one, cost in found.executed:
        lines += text.completed(session, _alone(one), width)
        lines.append(f"  {_cost(cost)} cycles of {session.name(one)} ({cost.evidence.value})")
    for tile in found.written:
        lines += _written(tile, width)
    if found.others:
        many = counted(len(found.others), "instruction")
        lines.append(f"meanwhile {many} of the program completed")
    if found.pending:
        has = "has" if found.pending == 1 else "have"
        lines.append(f"{counted(found.pending, 'typed instruction')} {has} not completed")
    return lines


def _alone(one: Executed) -> text.Completed:
    done = text.Completed()
    done.add([one])
    return done


def _cost(cost: Cost) -> str:
    return f"busy {cost.interval:,}, results after {cost.latency:,}"


def _written(tile: Written, width: int) -> list[str]:
    """What became of a tile, with its first elements."""
    name, size = tile.view.tensor.name, tile.view.size
    if not tile.count:
        return [f"{name}: every element stays as it was"]
    items = [_element(tile, one) for one in tile.first]
    items += ["…"] if tile.count > len(tile.first) else []
    said = f"{name}: {tile.count:,} of {counted(size, 'element')} changed"
    return [said, *wrapped(items, width)]


def _element(tile: Written, one: Element) -> str:
    dtype = tile.view.dtype
    before, after = (
        UNWRITTEN if value is None else format_value(value, dtype)
        for value in (one.before, one.after)
    )
    return f"[{', '.join(map(str, one.place))}] {before} -> {after}"


def _set(session: Session, found: Written | Altered, width: int) -> list[str]:
    return _written(found, width) if isinstance(found, Written) else [str(found)]


def _diverted(session: Session, found: Altered, width: int) -> list[str]:
    name = found.what.removeprefix("@").removesuffix(" pc")
    record = next(q for q in session.queues() if session.name(q) == name)
    return [str(found), f"next: {record.text}" if record.text else f"{name} has nothing left"]
