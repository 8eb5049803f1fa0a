"""Settings of a program: whose they are, what they may be, and that each is given once."""

from __future__ import annotations

from nasm.base.problems import Note, Refused
from nasm.base.source import Span
from nasm.isa.generation import Generation
from nasm.isa.settings import MISPLACED, TWICE, UNKNOWN, Assigned, Settings
from nasm.isa.target import Target
from nasm.program.program import Program


def settings_of(target: Target, generation: Generation) -> Settings:
    """What programs of a generation may set; raises Refused if there is nothing."""
    known = target.settings(generation)
    if known is None:
        raise Refused(UNKNOWN, f"{target.summary} has no settings")
    return known


def assigned(
    program: Program, name: str, value: object, engine: str, core: int, span: Span | None
) -> Assigned:
    """A setting with its value; raises Refused. ``engine`` is empty for what is a core's."""
    known = settings_of(program.target, program.generation)
    setting = known.named(name)
    if setting.of_queue and not engine:
        message = f"each queue has a {name} of its own, and no engine is named"
        engines = ", ".join(f"@{e.name}" for e in program.generation.engines if not e.optional)
        raise Refused(MISPLACED, message, f"write one of {engines} before .cfg")
    pushes = program.generation.engine(engine).pushes if engine else ""
    if pushes and setting.of_queue:
        message = f"@{engine} has no {name}: it pushes the instructions of @{pushes}, which has one"
        raise Refused(MISPLACED, message, f"write @{pushes} before .cfg")
    if engine and not setting.of_queue:
        message = f"{name} belongs to all queues of a core, and not to @{engine}"
        raise Refused(MISPLACED, message, f"write .cfg {name}, without an engine")
    made = Assigned(name, setting.accept(value), core, engine, span)
    for before in program.settings:
        same = (before.core, before.engine) == (core, engine)
        if same and known.named(before.name).shares(setting):
            message = f"{name} is set twice"
            if before.name != name:
                message = (
                    f"{name} is set, and has its place in common with {before.name}, which is too"
                )
            notes = (Note("the first one", before.span),) if before.span is not None else ()
            raise Refused(TWICE, message, "a setting holds from the start of the run on", notes)
    return made
