"""How ranks of Neuron exchange: the hook of the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nasm.isa.collectives import CollectiveCall, CollectiveTime, RankExchanges
from nasm.isa.evidence import Evidence
from nasm.isa.generation import Generation
from nasm.targets.neuron.collectives.meaning import SAME, combine
from nasm.targets.neuron.collectives.misfits import bytes_of, misfit


def _time(call: CollectiveCall, topology: Any) -> CollectiveTime:
    """What the algorithm takes that AWS's ranges of sizes choose."""
    from nasm.targets.neuron.collectives.time import collective_cost  # few programs have ranks

    size, channels = bytes_of(call), len(call.destinations)
    pairs = call.option("pairs") or ()
    cost = collective_cost(call.operation, size, call.group, topology, channels, pairs)
    ticks = max(1, cost.ticks)
    parts = _parts([(part.evidence, part.ns) for part in cost.parts], ticks)
    return CollectiveTime(ticks, cost.evidence, cost.source, cost.algorithm, parts)


def _parts(found: Sequence[tuple[Evidence, float]], ticks: int) -> tuple[tuple[Evidence, int], ...]:
    """Ticks by evidence, which add up to all of them."""
    total = math.fsum(ns for _, ns in found)
    parts: dict[Evidence, int] = {}
    left, weakest = ticks, Evidence.ASSUMED
    for evidence in (Evidence.DOCUMENTED, Evidence.MEASURED):
        some = math.fsum(ns for one, ns in found if one is evidence)
        parts[evidence] = int(ticks * some / total) if total else 0
        left -= parts[evidence]
    return tuple((e, n) for e, n in (*parts.items(), (weakest, left)) if n)


def _topology(given: Any, generation: Generation, cores: int) -> Any:
    from nasm.targets.neuron.collectives.topology_files import topology_of

    return topology_of(given, generation, cores)


COLLECTIVES = RankExchanges(misfit, bytes_of, combine, SAME, _time, _topology)
