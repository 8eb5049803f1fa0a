"""What a world of ranks and whatever runs them have in common: a few records and two protocols.

A :class:`RankDriver` is one rank: a machine that is advanced up to the next collective that it
reaches. A :class:`RankEngine` has all of them, wherever they are: in this process, in others, on
other hosts. The world (``nasm/ranks/world.py``) asks nothing else of it, and decides everything
from what it reports, so that a run is the same on each engine. All records here pickle.

An engine that has its ranks elsewhere implements :class:`RankEngine`; there each rank may be an
:class:`~nasm.ranks.rank.Rank`. It may also run the world itself in every process, as it is
deterministic: then ``advance`` exchanges the small records of all ranks, and ``exchange`` what the
ranks of one group send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from nasm.base.records import dataclass
from nasm.isa.collectives import CollectiveCall, CollectiveTime, Group, Parcel
from nasm.machine.rank_meetings import RankLanding
from nasm.machine.records import Status


@dataclass(frozen=True, slots=True)
class RankArrival:
    """A rank has reached a collective at tick ``tick``: the one at a pc of a queue. It waits."""

    rank: int
    queue: int
    pc: int
    tick: int
    call: CollectiveCall


@dataclass(frozen=True, slots=True)
class RankReached:
    """A rank has processed what happens up to the tick it was asked for.

    What happens next is at tick ``next``; None: nothing, until one of its collectives lands.
    """

    rank: int
    next: int | None


@dataclass(frozen=True, slots=True)
class RankEnded:
    """The run of a rank is over, or has reached its limit, at tick ``tick``."""

    rank: int
    tick: int
    status: Status


Progressed = RankArrival | RankReached | RankEnded
"""How far a rank has got."""


@dataclass(frozen=True, slots=True)
class RankMeeting:
    """The ranks of a group have all reached one collective, in the order of the group.

    It starts at tick ``start``, when the last of them has come, and takes its ``time``. ``number``
    counts the meetings of a run.
    """

    number: int
    arrivals: tuple[RankArrival, ...]
    start: int
    time: CollectiveTime

    @property
    def call(self) -> CollectiveCall:
        """What each of them asks for."""
        return self.arrivals[0].call

    @property
    def group(self) -> Group:
        """The ranks."""
        return self.call.group

    @property
    def landing(self) -> int:
        """The tick at which it is over."""
        return self.start + self.time.ticks


class RankDriver(Protocol):
    """One rank. What it does depends on nothing but the calls it gets, in their order."""

    def advance(self, until: int | None = None) -> Progressed:
        """Run up to the next collective that nothing was reported of, or to the end.

        With ``until`` nothing that happens after that tick is processed. A rank may be advanced
        while collectives of it wait, but not past the tick at which one of them could start.
        """

    def sent(self, queue: int) -> tuple[Parcel, ...]:
        """What it sends by the collective that waits in a queue; nothing in a run without values.

        It was taken when the rank reached it.
        """

    def land(self, landing: RankLanding) -> None:
        """Let the collective that waits in a queue start, and land with what was received."""


class RankEngine(Protocol):
    """All ranks of a run, wherever they are."""

    def advance(self, wanted: Mapping[int, int | None]) -> Sequence[Progressed]:
        """Advance some ranks, each up to its tick or (None) as far as it can; in any order."""

    def exchange(self, meeting: RankMeeting) -> None:
        """Let the ranks of a group have what they send, and land what each of them receives.

        What that is :func:`nasm.ranks.exchanging.landings` says, of all of them, or of one.
        """
