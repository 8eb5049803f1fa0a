"""Moving the machine from the prompt: interruptible, and what came of it in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nasm.apps.repl.command import WRONG
from nasm.apps.repl.shell import INTERRUPTED, Shell
from nasm.base import signals
from nasm.base.problems import Failure, Refused, counted
from nasm.base.suppressions import in_turn
from nasm.debugger.moving.breakpoint_records import HAZARDS
from nasm.debugger.session import Session
from nasm.machine.records import Progress, Status
from nasm.show import steps, tables
from nasm.show.columns import cut, wrapped

if TYPE_CHECKING:
    from nasm.debugger.moving.delta import MemoryChange
    from nasm.debugger.moving.stops import ElementChange

Move = Callable[[Session, steps.Completed], None]
"""Moves the machine, and notes what completed."""

SLICE = 256
"""Instructions, and cycles, between two looks at whether Ctrl-C was pressed."""

LOOK = 0.05
"""Seconds between two looks at how far a run has got."""

TENSORS, SOME = 4, 2
"""Tensors that are named which a move has changed, and elements of each."""


def watched(shell: Shell) -> Callable[[Progress], None]:
    """What shows how far a run has got."""

    def look(progress: Progress) -> None:
        shell.screen.passing(
            f"{progress.instructions:,} instructions, {progress.microseconds:,.1f} µs"
            " (Ctrl-C stops)"
        )

    return look


@contextmanager
def interruptible(shell: Shell) -> Iterator[signals.Stop]:
    """Ctrl-C halts what is done within where the machine is whole."""
    session = shell.session
    session.halt(False)
    with signals.heard(), signals.on_stop(session.halt) as stop:
        # Any other exception leaves the flag set, and with it an inconsistent machine.
        shell.moving = True
        try:
            yield stop
        except (Failure, Refused):
            shell.moving = False
            raise
        shell.moving = False


def whole(shell: Shell) -> None:
    """Raises Refused if the machine was stopped within an instruction."""
    if shell.torn:
        raise Refused(
            WRONG,
            "the machine was stopped within an instruction and cannot continue",
            "'back' goes to before it, 'restart' starts over",
        )


def moved(shell: Shell, move: Move, each: bool) -> None:
    """Move the machine on, then show what came of it; ``each`` says whether step by step."""
    session = shell.session
    whole(shell)
    if session.over:
        shell.screen.say(steps.status(session))
        return
    before = steps.Snapshot.of(session)
    since = session.memory.since()
    done = steps.Completed()
    shell.cut = False
    session.breakpoints.hazards = shell.wanted(shell.settings.stop_on_hazard)
    with interruptible(shell) as stop:
        move(session, done)
    asked = stop.asked
    try:
        width = shell.screen.width
        if each:
            shell.screen.say(steps.completed(session, done, width))
        elif done.count or not session.interrupted:
            shell.screen.say(f"{counted(done.count, 'instruction')} completed")
        if shell.settings.changes:
            if each:
                shell.screen.say(steps.changed(before.changes(steps.Snapshot.of(session)), width))
            if each or not session.over:
                shell.screen.say(memory_lines(session.memory.changes(since), width))
        came_to(shell, before, asked, brief=each and done.count > 0)
        after(shell)
    finally:
        session.memory.release(since)
        if asked is not None and asked.leaving:  # though the terminal may have gone
            raise asked


def memory_lines(changes: tuple[MemoryChange, ...], width: int) -> list[str]:
    """What changed in memory: a line for each tensor."""
    lines: list[str] = []
    for one in changes[:TENSORS]:
        more = " or more" if one.more else ""
        items = [f"{one.place} {counted(one.count, 'element')}{more} changed"]
        items += map(element, one.elements[:SOME])
        if one.nan is not None:
            items.append(f"NaN or infinite first at [{', '.join(map(str, one.nan))}]")
        lines += wrapped(items, width, hang="  ")
    if len(changes) > TENSORS:
        rest = ", ".join(one.tensor for one in changes[TENSORS:])
        lines += wrapped([f"and {counted(len(changes) - TENSORS, 'more tensor')}: {rest}"], width)
    return [cut(line, width) for line in lines]


def element(one: ElementChange) -> str:
    """An element as it was and as it is."""
    index = f"[{', '.join(map(str, one.index))}] " if one.index else ""
    return f"{index}{_value(one.before)} -> {_value(one.after)}"


def _value(value: object) -> str:
    if value is None:
        return "__"
    try:
        return f"{float(value):.6g}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value)


def came_to(
    shell: Shell,
    before: steps.Snapshot,
    asked: signals.StopSignal | None,
    brief: bool,
    ended: bool = False,
    stopped: bool = True,
) -> None:
    """Show what went wrong on the way, and how it ended if it did, unless it had ``ended`` so.

    Breakpoints are named if the run has ``stopped`` at them now.
    """
    session = shell.session
    text = session.messages[before.messages :]
    more = steps.messages(session) - before.messages - len(text)
    shell.screen.say(tables.message_lines(text, more))
    judged = session.judged()
    every = in_turn(judged.warnings, judged.errors)
    new = [p for p in every if steps.problem_key(p) not in before.noticed]
    for problem in (*new, *session.problems[before.problems :]):
        shell.screen.problem(problem)
    if asked is not None and not session.over:
        resumes = "" if asked.leaving else "; 'continue' resumes"
        shell.screen.say(f"stopped at {steps.moment(session)}{resumes}", "yellow")
        shell.fail(INTERRUPTED)
    elif session.hits and stopped:
        shell.screen.say(hit_lines(session, shell.screen.width), "yellow")
        hazard = any(hit.breakpoint.number == HAZARDS for hit in session.hits)
        why = ", for a hazard ('set stop-on hazard off' runs past them)" if hazard else ""
        over = steps.status(session) if session.over else ""
        shell.screen.say(over or f"stopped at {steps.moment(session)}{why}")
    elif (session.over or not brief) and not ended:
        shell.screen.say(steps.status(session))
    if session.status is Status.FINISHED and not ended:
        judge(shell)


def hit_lines(session: Session, width: int) -> list[str]:
    """The breakpoints at which the run is."""
    lines: list[str] = []
    for hit in session.hits:
        if hit.breakpoint.number == HAZARDS:
            continue  # it is reported as a problem
        lines.append(str(hit))
        if hit.met.elements:
            items = [counted(hit.met.count, "element"), *map(element, hit.met.elements[:SOME])]
            lines += wrapped(items, width, hang="  ")
    return lines


def judge(shell: Shell) -> None:
    """Print the results of a finished run's expectations."""
    report = shell.final()
    shell.screen.expectations(report.expectations)
    for problem in report.problems:
        shell.screen.problem(problem)


