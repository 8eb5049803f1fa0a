"""Runs a program without looking at its values, and measures it as the vendor's profiler would.

All times are microseconds unless a name says otherwise. They are added up with ``fsum``, which
rounds once: what ``sum`` makes of floats differs between versions of Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import fsum

from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.sim.channels import members

WARM = 10.0
"""After so many µs a stream runs as it will go on: the power ramp is over, queues are full."""


@dataclass(frozen=True, slots=True)
class Span:
    """An instruction that ran, or a share that moved ``size`` bytes: from start to completion."""

    engine: str
    name: str
    pc: int
    start: float
    end: float
    size: int = 0

    @property
    def duration(self) -> float:
        """From start to completion: the profiler's duration."""
        return self.end - self.start


@dataclass
class Run:
    """A program that has run to its end, and what a profile of it would show."""

    session: Session
    report: RunReport = field(repr=False)

    @property
    def total(self) -> float:
        """The whole run, without the kernel's entry and exit."""
        return self.report.microseconds

    @property
    def entry_and_exit(self) -> float:
        """What a kernel takes on the device besides."""
        return self.report.entry_and_exit or 0.0

    @cached_property
    def instructions(self) -> list[Span]:
        """Every instruction that ran, by its start."""
        program, ticks = self.session.program, self.session.program.generation.ticks
        rows: dict[tuple[int, int], str] = {}
        found = []
        for _, queue, pc, _, start, end in self.session.trace.instructions:
            name = rows.get((queue, pc))
            if name is None:
                name = rows[queue, pc] = program.instruction(queue, pc).row.name
            engine = program.queues[queue].engine
            found.append(Span(engine, name, pc, start / ticks, end / ticks))
        return sorted(found, key=lambda s: (s.start, s.engine, s.pc))

    @cached_property
    def shares(self) -> list[Span]:
        """Every share of a transfer, by its start; ``pc`` is its DMA engine."""
        ticks = self.session.program.generation.ticks
        found = []
        for _, channels, _, queue, _, _, start, _, end, size, count in self.session.trace.jobs:
            engine = self.session.program.queues[queue].engine
            for channel in members(channels):
                found.append(Span(engine, "", channel, start / ticks, end / ticks, size // count))
        return sorted(found, key=lambda s: (s.start, s.pc))

    def of(self, engine: str, name: str = "") -> list[Span]:
        """Instructions of an engine, or those of one name."""
        return [s for s in self.instructions if s.engine == engine and (not name or s.name == name)]

    # -- as the profiler counts

    def active(self, engine: str) -> float:
        """While an instruction of an engine's datapath was between its start and completion."""
        return union(s for s in self.of(engine) if s.name != "EventSemaphore")

    @property
    def dma_active(self) -> float:
        """While a share that moved something was between its start and its landing."""
        return union(s for s in self.shares if s.size)

    @property
    def packet_time(self) -> float:
        """How long the DMA engines were busy, added up over them."""
        ticks = self.session.program.generation.ticks
        return sum(channel.busy for channel in self.session.channels()) / ticks

    @property
    def bytes(self) -> int:
        """What the DMA engines moved."""
        return self.report.channel_bytes

    # -- micro-figures

    def spacing(self, engine: str, name: str, after: float = WARM) -> float:
        """Mean time between starts of an instruction in a stream that has run for a while."""
        starts = [s.start for s in self.of(engine, name)]
        late = [b - a for a, b in pairwise(starts) if a >= starts[0] + after]
        if not late:
            raise ValueError(f"no two {name} on {engine} start after {after:g} µs of the stream")
        return fsum(late) / len(late)

    def duration(self, engine: str, name: str, which: int = 0) -> float:
        """From start to completion of the first instruction of that name, or another."""
        return self.of(engine, name)[which].duration


def union(spans: Iterable[Span]) -> float:
    """The time that is covered by at least one span."""
    return fsum(end - start for start, end in merged(spans))


def merged(spans: Iterable[Span]) -> Iterator[tuple[float, float]]:
    """Spans, overlapping ones made one, in order."""
    begin = end = None
    for span in sorted(spans, key=lambda s: s.start):
        if end is None or span.start > end:
            if end is not None:
                yield begin, end
            begin, end = span.start, span.end
        else:
            end = max(end, span.end)
    if end is not None:
        yield begin, end


def run(program: Program, values: bool = False, allow: Iterable[str] = ()) -> Run:
    """Run a program to its end, with values only if they decide addresses.

    Refuses one that does not finish, or has hazards that it is not to ``allow``.
    """
    session = Session(program, trace=True, values=values, allow=allow)
    report = session.run(max_instructions=None, hashes=False)
    if report.status is not Status.FINISHED or report.hazards:
        raise SystemExit(str(report))
    return Run(session, report)
