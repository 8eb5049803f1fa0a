"""Commands that go back, and to any moment."""

from __future__ import annotations

import re

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.move_commands import engine_and_count
from nasm.apps.repl.moving import gone
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, counted, in_line
from nasm.debugger.session import Session
from nasm.show import steps

BACK = (
    "back [N] [ENGINE] | N cycles [ENGINE] | until EXPRESSION | to [BREAKPOINT]"
    " | write TENSOR | PART"
)


@command(
    "back", "rs",
    usage=BACK, takes=("engine", "tensor", "named", "part", "item"), repeats=True,
    examples=("back", "back 5 tensor", "back 100 cycles", "back write acc[0, 0]"),
)  # fmt: skip
def back(shell: Shell, rest: str) -> None:
    """Go back, by instructions or to what happened last.

    'back N' goes to when N instructions fewer had completed, of an engine or of any: what 'step N'
    does is undone by 'back N'. 'back N cycles' goes back in time. 'back until' goes to where an
    expression became true, 'back to' to where a breakpoint was met, some or any, 'back write' to
    just before the last write of a tensor or a part of it. Going forward again does what was done.
    An empty line repeats it.
    """
    word, _, more = rest.strip().partition(" ")
    more = more.strip()
    if word == "until":
        _until(shell, more)
    elif word == "to":
        _to_stop(shell, more)
    elif word == "write":
        _write(shell, more)
    elif re.search(r"\bcycles?\b", rest):
        _cycles(shell, rest)
    else:
        _instructions(shell, rest)


def _instructions(shell: Shell, rest: str) -> None:
    engine, count = engine_and_count(shell, rest, BACK)

    def go(session: Session) -> str:
        went = session.back(count or 1, engine)
        of = f" of {engine}" if engine else ""
        if not went:
            return f"no instruction{of} has completed: this is the start"
        if went < (count or 1):
            return f"back by {counted(went, 'instruction')}{of}: that is the start"
        return f"back by {counted(went, 'instruction')}{of}"

    gone(shell, go)


def _cycles(shell: Shell, rest: str) -> None:
    engine, count = engine_and_count(shell, re.sub(r"\bcycles?\b", "", rest), BACK)

    def go(session: Session) -> str:
        session.back_cycles(count or 1, engine)
        return ""

    gone(shell, go)


def _until(shell: Shell, expression: str) -> None:
    if not expression:
        raise Refused(WRONG, "back until what?", "back until $loaded >= 16")
    shell.session.stop_when(expression)

    def go(session: Session) -> str:
        return "" if session.back_until(expression) else f"{in_line(expression)} was never true"

    gone(shell, go)


def _to_stop(shell: Shell, which: str) -> None:
    session = shell.session
    names = which.replace(",", " ").split()
    for name in names:
        session.breakpoints[name]
    if not names and not list(session.breakpoints):
        raise Refused(WRONG, "there are no breakpoints", "'break' sets one")

    def go(session: Session) -> str:
        return "" if session.back_to_stop(*names) else "none was met before: that is the start"

    gone(shell, go)


def _write(shell: Shell, what: str) -> None:
    if not what:
        raise Refused(WRONG, "back to which write?", "back write acc[0, 0]")

    def go(session: Session) -> str:
        met = session.back_to_write(what)
        if not met:
            return f"nothing wrote {in_line(what)} before: that is the start"
        return f"about to happen: {met[-1].text}"

    gone(shell, go)


@command("rcontinue", "rc")
def reverse_continue(shell: Shell, rest: str) -> None:
    """Go back to where a breakpoint was met last.

    If none was, that is the start.
    """

    def go(session: Session) -> str:
        return "" if session.back_to_stop() else "no breakpoint was met before: that is the start"

    gone(shell, go)


@command(
    "goto", usage="goto CYCLE | TIME | start | end | MOMENT", takes=("moment",),
    examples=("goto 5000", "goto 2.5us", "goto start", "goto before-bug"),
)  # fmt: skip
def goto(shell: Shell, rest: str) -> None:
    """Go to a time, or to a moment with a name.

    Forward or back; nothing stops on the way.
    """
    word = rest.strip()
    if not word:
        raise Refused(WRONG, "go where?", "goto 5000, goto 2.5us, goto start")

    def go(session: Session) -> str:
        session.goto(word)
        return ""

    gone(shell, go)


@command("mark", usage="mark WORD")
def mark(shell: Shell, rest: str) -> None:
    """Give this moment a name, for 'goto'.

    What was changed by hand belongs to it: 'goto' comes back to it, whatever was changed since.
    """
    made = shell.session.mark(rest)
    shell.screen.say(f"{made.name}: {steps.moment(shell.session)}")
    shell.renew()


@command("moments")
def moments(shell: Shell, rest: str) -> None:
    """The moments that have a name."""
    shell.screen.records(shell.session.moments())


@command("undo")
def undo(shell: Shell, rest: str) -> None:
    """Take back the last change by hand.

    The run goes to where it was made.
    """

    def go(session: Session) -> str:
        change = session.undo()
        if change is None and session.past.next_change is not None:
            hint = "go to a time after it first: 'goto end'"
            raise Refused(WRONG, "what was changed by hand lies ahead", hint)
        if change is None:
            raise Refused(WRONG, "nothing was changed by hand")
        return f"undone: {in_line(str(change))}"

    gone(shell, go)
