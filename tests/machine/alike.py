"""What a run with values and one without have in common, for tests of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program

NEEDS_VALUES = "E0518"

ONLY_VALUES_FIND = frozenset(
    ("E0404", "E0407", "E0501", "E0503", "E0507", "E0508", "E0509", "E0515", "E0701")
)
"""Hazards and faults that follow from what tensors and the engines hold: docs/machine.md has them.

E0503 and E0701 are found where no value is needed for it.
"""

FOUND_WITHOUT = frozenset(("E0504", "E0506", "E0512", "E0517", "E0519"))
"""Faults that end a run without values as they end one with."""


def without_values(program: Program, cycles: int | None = None, step: bool = False) -> Session:
    """A program run without values, in one go or instruction by instruction."""
    session = Session(program, trace=True, values=False)
    while step and not session.over:
        session.step()
    session.run(max_cycles=cycles)
    return session


def prefix(some: Any, more: Any) -> bool:
    """Whether the shorter of two traces is where the longer begins."""
    pairs = ((s, m) for s, m in zip(some._kinds(), more._kinds(), strict=True))
    return all(s[: len(m)] == m[: len(s)] for s, m in pairs)


def alike(program: Program, inputs: Mapping[str, Any] | None = None) -> Session:
    """Run a program with values, without, and step by step without: they agree in every tick.

    Returns the session without values.
    """
    full, bare = Session(program, inputs, trace=True), without_values(program)
    compare(full, full.run(), bare)
    stepped = without_values(program, step=True).report(), bare.report()
    assert len({(report.ticks, report.trace_hash) for report in stepped}) == 1
    return bare


def compare(full: Session, ran: RunReport, bare: Session) -> None:
    """A run with values, its report, and one without agree, as far as values decide nothing."""
    report = bare.report()
    assert report.memory_hash == ""
    codes = [p.code for p in report.problems]
    faults = {p.code for p in ran.problems if ran.status is Status.FAULT}
    if NEEDS_VALUES in codes or not faults <= FOUND_WITHOUT:
        # one of the two ended early: up to then they went alike
        assert prefix(full.trace, bare.trace)
        assert codes == [NEEDS_VALUES] or faults <= ONLY_VALUES_FIND
        return
    assert (report.status, report.ticks) == (ran.status, ran.ticks)
    assert report.trace_hash == ran.trace_hash
    assert report.problems == ran.problems
    assert report.engines == ran.engines
    assert report.semaphores == ran.semaphores
    assert report.channel_bytes == ran.channel_bytes
    assert list(report.hazards) == [p for p in ran.hazards if p.code not in ONLY_VALUES_FIND]
