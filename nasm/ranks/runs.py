"""A run of a program with several ranks, in this process: made, run, reported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem, listed
from nasm.base.records import replace
from nasm.isa.evidence import Evidence
from nasm.machine import inputs as given_inputs
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.program.ranks import with_ranks
from nasm.ranks.hosted import HostedRanks
from nasm.ranks.inputs import by_rank
from nasm.ranks.problems import problem_of
from nasm.ranks.records import MeetingReport, RanksReport
from nasm.ranks.world import MeetingRecord, World
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.views.tensor import Tensor
from nasm.workers.actors import WorkerLost
from nasm.workers.places import ActorPlace, OwnProcess

LOST = "E0824"
AGAIN = "what it was doing is lost: run it again"


class RanksRun:
    """The ranks of a program, each an execution, and the world that they are in.

    ``place`` is where they live, this process by default; ``order`` that in which they are
    advanced, which changes nothing. Raises Failure with every problem of the program and its
    inputs.
    """

    def __init__(
        self,
        program: Program,
        inputs: given_inputs.Inputs | None,
        settings: RunSettings,
        order: Sequence[int] | None = None,
        called: str = "",
        place: ActorPlace | None = None,
    ) -> None:
        self.program = program = with_ranks(program, settings.ranks)
        self.settings, self.called = settings, called
        given = by_rank(program, inputs)
        self.engine = HostedRanks(place or OwnProcess(), program, given, settings, order)
        self.world = World(program, self.engine, settings.topology)

    @property
    def first(self) -> Execution:
        """Rank 0, for what is asked about the program; elsewhere it is made again, and not run."""
        host = self.engine.local
        if host is not None:
            return host.ranks[0].execution
        return Execution(self.program, None, rank=0, settings=replace(self.settings, values=False))

    @property
    def executions(self) -> list[Execution]:
        """Those of all ranks, if they are in this process."""
        host = self.engine.local
        return [rank.execution for rank in host.ranks.values()] if host is not None else []

    def halt(self) -> None:
        """End the run where every rank is between two events."""
        self.engine.halt()

    def run(self) -> RanksReport:
        """Run to the end, or as far as the ranks can; returns the report."""
        try:
            self.world.run()
        except WorkerLost as lost:
            raise Failure(self._lost(lost)) from None
        for problem, misfit in zip(self.problems, self.world.misfits, strict=True):
            ranks = [place.rank for place, _ in misfit.places]
            self.engine.stop(ranks, Status.DEADLOCK, problem)
        return self.report()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the ranks together could not continue."""
        return tuple(problem_of(self.program, one) for one in self.world.misfits)

    def _lost(self, lost: WorkerLost) -> Problem:
        """Which ranks were where a worker has ended, and how far they had come."""
        actor = next(actor for actor in self.engine.actors if actor.where == lost.where)
        ranks = self.engine.ranks_of(actor)
        held = f"{'rank' if len(ranks) == 1 else 'ranks'} {listed([str(n) for n in ranks], 'and')}"
        past = [m for m in self.world.meetings if set(m.call.group) & set(ranks)]
        text = f"the worker that had {held} has ended: {lost.where}"
        if not past:
            return Problem(LOST, f"{text}, before a collective of theirs", None, AGAIN)
        last = past[-1]
        reached = f"{text}, after meeting {last.number}, {last.call.operation}"
        return Problem(LOST, reached, self.program.span(last.queue, last.pcs[0]), AGAIN)

    # -- what is reported

    def report(self) -> RanksReport:
        """The run so far."""
        hashes = self.settings.hashes
        reports = self.engine.reports(hashes)
        ticks = max(report.ticks for report in reports)
        meetings = tuple(map(self._meeting, self.world.meetings))
        return RanksReport(
            status=self._status(reports),
            program=reports[0].program or self.called,
            generation=reports[0].generation,
            topology=str(getattr(self.world.topology, "name", self.world.topology) or ""),
            ticks=ticks,
            microseconds=reports[0].units.microseconds(ticks),
            ranks=reports,
            meetings=meetings,
            waits=self._sums((m, m.waits) for m in meetings),
            exchanging=self._sums((m, [m.ticks] * len(m.group)) for m in meetings),
            problems=self.problems,
            trace_hash=_together(report.trace_hash for report in reports),
            memory_hash=_together(report.memory_hash for report in reports),
        )

    @staticmethod
    def _status(reports: Sequence[RunReport]) -> Status:
        found = {report.status for report in reports}
        order = (Status.FAULT, Status.DEADLOCK, Status.LIMIT, Status.RUNNING, Status.READY)
        return next((status for status in order if status in found), Status.FINISHED)

    def _meeting(self, record: MeetingRecord) -> MeetingReport:
        call, collectives = record.call, self.world.collectives
        return MeetingReport(
            record.number,
            call.operation,
            self.program.span(record.queue, record.pcs[0]),
            call.group,
            collectives.size(call),
            record.arrivals,
            record.waits,
            record.start,
            record.time.ticks,
            record.time.algorithm,
            dict(record.time.parts).get(Evidence.ASSUMED, 0),
            record.time.source,
        )

    def _sums(self, found: Iterable[tuple[MeetingReport, Sequence[int]]]) -> tuple[int, ...]:
        """For each rank the sum of what is known of it at each meeting."""
        sums = [0] * self.program.ranks
        for meeting, ticks in found:
            for rank, some in zip(meeting.group, ticks, strict=True):
                sums[rank] += some
        return tuple(sums)

    def stopped(self, report: RanksReport, status: Status) -> RanksReport:
        """A report of a run that was stopped from outside: of each rank that had not ended."""
        going = (Status.READY, Status.RUNNING)
        ranks = tuple(
            replace(one, status=status) if one.status in going else one for one in report.ranks
        )
        return replace(report, ranks=ranks, status=status)

    def contents(self, tensor: Tensor) -> Any:
        """The elements of a tensor now, with a first axis of ranks."""
        return np.stack(self.engine.contents(tensor.name))

    def outputs(self) -> dict[str, Any]:
        """The outputs by name, each with a first axis of ranks."""
        tensors = self.program.tensors.items()
        return {n: self.contents(t) for n, t in tensors if t.role in ("output", "inout")}


def _together(hashes: Iterable[str]) -> str:
    """The hash of the hashes of all ranks; empty if there are none."""
    found = list(hashes)
    return hashlib.sha256("".join(found).encode()).hexdigest() if all(found) else ""
