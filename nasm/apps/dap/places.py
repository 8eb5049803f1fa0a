"""Where something is written: sources, frames of stacks, disassembly, lines with instructions."""

from __future__ import annotations

import os
from collections.abc import Iterator

from nasm.analysis import summary
from nasm.apps.dap.messages import WRONG, RequestArguments
from nasm.apps.dap.state import Body, Debugger, FramePlace, request
from nasm.base.problems import Refused, clean, quoted
from nasm.base.source import Source, Span
from nasm.debugger.engines.records import EngineContext
from nasm.debugger.session import Session

PAGE = 10_000
"""Instructions of a disassembly that a client gets at once."""

ADDRESS = 32
"""An instruction's address has the number of its queue above its pc, of so many bits."""


# ---------------------------------------------------------------- sources


def sources(session: Session) -> list[Source]:
    """The texts that lines of the program are written in, its own first."""
    found = {id(span.source): span.source for span in session.program.spans if span is not None}
    if session.source is not None:
        found = {id(session.source): session.source, **found}
    return list(found.values())


def source(debugger: Debugger, text: Source) -> Body:
    """A text as clients know it: by its path, or by a number if it is no file."""
    name = clean(text.label or os.path.basename(text.name) or text.name)
    path = os.path.abspath(text.name)
    if os.path.isfile(path):
        return {"name": name, "path": path}
    if not any(text is known for known in debugger.texts):
        debugger.texts.append(text)
    number = next(n for n, known in enumerate(debugger.texts, 1) if known is text)
    return {"name": name, "sourceReference": number}


def meant(debugger: Debugger, given: RequestArguments) -> Source:
    """The text that a client means; raises Refused if no line of the program is in it."""
    number, path = given.get("sourceReference", int, 0), given.get("path", str, "")
    if number:
        if not 0 < number <= len(debugger.texts):
            raise Refused(WRONG, f"there is no source {number}")
        return debugger.texts[int(number) - 1]
    wanted = os.path.realpath(path) if path and "\0" not in path else ""
    for text in sources(debugger.session):
        if wanted and os.path.realpath(text.name) == wanted:
            return text
    name = quoted(os.path.basename(path) or given.get("name", str, ""))
    raise Refused(WRONG, f"no instruction of the program is written in '{name}'")


def place(debugger: Debugger, span: Span | None) -> Body:
    """The source, line and column of a place; empty without one."""
    if span is None:
        return {}
    line, column = span.source.position(span.start)
    end, last = span.source.position(max(span.start, span.end))
    return {
        "source": source(debugger, span.source),
        "line": debugger.line(line),
        "column": debugger.column(column),
        "endLine": debugger.line(end),
        "endColumn": debugger.column(last),
    }


@request("loadedSources")
def loaded_sources(debugger: Debugger, _: RequestArguments) -> Body:
    """Every text of the program."""
    return {"sources": [source(debugger, text) for text in sources(debugger.session)]}


@request("source")
def content(debugger: Debugger, given: RequestArguments) -> Body:
    """The text of a source that is no file, such as one in an object file."""
    wanted = given.part("source")
    number = wanted.get("sourceReference", int, 0) or given.get("sourceReference", int, 0)
    inner = RequestArguments({**wanted.value, "sourceReference": number})
    return {"content": meant(debugger, inner).text}


@request("breakpointLocations")
def locations(debugger: Debugger, given: RequestArguments) -> Body:
    """The lines of a range that have instructions."""
    text = meant(debugger, given.part("source"))
    first = debugger.own_line(given.get("line", int))
    last = debugger.own_line(given.get("endLine", int, given.get("line", int)))
    spans = (span for span in debugger.session.program.spans if span is not None)
    lines = {span.line for span in spans if span.source is text}
    return {
        "breakpoints": [{"line": debugger.line(n)} for n in sorted(lines) if first <= n <= last]
    }


# ---------------------------------------------------------------- stacks


@request("threads")
def threads(debugger: Debugger, _: RequestArguments) -> Body:
    """Every engine that has instructions: the client's threads."""
    if debugger.shell is None:
        return {"threads": []}
    return {
        "threads": [
            {"id": engine.index + 1, "name": _thread(engine)} for engine in engines(debugger)
        ]
    }


def engines(debugger: Debugger) -> list[EngineContext]:
    """The engines that have instructions; the first if none has any."""
    every = debugger.context.engines
    return [engine for engine in every if engine.length] or list(every[:1])


def _thread(engine: EngineContext) -> str:
    if engine.idle:
        return f"{engine.engine}: done"
    return clean(f"{engine.engine}: {engine.brief or 'executing'}")


def engine_of(debugger: Debugger, thread: int) -> EngineContext:
    """The engine of a thread; raises Refused."""
    for engine in debugger.context.engines:
        if engine.index + 1 == thread:
            return engine
    raise Refused(WRONG, f"there is no thread {thread}")


