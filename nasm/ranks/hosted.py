"""Ranks that live in hosts: in this process, or a part of them in each of several workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nasm.base.problems import Problem
from nasm.isa.collectives import Parcel, RankExchanges
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.ranks.exchanging import landings
from nasm.ranks.hosting import RankHost
from nasm.ranks.interface import Progressed, RankMeeting
from nasm.runs.settings import RunSettings
from nasm.workers.actors import Actor, LocalActor
from nasm.workers.places import ActorPlace


class HostedRanks:
    """An engine whose ranks are spread over as many hosts as a place has room for.

    State stays where it was made: what travels is what ranks report, what they send and receive,
    and at the end their reports and outputs. ``order`` is that in which the ranks of a host are
    advanced. Raises Failure with every problem of the program and its inputs.
    """

    def __init__(
        self,
        place: ActorPlace,
        program: Program,
        given: Sequence[Mapping[str, Any]],
        settings: RunSettings,
        order: Sequence[int] | None = None,
    ) -> None:
        collectives = program.target.collectives
        assert collectives is not None, "a program of several ranks has collectives"
        self.collectives: RankExchanges = collectives
        count = program.ranks
        hosts = min(place.width, count)
        self.owners = [rank * hosts // count for rank in range(count)]
        parts = [{r: given[r] for r in range(count) if self.owners[r] == n} for n in range(hosts)]
        each = [(program, part, settings, place.width > 1) for part in parts]
        self.actors: list[Actor] = place.made(RankHost, each)
        self.order = list(range(count) if order is None else order)
        self.halting = self.halted = False

    def ranks_of(self, actor: Actor) -> list[int]:
        """Those that a host has."""
        return [rank for rank, n in enumerate(self.owners) if self.actors[n] is actor]

    # -- what a world asks for

    def advance(self, wanted: Mapping[int, int | None]) -> Sequence[Progressed]:
        """Advance some ranks: hosts side by side, the ranks of each one after the other."""
        if self.halting and not self.halted:
            self.halted = True
            self._all("halt")
        parts = self._by_host([(n, wanted[n]) for n in self.order if n in wanted])
        return [one for found in self._each("advance", parts) for one in found]

    def exchange(self, meeting: RankMeeting) -> None:
        """Let the ranks of a group have what they send."""
        waiting = [(one.rank, one.queue) for one in meeting.arrivals]
        parts = self._by_host(waiting)
        sent: dict[int, tuple[Parcel, ...]] = {}
        for part, found in zip(parts.values(), self._each("sent", parts), strict=True):
            sent.update(zip((rank for rank, _ in part), found, strict=True))
        made = landings(self.collectives, meeting, [sent[rank] for rank in meeting.group])
        self._each("land", self._by_host(list(zip(meeting.group, made, strict=True))))

    # -- what a run asks for

    def halt(self) -> None:
        """End the run where every rank is between two events; may be called while it runs."""
        self.halting = True
        for actor in self.actors:
            if isinstance(actor, LocalActor):
                actor.call("halt")

    def stop(self, ranks: Sequence[int], status: Status, problem: Problem | None) -> None:
        """Some ranks cannot continue."""
        for number, part in self._by_host([(rank,) for rank in ranks]).items():
            numbers = [rank for (rank,) in part]
            self.actors[number].call("stop", numbers, status, problem).result()

    def reports(self, hashes: bool) -> tuple[RunReport, ...]:
        """The report of each rank."""
        return self._gathered("reports", hashes)

    def contents(self, name: str) -> tuple[Any, ...]:
        """The elements of a tensor in each rank."""
        return self._gathered("contents", name)

    @property
    def local(self) -> RankHost | None:
        """The host, if all ranks are in this process."""
        first = self.actors[0]
        alone = len(self.actors) == 1 and isinstance(first, LocalActor)
        return first.made if alone and isinstance(first, LocalActor) else None

    # -- calls

    def _by_host(self, asked: Sequence[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
        """What is asked of ranks, which come first in each, by their hosts."""
        parts: dict[int, list[tuple[Any, ...]]] = {}
        for one in asked:
            parts.setdefault(self.owners[one[0]], []).append(one)
        return parts

    def _each(self, method: str, parts: Mapping[int, Any]) -> list[Any]:
        """Call some hosts, side by side."""
        replies = [self.actors[number].call(method, part) for number, part in parts.items()]
        return [reply.result() for reply in replies]

    def _all(self, method: str, *args: Any) -> list[Any]:
        replies = [actor.call(method, *args) for actor in self.actors]
        return [reply.result() for reply in replies]

    def _gathered(self, method: str, *args: Any) -> tuple[Any, ...]:
        """What all hosts answer, in the order of ranks."""
        found = dict(one for some in self._all(method, *args) for one in some)
        return tuple(found[rank] for rank in range(len(self.owners)))
