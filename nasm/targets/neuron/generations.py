"""What differs between NeuronCore-v2, v3 and v4, as data with sources.

A tick divides every clock of a generation: on v2 and v3 one Tensor cycle is 2 ticks, Vector 5,
the others 4; on v4 Tensor is 1 and the others 2. Nanoseconds are kept where they were measured.
"""

from __future__ import annotations

from collections.abc import Mapping

from nasm.spec.facts import Evidence, Fact
from nasm.spec.target import Engine, Generation
from nasm.targets.neuron.memories import memories

DOC, MEAS, ASSUMED = Evidence.DOCUMENTED, Evidence.MEASURED, Evidence.ASSUMED

GUIDE = {
    "v2": "Trainium/Inferentia2 architecture guide, NeuronCore-v2 compute engines",
    "v3": "Trainium2 architecture guide, NeuronCore-v3 compute engines",
    "v4": "Trainium3 architecture guide, NeuronCore-v4 compute engines",
}
TRN2_PROBES = "third-party Trainium2 microbenchmarks (voyager-compiler, trainium docs, 2025)"
NKI_COSTS = "nki.isa 'estimated instruction cost' tables, Neuron SDK 2.21 to 2.26"
PERF_GUIDE = "NKI performance guide"
DMA_INTRO = "NKI 'Introduction to DMA' overview"

_INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
_FLOATS = (
    "float8_e3m4", "float8_e4m3", "float8_e5m2", "float16", "bfloat16", "tfloat32", "float32",
)  # fmt: skip
_V4_FLOATS = (
    "float8_e4m3fn", "float8_e8m0fnu", "float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4",
)  # fmt: skip


def _engines(version: str, tensor: int, vector: int, others: int) -> tuple[Engine, ...]:
    source = GUIDE[version]
    both = ("sbuf", "psum")
    return (
        Engine(
            "tensor", tensor, "128x128 systolic array: matrix multiplication and transposes",
            source, ("pe",), ("sbuf",), ("psum",),
        ),
        Engine(
            "vector", vector, "128 lanes: element-wise work on one or two tiles, reductions",
            source, ("dve",), both, both,
        ),
        Engine(
            "scalar", others, "128 lanes: activation functions with scale and bias", source,
            ("act",), both, both,
        ),
        Engine(
            "gpsimd", others, "8 general-purpose SIMD cores; no port to PSUM", source, ("pool",),
            ("sbuf",), ("sbuf",),
        ),
        Engine("sync", others, "a sequencer only: DMA, waits, housekeeping", source, ("sp",)),
    )  # fmt: skip


def _drain(version: str) -> dict[str, Fact]:
    """Nanoseconds from the end of an instruction's interval to its results, per engine."""
    if version == "v2":
        fixed = f"{PERF_GUIDE}: about 100 cycles of static overhead per instruction"
        chain = f"{PERF_GUIDE}, figure 16: dependent 1-element ACTIVATE every 264 cycles = 64 + 200"
        matmul = f"{PERF_GUIDE}, figure 18: 219 ns for a MATMUL of N=128, of which 46 streaming"
        return {
            "tensor_drain_ns": Fact(173, MEAS, matmul),
            "vector_drain_ns": Fact(100 / 1.12, DOC, fixed),
            "scalar_drain_ns": Fact(200 / 1.4, MEAS, chain),
            "scalar_copy_drain_ns": Fact(200 / 1.4, MEAS, chain),
            "gpsimd_drain_ns": Fact(50, ASSUMED, f"carried over from v3: {TRN2_PROBES}"),
        }
    figures = {
        "tensor_drain_ns": (165, "kernel-optimization tutorial profiles: MATMUL latency + 165 ns"),
        "vector_drain_ns": (155, f"{TRN2_PROBES}: DVE completion 155 ns + streaming"),
        "scalar_drain_ns": (290, f"{TRN2_PROBES}: table functions 276 to 296 ns + streaming"),
        "scalar_copy_drain_ns": (190, f"{TRN2_PROBES}: copies 190 ns + streaming"),
        "gpsimd_drain_ns": (50, f"{TRN2_PROBES}: affine_select completion against issue"),
    }
    if version == "v3":
        return {name: Fact(v, MEAS, s) for name, (v, s) in figures.items()}
    clocks = {"vector_drain_ns": 0.96 / 1.2}
    return {
        name: Fact(v * clocks.get(name, 1), ASSUMED, f"v3's cycles at v4's clock: {s}")
        for name, (v, s) in figures.items()
    }


