"""How ranks of Neuron exchange: the hook of the target."""

from __future__ import annotations

from typing import Any

from nasm.isa.collectives import CollectiveCall, CollectiveTime, RankExchanges
from nasm.isa.evidence import Evidence
from nasm.targets.neuron.collectives.meaning import combine
from nasm.targets.neuron.collectives.misfits import bytes_of, misfit


def _time(call: CollectiveCall, topology: Any, ticks: int) -> CollectiveTime:
    """Until collectives have times of their own: one microsecond for each rank."""
    source = "1-2 us for each hop, intra-node collectives; which algorithm is not decided here"
    return CollectiveTime(ticks * len(call.group), Evidence.ASSUMED, source)


COLLECTIVES = RankExchanges(misfit, bytes_of, combine, _time, lambda name: name)
