"""Meetings of ranks, from the side of one machine: it reaches a collective, and later continues.

An instruction that exchanges with other ranks *arrives* when nothing of its own machine keeps it
from starting. Its queue is parked then, what it sends is taken, and the machine pauses: no event is
processed before what drives the machine has seen the arrival. What the ranks make of it comes
back as a :class:`RankLanding`, never before the arrival: the instruction starts when the last rank
has arrived, and its results appear when it completes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.collectives import CollectiveCall, Group, Parcel
from nasm.isa.effects import RankExchange
from nasm.isa.evidence import Evidence
from nasm.isa.pace import Pace
from nasm.machine.access import Access
from nasm.machine.addresses import Addresses
from nasm.machine.findings import Findings
from nasm.program.program import Program
from nasm.program.ranks import call_of
from nasm.sim.queues import Work
from nasm.sim.scheduler import Scheduler
from nasm.views.view import View

RANK = "rank"
"""What a queue waits for whose instruction has arrived."""


@dataclass(frozen=True, slots=True)
class RankLanding:
    """What an exchange of ranks does to one machine: of the one that has arrived in a queue.

    It starts at tick ``start``, when the last rank has arrived, and is over ``ticks`` later; then
    each destination gets its parcel, whose ``known`` says which elements. None leaves it as it is;
    a run without values has no ``parcels``. ``evidence`` splits the ticks by how well they are
    known.
    """

    queue: int
    start: int
    ticks: int
    parcels: tuple[Parcel | None, ...] = ()
    evidence: tuple[tuple[Evidence, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ArrivedCall:
    """A call that has arrived at a place of its queue, and what it sends."""

    queue: int
    pc: int
    tick: int
    call: CollectiveCall
    parcels: tuple[Parcel, ...]


class RankMeetings(Pace):
    """Where the instructions of one machine meet those of other ranks.

    ``arrived`` are the calls that nothing has landed for yet, by queue; ``unseen`` those among them
    that the driver has not taken note of; ``landings`` what those get that have met and not begun.
    ``evidence`` splits the ticks of those that are over, by queue. Where other ranks are its
    ``topology`` says, if it has to meet them alone.
    """

    def __init__(
        self,
        program: Program,
        addresses: Addresses,
        findings: Findings,
        scheduler: Scheduler,
        rank: int | None,
        values: bool,
    ) -> None:
        self.program, self.rank, self.values = program, rank, values
        self.addresses, self.findings, self.scheduler = addresses, findings, scheduler
        self.topology: str | None = None
        self.arrived: dict[int, ArrivedCall] = {}
        self.unseen: list[int] = []
        self.landings: dict[int, RankLanding] = {}
        self.evidence: dict[int, dict[Evidence, int]] = {}

    def work(self, number: int, queue: int, effect: RankExchange) -> Work:
        """An instruction that waits for other ranks before it starts, and writes at its end."""
        region = self.addresses.region
        reads = tuple(map(region, effect.sources))
        writes = tuple(map(region, effect.destinations))
        arrive = partial(self._arrive, queue, effect)
        start = partial(self._take, queue)
        finish = partial(self._deliver, effect.destinations)
        work = Work(number, start, finish, reads, writes, arrive=arrive)
        work.held_by, work.reads_on = RANK, True
        return work

    def group(self, effect: RankExchange) -> Group:
        """The ranks with which this one meets; none if it takes no part."""
        if not effect.groups:
            return tuple(range(self.program.ranks))
        if self.rank is None:
            return effect.groups[0]
        return next((group for group in effect.groups if self.rank in group), ())

    def _arrive(self, queue: int, effect: RankExchange, now: int) -> None:
        """The instruction at the head of a queue arrives: its machine pauses."""
        group = self.group(effect)
        if not group:
            self._alone(queue, effect, now)
            return
        call = call_of(effect, group)
        collectives = self.program.target.collectives
        assert collectives is not None, "the target has collectives and no time for them"
        if wrong := collectives.misfit(call):
            raise Refused("E0412", wrong)
        parcels = tuple(map(self._parcel, effect.sources)) if self.values else ()
        pc = self.scheduler.queues[queue].pc
        self.arrived[queue] = ArrivedCall(queue, pc, now, call, parcels)
        self.unseen.append(queue)
        self.scheduler.halted = True

    def _alone(self, queue: int, effect: RankExchange, now: int) -> None:
        """This rank is in no group: it takes no part where that is allowed."""
        if not effect.others:
            raise Refused(
                "E0562",
                f"rank {self.rank} is in none of the groups of {effect.operation}",
                "each rank that executes it has to be in one of them",
            )
        nothing = (None,) * len(effect.destinations)
        self._land(RankLanding(queue, now, 1, nothing))

    def _parcel(self, view: View) -> Parcel:
        """What is sent, as it is now."""
        access = self.addresses.access(view)
        if not access.place.initialised and access.uninitialised:
            self.findings.uninitialised(view, access.missing)
        access.look()
        return Parcel(np.array(access.elements, order="C"))

    # -- what the driver does

    def pause(self) -> ArrivedCall | None:
        """The next call that has arrived and was not seen, if the machine has paused for one."""
        return self.arrived[self.unseen.pop(0)] if self.unseen else None

    def land(self, landing: RankLanding) -> None:
        """The ranks of a call have met: its instruction starts, and lands, when it says."""
        del self.arrived[landing.queue]
        self._land(landing)

    def _land(self, landing: RankLanding) -> None:
        self.landings[landing.queue] = landing
        self.scheduler.release(landing.queue, landing.start)

    def meet_alone(self) -> None:
        """Let every call land as if all others had come when this rank did; raises Refused.

        With values its group is this rank alone.
        """
        collectives = self.program.target.collectives
        assert collectives is not None, "the target has collectives and no time for them"
        program = self.program
        topology = collectives.topology(self.topology, program.generation, program.cores)
        while (one := self.pause()) is not None:
            time = collectives.time(one.call, topology)
            sent = (one.parcels,)
            parcels = collectives.combine(one.call, 0, sent) if self.values else ()
            self.land(RankLanding(one.queue, one.tick, time.ticks, parcels, time.parts))

    # -- what the instruction does

    def at(self, key: Any, now: int, interval: int, latency: int) -> tuple[int, int]:
        """How long the exchange of a queue takes that starts now."""
        ticks = self.landings[key].ticks
        return ticks, ticks

    def _take(self, queue: int, _: int) -> RankLanding:
        return self.landings.pop(queue)

    def _deliver(self, destinations: Sequence[View], landing: RankLanding) -> None:
        """What was received appears."""
        for view, parcel in zip(destinations, landing.parcels, strict=False):
            if parcel is not None:
                _put(self.addresses.access(view), parcel)
        spent = self.evidence.get(landing.queue, {}).copy()
        for evidence, ticks in landing.evidence:
            spent[evidence] = spent.get(evidence, 0) + ticks
        self.evidence[landing.queue] = spent

    def save(self) -> Any:
        """Everything that changes."""
        kept = dict(self.landings), dict(self.evidence)  # whose values are never changed in place
        return dict(self.arrived), tuple(self.unseen), *kept

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        arrived, unseen, landings, evidence = saved
        self.arrived, self.unseen = dict(arrived), list(unseen)
        self.landings, self.evidence = dict(landings), dict(evidence)


def _put(access: Access, parcel: Parcel) -> None:
    """Store the elements that are known; the others stay as they are."""
    if parcel.known is None:
        access.put_elements(parcel.values)
        return
    access.put_at(access.elements, parcel.known, parcel.values[parcel.known])
