"""What is known in numbers of links and of collective operations: a row each.

A link's rate is of one direction. Where AWS gives a number per chip alone, how it divides among
neighbours and directions is assumed. ``collective_hop_ns`` is the middle of a published range.
"""

from __future__ import annotations

from nasm.isa.evidence import Fact
from nasm.isa.figures import Figure
from nasm.targets.neuron.figure_rows import ASSUMED, DOC, MEAS, RATE, each, everywhere

INTRA = "AWS, 'Intra-node Collective Communications'"
INTER = "AWS, 'Inter-node Collective Communications'"
ABOUT = "AWS, 'What is Neuron Collective Communication?'"
TRN1, TRN2, TRN3 = (f"AWS, 'Amazon EC2 {name} Architecture'" for name in ("Trn1", "Trn2", "Trn3"))
_CHIP = "AWS, '{} Architecture', chip components: {}"
_HALF = "; that four neighbours share it, half in each direction, is assumed"
_HOP = f"{INTRA}: 1 to 2 us a hop, with the load of HBM; the middle"
_RANGES = f"{INTRA}, 'Algorithm Summary', of chips of four ranks in a torus"
_FIRST = "nccom-test guide: all_gather of 1,024 bytes over 32 ranks, less two hops; which machine"
_EFA = f"{ABOUT}: ib_write_lat from HBM to HBM"


def _of_torus(name: str, unit: str, meaning: str, value: float, source: str) -> Figure:
    """A figure documented of Trainium2, and assumed of the others."""
    other = Fact(value, ASSUMED, f"carried over from v3: {source}")
    return each(name, unit, meaning, other, Fact(value, DOC, source), other)


def _alone(generation: str, name: str, meaning: str, fact: Fact) -> Figure:
    return Figure(name, "bytes per ns", meaning, {generation: fact}, RATE)


# fmt: off
COLLECTIVES = (
    everywhere("collective_start_ns", "ns", "collectives: from the trigger of a CC core to the "
               "first step, and from the last to the semaphore", 3160, ASSUMED,
               f"{_FIRST} is not named"),
    _of_torus("collective_hop_ns", "ns", "collectives: latency of a step between ranks of an "
              "instance or UltraServer", 1500, _HOP),
    each("collective_efa_hop_ns", "ns", "collectives: latency of a step between instances",
         Fact(15_000, ASSUMED, f"carried over from v3: {_EFA}"), Fact(15_000, MEAS, _EFA),
         Fact(15_000, ASSUMED, f"carried over from v3: {_EFA}")),
    _of_torus("collective_mesh_mib", "MiB", "collectives: below this size, mesh", 1, _RANGES),
    _of_torus("collective_rdh_mib", "MiB", "collectives: to this size, RDH", 56, _RANGES),
    everywhere("collective_slices", "slices", "collectives: slices of a chunk, of which one is "
               "reduced while the next arrives", 2, DOC,
               f"{INTRA}, 'Ring ReduceScatter'; that the other algorithms do not is assumed", RATE),
    everywhere("collective_channel_bytes_per_ns", "bytes per ns", "collectives: what a rank sends "
               "in one channel of a ring", (1 << 30) / 18_930_000, ASSUMED,
               "nccom-test guide: all_reduce of 1 GiB over 2 ranks in 18,930 us, on a machine that "
               "is not named", RATE),
    Figure("neuronlink_bytes_per_ns", "bytes per ns", "collectives: NeuronLink to one of four "
           "neighbours, one direction",
           {"v2": Fact(48, ASSUMED, f"{TRN1}: 384 GB/s a chip of trn1.32xlarge{_HALF}"),
            "v3": Fact(128, ASSUMED, f"{TRN2}: 1,024 GB/s a chip within an instance{_HALF}")},
           RATE),
    _alone("v3", "neuronlink_z_bytes_per_ns", "collectives: NeuronLink to the same chip of the "
           "next instance of an UltraServer, one direction",
           Fact(64, ASSUMED, f"{TRN2}: 256 GB/s a chip between instances; that two neighbours "
                "share it, half in each direction, is assumed")),
    _alone("v4", "switch_server_bytes_per_ns", "collectives: a chip to the switch of its server, "
           "one direction", Fact(256, DOC, f"{TRN3}: 4 PCIe Gen6 x8 links, 256 GB/s")),
    _alone("v4", "switch_rack_bytes_per_ns", "collectives: a chip to the switches between servers, "
           "one direction", Fact(320, DOC, f"{TRN3}: 5 PCIe Gen6 x8 links, 320 GB/s")),
    _alone("v4", "rack_link_bytes_per_ns", "collectives: a chip to its like in the other rack, one "
           "direction", Fact(128, DOC, f"{TRN3}: 2 PCIe Gen6 x8 links, 128 GB/s")),
    each("efa_bytes_per_ns", "bytes per ns", "collectives: EFA of one chip, one direction",
         Fact(6.25, ASSUMED, f"{TRN1}: 800 Gbps of trn1.32xlarge, shared evenly by 16 chips"),
         Fact(25, DOC, f"{ABOUT}: 200 Gbps a chip"),
         Fact(25, DOC, f"{TRN3}: 12,800 Gbps for 64 chips, 28,800 for 144"), use=RATE),
    each("chip_hbm_bytes_per_ns", "bytes per ns", "collectives: HBM of a chip",
         Fact(880, DOC, _CHIP.format("Trainium", "820 GiB/s")),
         Fact(2900, DOC, _CHIP.format("Trainium2", "2.9 TB/s")),
         Fact(4900, DOC, _CHIP.format("Trainium3", "4.9 TB/s")), use=RATE),
    each("chip_dma_bytes_per_ns", "bytes per ns", "collectives: DMA engines of a chip",
         Fact(1000, DOC, _CHIP.format("Trainium", "1 TB/s of DMA bandwidth")),
         Fact(3500, DOC, _CHIP.format("Trainium2", "3.5 TB/s of DMA bandwidth")),
         Fact(4900, DOC, _CHIP.format("Trainium3", "4.9 TB/s of DMA bandwidth")), use=RATE),
)
# fmt: on
"""Figures of collectives and links; ``figures.py`` has them with all others."""


def facts(generation: str) -> dict[str, Fact]:
    """What is published of a generation, by the figure's name."""
    return {f.name: f.facts[generation] for f in COLLECTIVES if generation in f.facts}
