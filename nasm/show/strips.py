"""The time so far as lines: strips, sums, and what the last instruction waited for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from nasm.analysis.profile.records import Stall
from nasm.analysis.profile.timeline import EMPTY
from nasm.base.problems import counted, listed
from nasm.debugger.engines.strips import EngineTime, TimeSoFar, Waited
from nasm.debugger.session import Session
from nasm.show import timeline
from nasm.show.columns import hanging


def strips(session: Session, found: TimeSoFar, width: int) -> list[str]:
    """A strip for each queue and ring, and what its letters mean: in ASCII but for the times."""
    micro = session.program.generation.ticks
    lines = [line.plain.rstrip() for line in timeline.shown(found.timeline, micro, True, here=True)]
    return [
        part for line in lines for part in (hanging(line, width) if len(line) > width else [line])
    ]


def room(session: Session, width: int) -> int:
    """How many cells fit next to the names of queues and rings."""
    names = [session.name(q) for q in session.queues() if q.length]
    return timeline.room([*names, "0.ring 15"], width)


def shown(session: Session, found: TimeSoFar, width: int) -> list[str]:
    """All of it."""
    return [
        *strips(session, found, width),
        *sums(session, found.engines, width),
        *(hanging(last(session, found.last), width) if found.last else ()),
    ]


def sums(session: Session, engines: Sequence[EngineTime], width: int) -> list[str]:
    """A row for each engine, in its own cycles."""
    rows = []
    for one in engines:
        cycle = session.machine.cycle(one.index)
        causes = [f"{stall.ticks // cycle:,} {_cause(stall)}" for stall in one.stalls]
        if one.empty:
            causes.append(f"{one.empty // cycle:,} {timeline.MARKS[EMPTY][2]}")
        rows.append((one.engine, f"{one.busy // cycle:,}", ", ".join(causes)))
    heads = ("engine", "busy", "cycles it waited for")
    name, busy = (max(len(row[n]) for row in (heads, *rows)) for n in (0, 1))
    return [
        line
        for engine, count, waits in (heads, *rows)
        for line in textwrap.wrap(
            waits or "-",
            width,
            initial_indent=f"{engine:{name}}  {count:>{busy}}  ",
            subsequent_indent=" " * (name + busy + 4),
        )
    ]


def _cause(stall: Stall) -> str:
    """What a stall is called, as in the legend of strips."""
    if stall.by:
        return stall.by
    return _state(stall.cause)


def last(session: Session, found: Waited) -> str:
    """What the instruction that completed last waited for."""
    queue = session.queue(found.at.engine)
    cycle = session.machine.cycle(queue.index)
    text = f"last completed: {found.at}: {found.text}"
    if not found.waits:
        return f"{text}; it did not wait"
    causes: dict[str, int] = {}
    for wait in found.waits:
        causes[wait.state] = causes.get(wait.state, 0) + wait.end - wait.begin
    parts = [f"{counted(ticks // cycle, 'cycle')} for {_state(s)}" for s, ticks in causes.items()]
    return f"{text}; it waited {listed(parts, 'and')}{f' ({found.by})' if found.by else ''}"


def _state(state: str) -> str:
    return timeline.MARKS[state][2] if state in timeline.MARKS else state
