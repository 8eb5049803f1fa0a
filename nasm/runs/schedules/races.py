"""The races of a run to show, and whether it may hang."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import Problem
from nasm.base.records import replace
from nasm.machine.records import Status
from nasm.order.skeleton import COMPLETES, STARTS, Event
from nasm.runs.check.other_timings import hangs
from nasm.runs.execution import Execution
from nasm.runs.schedules.records import Witness
from nasm.runs.schedules.witnesses import Witnesses
from nasm.views.regions import Region

PAIRS = 3
"""Pairs of accesses of one race whose ends are held."""


def races_of(session: Execution) -> int:
    """How many races a run has that can be shown, as far as it is reported."""
    ordering = session.ordering
    return 0 if ordering is None else sum(1 for _ in ordering.races())


def witnesses(session: Execution) -> Iterator[tuple[Problem, Witness]]:
    """Each race that is reported of a run that is over, and its witness.

    Delayed is the end of the access that came first in the run, or else that of the other; where
    that changes nothing, those of other pairs of accesses of the same two lines, and starts.
    """
    ordering = session.ordering
    if ordering is None:
        return
    shower: Witnesses | None = None
    for problem, race in ordering.races():
        shower = shower or Witnesses(session)
        ends: dict[Event, tuple[Region, ...]] = {}
        for pair in race.pairs[:PAIRS]:
            for access in pair:
                ends.setdefault(ordering.judged().end(access), tuple(a.region for a in pair))
        for event, regions in list(ends.items()):
            if event.kind == COMPLETES:  # it may have read too early what it overwrites
                ends.setdefault(replace(event, kind=STARTS), regions)
        yield problem, shower.of(ends.items())


def hang_witnesses(session: Execution) -> Iterator[tuple[Problem, Witness]]:
    """What hangs under another timing though the run has ended, each with its witness.

    Delayed is the start of what then waits forever, or else what happened before in that order.
    """
    if session.status is not Status.FINISHED:
        return
    for problem, events in hangs(session.program, session.ordering):
        if events:
            yield problem, Witnesses(session).of((event, None) for event in events)
