"""Breakpoints of a client: on lines, names, instructions and data, and stops at exceptions.

Each is a breakpoint of the session. How often one has to be met, and messages that are logged where
one is, are decided here: the run continues where it need not stop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from nasm.apps.dap import values
from nasm.apps.dap.messages import WRONG, RequestArguments, sentence
from nasm.apps.dap.places import address, addressed, meant, place
from nasm.apps.dap.state import Body, Debugger, request
from nasm.apps.dap.stops import (
    BIRTH,
    DATA,
    DEADLOCK,
    EXCEPTION,
    EXPECTATION,
    FAULT,
    HAZARD,
    INSTRUCTION,
    LINE,
    NAME,
    Kept,
    SetBreakpoint,
)
from nasm.base.problems import Failure, Refused, clean, quoted
from nasm.base.source import Source
from nasm.debugger.moving.breakpoint_records import Hit
from nasm.debugger.moving.locations import location, rounds

FILTERS = (
    {"filter": HAZARD, "label": "Hazards", "default": True, "supportsCondition": True,
     "description": "Stop where a hazard is found, such as a race",
     "conditionDescription": "a code, as in E0502"},
    {"filter": BIRTH, "label": "NaN and infinities", "default": False,
     "description": "Stop where a NaN or an infinity is computed of numbers"},
    {"filter": DEADLOCK, "label": "Deadlocks", "default": True,
     "description": "Stop where no engine can continue"},
    {"filter": FAULT, "label": "Faults", "default": True,
     "description": "Stop before an instruction that cannot be executed"},
    {"filter": EXPECTATION, "label": "Failing expectations", "default": True,
     "description": "Stop at the end of a run whose .expect does not hold"},
)  # fmt: skip

_COUNT = re.compile(r"\s*(==|>=|<=|>|<|%)?\s*(\d{1,15})\s*")
_LOGGED = re.compile(r"\{([^{}]*)\}")

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": lambda hits, n: hits == n,
    ">=": lambda hits, n: hits >= n,
    "<=": lambda hits, n: hits <= n,
    ">": lambda hits, n: hits > n,
    "<": lambda hits, n: hits < n,
    "%": lambda hits, n: n > 0 and hits % n == 0,
}


def logged(debugger: Debugger, kept: Kept, hit: Hit) -> None:
    """Write the message of a log point, with expressions in braces evaluated."""
    session, met = debugger.session, hit.met
    names = rounds(session.execution, met.queue, met.pc) if met.pc >= 0 else {}

    def value(found: re.Match[str]) -> str:
        try:
            return values.brief(session.evaluate(found[1], names))
        except (Failure, Refused) as error:
            return f"<{error.problems[0].message}>"

    span = session.program.span(met.queue, met.pc) if met.pc >= 0 else None
    text = _LOGGED.sub(value, kept.log)
    where = place(debugger, span)
    more = {key: where[key] for key in ("source", "line", "column") if key in where}
    debugger.channel.output(text, "console", **more)


def _counts(text: str) -> Callable[[int], bool] | None:
    """What a hit condition says; raises Refused if it is none."""
    if not text.strip():
        return None
    found = _COUNT.fullmatch(text)
    if found is None:
        hint = "5, >= 5 or % 3"
        raise Refused(WRONG, f"'{quoted(text)}' does not say how often", hint)
    compare, number = _COMPARED[found[1] or "=="], int(found[2])
    return lambda hits: compare(hits, number)


def _key(given: RequestArguments, *parts: Hashable) -> Hashable:
    """What makes a breakpoint another one."""
    said = (given.get(name, str, "") for name in ("condition", "hitCondition", "logMessage"))
    return (*parts, *said)


def _at(debugger: Debugger, given: RequestArguments, text: str, **shown: Any) -> SetBreakpoint:
    """Set a breakpoint of the session with the conditions that were given; raises Refused."""
    counts = _counts(given.get("hitCondition", str, ""))
    condition = given.get("condition", str, "").strip()
    made = debugger.session.break_at(text, condition=condition)
    more = {"message": clean(made.note)} if made.note else {}
    return SetBreakpoint(made.number, {**shown, **more}, counts, given.get("logMessage", str, ""))


# ---------------------------------------------------------------- requests


@request("setBreakpoints")
def on_lines(debugger: Debugger, given: RequestArguments) -> Body:
    """Breakpoints on the lines of a source; a line without an instruction means the next one."""
    wanted = given.part("source")
    group = ("source", wanted.get("path", str, ""), wanted.get("sourceReference", int, 0))
    rows = given.rows("breakpoints") or [
        RequestArguments({"line": line}) for line in given.list_of("lines", int)
    ]

    def every() -> list[Body]:
        try:
            text = meant(debugger, wanted)
        except Refused as refused:
            debugger.stops.replace(group, iter(()))
            return [{"verified": False, "message": sentence(refused)} for _ in rows]
        return debugger.stops.replace(group, _lines(debugger, text, rows))

    debugger.stops.asked[group] = every
    return {"breakpoints": every()}


def _lines(
    debugger: Debugger, text: Source, rows: Sequence[RequestArguments]
) -> Iterator[tuple[Hashable, str, Callable[[], SetBreakpoint]]]:
    own = text is debugger.session.source or text is sources_first(debugger)

    def make(row: RequestArguments, line: int) -> SetBreakpoint:
        where = str(line) if own else f"{text.name}:{line}"
        at = location(debugger.session.execution, where).line
        where = str(at) if own else f"{text.name}:{at}"
        made = _at(debugger, row, where, line=debugger.line(at))
        if at != line:
            made.shown["message"] = f"line {line} has no instruction: moved to line {at}"
        return made

    for row in rows:
        line = debugger.own_line(row.get("line", int))
        yield _key(row, line), LINE, lambda row=row, line=line: make(row, line)  # type: ignore[misc]


def sources_first(debugger: Debugger) -> Source | None:
    """The text that a line alone is one of."""
    from nasm.debugger.moving.locations import text_of

    return text_of(debugger.session.execution)


@request("setFunctionBreakpoints")
def on_names(debugger: Debugger, given: RequestArguments) -> Body:
    """Breakpoints on labels, and on all else that 'break' takes: mnemonics, engines, times."""
    rows = given.rows("breakpoints")

    def every() -> list[Body]:
        def wanted() -> Iterator[tuple[Hashable, str, Callable[[], SetBreakpoint]]]:
            for row in rows:
                name = row.get("name", str).strip()
                yield _key(row, name), NAME, lambda r=row, n=name: _at(debugger, r, n)  # type: ignore[misc]

        return debugger.stops.replace(NAME, wanted())

    debugger.stops.asked[NAME] = every
    return {"breakpoints": every()}


@request("setInstructionBreakpoints")
def on_instructions(debugger: Debugger, given: RequestArguments) -> Body:
    """Breakpoints on instructions of the disassembly."""
    rows = given.rows("breakpoints")

    def make(row: RequestArguments) -> SetBreakpoint:
        queue, pc = addressed(debugger, row.get("instructionReference", str))
        pc += row.get("offset", int, 0)
        name = debugger.session.program.queue_name(queue)
        where = address(queue, pc) if pc >= 0 else ""
        return _at(debugger, row, f"{name} pc {pc}", instructionReference=where)

    def every() -> list[Body]:
        wanted = (
            (_key(row, row.get("instructionReference", str), row.get("offset", int, 0)),
             INSTRUCTION, lambda row=row: make(row))
            for row in rows
        )  # fmt: skip
        return debugger.stops.replace(INSTRUCTION, wanted)

    debugger.stops.asked[INSTRUCTION] = every
    return {"breakpoints": every()}


WATCHES = {"write": "changed", "read": "read", "readWrite": "written"}
"""How the session watches for what a client calls an access."""


@request("dataBreakpointInfo")
def data_info(debugger: Debugger, given: RequestArguments) -> Body:
    """Whether something can be watched: a tensor or a part of one, a semaphore, a register."""
    name, reference = given.get("name", str), given.get("variablesReference", int, 0)
    text = name
    if reference:
        item = next((i for i in debugger.inside(reference) if i.name == name), None)
        text = (item.place or item.text) if item is not None else ""
    if not text:
        return {"dataId": None, "description": f"{name} cannot be watched"}
    kinds = []
    for kind in ("write", "read"):
        try:
            probe = debugger.session.watch(text, WATCHES[kind])
        except (Failure, Refused) as error:
            if kind == "write":
                return {"dataId": None, "description": sentence(error)}
            continue
        debugger.session.breakpoints.delete(probe.number)
        kinds.append(kind)
    if text.startswith(("$", "@", "%")):
        kinds = ["write"]
    return {"dataId": text, "description": text, "accessTypes": kinds, "canPersist": True}


@request("setDataBreakpoints")
def on_data(debugger: Debugger, given: RequestArguments) -> Body:
    """Stops where data changes, or is read."""
    rows = given.rows("breakpoints")

    def make(row: RequestArguments) -> SetBreakpoint:
        kind = row.get("accessType", str, "write")
        if kind not in WATCHES:
            raise Refused(WRONG, f"there is no access '{quoted(kind)}'")
        counts = _counts(row.get("hitCondition", str, ""))
        made = debugger.session.watch(
            row.get("dataId", str), WATCHES[kind], condition=row.get("condition", str, "").strip()
        )
        return SetBreakpoint(made.number, {}, counts)

    def every() -> list[Body]:
        wanted = (
            (_key(row, row.get("dataId", str), row.get("accessType", str, "write")),
             DATA, lambda row=row: make(row))
            for row in rows
        )  # fmt: skip
        return debugger.stops.replace(DATA, wanted)

    debugger.stops.asked[DATA] = every
    return {"breakpoints": every()}


@request("setExceptionBreakpoints")
def on_exceptions(debugger: Debugger, given: RequestArguments) -> Body:
    """The exceptions at which to stop: hazards, of one code if a condition names it, and so on."""
    rows = [RequestArguments({"filterId": name}) for name in given.list_of("filters", str)]
    rows += given.rows("filterOptions")

    def every() -> list[Body]:
        stops, codes = debugger.stops, list[str]()
        stops.filters = {row.get("filterId", str) for row in rows}
        texts = []
        for row in rows:
            code = row.get("condition", str, "").strip()
            if row.get("filterId", str) == HAZARD and code:
                codes.append(code)
                texts.append(f"hazard {code}")
            elif row.get("filterId", str) == BIRTH and debugger.session.values:
                texts.append("nan")
        hazards = HAZARD in stops.filters and not codes
        debugger.session.breakpoints.hazards = hazards
        debugger.prompt.settings.stop_on_hazard = hazards  # of moves in the console
        wanted = (
            ((text,), EXCEPTION, lambda text=text: _at(debugger, RequestArguments({}), text))
            for text in texts
        )
        stops.replace(EXCEPTION, wanted)
        return []

    debugger.stops.asked[EXCEPTION] = every
    every()
    return {"breakpoints": [{"verified": True} for _ in rows]}
