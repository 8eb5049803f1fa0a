"""What an exchange gives to each rank: a pure function of what all of its group send."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.base.records import replace
from nasm.isa.collectives import Parcel, RankExchanges
from nasm.machine.rank_meetings import RankLanding
from nasm.ranks.interface import RankMeeting

Sent = Sequence[Sequence[Parcel]]
"""Of each rank of a group, in its order, what it sends."""


def landing_of(
    collectives: RankExchanges, meeting: RankMeeting, place: int, sent: Sent
) -> RankLanding:
    """What the rank at a place of a group gets; without values nothing is ``sent``.

    Raises Refused if what was sent does not fit.
    """
    parcels = collectives.combine(meeting.call, place, sent) if sent and sent[0] else ()
    queue, time = meeting.arrivals[place].queue, meeting.time
    return RankLanding(queue, meeting.start, time.ticks, parcels, time.parts)


def landings(collectives: RankExchanges, meeting: RankMeeting, sent: Sent) -> list[RankLanding]:
    """The same of every rank, in the order of the group; what all receive is computed once."""
    places = range(len(meeting.group))
    if meeting.call.operation not in collectives.same:
        return [landing_of(collectives, meeting, place, sent) for place in places]
    first = landing_of(collectives, meeting, 0, sent)
    return [replace(first, queue=arrival.queue) for arrival in meeting.arrivals]
