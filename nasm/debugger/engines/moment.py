"""A machine between two events, and what its instructions and times are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nasm.base.problems import listed
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.debugger.engines.future_posts import ProgramFlows
from nasm.debugger.engines.records import Hold, Location
from nasm.debugger.engines.transfers import predict, under_way
from nasm.machine.records import Status
from nasm.sim.counters import Who
from nasm.sim.queues import Queue

if TYPE_CHECKING:
    from nasm.machine import Machine


@dataclass(slots=True)
class Start:
    """When the next instruction of a queue can start at the earliest, and whether just then."""

    tick: int | None
    certain: bool = True
    holds: list[Hold] = field(default_factory=list)

    def hold(self, found: Hold) -> None:
        """Something keeps it from starting."""
        self.holds.append(found)
        self.certain = self.certain and found.certain and found.until is not None
        if found.until is None or self.tick is None:
            self.tick = None
        else:
            self.tick = max(self.tick, found.until)


class Situation:
    """A machine between two events: reads it, and changes nothing."""

    def __init__(self, machine: Machine, flows: ProgramFlows, status: Status) -> None:
        self.machine, self.program, self.flows = machine, machine.program, flows
        self.scheduler, self.status = machine.scheduler, status
        self.now = machine.scheduler.now
        landings, self.earliest = predict(machine, flows)
        self.transfers = under_way(machine, landings)

    def place(self, who: Who | None) -> Location:
        """An instruction by queue and pc; None is a hand."""
        if who is None:
            return Location("a change by hand", -1, None)
        span = self.program.span(*who)
        name = self.program.queue_name(who[0])
        if span is None:
            return Location(name, who[1], None)
        steps = filter(None, (frame.step for frame in span.chain))
        return Location(name, who[1], span.line, ", ".join(steps), span.source.label)

    def more(self, tick: int) -> str:
        """How long it is until a tick."""
        us = self.machine.microseconds(tick - self.now)
        return f"{us:,.3f} µs more" if us >= 0.0005 else "less than 0.001 µs more"

    def time(self, tick: int) -> str:
        """A tick in microseconds."""
        return f"{self.machine.microseconds(tick):,.3f} µs"

    def relative_place(self, who: Who, queue: Queue) -> str:
        """An instruction, named relative to the engine in question."""
        place = self.place(who)
        return place.where if who[0] == queue.index else str(place)


def briefly(spans: Iterable[Span | None]) -> str:
    """The lines of some places in few words, each once: ``line 3, 5 and lib/a.nasm:12``."""
    held = [span for span in spans if span is not None]
    own = dict.fromkeys(str(span.line) for span in held if not span.source.label)
    others = dict.fromkeys(span.brief for span in held if span.source.label)
    return ("line " if own else "") + listed([*own, *others], "and")


def by_line(span: Span | None) -> tuple[str, int]:
    """Places in the order of their texts: the program's own first."""
    return (span.source.label, span.line) if span is not None else ("", 0)
