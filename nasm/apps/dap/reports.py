"""What a run has to say, as output of the client's console: problems with their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nasm.apps.dap.places import place
from nasm.apps.dap.state import Debugger
from nasm.base.problems import Problem, Severity, clean
from nasm.base.suppressions import in_turn
from nasm.debugger.moving.breakpoint_records import Hit
from nasm.machine.records import Status
from nasm.show import steps

PROBLEMS, RESULTS, REMARKS = "stderr", "stdout", "console"
"""Categories of output."""


def problem(debugger: Debugger, found: Problem) -> None:
    """A problem with its place, its other places and its hint."""
    category = PROBLEMS if found.severity is Severity.ERROR else REMARKS
    where = place(debugger, found.span)
    more = {key: where[key] for key in ("source", "line", "column") if key in where}
    text = f"{found.label}[{found.code}]: {found.message}"
    debugger.channel.output(text, category, **more)
    for note in found.notes:
        at = place(debugger, note.span)
        more = {key: at[key] for key in ("source", "line", "column") if key in at}
        debugger.channel.output(f"  {note.message}", category, **more)
    if found.hint:
        debugger.channel.output(f"  hint: {found.hint}", category)


def problems(debugger: Debugger, found: Iterable[Problem]) -> None:
    """Several of them."""
    for one in found:
        problem(debugger, one)


def tell(debugger: Debugger) -> None:
    """What is new since the last time: messages of the program, warnings and hazards."""
    session = debugger.session
    messages = session.messages
    for message in messages[debugger.messages :]:
        debugger.channel.output(str(message), RESULTS)
    debugger.messages = len(messages)
    judged = session.judged()
    every = (*in_turn(judged.warnings, judged.errors), *session.problems)
    for one in every:
        key = steps.problem_key(one)
        if key not in debugger.known:
            debugger.known.add(key)
            problem(debugger, one)


def end(debugger: Debugger) -> bool:
    """The report of a run that is over, once; returns whether all is well."""
    session = debugger.session
    report = session.report(hashes=False)
    if not debugger.reported:
        debugger.reported = True
        finished = session.status is Status.FINISHED
        debugger.channel.output(str(report) if finished else steps.status(session), RESULTS)
    return report.ok


def exception(debugger: Debugger, hit: Hit) -> tuple[str, str, str]:
    """The problem that a stop at an exception is about: its code, what it says, and details."""
    text = hit.met.text
    judged = debugger.session.judged()
    found = [p for p in (*judged.errors, *judged.warnings) if text == f"{p.code}: {p.message}"]
    if not found:
        return hit.breakpoint.what, text, ""
    return found[0].code, found[0].message, details(found)


def details(found: Sequence[Problem]) -> str:
    """Problems in full."""
    return clean("\n".join(str(one) for one in found))
