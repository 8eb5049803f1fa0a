"""What an algorithm does between two meetings of its ranks: hops, bytes on links, memory accesses.

Bytes are of one rank, the busiest. A stage takes its hops, then whichever is the slowest of its
links, of the HBM that a rank has, and of its DMA engines; a reduction in slices overlaps with the
transfer of the next slice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence, weakest
from nasm.targets.neuron.collectives.topology import EFA, ChipLink, Topology

HBM, DMA = "chip_hbm_bytes_per_ns", "chip_dma_bytes_per_ns"
HOP, EFA_HOP = "collective_hop_ns", "collective_efa_hop_ns"
SLICES, CHANNEL = "collective_slices", "collective_channel_bytes_per_ns"
ALONE = "that DMA engines do nothing else meanwhile is assumed"

Loads = Mapping[ChipLink, float]


class Transferred(NamedTuple):
    """How long links are busy, and which figure decides."""

    ns: float
    figure: str

    def times(self, size: float) -> Transferred:
        """The same of so many times as much."""
        return Transferred(self.ns * size, self.figure)


NO_LINK = Transferred(0.0, "")


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of an algorithm: ``hops`` steps one after the other, and what they move.

    ``reads`` and ``writes`` are bytes of HBM (or SBUF) that the busiest rank causes.
    """

    name: str
    hops: int
    links: Transferred
    reads: float
    writes: float
    hop: str = HOP
    sliced: bool = False


@dataclass(frozen=True, slots=True)
class TimePart:
    """A part of a collective's time, in nanoseconds, and what it rests on."""

    name: str
    ns: float
    evidence: Evidence
    source: str


def busiest(topology: Topology, loads: Loads) -> Transferred:
    """The link that is busy for longest; ``loads`` are bytes."""
    worst = NO_LINK
    for link, size in loads.items():
        ns = size / topology.fact(link.figure).value
        if ns > worst.ns:
            worst = Transferred(ns, link.figure)
    return worst


def spread(flows: Iterable[tuple[tuple[ChipLink, ...], float]]) -> Loads:
    """The bytes that each link carries, of flows with the links they take."""
    loads: Counter[ChipLink] = Counter()
    for links, size in flows:
        for link in links:
            loads[link] += size  # type: ignore[assignment]  # a count of bytes, in parts
    return loads


def between(topology: Topology, ranks: int, size: float) -> Transferred:
    """Bytes of one rank over EFA, of which so many ranks of its chip have a share."""
    return Transferred(size * ranks / topology.fact(EFA).value, EFA)


def parts_of(stage: Stage, topology: Topology) -> list[TimePart]:
    """What a stage takes: its hops, and its bytes."""
    hop = topology.fact(stage.hop)
    count = f"{stage.hops} hop{'s' if stage.hops > 1 else ''}"
    made = [TimePart(f"{stage.name}: {count}", stage.hops * hop.value, hop.evidence, hop.source)]
    share = topology.ranks_per_chip
    hbm = (stage.reads + stage.writes) * share / topology.fact(HBM).value
    dma = max(stage.reads, stage.writes) * share / topology.fact(DMA).value
    memory, figure = max((hbm, HBM), (dma, DMA))
    if stage.sliced:
        slices, (ns, moving) = topology.fact(SLICES).value, stage.links
        ns = (ns + memory) / slices + max(ns, memory) * (slices - 1) / slices
        figures = [moving, figure, SLICES]
    else:
        ns, moving = max(stage.links, (memory, figure))
        figures = [moving]
    facts = [topology.fact(name) for name in figures]
    evidence = weakest(fact.evidence for fact in facts)
    source = "; ".join([*(fact.source for fact in facts), ALONE])
    return [*made, TimePart(f"{stage.name}: {_bound(moving, figure, stage)}", ns, evidence, source)]


def _bound(moving: str, memory: str, stage: Stage) -> str:
    words = {HBM: "HBM", DMA: "DMA engines", EFA: "EFA", CHANNEL: "channels"}
    name = words.get(moving, "links")
    if stage.sliced:
        return f"bytes over {name}, reduced in slices from {words[memory]}"
    return f"bytes over {name}"
