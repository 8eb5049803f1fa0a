"""How ranks of Neuron exchange: the hook of the target."""

from __future__ import annotations

from typing import Any

from nasm.isa.collectives import CollectiveCall, CollectiveTime, RankExchanges
from nasm.isa.generation import Generation
from nasm.targets.neuron.collectives.meaning import combine
from nasm.targets.neuron.collectives.misfits import bytes_of, misfit


def _time(call: CollectiveCall, topology: Any) -> CollectiveTime:
    """What the algorithm takes that AWS's ranges of sizes choose."""
    from nasm.targets.neuron.collectives.time import collective_cost  # few programs have ranks

    cost = collective_cost(call.operation, bytes_of(call), call.group, topology)
    return CollectiveTime(max(1, cost.ticks), cost.evidence, cost.source, cost.algorithm)


def _topology(given: Any, generation: Generation, cores: int) -> Any:
    from nasm.targets.neuron.collectives.topology_files import topology_of

    return topology_of(given, generation, cores)


COLLECTIVES = RankExchanges(misfit, bytes_of, combine, _time, _topology)
