"""Launching a program: what a configuration says, as the words of the debugger's command line."""

from __future__ import annotations

import os
from collections.abc import Iterator

from nasm.apps.dap import moves, reports
from nasm.apps.dap.messages import WRONG, RequestArguments, sentence
from nasm.apps.dap.state import Body, Debugger, request
from nasm.base.problems import Failure, Refused, quoted

LISTS = {"defines": "-D", "options": "--option", "inputs": "--in", "arguments": "--arg"}
"""Objects of a configuration, and the option that each of their items is."""


@request("launch")
def launch(debugger: Debugger, given: RequestArguments) -> None:
    """Load the program; the client then sets its breakpoints."""
    if debugger.launched is not None and debugger.shell is not None:
        raise Refused(WRONG, "a program is launched already: restart or disconnect")
    _load(debugger, given)
    debugger.stops.forget()
    debugger.after.append(lambda: debugger.channel.event("initialized"))


@request("attach")
def attach(debugger: Debugger, _: RequestArguments) -> None:
    """There is nothing to attach to."""
    raise Refused(WRONG, "there is no run to attach to", "launch a program, or a recording (.nrec)")


@request("configurationDone")
def configured(debugger: Debugger, _: RequestArguments) -> None:
    """The client has set its breakpoints."""
    if debugger.shell is None:
        raise Refused(WRONG, "no program is launched")
    debugger.after.append(lambda: moves.start(debugger))


@request("restart")
def restart(debugger: Debugger, given: RequestArguments) -> None:
    """Read the program again and start over; if that fails the session stays as it is."""
    if debugger.launched is None:
        raise Refused(WRONG, "no program is launched")
    _load(debugger, RequestArguments({**debugger.launched.value, **given.part("arguments").value}))
    debugger.move, debugger.over = None, False
    debugger.stops.forget()
    debugger.after.append(lambda: moves.start(debugger))


def _load(debugger: Debugger, given: RequestArguments) -> None:
    words, folder = list(_words(given)), given.get("cwd", str, None)
    try:
        session = debugger.load(words, _entered(folder))
    except Failure as failure:
        reports.problems(debugger, failure.problems)
        raise Refused(WRONG, f"cannot be launched: {sentence(failure)}") from None
    debugger.launched = given
    debugger.begin(session)
    debugger.renew()


def _entered(folder: str | None) -> str | None:
    """A folder that paths are relative to from now on; raises Refused."""
    if folder is None:
        return None
    try:
        os.chdir(folder)
    except (OSError, ValueError):
        raise Refused(WRONG, f"there is no folder '{quoted(folder)}' to launch in") from None
    return folder


def _words(given: RequestArguments) -> Iterator[str]:
    """The program, its options, and what is given by name."""
    program = given.get("program", str, "")
    if not program:
        raise Refused(WRONG, "'program' is missing: a .nasm file, kernel.py:name or a recording")
    yield program
    target = given.get("target", str, "")
    if target:
        yield from ("--target", target)
    for name, option in LISTS.items():
        for key, value in given.part(name).value.items():
            text = value if isinstance(value, str) else _number(value, name, key)
            yield from (option, f"{key}={text}")
    yield from given.list_of("args", str)


def _number(value: object, name: str, key: str) -> str:
    if type(value) not in (int, float, bool):
        raise Refused(WRONG, f"'{quoted(key)}' of '{name}' is a text or a number")
    return str(value).lower() if isinstance(value, bool) else str(value)


@request("nasm/page")
def page(debugger: Debugger, _: RequestArguments) -> Body:
    """The page of the run so far, for a panel of the editor: a request of our own."""
    with debugger.moving(urgent=True):
        found = debugger.session.page()
    if found is None:
        raise Refused(WRONG, "interrupted: there is no page")
    return {"html": found.html}