def after(shell: Shell) -> None:
    """What is shown after every stop, and done at it: displays, context, attached commands."""
    after_going(shell)
    lines = [line for hit in shell.session.hits for line in hit.breakpoint.commands]
    if shell.attached is not None:  # one of them has moved on: those of the new stop come instead
        shell.attached[:] = lines or shell.attached
        return
    shell.attached = lines
    try:
        while shell.attached and shell.execute(shell.attached.pop(0)):
            pass
    finally:
        shell.attached = None


def gone(shell: Shell, go: Callable[[Session], str]) -> None:
    """Take the machine to another moment, and say where it is; ``go`` returns what to say."""
    session = shell.session
    if shell.torn:
        session.mend()
        shell.torn = False
    shell.cut = False
    with interruptible(shell) as stop:
        text = go(session)
    shell.renew()
    asked = stop.asked
    try:
        shell.screen.say(hit_lines(session, shell.screen.width), "yellow")
        shell.screen.say(text or [])
        shell.screen.say(steps.status(session))
        if asked is not None:
            shell.screen.say("interrupted on the way", "yellow")
            shell.fail(INTERRUPTED)
        after_going(shell)
    finally:
        if asked is not None and asked.leaving:
            raise asked


def after_going(shell: Shell) -> None:
    """What is shown wherever the machine stops: displays and context, if no panel has them."""
    from nasm.show import engines

    session, kept = shell.session, shell.kept
    if "display" not in kept:
        shell.screen.say(shell.displays.lines(session, shell.screen.width))
    context = shell.wanted(shell.settings.context) and "queues" not in kept
    if context and not session.over:
        shell.screen.say(engines.lines(session, shell.screen.width, shell.settings.plain)[1:])