def _shared_numbers(version: str) -> dict[str, Fact]:
    """Figures every generation has; measured on Trainium2 unless the source says otherwise."""
    here = MEAS if version == "v3" else ASSUMED
    carried = "" if version == "v3" else "carried over from v3: "
    return {
        "min_interval": Fact(64, DOC, f"{NKI_COSTS}: MIN_II is about 64 engine cycles"),
        "matmul_min": Fact(64, DOC, f"{PERF_GUIDE}: MM_INIT_LATENCY of 64 cycles"),
        "fast_load": Fact(4, DOC, "architecture guide, 'Fast LoadStationary': up to 4x faster"),
        "gpsimd_start": Fact(150, DOC, f"{NKI_COSTS}: GPSIMD_START is about 150 cycles"),
        "semaphore_ns": Fact(40, here, f"{carried}profiles show 26 to 52 ns from one engine's "
                             "completion to another's start"),
        "event_ns": Fact(9, here, f"{carried}EVENT_SEMAPHORE in published Trainium2 profiles"),
        "nop_ns": Fact(10, ASSUMED, "no figure is published; taken as an EVENT_SEMAPHORE"),
        "alu_ns": Fact(45, here, f"{carried}third-party profiles of ALU_OP: 44 to 47 ns"),
        "move_ns": Fact(68, here, f"{carried}{TRN2_PROBES}: register MOVE"),
        "tensor_load_ns": Fact(300, here, f"{carried}third-party profiles: 297 to 355 ns"),
        "tensor_store_ns": Fact(300, ASSUMED, "no figure is published; taken as TENSOR_LOAD"),
        "branch_ns": Fact(70, ASSUMED, "no figure is published; taken as a register MOVE"),
        "dma_static_ns": Fact(7, MEAS, f"{PERF_GUIDE}, figure 29: a 4-byte descriptor trigger"),
        "dma_swdge_ns": Fact(8, here, f"{carried}GpSimd trigger in published profiles"),
        "dma_hwdge_ns": Fact(600, DOC, "Trainium2 guide, DGE: about 600 ns per DMA instruction"),
        "dma_dispatch_ns": Fact(751, here, f"{carried}{TRN2_PROBES}: DMA load dispatch"),
        "dma_payload_ns": Fact(293, here, f"{carried}{TRN2_PROBES}: DMA load payload floor"),
        "dma_notify_ns": Fact(314, here, f"{carried}{TRN2_PROBES}: DMA load notify"),
        "dma_descriptor_ns": Fact(7, MEAS, f"{PERF_GUIDE}, figure 30: a 4-byte write, 7 ns"),
    }  # fmt: skip


def _numbers(version: str) -> Mapping[str, Fact]:
    rate = {"v2": 17, "v3": 23, "v4": 33}[version]
    wide = {
        "v2": (512, 512),
        "v3": (512, 512),
        "v4": (4096, 8192),
    }[version]
    limits = "nki.isa.nc_matmul, 'Tile size'"
    read = f"{TRN2_PROBES}: accumulator read issued every 185 ns"
    return {
        **_shared_numbers(version),
        **_drain(version),
        "accumulator_read": Fact(64, DOC, f"{NKI_COSTS}: + MIN_II to read the accumulators")
        if version == "v2"
        else Fact(222, MEAS if version == "v3" else ASSUMED, f"{read}, 222 cycles"),
        "dma_bytes_per_ns": Fact(rate, DOC, f"{DMA_INTRO}: sustained rate of one DMA engine"),
        "moving_max": Fact(wide[0], DOC, limits),
        "moving_max_bf16": Fact(wide[1], DOC, limits),
        "tile_min": Fact(64 if version == "v2" else 32, DOC, "nki.isa.nc_matmul, 'Tiling mode'"),
        "reciprocal_per_element": Fact(8, DOC, f"{NKI_COSTS}: reciprocal 8N")
        if version == "v2"
        else Fact(6, MEAS if version == "v3" else ASSUMED, f"{TRN2_PROBES}: 6.25 ns per element"),
    }


def _switches(version: str) -> Mapping[str, bool]:
    later, last = version != "v2", version == "v4"
    return {
        "fast_vector": later,
        "fast_vector_fp8": last,
        "fast_scalar": last,
        "scalar_literal_bias": later,
        "transpose_exact": later,
        "double_row": later,
        "psum_bf16": last,
        "wide_psum": last,
        "hardware_dge": later,
        "float8_e4m3fn": last,
    }


def _generation(version: str, spellings: tuple[str, ...], ticks: int, cycles: tuple[int, int, int],
                sbuf_kib: int, order: int, dtypes: tuple[str, ...]) -> Generation:  # fmt: skip
    return Generation(
        name=version,
        spellings=spellings,
        summary=f"NeuronCore-{version} ({spellings[0].capitalize()})",
        ticks=ticks,
        engines=_engines(version, *cycles),
        memories=memories(sbuf_kib),
        dtypes=dtypes,
        numbers=_numbers(version),
        switches=_switches(version),
        registers=64,
        semaphores=256,
        channels=16,
        rings=16,
        order=order,
        clock="sync",
        channel="DMA engine",
    )


GENERATIONS = (
    _generation("v2", ("trn1", "inf2", "gen2"), 5600, (2, 5, 4), 192, 2, (*_INTEGERS, *_FLOATS)),
    _generation("v3", ("trn2", "gen3"), 4800, (2, 5, 4), 224, 3, (*_INTEGERS, *_FLOATS)),
    _generation("v4", ("trn3", "gen4"), 2400, (1, 2, 2), 256, 4,
                (*_INTEGERS, *_FLOATS, *_V4_FLOATS)),
)  # fmt: skip
"""Ticks are per microsecond: 5.6 GHz on v2, 4.8 on v3, 2.4 on v4."""
