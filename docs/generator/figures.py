"""The generated tables of timing.md: clocks, figures, switches and what instructions cost."""

from __future__ import annotations

from collections.abc import Iterator

from generator.examples import GENERATIONS, SIZES, cost, engines_on
from generator.instruction_pages import ISA
from generator.markdown import code, number, table
from nasm.spec.facts import Fact
from nasm.spec.instruction import Instruction
from nasm.spec.target import Generation

MEANINGS = {
    "min_interval": ("cycles", "least interval on Vector and Scalar, whatever the size"),
    "matmul_min": ("cycles", "least interval of one pass of a matmul"),
    "fast_load": ("columns per cycle", "how fast LoadStationary fills the array"),
    "gpsimd_start": ("cycles", "start-up of a GpSimd instruction, added to its interval"),
    "accumulator_read": ("cycles", "added to Activation when reduce_res reads the sums"),
    "semaphore_ns": ("ns", "from a post by an engine until a waiter may start"),
    "event_ns": ("ns", "EventSemaphore"),
    "nop_ns": ("ns", "Nop"),
    "alu_ns": ("ns", "RegisterAlu"),
    "move_ns": ("ns", "RegisterMove"),
    "tensor_load_ns": ("ns", "TensorLoad"),
    "tensor_store_ns": ("ns", "TensorStore"),
    "branch_ns": ("ns", "CompareBranch, taken or not"),
    "dma_static_ns": ("ns", "issue of a DMA whose descriptors were written before the run"),
    "dma_swdge_ns": ("ns", "issue of a DMA whose descriptors GpSimd makes"),
    "dma_hwdge_ns": ("ns", "issue of a DMA whose descriptors the hardware makes"),
    "dma_dispatch_ns": ("ns", "from the start of a DMA instruction until its shares arrive"),
    "dma_payload_ns": ("ns", "least time from the start of a share until it lands"),
    "dma_notify_ns": ("ns", "from the landing of a share until a waiter may start"),
    "dma_descriptor_ns": ("ns", "least time of one descriptor in a share"),
    "dma_bytes_per_ns": ("bytes per ns", "rate of one DMA engine"),
    "tensor_drain_ns": ("ns", "from the end of a matmul's interval to its results"),
    "vector_drain_ns": ("ns", "the same on Vector"),
    "scalar_drain_ns": ("ns", "the same on Scalar, functions that need a table"),
    "scalar_copy_drain_ns": ("ns", "the same on Scalar, copies and what needs no table"),
    "gpsimd_drain_ns": ("ns", "the same on GpSimd"),
    "reciprocal_per_element": ("cycles", "Reciprocal on Vector, per element of a partition"),
    "moving_max": ("elements", "limit: columns of a moving tile"),
    "moving_max_bf16": ("elements", "limit: columns of a moving tile, into bfloat16"),
    "tile_min": ("rows, columns", "limit: smallest tile of the array"),
}
"""Unit and meaning of every figure of a generation; one without is an error."""

SWITCHES = {
    "fast_vector": "Vector has its 2x and 4x modes",
    "fast_vector_fp8": "these take 8-bit floats too",
    "fast_scalar": "Scalar copies and scales 16-bit tiles at twice the rate",
    "scalar_literal_bias": "the bias of Activation may be a number",
    "transpose_exact": "transpose mode of Tensor moves bits",
    "double_row": "perf_mode=double_row: K = 256 in fp8",
    "psum_bf16": "PSUM can hold bfloat16 results",
    "wide_psum": "a matmul's output may cross PSUM banks",
    "hardware_dge": "Sync and Scalar have dge_mode=hwdge",
    "float8_e4m3fn": "the dtype float8_e4m3fn",
}
"""What every switch of a generation says; one without is an error."""


def clocks() -> str:
    """Clock and ticks per cycle of every engine."""
    names = [e.name for e in GENERATIONS[0].engines]
    rows = []
    for g in GENERATIONS:
        cells = [g.engine(n).cycle for n in names]
        rows.append(
            [g.summary, f"{g.ticks:,}", *(f"{g.ticks / c / 1000:g} GHz ({c})" for c in cells),
             g.engines[0].source]
        )  # fmt: skip
    return table(["generation", "ticks per µs", *names, "source"], rows)


def figures() -> str:
    """Every number of every generation; generations that agree share a line."""
    names = dict.fromkeys(n for g in GENERATIONS for n in g.numbers)
    rows = []
    for name in names:
        unit, meaning = MEANINGS[name]
        for first, (fact, where) in enumerate(_facts(name)):
            about = ["", ""] if first else [code(name), f"{meaning} ({unit})"]
            rows.append(
                [*about, ", ".join(where), number(fact.value), fact.evidence.value, fact.source]
            )
    return table(["figure", "what", "generations", "value", "evidence", "source"], rows)


def _facts(name: str) -> Iterator[tuple[Fact, list[str]]]:
    found: dict[Fact, list[str]] = {}
    for g in GENERATIONS:
        found.setdefault(g.numbers[name], []).append(g.name)
    yield from found.items()


def switches() -> str:
    """What a generation has or lacks."""
    names = dict.fromkeys(n for g in GENERATIONS for n in g.switches)
    rows = [
        [code(n), SWITCHES[n], *("yes" if g.switches[n] else "no" for g in GENERATIONS)]
        for n in names
    ]
    return table(["switch", "what", *(g.name for g in GENERATIONS)], rows)


def costs() -> str:
    """Interval and latency of every example, but of those that only the sequencer runs."""
    rows = []
    for row in ISA:
        for engine in row.engines:
            cells = [_cell(row, engine, g) for g in GENERATIONS]
            if any(cells):
                rows.append([f"[`{row.name}`](isa/{row.name}.md)", engine, *cells])
    return table(["instruction", "engine", *(g.name for g in GENERATIONS)], rows)


def _cell(row: Instruction, engine: str, generation: Generation) -> str:
    if engine not in engines_on(row, generation):
        return ""
    for n in reversed(SIZES):
        found = cost(row, engine, generation, n)
        if found is not None and found.unit != "sequencer":
            size = "" if n == SIZES[-1] else f", N = {n}"
            return f"{found.interval:,} / {found.latency:,}{size} ({found.evidence.value})"
    return ""
