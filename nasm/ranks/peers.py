"""The other ranks of a rank that is debugged: they are advanced as far as it waits for them.

A rank that is stepped meets others in collectives alone. When it reaches one, the others are run up
to it, all at once; what it receives is kept, so that going back and forward again needs none of
them. They never run for any other reason, so nothing of them is ahead that it could notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem, counted
from nasm.base.records import dataclass
from nasm.isa.collectives import CollectiveCall, Parcel, RankExchanges
from nasm.machine import inputs as given_inputs
from nasm.machine.rank_meetings import ArrivedCall, RankLanding
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.ranks.exchanging import landings
from nasm.ranks.hosting import RankHost
from nasm.ranks.inputs import by_rank
from nasm.ranks.interface import Progressed, RankArrival, RankEnded, RankMeeting, RankReached
from nasm.ranks.problems import problem_of
from nasm.ranks.rank import Rank
from nasm.ranks.world import MeetingRecord, World
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings

CHANGED = "E0825"


@dataclass(frozen=True, slots=True)
class Received:
    """What the rank sent at a collective, and what it got."""

    call: CollectiveCall
    sent: tuple[Parcel, ...]
    landing: RankLanding


class RankPeers:
    """All ranks of a program but one, whose ``execution`` something else moves.

    ``received`` has what that one got, by queue and by how much the queue had completed.
    """

    def __init__(
        self, execution: Execution, given: Sequence[Mapping[str, Any]], settings: RunSettings
    ) -> None:
        program = execution.program
        collectives = program.target.collectives
        assert collectives is not None, "a program of several ranks has collectives"
        self.execution, self.rank = execution, execution.machine.rank or 0
        others = {rank: inputs for rank, inputs in enumerate(given) if rank != self.rank}
        self.host = RankHost(program, others, settings)
        self.collectives: RankExchanges = collectives
        self.world = World(program, self, settings.topology)
        self.received: dict[tuple[int, int], Received] = {}
        self.within = False

    # -- what the rank asks for

    def meet(self) -> None:
        """Let what has arrived land, as far as that is known; raises Failure."""
        ranks = self.execution.machine.ranks
        if self.within:
            return
        while (one := ranks.pause()) is not None:
            held = self.received.get(self._key(one.queue))
            if held is None:
                self.world.take(RankArrival(self.rank, one.queue, one.pc, one.tick, one.call))
            elif held.call == one.call and _same(held.sent, one.parcels):
                ranks.land(held.landing)
            else:
                raise Failure(self._changed(one))
        self.host.halt(wanted=False)
        while ranks.arrived and not self.execution.asked and self.world.step():
            pass
        for misfit in self.world.misfits if ranks.arrived else ():
            self.execution.problems.append(problem_of(self.execution.program, misfit))
            self.execution.status = Status.DEADLOCK

    def halt(self, wanted: bool) -> None:
        """End what the others are run for, where their machines are whole."""
        self.host.halt(wanted)

    def over(self) -> None:
        """The rank has ended."""
        if self.rank not in self.world.ended:
            run = self.execution
            self.world.take(RankEnded(self.rank, run.now, run.status))

    def _key(self, queue: int) -> tuple[int, int]:
        return queue, int(self.execution.machine.scheduler.queues[queue].count)

    def _changed(self, one: ArrivedCall) -> Problem:
        span = self.execution.program.span(one.queue, one.pc)
        message = (
            f"{one.call.operation} sends something else than before, and the other ranks have "
            "received that"
        )
        return Problem(CHANGED, message, span, "'restart' begins all ranks again")

    # -- what the world asks for

    def advance(self, wanted: Mapping[int, int | None]) -> Sequence[Progressed]:
        """Advance the others; this one is where its debugger has it."""
        others = self.host.advance([item for item in wanted.items() if item[0] != self.rank])
        found = [_on(one) for one in others]
        if self.rank in wanted:
            found.append(self._further(wanted[self.rank]))
        return found

    def _further(self, until: int | None) -> Progressed:
        """Advance this one, too: it waits in a queue, and others wait for what is in another."""
        if until is None:
            return RankReached(self.rank, None)
        self.within = True
        try:
            return Rank(self.execution, max_instructions=None).advance(until)
        finally:
            self.within = False

    def exchange(self, meeting: RankMeeting) -> None:
        """Let the ranks of a group have what they send."""
        mine = self.execution.machine.ranks
        waiting = [(one.rank, one.queue) for one in meeting.arrivals if one.rank != self.rank]
        found = dict(zip((rank for rank, _ in waiting), self.host.sent(waiting), strict=True))
        queues = {one.rank: one.queue for one in meeting.arrivals}
        if self.rank in queues:
            found[self.rank] = mine.arrived[queues[self.rank]].parcels
        made = landings(self.collectives, meeting, [found[rank] for rank in meeting.group])
        for rank, landing in zip(meeting.group, made, strict=True):
            if rank != self.rank:
                self.host.land([(rank, landing)])
                continue
            sent = mine.arrived[landing.queue]
            self.received[self._key(landing.queue)] = Received(sent.call, sent.parcels, landing)
            mine.land(landing)

    def states(self) -> list[str]:
        """What each rank is at, in the order of ranks."""
        return [self._state(rank) for rank in range(self.execution.program.ranks)]

    def _state(self, rank: int) -> str:
        world, program = self.world, self.execution.program
        units = self.execution.units
        past = sum(rank in meeting.call.group for meeting in world.meetings)
        met = f"{counted(past, 'collective')} met"
        if rank == self.rank:
            return f"the one that is debugged, at {units.moment(self.execution.now)}; {met}"
        if rank in world.ended:
            ended = world.ended[rank]
            return f"{ended.status.value} at {units.moment(ended.tick)}; {met}"
        for one in world.waiting[rank].values():
            span = program.span(one.queue, one.pc)
            where = f" in line {span.line}" if span else ""
            since = units.moment(one.tick)
            return f"waits at {one.call.operation}{where} since {since}; {met}"
        return f"{met}, and no other that is known" if past else "not run: nothing waits for it yet"

    @property
    def meetings(self) -> list[MeetingRecord]:
        """Those that took place, of any ranks."""
        return self.world.meetings


def _on(found: Progressed) -> Progressed:
    """What a rank reports; one that was halted has not ended."""
    halted = isinstance(found, RankEnded) and found.status is Status.RUNNING
    return RankReached(found.rank, None) if halted else found


def _same(one: Sequence[Parcel], other: Sequence[Parcel]) -> bool:
    """Whether the same bits are sent, and the same of them known."""
    return len(one) == len(other) and all(
        a.values.tobytes() == b.values.tobytes()
        and (a.known is b.known or np.array_equal(_known(a), _known(b)))
        for a, b in zip(one, other, strict=True)
    )


def _known(parcel: Parcel) -> Any:
    return np.ones(parcel.values.shape, bool) if parcel.known is None else parcel.known


def of_rank(
    program: Program, inputs: given_inputs.Inputs | None, rank: int, settings: RunSettings
) -> Execution:
    """An execution of one rank that meets the others, which begin with it; raises Failure."""
    if rank >= program.ranks:
        message = f"there is no rank {rank}: the program has {program.ranks}, numbered from 0"
        raise Failure(Problem("E0823", message))
    given = by_rank(program, inputs)
    execution = Execution(program, given[rank], rank=rank, settings=settings)
    execution.peers = RankPeers(execution, given, settings)
    return execution
