"""What is typed: expressions of the debugger, and in the console its commands as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.apps.dap import values
from nasm.apps.dap.messages import WRONG, RequestArguments, sentence
from nasm.apps.dap.state import Body, Debugger, request
from nasm.apps.repl import command, suggest
from nasm.apps.repl.shell import Quit
from nasm.base.problems import Failure, Refused, clean
from nasm.debugger.moving.locations import rounds

if TYPE_CHECKING:
    from nasm.debugger.values.value import Value

CONSOLE, HOVER = "repl", "hover"

NOT_HERE = {"load": "restart the session: the file is read again", "quit": "stop the session",
            "restart": "restart the session", "view": "the editor shows all of it"}  # fmt: skip
"""Commands that belong to the prompt, and what to do instead."""


@request("evaluate")
def evaluate(debugger: Debugger, given: RequestArguments) -> Body:
    """An expression at a frame; in the console a command if it is no expression."""
    text, where = given.get("expression", str).strip(), given.get("context", str, "")
    try:
        found = _value(debugger, text, given.get("frameId", int, 0))
    except (Failure, Refused) as error:
        if where == HOVER:
            return _hovered(debugger, text, error)
        if where != CONSOLE or not _is_command(debugger, text):
            raise Refused(WRONG, sentence(error)) from None
        return {"result": do(debugger, text), "variablesReference": 0}
    return _answer(debugger, found, text, given.part("format").get("hex", bool, False))


def _value(debugger: Debugger, text: str, frame: int) -> Value:
    session, names = debugger.session, {}
    if frame:
        at = debugger.frame(frame)
        if at.pc < len(session.program.queues[at.queue]):
            names = rounds(session.execution, at.queue, at.pc)
    return session.evaluate(text, names)


def _answer(debugger: Debugger, found: Value, text: str, bits: bool = False) -> Body:
    session = debugger.session
    place = text if found.view is not None else ""
    item = values.item(session, text, found, place=place, text=text if place else f"({text})")
    return {
        "result": clean(values.brief(found, bits)),
        "type": item.kind,
        "variablesReference": debugger.reference(item.inside),
    }


def _hovered(debugger: Debugger, text: str, error: Failure | Refused) -> Body:
    """A word under the pointer: a semaphore without its sign, too; else nothing to show."""
    counters = {**debugger.session.program.semaphores, **debugger.session.program.events}
    if text.removeprefix("$") in counters:
        return _answer(debugger, _value(debugger, f"${text.removeprefix('$')}", 0), text)
    raise Refused(WRONG, sentence(error))


def _is_command(debugger: Debugger, text: str) -> bool:
    """Whether a line begins as a command, or as an instruction that is executed."""
    word = command.split(text)[0] if text else ""
    if text[:1] in ("@", "."):
        return True
    shell = debugger.prompt
    isa, macros = shell.session.program.target.isa, debugger.session.changes.macros
    if word in isa.rows or word.partition("(")[0] in macros or word in shell.aliases:
        return True
    try:
        command.find(text)
    except Refused as refused:
        return refused.code != command.UNKNOWN
    return True


def do(debugger: Debugger, text: str) -> str:
    """Do a command of the prompt; returns what it prints. Raises Refused."""
    shell, session = debugger.prompt, debugger.session
    try:
        name = command.find(text)[0].name
    except Refused:
        name = ""
    if name in NOT_HERE:
        raise Refused(WRONG, f"'{name}' is for the prompt", NOT_HERE[name])
    before = session.moment, session.changes_made
    debugger.printed.seek(0)
    debugger.printed.truncate()
    try:
        with debugger.moving(urgent=True):
            shell.execute(text)
    except Quit:
        raise Refused(WRONG, "'quit' is for the prompt", NOT_HERE["quit"]) from None
    if (session.moment, session.changes_made) != before:
        debugger.renew()
        if debugger.move is None:
            from nasm.apps.dap.moves import stopped

            debugger.channel.event("stopped", **stopped(debugger, "goto", f"after '{text}'"))
    return clean(debugger.printed.getvalue().rstrip())


@request("completions")
def completions(debugger: Debugger, given: RequestArguments) -> Body:
    """Words that continue what is typed in the console."""
    text = given.get("text", str)
    end = given.get("column", int) - (
        1 if debugger.client.get("columnsStartAt1", bool, True) else 0
    )
    before = text[: max(0, end)]
    found = suggest.suggest(before, debugger.prompt.names)
    start = len(before)
    return {
        "targets": [
            {"label": one.text, "start": start - one.length, "length": one.length,
             **({"detail": clean(one.meta)} if one.meta else {})}
            for one in found[:200]
        ]
    }  # fmt: skip
