"""What differs between NeuronCore-v2, v3 and v4, as data with sources.

A tick divides every clock of a generation: on v2 and v3 one Tensor cycle is 2 ticks, Vector 5,
the others 4; on v4 Tensor is 1 and the others 2.
"""

from __future__ import annotations

from collections.abc import Mapping

from nasm.isa.generation import Engine, Generation, Port
from nasm.targets.neuron.clocks import TICKS
from nasm.targets.neuron.figures import numbers, switches
from nasm.targets.neuron.options import DEFAULTS
from nasm.views.tensor import Memory

KIB = 1024
ARCH = "AWS Trainium/Inferentia2, Trainium2 and Trainium3 architecture guides"


def memories(sbuf_kib: int) -> Mapping[str, Memory]:
    """The memories of a generation whose SBUF has so many KiB per partition."""
    return {
        "hbm": Memory(
            "hbm",
            partitions=0,
            size=0,
            io=True,
            shared=True,
            align=64,
            summary="device memory, linear; only DMA reaches it (and register loads, stores)",
            source=ARCH,
        ),
        "sbuf": Memory(
            "sbuf",
            partitions=128,
            size=sbuf_kib * KIB,
            align=4,
            summary=f"state buffer: 128 partitions of {sbuf_kib} KiB",
            source=f"{ARCH}, 'State Buffer'",
        ),
        "psum": Memory(
            "psum",
            partitions=128,
            size=16 * KIB,
            bank=2 * KIB,
            align=4,
            summary="partial-sum buffer: 128 partitions of 16 KiB, 8 banks of 2 KiB "
            "(512 float32) each",
            source=f"{ARCH}, 'Near-memory accumulation in PSUM'",
        ),
    }


GUIDE = {
    "v2": "Trainium/Inferentia2 architecture guide, NeuronCore-v2 compute engines",
    "v3": "Trainium2 architecture guide, NeuronCore-v3 compute engines",
    "v4": "Trainium3 architecture guide, NeuronCore-v4 compute engines",
}
CC_CORES = "Neuron documentation, neuron-runtime/about/collectives, CC Cores"
_INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
_FLOATS = ("float8_e4m3", "float8_e5m2", "float16", "bfloat16", "tfloat32", "float32")
_CONFIGURABLE = ("float8_e3m4",)
"""What v2's and v3's configurable fp8 has in addition to the two of v4."""
_V4_FLOATS = (
    "float8_e4m3fn",
    "float8_e8m0fnu",
    "float8_e5m2_x4",
    "float8_e4m3fn_x4",
    "float4_e2m1fn_x4",
)


_PORTS = "Trainium/Inferentia2 architecture guide: {}; that it lasts for an instruction is assumed"
PORTS = {
    "v2": (
        Port("SBUF port", "sbuf", ("vector", "gpsimd"),
             _PORTS.format("Vector and GpSimd share one and exclude each other")),
        Port("PSUM port", "psum", ("vector", "scalar"),
             _PORTS.format("Vector and Scalar exclude each other")),
    ),
}  # fmt: skip
"""Ways to a memory that two engines have in common; from v3 on each has its own."""


def _engines(version: str, tensor: int, vector: int, others: int) -> tuple[Engine, ...]:
    source = GUIDE[version]
    both = ("sbuf", "psum")
    return (
        Engine(
            "tensor",
            tensor,
            "128x128 systolic array: matrix multiplication and transposes",
            source,
            ("pe",),
            ("sbuf",),
            ("psum",),
            32,
        ),
        Engine(
            "vector",
            vector,
            "128 lanes: element-wise work on one or two tiles, reductions",
            source,
            ("dve",),
            both,
            both,
            16,
        ),
        Engine(
            "scalar",
            others,
            "128 lanes: activation functions with scale and bias",
            source,
            ("act",),
            both,
            both,
            16,
        ),
        Engine(
            "gpsimd",
            others,
            "8 general-purpose SIMD cores; no port to PSUM",
            source,
            ("pool",),
            ("sbuf",),
            ("sbuf",),
            16,
            "GpSimd",
        ),
        Engine("sync", others, "a sequencer only: DMA, waits, housekeeping", source, ("sp",)),
        Engine(
            "cc",
            others,
            "CC-cores: collectives of ranks, one at a time, apart from the other engines",
            f"{CC_CORES}; that they are one queue, and count Sync's cycles, is assumed",
            spelled="CC",
            rare=True,
        ),
    )


def _generation(
    version: str,
    spellings: tuple[str, ...],
    ticks: int,
    cycles: tuple[int, int, int],
    sbuf_kib: int,
    order: int,
    dtypes: tuple[str, ...],
) -> Generation:
    facts = numbers(version)
    return Generation(
        name=version,
        spellings=spellings,
        summary=f"NeuronCore-{version} ({spellings[0].capitalize()})",
        ticks=ticks,
        engines=_engines(version, *cycles),
        memories=memories(sbuf_kib),
        dtypes=dtypes,
        numbers=facts,
        peak="16-bit",
        switches=switches(version),
        registers=64,
        semaphores=int(facts["semaphores"].value),
        events=int(facts["events"].value),
        cores=int(facts["cores"].value),
        channels=16,
        supply=("hbm_bytes_per_ns", "dma_bytes_per_ns"),
        rings=16,
        priorities=4 if version == "v4" else 0,
        order=order,
        clock="sync",
        channel="DMA engine",
        options=DEFAULTS,
        ports=PORTS.get(version, ()),
    )


GENERATIONS = (
    _generation(
        "v2",
        ("trn1", "inf2", "gen2"),
        TICKS["v2"],
        (2, 5, 4),
        192,
        2,
        (*_INTEGERS, *_CONFIGURABLE, *_FLOATS),
    ),
    _generation(
        "v3",
        ("trn2", "gen3"),
        TICKS["v3"],
        (2, 5, 4),
        224,
        3,
        (*_INTEGERS, *_CONFIGURABLE, *_FLOATS),
    ),
    _generation(
        "v4", ("trn3", "gen4"), TICKS["v4"], (1, 2, 2), 256, 4, (*_INTEGERS, *_FLOATS, *_V4_FLOATS)
    ),
)
