"""What cores and engines hold between instructions: register files, locks, tiles, generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.problems import Refused, counted, did_you_mean, listed, quoted
from nasm.base.records import dataclass, replace
from nasm.debugger.values import core_parts
from nasm.debugger.values.value import Value
from nasm.isa.core_state import Part, Seen
from nasm.isa.implicit_kinds import EngineValue
from nasm.machine.outlines import NoValues
from nasm.runs.inspection import Inspection
from nasm.sim.queues import Queue

FEW = 6
"""Names that are listed where one is not known."""


@dataclass(frozen=True, slots=True, repr=False)
class StatePart:
    """What an engine holds under a name, or with no engine a part of what its core holds.

    ``parts`` say each what it is, and its elements; there are none if nothing was left there, and
    ``how`` says what leaves it. Until ``ready``, a tick, its next user waits.
    Of a core ``how`` says what it is, ``summary`` how it is now, and ``rows`` are a table of it
    under ``heads``; it is ``resting`` if it has nothing to report.
    """

    core: int
    engine: str
    name: str
    how: str
    ready: int
    parts: tuple[tuple[str, Value], ...]
    summary: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    resting: bool = False

    def __repr__(self) -> str:
        parts = counted(len(self.parts), "part")
        if not self.engine:
            return f"<{self.name} of core {self.core}: {self.summary or self.how}>"
        return f"<{self.name} of {self.engine}, core {self.core}: {parts}>"


def engine_parts(session: Inspection, name: str = "") -> tuple[StatePart, ...]:
    """What cores and engines hold: all of it, that of an engine, or the part of a name.

    Without a name, only engines that hold something are listed; of one all that it could hold.
    Raises Refused. Of a run without values only parts of cores are known: raises Failure if there
    is nothing to tell of them.
    """
    parts = session.program.held_parts
    word = name.strip().removeprefix("@")
    found = _part(session, word)
    if found is not None:
        return (_seen(session, *found),)
    cores = range(session.program.cores) if not word else ()
    seen = tuple(_seen(session, core, part) for core in cores for part in parts)
    queues = [_engine(session, word)] if word else session.machine.scheduler.queues
    mine = tuple(_of_queue(session, queues[0])) if word else seen
    if not session.values and all(item.resting for item in mine):
        raise NoValues.of("what engines hold")
    own = (item for queue in queues for item in _of(session, queue, bool(word)))
    return (*own, *mine) if session.values else mine


def _engine(session: Inspection, word: str) -> Queue:
    names = [part.name for part in session.program.held_parts]
    try:
        return session.queue(word)
    except Refused as refused:
        if not names:
            raise
        hint = did_you_mean(word, names) or refused.hint
        if not hint:
            more = "…" if len(names) > FEW else ""
            hint = f"a core holds {listed([*names[:FEW], *([more] if more else [])], 'and')}"
        raise Refused(refused.code, f"no engine or part '{quoted(word)}'", hint) from None


def _part(session: Inspection, word: str) -> tuple[int, Part] | None:
    """The core and the part that a name means, ``1.dst`` of core 1; None if it means none."""
    core, dot, rest = word.rpartition(".")
    number = session.program.core_numbered(core) if dot else 0
    part = next((part for part in session.program.held_parts if part.name == rest), None)
    return (number, part) if part is not None and number is not None else None


def _seen(session: Inspection, core: int, part: Part) -> StatePart:
    """A part of what a core holds, as it is now."""
    return _made(core, part, part.read(session.machine.holds[core]), part.name)


def _made(core: int, part: Part, seen: Seen, text: str) -> StatePart:
    values = () if seen.array is None else (("", core_parts.value(text, seen)),)
    return StatePart(
        core, "", part.name, part.what, 0, values, seen.summary, seen.heads, seen.rows, seen.resting
    )


def _of_queue(session: Inspection, queue: Queue) -> Iterator[StatePart]:
    """What of those parts belongs to a queue."""
    engines = [engine.name for engine in session.program.generation.engines]
    number = engines.index(queue.engine)
    for part in session.program.held_parts:
        if not part.by_queue:
            continue
        seen = part.read(session.machine.holds[queue.core])
        rows = tuple(row for row in seen.rows if row[0] == queue.engine)
        both = () if seen.heads else (seen.array, seen.known)
        if both and seen.array is not None and number >= len(seen.array):
            continue  # it has one for each of the other queues
        array, known = (None if of is None else of[number] for of in both or (None, None))
        text = "" if seen.heads else seen.summary  # of all queues
        mine = replace(seen, array=array, known=known, rows=rows, summary=text)
        yield _made(queue.core, part, mine, f"{part.name}[{number}]")


# -- what engines hold


def _of(session: Inspection, queue: Queue, every: bool) -> Iterator[StatePart]:
    state = session.machine.state.engines[queue.index]
    for name, kind in _kinds(session, queue.engine).items():
        value = state.values.get(name)
        parts = () if value is None else tuple(_values(kind, value))
        if parts or every:
            ready = state.ready.get(name, 0)
            yield StatePart(queue.core, queue.engine, name, kind.how, ready, parts)


def _kinds(session: Inspection, engine: str) -> dict[str, EngineValue]:
    """What instructions leave in an engine, by name."""
    program, found = session.program, dict[str, EngineValue]()
    for row in program.target.isa:
        if engine in row.engines and program.target.available(row, program.generation):
            for operand in row.operands:
                if isinstance(operand.kind, EngineValue):
                    found.setdefault(operand.kind.name, operand.kind)
    return found


def _values(kind: EngineValue, value: Any) -> Iterator[tuple[str, Value]]:
    for what, array, known in kind.parts(value):
        elements = np.asarray(array)
        if known is not None:
            known = np.broadcast_to(np.asarray(known), elements.shape)
            if not known.any():
                continue  # none was set
        yield what, core_parts.value(kind.name, Seen(elements, known))
