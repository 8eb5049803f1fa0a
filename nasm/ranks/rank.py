"""One rank: an execution that is advanced from one collective to the next."""

from __future__ import annotations

import time

from nasm.base.problems import Problem
from nasm.isa.collectives import Parcel
from nasm.machine.rank_meetings import RankLanding
from nasm.machine.records import MOST_INSTRUCTIONS, Status
from nasm.ranks.interface import Progressed, RankArrival, RankEnded, RankReached
from nasm.runs.execution import CHUNK, Execution


class Rank:
    """A driver of an execution that was made for a rank.

    It stops after ``max_cycles`` of the base clock, or when so many instructions have completed.
    """

    def __init__(
        self,
        execution: Execution,
        max_cycles: int | None = None,
        max_instructions: int | None = MOST_INSTRUCTIONS,
    ) -> None:
        self.execution = execution
        self.number = execution.machine.rank or 0
        self.limit = (
            None if max_cycles is None else max_cycles * execution.program.generation.base.cycle
        )
        self.most = max_instructions
        execution.begin()
        execution.machine.prepare()

    def advance(self, until: int | None = None, deadline: float | None = None) -> Progressed:
        """Run up to the next collective, to a tick, or to the end.

        Past a ``deadline`` of ``time.monotonic`` it stops wherever it is, once it did something.
        """
        run, machine = self.execution, self.execution.machine
        scheduler = machine.scheduler
        bounds = [tick for tick in (until, self.limit) if tick is not None]
        while (arrived := machine.ranks.pause()) is None:
            if run.ended or run.asked:
                return RankEnded(self.number, run.now, run.status)
            if scheduler.idle and machine.ranks.arrived:
                return RankReached(self.number, None)
            if scheduler.idle:
                run.process(1)  # which finds that this is the end
                continue
            coming = scheduler.heap[0][0]
            if self._spent or (self.limit is not None and coming > self.limit):
                return self._limited()
            if until is not None and coming > until:
                return RankReached(self.number, coming)
            most = self.most if scheduler.remaining else None  # what is in flight still lands
            run.process(CHUNK, min(bounds, default=None), most)
            if deadline is not None and time.monotonic() >= deadline and scheduler.heap:
                return RankReached(self.number, scheduler.heap[0][0])
        return RankArrival(self.number, arrived.queue, arrived.pc, arrived.tick, arrived.call)

    @property
    def _spent(self) -> bool:
        """Whether it has completed as many instructions as it may, and has more."""
        scheduler = self.execution.machine.scheduler
        return self.most is not None and scheduler.retired >= self.most and scheduler.remaining

    def _limited(self) -> RankEnded:
        run = self.execution
        if not self._spent:
            run.process(
                1, self.limit
            )  # the clock is at the limit, however early the last event was
        run.met_limit(self.most if self._spent else None)
        return RankEnded(self.number, run.now, run.status)

    def sent(self, queue: int) -> tuple[Parcel, ...]:
        """What it sends by the collective that waits in a queue."""
        return self.execution.machine.ranks.arrived[queue].parcels

    def land(self, landing: RankLanding) -> None:
        """Let a collective start and land."""
        self.execution.machine.ranks.land(landing)

    def stop(self, status: Status, problem: Problem | None) -> None:
        """The rank cannot continue."""
        run = self.execution
        if not run.ended:
            run.status = status
        if problem is not None:
            run.problems.append(problem)
