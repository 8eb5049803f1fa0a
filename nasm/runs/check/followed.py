"""A run of a program without its values, and what is looked at on the way."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence

from nasm.analysis.hazards.endless_loops import endless
from nasm.base.problems import Problem
from nasm.machine.outlines import NO_VALUES
from nasm.machine.records import RunReport, Status
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.runs.check.accesses import Touches
from nasm.runs.check.contents import Contents
from nasm.runs.check.counters import Place
from nasm.runs.check.engine_values import EngineValues
from nasm.runs.check.initialisation import Initialisation
from nasm.runs.check.joins import Joins, OptionalTouches, joins
from nasm.runs.check.live_ranges import Lifetimes
from nasm.runs.check.other_timings import may_hang
from nasm.runs.check.way import Way
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings

LIMIT = "E0511"


class Followed:
    """A program that is followed on one way: as ``given``, and then as is open.

    If it is not ``open`` it ends where a value decides. A ``joined`` one goes through both sides of
    branches where these meet again. ``errors`` are those of the run, and ``unknown`` why it could
    not continue.
    """

    def __init__(
        self,
        program: Program,
        settings: RunSettings,
        most: int | None,
        given: Sequence[int] = (),
        open_: bool = True,
        joined: bool = False,
    ) -> None:
        self.program, self.joined = program, joined
        session = self.session = Execution(program, settings=settings, alone=program.ranks > 1)
        machine, scheduler = session.machine, session.machine.scheduler
        scheduler.interlock.held = True
        self.touches = Touches(machine)
        self.lifetimes, self.watch = Lifetimes(machine, self.touches), Watch(scheduler.queues)
        self.initialisation, self.engine_values = Initialisation(machine), EngineValues(machine)
        contents = Contents(machine, self.touches)
        added = self.initialisation.last
        both = joins(machine, self.touches, added) if joined else Joins()
        self.way = Way(machine, contents, given, both)
        if open_:
            vague = self.way.vague_regions
            optional = OptionalTouches(both.optional)
            self.initialisation.vague = vague
            self.initialisation.optional = self.engine_values.optional = both.optional
            self.watch.vague = touched = ChainMap(optional.touched, vague)
            if machine.watch is not None:
                machine.watch.vague = touched
            machine.follow(self.way)
            if both.optional:
                scheduler.observe(optional)
            if contents.writes:
                scheduler.observe(contents)
        for observer in (self.lifetimes, self.initialisation, self.engine_values, self.watch):
            scheduler.observe(observer)
        self.report: RunReport = session.run(max_instructions=most, hashes=False)
        found = [p for p in (*self.report.hazards, *self.report.problems) if p.code != LIMIT]
        self.errors = [problem for problem in found if problem.code != NO_VALUES]
        self.unknown = [problem for problem in found if problem.code == NO_VALUES]

    @property
    def finished(self) -> bool:
        """Whether it was followed to its end, and reached that."""
        return self.report.status is Status.FINISHED

    @property
    def clean(self) -> bool:
        """Whether it was followed to its end, and nothing was found.

        If it is joined its times are those of no way: all transfers must certainly have landed.
        """
        ordering = self.session.ordering
        found = [*self.errors, *self.report.warnings, *self.unknown, *self.later()]
        if ordering is not None:
            found += ordering.vague_races()
            if self.joined and any(True for _ in ordering.judged().unlanded()):
                return False
        return self.finished and self.engine_values.steady and not (found or self.way.vaguer)

    @property
    def cut(self) -> bool:
        """Whether it was followed in part."""
        return bool(self.unknown) or self.report.status is Status.LIMIT

    def later(self) -> Iterator[Problem]:
        """What was found besides the errors of the run, of all that was followed."""
        yield from self.engine_values.problems
        if self.finished:
            yield from self.initialisation.outputs()
            yield from may_hang(self.program, self.session.ordering)

    def idle(self) -> dict[Place, bool]:
        """The instructions that waited: whether each of their waits orders nothing."""
        session = self.session
        if not self.finished or self.watch.full:
            return {}
        if session.ordering is not None:
            check = session.ordering.by_loops or session.ordering.judged()
        else:
            check = Check(Sources(self.program), self.watch, held=True)
            check.settle()
        order, pcs = check.order, check.watch.pcs
        idle = set(order.idle())
        found: dict[Place, bool] = {}
        for queue, steps in enumerate(order.steps):
            for index in (taken.step.index for taken in steps if taken.step.wait is not None):
                place = queue, pcs[queue][index]
                found[place] = found.get(place, True) and (queue, index) in idle
        return found


def with_endless(program: Program, errors: Iterable[Problem]) -> list[Problem]:
    """The errors of a run, and the loops that never end and that it did not report."""
    found = list(errors)
    reported = {problem.span for problem in found}
    return [*found, *(problem for problem in endless(program) if problem.span not in reported)]
