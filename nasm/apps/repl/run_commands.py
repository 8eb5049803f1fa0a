"""Commands that begin and end."""

from __future__ import annotations

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import judge
from nasm.apps.repl.shell import FAILED, NOT_ASSEMBLED, Quit, Shell
from nasm.base.problems import Failure, Refused, counted, in_line, quoted
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.debugger.session import NO_PROGRAM
from nasm.isa.figures import figures_line
from nasm.machine.records import Status
from nasm.show import steps


@command("restart", "reset", loses=True)
def restart(shell: Shell, rest: str) -> None:
    """Restart the program with the same inputs."""
    session = shell.session
    session.restart()
    shell.torn = shell.cut = False
    shell.renew()
    shell.screen.say("restarted")


@command("load", usage="load [FILE]", takes=("file",), loses=True)
def load(shell: Shell, rest: str) -> None:
    """Assemble a file and load it; alone, the same file."""
    path = rest.strip() or shell.path
    if not path:
        raise Refused(WRONG, "no program is loaded", "load FILE")
    before, same = shell.loaded, path == shell.path
    try:
        shell.load(path)
    except Failure as failure:
        shell.refuse(failure.problems, NOT_ASSEMBLED)
        if shell.loaded:
            shell.screen.say(f"not loaded: {in_line(shell.path)} stays as it was", "yellow")
        return
    loaded(shell)
    if before is not None and same:
        for one, why in shell.session.take_over(before):
            kind = "breakpoint " if isinstance(one, Breakpoint) else ""
            shell.screen.say(f"{kind}{one} is gone: {why}", "yellow")
        for one in shell.session.breakpoints:
            if one.note:
                shell.screen.say(f"breakpoint {one}: {one.note}")
        shell.renew()


@command("rank", "ranks", usage="rank [N]")
def rank(shell: Shell, rest: str) -> None:
    """Debug another rank, at the same time; alone, list what each rank is at.

    Breakpoints are taken along. Changes by hand are not: each rank is debugged on its own.
    """
    session, text = shell.session, rest.strip()
    if session.rank is None:
        raise Refused(WRONG, "the program has one rank")
    if not text:
        for number, state in enumerate(session.ranks()):
            shell.screen.say(f"{'*' if number == session.rank else ' '} {number}  {state}")
        return
    if not text.isdecimal():
        raise Refused(
            WRONG, f"rank takes a number, found '{quoted(text)}'", "rank alone lists them"
        )
    try:
        other = session.of_rank(int(text))
    except Failure as failure:
        raise Refused(WRONG, failure.problems[0].message) from None
    other.take_over(session)
    shell.rank = int(text)
    shell.adopt(other)
    shell.screen.say(f"rank {text}, {steps.status(other)}")


def loaded(shell: Shell) -> None:
    """Say what was loaded."""
    program = shell.program
    engines = sum(1 for q in program.queues if len(q))
    text = f"{counted(len(program), 'instruction')} on {counted(engines, 'engine')}"
    text = f"{in_line(shell.path)}: {text}" if shell.path else NO_PROGRAM
    shell.screen.say(
        f"{text}, {program.generation.summary}"
        + "".join(f", {name}={value}" for name, value in program.chosen.items())
    )
    if not shell.path:
        shell.screen.say("type declarations and instructions, or 'load FILE'")
    if shell.session.rank is not None:
        ranks = counted(program.ranks, "rank")
        shell.screen.say(
            f"{ranks}, of which this is {shell.session.rank}: 'rank N' for another one"
        )
    if program.figures_set:
        shell.screen.say(figures_line(program.figures_set))


@command("expect")
def expect(shell: Shell, rest: str) -> None:
    """Check the program's expectations now."""
    session = shell.session
    if not session.program.expectations:
        shell.screen.say("the program has no expectations")
        return
    if session.status is Status.FINISHED:
        judge(shell)
        return
    shell.screen.say(f"before the end: {steps.status(session)}")
    judged = session.expectations()
    shell.screen.expectations(judged)
    if not all(e.held for e in judged):
        shell.fail(FAILED)


@command("quit", "q", "exit", loses=True)
def leave(shell: Shell, rest: str) -> None:
    """Quit, as the end of input (Ctrl-D) does."""
    raise Quit
