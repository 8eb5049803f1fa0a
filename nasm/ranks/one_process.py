"""All ranks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nasm.isa.collectives import RankExchanges
from nasm.ranks.exchanging import landings
from nasm.ranks.interface import Progressed, RankDriver, RankMeeting


class OneProcess:
    """Ranks that are advanced one by one, in their ``order`` (by default that of their numbers)."""

    def __init__(
        self,
        drivers: Sequence[RankDriver],
        collectives: RankExchanges,
        order: Sequence[int] | None = None,
    ) -> None:
        self.drivers, self.collectives = drivers, collectives
        self.order = list(range(len(drivers)) if order is None else order)

    def advance(self, wanted: Mapping[int, int | None]) -> Sequence[Progressed]:
        """Advance some ranks."""
        return [self.drivers[n].advance(wanted[n]) for n in self.order if n in wanted]

    def exchange(self, meeting: RankMeeting) -> None:
        """Let the ranks of a group have what they send."""
        drivers = [self.drivers[rank] for rank in meeting.group]
        pairs = zip(drivers, meeting.arrivals, strict=True)
        sent = [driver.sent(arrival.queue) for driver, arrival in pairs]
        for driver, landing in zip(drivers, landings(self.collectives, meeting, sent), strict=True):
            driver.land(landing)
