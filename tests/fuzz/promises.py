"""What must hold of every diagnostic, program and report, whatever the user wrote."""

from __future__ import annotations

import functools
import io
import json
import pickle
import re
import zlib
from collections.abc import Iterable
from random import Random
from typing import Any

from rich.text import Text

from nasm.base.problems import Failure, Problem
from nasm.base.source import Span
from nasm.debugger.session import Session
from nasm.language import codes
from nasm.machine.outlines import NO_VALUES
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.show import json_profile, jsonable, profile, timeline, trace
from nasm.targets.neuron import TARGET
from tests.fuzz.finding import Found
from tests.show.trace_events import checked

CYCLES = 20_000
"""What a run may take, of the base clock."""

BYTES = 16 << 20
"""What all tensors of a program that is run may hold."""

_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@functools.cache
def known(code: str) -> bool:
    """Whether a code is explained, and not for defects."""
    return codes.find(code) is not None and code != "E0901"


def chosen(data: bytes, one_in: int) -> bool:
    """Whether an input belongs to the few that something slow is tried with."""
    return zlib.crc32(data) % one_in == 0


def shown(text: str, what: str) -> None:
    """A terminal may be given this text."""
    match = _HARMFUL.search(text)
    if match:
        raise Found("text", f"U+{ord(match[0]):04X} in {what}", text)


