"""The world of a run: ranks advance until they meet, and meet when all of a group have come.

Everything is decided from what an engine reports, in an order that does not depend on which rank
was advanced first. A rank that waits has reached a collective; what it does meanwhile, on other
queues, is only processed once nothing else can happen, and then no further than is known: a
collective cannot start before the last of its group has come, and that is not before what the
others have reached. So every tick is what it would be if all ranks were one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass
from nasm.isa.collectives import CollectiveCall, CollectiveTime
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.ranks.interface import (
    Progressed,
    RankArrival,
    RankEnded,
    RankEngine,
    RankMeeting,
    RankReached,
)
from nasm.ranks.misfits import Misfit, conflict, refusal, standstill

Waiting = dict[int, RankArrival]
"""What a rank waits at, by queue."""


@dataclass(frozen=True, slots=True)
class MeetingRecord:
    """A meeting that took place: when each rank of its group came, and when it began and ended."""

    number: int
    call: CollectiveCall
    queue: int
    pcs: tuple[int, ...]
    arrivals: tuple[int, ...]
    start: int
    time: CollectiveTime

    @property
    def waits(self) -> tuple[int, ...]:
        """For how many ticks each of them waited for the last one."""
        return tuple(self.start - tick for tick in self.arrivals)


class World:
    """Lets the ranks of a program run and meet, on an engine.

    ``meetings`` are those that took place, ``ended`` the ranks whose run is over, ``misfits`` why
    ranks could not continue. ``topology`` says where its ranks are: see
    :class:`~nasm.isa.collectives.RankExchanges`. Raises Failure if there is none such.
    """

    def __init__(self, program: Program, engine: RankEngine, topology: Any = None) -> None:
        collectives = program.target.collectives
        assert collectives is not None, "the target has ranks and no collectives"
        self.program, self.engine, self.collectives = program, engine, collectives
        try:
            self.topology = collectives.topology(topology, program.generation, program.cores)
        except Refused as refused:
            raise Failure(refused.at(None)) from None
        self.waiting: list[Waiting] = [{} for _ in range(program.ranks)]
        self.coming: list[int | None] = [0] * program.ranks
        self.ended: dict[int, RankEnded] = {}
        self.meetings: list[MeetingRecord] = []
        self.misfits: list[Misfit] = []

    # -- running

    def run(self) -> None:
        """Run until every rank has ended, or none can continue."""
        while self.step():
            pass

    def step(self) -> bool:
        """Advance what can be, then let meet who can; whether anything was done."""
        if any(one.status is Status.RUNNING for one in self.ended.values()):
            return False  # it was halted from outside
        free = [n for n in self._going() if not self.waiting[n]]
        if free:
            self._advance(dict.fromkeys(free))
        met = self._meet()
        if free or met or self.misfits:
            return bool(free or met) and not self.misfits
        return self._look_ahead()

    def _going(self) -> list[int]:
        return [n for n in range(self.program.ranks) if n not in self.ended]

    def _advance(self, wanted: dict[int, int | None]) -> None:
        """Advance some ranks; what they report is taken in the order of ranks."""
        for found in sorted(self.engine.advance(wanted), key=lambda one: one.rank):
            self.take(found)

    def take(self, found: Progressed) -> None:
        """Note how far a rank has got."""
        if isinstance(found, RankEnded):
            self.ended[found.rank] = found
        elif isinstance(found, RankReached):
            self.coming[found.rank] = found.next
        else:
            self.waiting[found.rank][found.queue] = found
            self.coming[found.rank] = found.tick

    # -- meetings

    def _meet(self) -> bool:
        """Let meet all groups that are complete; whether there was one."""
        met = False
        for arrivals in list(self._complete()):
            call, start = arrivals[0].call, max(one.tick for one in arrivals)
            try:
                time = self.collectives.time(call, self.topology)
                meeting = RankMeeting(len(self.meetings), arrivals, start, time)
                self.engine.exchange(meeting)
            except Refused as refused:
                self.misfits.append(refusal(refused, arrivals))
                return True
            self.meetings.append(_record(meeting))
            for one in arrivals:
                del self.waiting[one.rank][one.queue]
            met = True
        return met

    def _complete(self) -> Iterator[tuple[RankArrival, ...]]:
        """The groups of which every rank has come, by their first rank."""
        for rank, waits in enumerate(self.waiting):
            for queue, mine in sorted(waits.items()):
                others = [self.waiting[n].get(queue) for n in mine.call.group]
                came = tuple(one for one in others if one is not None)
                wrong = next(filter(None, (conflict(mine, one) for one in came)), None)
                if wrong is not None:
                    self.misfits.append(wrong)
                    return
                all_came = len(came) == len(mine.call.group)
                if all_came and mine.call.group[0] == rank and _same(came):
                    yield came

    # -- when all wait

    def _look_ahead(self) -> bool:
        """Advance the ranks that wait as far as what they wait for cannot have started.

        Whether anything happened; if nothing can, the ranks that wait are at a standstill.
        """
        least = self._least()
        wanted: dict[int, int | None] = {}
        for rank in self._going():
            bound, coming = least[rank], self.coming[rank]
            if coming is not None and bound is not None and coming <= bound:
                wanted[rank] = bound
        if wanted:
            self._advance(wanted)
            return True
        waits = [one for held in self.waiting for one in held.values()]
        if waits:
            self.misfits += standstill(waits, self.waiting, self.ended)
        return False

    def _least(self) -> list[int | None]:
        """Of each rank the tick before which nothing that it waits for can start; None: never.

        A rank that has nothing to do until then reaches nothing before.
        """
        bounds: list[int | None] = [None] * self.program.ranks
        reach = [None if n in self.ended else self.coming[n] for n in range(self.program.ranks)]
        changed = True
        while changed:
            changed = False
            for rank in self._going():
                bound = self._bound(rank, reach)
                if bound is None or bound == bounds[rank]:
                    continue
                bounds[rank], changed = bound, True
                held = reach[rank]
                if held is None or bound < held:
                    reach[rank] = bound
        return bounds

    def _bound(self, rank: int, reach: list[int | None]) -> int | None:
        found: list[int] = []
        for queue, mine in self.waiting[rank].items():
            absent = [n for n in mine.call.group if self._lacks(n, queue, mine)]
            ticks = [reach[n] for n in absent]
            known = [tick for tick in ticks if tick is not None]
            if len(known) == len(ticks):
                found.append(max(mine.tick, *known))
        return min(found, default=None)

    def _lacks(self, rank: int, queue: int, mine: RankArrival) -> bool:
        """Whether a rank has still to reach a collective."""
        other = self.waiting[rank].get(queue)
        return other is None or other.call != mine.call

    # -- what changes

    @property
    def status(self) -> Status:
        """How all of it ended."""
        if self.misfits:
            return Status.DEADLOCK
        found = {one.status for one in self.ended.values()}
        for status in (Status.FAULT, Status.DEADLOCK, Status.LIMIT, Status.RUNNING):
            if status in found:
                return status
        return Status.FINISHED

    def save(self) -> Any:
        """Everything that changes, but for what the engine has."""
        waiting = tuple(dict(held) for held in self.waiting)
        counts = len(self.meetings), len(self.misfits)
        return waiting, tuple(self.coming), dict(self.ended), counts

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        waiting, coming, ended, (meetings, misfits) = saved
        self.waiting = [dict(held) for held in waiting]
        self.coming, self.ended = list(coming), dict(ended)
        del self.meetings[meetings:], self.misfits[misfits:]


def _same(arrivals: tuple[RankArrival, ...]) -> bool:
    return all(one.call == arrivals[0].call for one in arrivals)


def _record(meeting: RankMeeting) -> MeetingRecord:
    arrivals = meeting.arrivals
    return MeetingRecord(
        meeting.number,
        meeting.call,
        arrivals[0].queue,
        tuple(one.pc for one in arrivals),
        tuple(one.tick for one in arrivals),
        meeting.start,
        meeting.time,
    )
