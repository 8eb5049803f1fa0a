"""How long a collective operation takes: latency, and bytes over bandwidth, of its algorithm.

Which algorithm that is follows from the published ranges of sizes. A size is of the larger of a
rank's input and output, as nccom-test counts it: of an all-gather the output, of a reduce-scatter
the input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from nasm.base.problems import Refused, did_you_mean, listed
from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence, weakest
from nasm.targets.neuron.clocks import TICKS
from nasm.targets.neuron.collectives import algorithms as make
from nasm.targets.neuron.collectives.algorithms import Members, Pairs
from nasm.targets.neuron.collectives.stages import NO_LINK, Stage, TimePart, parts_of
from nasm.targets.neuron.collectives.topology import UNKNOWN, Topology

OPERATIONS = (
    "all_reduce",
    "all_gather",
    "all_gather_v",
    "reduce_scatter",
    "all_to_all",
    "all_to_all_v",
    "collective_permute",
    "collective_permute_implicit",
    "collective_permute_implicit_reduce",
)
MIB = 1 << 20

Makes = Callable[[Members, float], list[Stage]]

GATHERS: Mapping[str, Makes] = {
    "mesh": make.mesh_gather,
    "rdh": make.rdh_gather,
    "kangaring": make.kangaring_gather,
    "ring": make.ring_gather,
}
SCATTERS: Mapping[str, Makes] = {
    "mesh": make.mesh_scatter,
    "rdh": make.rdh_scatter,
    "kangaring": make.kangaring_scatter,
    "ring": make.ring_scatter,
}


@dataclass(frozen=True, slots=True)
class CollectiveCost:
    """What a collective takes from its last rank's start to its results on every rank, in ticks.

    ``parts`` add up to it, each with what it rests on; ``algorithm`` is named as nccom-test does.
    """

    operation: str
    algorithm: str
    ticks: int
    parts: tuple[TimePart, ...]

    @property
    def evidence(self) -> Evidence:
        """As much as the weakest of its parts that take time."""
        return weakest(part.evidence for part in self.parts if part.ns)

    @property
    def source(self) -> str:
        """Where its parts come from, each source once."""
        return "; ".join(dict.fromkeys(part.source for part in self.parts if part.ns))

    @property
    def assumed(self) -> float:
        """The share of the time that rests on assumed figures, from 0 to 1."""
        total = sum(part.ns for part in self.parts)
        ns = sum(part.ns for part in self.parts if part.evidence is Evidence.ASSUMED)
        return ns / total if total else 0.0


@lru_cache(maxsize=4096)
def collective_cost(
    operation: str,
    size: int,
    group: tuple[int, ...],
    topology: Topology,
    channels: int = 1,
    pairs: Pairs = (),
) -> CollectiveCost:
    """The cost of one operation of ``size`` bytes among the ranks of a group.

    ``channels`` are those of a ring that the program gives a tensor each; other operations take as
    many as there are. ``pairs`` are those of a permutation, by default from each rank to the next
    of the group. Raises Refused for an operation that there is not, and for a rank that is there
    twice.
    """
    _check(operation, group)
    start = topology.fact("collective_start_ns")
    parts = [TimePart("start and end", start.value, start.evidence, start.source)]
    if operation.startswith("collective_permute") and len(group) > 1:
        reduces, algorithm = operation.endswith("_reduce"), "ring"
        of = _members(group, topology)
        stages = make.permute(of, size, channels, pairs, reduces=reduces)
    else:
        algorithm, stages = _stages(operation, size, group, topology)
    for stage in stages:
        parts += parts_of(stage, topology)
    ns = sum(part.ns for part in parts)
    ticks = math.ceil(round(ns * TICKS[topology.generation] / 1000, 6))
    return CollectiveCost(operation, algorithm, ticks, tuple(parts))


@lru_cache(maxsize=64)
def _members(group: tuple[int, ...], topology: Topology) -> Members:
    return Members(group, topology)


def _check(operation: str, group: Sequence[int]) -> None:
    if operation not in OPERATIONS:
        hint = did_you_mean(operation, OPERATIONS) or f"there are {', '.join(OPERATIONS)}"
        raise Refused(UNKNOWN, f"no collective operation '{operation}'", hint)
    if not group or len(set(group)) != len(group) or min(group) < 0:
        raise Refused(UNKNOWN, f"a group is different ranks from 0 up, not {list(group)}")


def algorithm_of(size: float, of: Members) -> str:
    """Which algorithm moves data of a size within a domain: the published ranges."""
    topology = of.topology
    if size < topology.fact("collective_mesh_mib").value * MIB:
        return "mesh"
    if size <= topology.fact("collective_rdh_mib").value * MIB and of.doubling:
        return "rdh"
    return "kangaring" if of.pairs else "ring"


def _stages(
    operation: str, size: float, group: tuple[int, ...], topology: Topology
) -> tuple[str, list[Stage]]:
    everyone = _members(group, topology)
    if len(group) == 1:
        return "copy", [Stage("a copy", 0, NO_LINK, size, size)]
    domains: dict[int, list[int]] = {}
    for rank in group:
        domains.setdefault(topology.domain(rank), []).append(rank)
    if len(domains) == 1:
        return _flat(operation, size, everyone)
    sides = {tuple(r % topology.ranks for r in ranks) for ranks in domains.values()}
    if len(sides) > 1:
        raise Refused(
            UNKNOWN,
            f"a group of {len(group)} ranks has {_counts(domains)}, not the same ones on each",
            "AWS's groups have ranks of the same indices on each",
        )
    return _between(operation, size, _members(next(iter(sides)), topology), len(domains))


def _counts(domains: Mapping[int, Sequence[int]]) -> str:
    """How many ranks of a group the first domains have."""
    some = [f"{len(ranks)} on instance {n}" for n, ranks in sorted(domains.items())]
    return listed([*some[:3], "more"] if len(some) > 3 else some, "and")


def _flat(operation: str, size: float, of: Members) -> tuple[str, list[Stage]]:
    """Within one domain of NeuronLink."""
    chunk = size / of.count
    if operation.startswith("all_to_all"):
        return "mesh", make.mesh_exchange(of, chunk)
    name = algorithm_of(size, of)
    if operation.startswith("all_gather"):
        return name, GATHERS[name](of, chunk)
    scattered = SCATTERS[name](of, chunk)
    if operation == "reduce_scatter":
        return name, scattered
    both = [*scattered, *GATHERS[name](of, chunk)]
    if name == "mesh":
        once = make.mesh_once(of, size)
        if _ns(once, of.topology) < _ns(both, of.topology):
            return "mesh (single step)", once
    return name, both


def _ns(stages: Sequence[Stage], topology: Topology) -> float:
    return sum(part.ns for stage in stages for part in parts_of(stage, topology))


def _between(operation: str, size: float, local: Members, nodes: int) -> tuple[str, list[Stage]]:
    """Within each instance and between them, in the order that sends less over EFA.

    Which sizes mesh, RDH and ring are for between instances is published in words alone; the
    ranges within an instance are taken.
    """
    if operation.startswith("all_to_all"):
        chunk = size / (local.count * nodes)
        within = make.mesh_exchange(local, chunk * nodes) if local.count > 1 else []
        return "hierarchical: mesh", [*make.between_exchange(local, nodes, chunk), *within]
    part = size if operation.startswith("all_gather") else size / local.count
    how = _how(part, nodes, local.topology)
    share = size / (local.count * nodes)
    gather = make.between_gather(how, local, nodes, share)
    scatter = make.between_scatter(how, local, nodes, share)
    if local.count == 1:
        stages = {"all_gather": gather, "reduce_scatter": scatter}
        return f"hierarchical: {how}", stages.get(operation.removesuffix("_v"), [*scatter, *gather])
    name = algorithm_of(size, local)
    named = f"hierarchical: {name} within, {how} between"
    first = SCATTERS[name](local, size / local.count)
    last = GATHERS[name](local, size / local.count)
    if operation.startswith("all_gather"):
        return named, [*gather, *last]
    if operation == "reduce_scatter":
        return named, [*first, *scatter]
    return named, [*first, *scatter, *gather, *last]


def _how(size: float, nodes: int, topology: Topology) -> str:
    if size < topology.fact("collective_mesh_mib").value * MIB:
        return "mesh"
    most = topology.fact("collective_rdh_mib").value * MIB
    return "rdh" if size <= most and nodes & (nodes - 1) == 0 else "ring"