def document(content: Any) -> None:
    """Content of a JSON document: strict JSON, read as it was written."""
    try:
        text = json.dumps(content, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise Found("json", str(problem), repr(content)) from None
    if json.loads(text) != content:
        raise Found("json", "it is read in another way than it was written", text)


def viewable(text: bytes) -> None:
    """A trace that a viewer shows as it is."""
    try:
        checked(json.loads(text))
    except (AssertionError, ValueError) as problem:
        raise Found("trace", str(problem), text.decode(errors="replace")) from None


def problems(found: Iterable[Problem]) -> str:
    """Diagnostics are explained, placed within their text, and fit to be shown, as here."""
    told = []
    for problem in found:
        if not known(problem.code):
            raise Found("diagnostic", f"the code {problem.code}", problem.message)
        if not problem.message.strip():
            raise Found("diagnostic", f"{problem.code} without a sentence", problem.message)
        for span in (problem.span, *(n.span for n in problem.notes)):
            if span is not None:
                _within(span, problem)
        told.append(str(problem))
        shown(told[-1], f"the diagnostic {problem.code}")
        document(jsonable.problem(problem))
    return "\n".join(told)


def _within(span: Span, problem: Problem) -> None:
    """Within the text, and the end of line that its last line may lack."""
    for at in (span, *(f.span for f in span.chain)):
        if not 0 <= at.start <= at.end <= len(at.source.text) + 1:
            said = f"{at.start} to {at.end} of {len(at.source.text)} characters"
            raise Found("diagnostic", f"{problem.code} outside its text", f"{said}: {problem!r}")


def refused(failure: Failure) -> str:
    """A failure: it says why, as here."""
    if not failure.problems:
        raise Found("diagnostic", "a failure without a problem")
    return problems(failure.problems)


def names(program: Program) -> None:
    """Whatever a program calls something is an identifier."""
    tables = {
        "tensor": program.tensors,
        "semaphore": program.semaphores,
        "event": program.events,
        "transfer": program.transfers,
        "constant": program.constants,
        "label": {n: at for queue in program.queues for n, at in queue.labels.items()},
    }
    for what, table in tables.items():
        for name in table:
            if not _NAME.fullmatch(str(name)):
                raise Found("name", f"a {what} that is no identifier", repr(name))


def small(program: Program) -> bool:
    """Whether running it is a matter of milliseconds."""
    return sum(t.bytes * max(1, t.partitions) for t in program.tensors.values()) <= BYTES


def report(made: RunReport, program: Program, whole: bool) -> None:
    """A report of a run; ``whole``: also the text that a user reads."""
    allowed = (a.problem for a in made.allowed)
    problems((*made.problems, *made.hazards, *made.warnings, *allowed))
    document(jsonable.report(made))
    if whole:
        shown(str(made), "a report")


Ending = tuple[Any, ...]


def ending(made: RunReport) -> Ending:
    """What one program must always come to."""
    return made.status, made.ticks, made.trace_hash, made.memory_hash


def run(program: Program, data: bytes) -> None:
    """Run a program, and again, and sometimes as another process would be sent it."""
    session, traced, out = Session(program), chosen(data, 16), io.BytesIO()
    if traced:
        detail = "packets" if chosen(data, 32) else "transfers"
        stream = trace.stream(session, out, detail=detail)
    made = session.run(max_cycles=CYCLES)
    report(made, program, chosen(data, 8))
    if traced:
        stream.close()
        viewable(out.getvalue())
    twin = pickle.loads(pickle.dumps(program)) if chosen(data, 4) else program
    one, other = ending(made), ending(Session(twin).run(max_cycles=CYCLES))
    if chosen(data, 8):
        alike(program, data)
    if one != other:
        what = "a pickled program ends otherwise" if twin is not program else "two runs differ"
        raise Found("hash", what, f"{one}\n{other}")


def profiled(session: Session, width: int) -> str:
    """The profile of a run as a document; what it is made of is all there is."""
    found = session.profile(outcomes=session.what_if(), slack=True)
    for engine in found.engines:
        parts = (engine.busy, engine.empty, *(stall.ticks for stall in engine.stalls))
        if sum(parts) != found.ticks or min(parts) < 0 or engine.active > found.ticks:
            raise Found("profile", "parts of an engine's time", f"{engine} of {found.ticks}")
    spent = sum(part.ticks for part in found.spent)
    sums = sum(line.ticks for line in found.path), sum(ticks for _, ticks in found.evidence)
    if sums != (spent, spent) or (found.status is Status.FINISHED and spent != found.ticks):
        raise Found("profile", "parts of the critical path", f"{spent} {sums} of {found.ticks}")
    for bound in found.bounds:
        if bound.gap < -1e-9:
            raise Found("profile", f"{bound.name} is longer than {bound.above}", repr(bound))
    for outcome in found.outcomes:
        if outcome.ticks is not None and outcome.ticks + outcome.saved != found.ticks:
            raise Found("profile", "what a run without something saves", repr(outcome))
    generation = session.program.generation
    parts = profile.screen(found, width=width, ascii_only=width % 2 > 0, whole=True)
    if session.now:
        drawn = session.timeline(width)
        if len({len(strip.states or strip.levels) for strip in drawn.strips}) > 1:
            raise Found("profile", "strips of several lengths", repr(drawn))
        parts += timeline.shown(drawn, generation.ticks)
    shown("\n".join(part.plain for part in parts if isinstance(part, Text)), "a profile")
    content = json_profile.profile(found)
    document(content)
    return json.dumps(content)


def alike(program: Program, data: bytes) -> None:
    """Run, stepped, gone back and without values, a program has one profile and one trace."""
    rng = Random(zlib.crc32(data))
    one, other = (Session(program, profile=True) for _ in range(2))
    made = one.run(max_cycles=CYCLES)
    wanted, width = profiled(one, rng.choice((1, 7, 60, 80, 140))), 80
    other.advance(rng.randint(1, max(1, one.now // program.generation.base.cycle)))
    there = other.checkpoint()
    for _ in range(rng.randint(1, 9)):
        other.step()
    other.back_to(there)
    for _ in range(rng.randrange(4)):
        other.step()
    ends = [(ending(other.run(max_cycles=CYCLES)), profiled(other, width))]
    alone = Session(program, profile=True, values=False)
    without = alone.run(max_cycles=CYCLES)
    if made.status in (Status.FINISHED, Status.LIMIT) and not any(
        problem.code == NO_VALUES for problem in without.problems
    ):
        ends.append(((*ending(without)[:-1], made.memory_hash), profiled(alone, width)))
    for found in ends:
        if found != (ending(made), wanted):
            raise Found("hash", "two profiles of one program differ", f"{made}\n{wanted}\n{found}")


def options(data: bytes) -> dict[str, object]:
    """Machine options for an input: for two of three, none."""
    rng = Random(zlib.crc32(data))
    if rng.random() < 0.67:
        return {}
    few = rng.sample(TARGET.options, rng.randint(1, 3))
    return {o.name: rng.choice([*o.choices] if o.choices else [o.low, 7, o.high]) for o in few}