@request("stackTrace")
def stack(debugger: Debugger, given: RequestArguments) -> Body:
    """An instruction, and what it was expanded from: rounds of loops and calls of macros.

    It is the next one of the engine, or the one that it executes if there is none.
    """
    engine = engine_of(debugger, given.get("threadId", int))
    every = list(_frames(debugger, engine))
    first, count = given.get("startFrame", int, 0), given.get("levels", int, 0)
    shown = every[max(0, first) :][: count if count > 0 else None]
    return {"stackFrames": shown, "totalFrames": len(every)}


def _frames(debugger: Debugger, engine: EngineContext) -> Iterator[Body]:
    at, text, span = engine.at, engine.text, engine.span
    if at is None and engine.doing:
        at, text, span = engine.doing[0].at, engine.doing[0].text, engine.doing[0].span
    if at is None:
        yield _frame(debugger, engine, 0, "all instructions completed", None, hint="label")
        return
    pc = int(at.pc)
    name = f"{text}  (of {engine.expansion})" if engine.expansion else text
    more = {"instructionPointerReference": address(engine.index, pc)}
    yield {**_frame(debugger, engine, pc, name, span), **more}
    for step in reversed(span.chain if span is not None else ()):
        yield _frame(debugger, engine, pc, step.step or step.what, step.span)


def _frame(
    debugger: Debugger, engine: EngineContext, pc: int, name: str, span: Span | None, hint: str = ""
) -> Body:
    debugger.frames.append(FramePlace(engine.index, pc))
    more = {"presentationHint": hint} if hint else {}
    found = place(debugger, span) or {"line": 0, "column": 0}
    return {"id": len(debugger.frames), "name": clean(name), **found, **more}


# ---------------------------------------------------------------- instructions


def address(queue: int, pc: int) -> str:
    """The address of an instruction."""
    return f"{((queue + 1) << ADDRESS) + pc:#018x}"


def addressed(debugger: Debugger, text: str) -> tuple[int, int]:
    """The queue and the pc of an address; raises Refused."""
    try:
        number = int(text, 16)
    except ValueError:
        number = -1
    queue, pc = (number >> ADDRESS) - 1, number & (1 << ADDRESS) - 1
    if not 0 <= queue < len(debugger.session.program.queues):
        raise Refused(WRONG, f"'{quoted(text)}' is no address of an instruction")
    return queue, pc


@request("disassemble")
def disassemble(debugger: Debugger, given: RequestArguments) -> Body:
    """Instructions of a queue, as they are with all names filled in, and their words if public."""
    queue, pc = addressed(debugger, given.get("memoryReference", str))
    start = pc + given.get("offset", int, 0) + given.get("instructionOffset", int, 0)
    count = max(0, min(PAGE, given.get("instructionCount", int)))
    return {"instructions": [_listed(debugger, queue, n) for n in range(start, start + count)]}


def _listed(debugger: Debugger, queue: int, pc: int) -> Body:
    session = debugger.session
    where, lines = address(queue, pc), session.program.queues[queue]
    if not 0 <= pc < len(lines):
        return {"address": where, "instruction": "", "presentationHint": "invalid"}
    found = place(debugger, session.program.span(queue, pc))
    shown = {"location" if key == "source" else key: value for key, value in found.items()}
    labels = [name for name, at in lines.labels.items() if at == pc]
    more = {"symbol": labels[0]} if labels else {}
    word = _word(session, queue, pc)
    if word:
        more["instructionBytes"] = word
    text = clean(summary.instruction_text(session.machine, queue, pc))
    return {"address": where, "instruction": text, **shown, **more}


def _word(session: Session, queue: int, pc: int) -> str:
    """The word of an instruction in hexadecimal; empty if its target publishes none."""
    from nasm.language.printing.words import words_known

    program = session.program
    made = program.instruction(queue, pc)
    try:
        known = words_known(program.target, program.generation)
        return f"{known.encode(made.row, made.operands):08x}"
    except Refused:
        return ""


@request("gotoTargets")
def goto_targets(debugger: Debugger, given: RequestArguments) -> Body:
    """The instructions of a line, at which an engine can be made to continue."""
    text, program = meant(debugger, given.part("source")), debugger.session.program
    line = debugger.own_line(given.get("line", int))
    targets = []
    here = {number for number, span in enumerate(program.spans)
            if span is not None and span.source is text and span.line == line}  # fmt: skip
    for queue, lines in enumerate(program.queues):
        for pc, number in enumerate(lines.spans):
            if number in here:
                where = address(queue, pc)
                name = f"{program.queue_name(queue)} pc {pc}"
                targets.append({"id": int(where, 16), "label": name, "line": debugger.line(line),
                                "instructionPointerReference": where})  # fmt: skip
                break
    return {"targets": targets}
