"""What instructions cost, in cycles of the engine that runs them.

N is the elements per partition of the main input; the number of partitions never matters on
Vector, Scalar and GpSimd. Every figure comes from the generation's numbers, with its evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from nasm.spec.evidence import Cost, Evidence, weakest
from nasm.spec.instruction import Context
from nasm.spec.view import View
from nasm.targets.neuron.figures import NKI_COSTS, TRN2_PROBES

DOC, MEAS, ASSUMED = Evidence.DOCUMENTED, Evidence.MEASURED, Evidence.ASSUMED
SIXTEEN = ("bfloat16", "float16")
EIGHT = ("float8_e4m3", "float8_e5m2", "float8_e4m3fn", "float8_e3m4")
STRIDE_BYTES = 16
STRIDE_SOURCE = "architecture guide: an innermost stride above 16 bytes halves the rate"


def gigahertz(context: Context) -> float:
    """The clock of the engine, in cycles per nanosecond."""
    return context.generation.ticks / 1000 / context.generation.engine(context.engine).cycle


def cycles(context: Context, nanoseconds: float) -> int:
    """Nanoseconds in whole cycles of the engine, rounded up."""
    return math.ceil(round(nanoseconds * gigahertz(context), 6))


def drained(
    context: Context, tail: str, interval: float, evidence: Evidence, source: str, unit: str = ""
) -> Cost:
    """An interval in whole cycles, and results after the figure named by ``tail``."""
    after = context.generation.number(tail)
    whole = math.ceil(interval)
    if any(v.gathers for _, v in context.tiles):
        evidence, source = ASSUMED, f"{source}; no figure for indirection: taken as a plain tile"
    return Cost(
        whole,
        whole + cycles(context, after.value),
        weakest((evidence, after.evidence)),
        f"{source}; drain: {after.source}",
        unit,
    )


def read_apart(context: Context, made: Cost, *names: str) -> Cost:
    """A cost with the time to read those of some operands that a [P, 1] tile holds."""
    count = sum(isinstance(context[name], View) for name in names)
    if not count:
        return made
    apart = context.generation.number(f"{context.engine}_operand_ns")
    extra = cycles(context, count * apart.value)
    return replace(
        made,
        interval=made.interval + extra,
        latency=made.latency + extra,
        evidence=weakest((made.evidence, apart.evidence)),
        source=f"{made.source}; {count} operand(s) read apart: {apart.source}",
    )


def floored(context: Context, interval: float) -> float:
    """An interval, or the shortest there is."""
    return max(context.generation.number("min_interval").value, interval)


def drain(context: Context, table: bool = True) -> str:
    """The figure that says how long after its interval an engine's results are there."""
    if context.engine == "scalar" and not table:
        return "scalar_copy_drain_ns"
    return f"{context.engine}_drain_ns"


def strided(context: Context) -> bool:
    """Whether a tile's innermost axis steps so far that its port runs at half rate."""
    far = STRIDE_BYTES + (context.option("stride.sixteen") == "full")
    return any(
        v.dims and abs(v.dims[-1][0]) * v.dtype.itemsize >= far and v.dims[-1][0] != 1
        for _, v in context.tiles
    )


def _fast_dtypes(context: Context) -> tuple[str, ...]:
    return SIXTEEN + EIGHT if context.generation.switches["fast_vector_fp8"] else SIXTEEN


def _narrow(context: Context, views: list[View]) -> bool:
    fast = _fast_dtypes(context)
    return all(v.dtype.name in fast for v in views)


def in_sbuf(views: list[View]) -> bool:
    """Whether all tiles are in SBUF."""
    return all(v.tensor.memory.name == "sbuf" for v in views)


def one_tile(main: str) -> Callable[[Context], Cost]:
    """C(N): one element per cycle, at least the minimum interval."""

    def cost(context: Context) -> Cost:
        count = context[main].elements * (2 if strided(context) else 1)
        return drained(
            context, drain(context), floored(context, count), DOC, f"{NKI_COSTS}: max(64, N)"
        )

    return cost


def streamed(context: Context, main: View, others: list[View]) -> tuple[float, Evidence, str]:
    """Cycles per element of a copy or tensor_scalar on the engine at hand."""
    rate, evidence, source = _contiguously(context, [main, *others], main)
    if strided(context):
        return 2 * rate, evidence, f"{source}; {STRIDE_SOURCE}"
    return rate, evidence, source


def _contiguously(context: Context, every: list[View], main: View) -> tuple[float, Evidence, str]:
    """Cycles per element where no stride halves the rate."""
    switches = context.generation.switches
    if context.engine == "scalar":
        if switches["fast_scalar"] and _narrow(context, every):
            return 0.5, DOC, "Trainium3 guide: Scalar copies and tensor_scalar at up to 2x"
        return 1, DOC, f"{NKI_COSTS}: max(64, N)"
    if context.engine != "vector" or not switches["fast_vector"]:
        return 1, DOC, f"{NKI_COSTS}: max(64, N)"
    modes = "Trainium2 guide, 'Vector Engine performance mode'"
    contiguous = all(v.contiguous for v in every)
    if _narrow(context, every):
        if in_sbuf(every):
            return (0.25 if contiguous else 0.5), DOC, f"{modes}: {'4x' if contiguous else '2x'}"
        return (0.5 if contiguous else 1), DOC, f"{modes}: 2x with one side in PSUM"
    here = MEAS if context.generation.name == "v3" else ASSUMED
    if not in_sbuf(every) or not contiguous:
        return 1, here, f"{TRN2_PROBES}: 1 element per cycle with PSUM"
    return max(0.5, main.dtype.itemsize / 8), here, f"{TRN2_PROBES}: 2 elements per cycle in SBUF"


def copy_like(main: str, dst: str = "dst") -> Callable[[Context], Cost]:
    """Copies and tensor_scalar: C(N), faster where the generation has a mode for it."""

    def cost(context: Context) -> Cost:
        rate, evidence, source = streamed(context, context[main], [context[dst]])
        interval = floored(context, context[main].elements * rate)
        return drained(context, drain(context, table=False), interval, evidence, source)

    return cost


def tensor_copy(context: Context) -> Cost:
    """TensorCopy: as copies are, with two rates of its own and a floor if a register is read."""
    src, dst = context["src"], context["dst"]
    rate, evidence, source = streamed(context, src, [dst])
    own = {("bfloat16", "float32"): "copy_bf16_to_f32", ("int32", "int32"): "copy_int32"}
    pair = own.get((src.dtype.name, dst.dtype.name))
    if rate == 0.5 and pair and context.engine == "vector":
        fact = context.generation.number(pair)
        rate, evidence, source = fact.value, fact.evidence, fact.source
    interval = floored(context, src.elements * rate)
    if any(v.dynamic or (v.offsets and v.offsets.single) for v in (src, dst)):
        least = context.generation.number("dynamic_copy_min")
        interval = max(interval, least.value)
        evidence, source = weakest((evidence, least.evidence)), f"{source}; {least.source}"
    return drained(context, drain(context, table=False), interval, evidence, source)


def two_tiles(context: Context) -> Cost:
    """TensorTensor: two streams through one read port, or two."""
    first, second, dst = context["data1"], context["data2"], context["dst"]
    count = first.elements * (2 if strided(context) else 1)
    if context.engine == "gpsimd":
        start = context.generation.number("gpsimd_start")
        return drained(
            context,
            "gpsimd_drain_ns",
            start.value + 2 * count,
            ASSUMED,
            "no figure is published; taken as 150 + 2N",
        )
    rate, evidence, source = _two_streams(context, first, second, dst)
    return drained(context, "vector_drain_ns", floored(context, rate * count), evidence, source)


def _two_streams(
    context: Context, first: View, second: View, dst: View
) -> tuple[float, Evidence, str]:
    inputs = [first, second]
    if not context.generation.switches["fast_vector"]:
        if not in_sbuf(inputs):
            return 1, DOC, f"{NKI_COSTS}: N with one input in PSUM"
        plain = all(v.dtype.name == "bfloat16" and v.contiguous for v in [*inputs, dst])
        if plain and in_sbuf([dst]) and context["op"] in ("add", "multiply", "subtract"):
            return 1, DOC, f"{NKI_COSTS}: N for bf16 add, multiply, subtract in SBUF"
        return 2, DOC, f"{NKI_COSTS}: 2N"
    if in_sbuf(inputs) and _narrow(context, [*inputs, dst]):
        return 0.5, DOC, "Trainium2 guide, 'Vector Engine performance mode': tensor_tensor at 2x"
    here = MEAS if context.generation.name == "v3" else ASSUMED
    return 1, here, f"{TRN2_PROBES}: tensor_tensor at N"


def tensor_scalar(context: Context) -> Cost:
    """TensorScalar: as a copy, and what tiles as operands add; rsqrt on GpSimd 4 times Scalar's."""
    if context.engine == "gpsimd":
        interval = 4 * floored(context, context["data"].elements)
        known = (context["op0"], context["op1"]) == ("rsqrt", None)
        source = "NKI engine selection: rsqrt takes 4x Scalar's time"
        return drained(
            context,
            "gpsimd_drain_ns",
            interval,
            DOC if known else ASSUMED,
            source if known else f"no figure is published; taken as rsqrt ({source})",
        )
    return read_apart(context, copy_like("data")(context), "operand0", "operand1")


def tensor_reduce(context: Context) -> Cost:
    """TensorReduce: N, or N/2 for bfloat16 add and maximum on v2."""
    data = context["data"]
    count = data.elements * (2 if strided(context) else 1)
    if context.engine == "gpsimd":
        start = context.generation.number("gpsimd_start").value
        source = "no figure is published; taken as 150 + N"
        return drained(context, "gpsimd_drain_ns", start + count, ASSUMED, source)
    half = data.dtype.name == context["dst"].dtype.name == "bfloat16"
    if (
        half
        and context["op"] in ("add", "maximum")
        and not context.generation.switches["fast_vector"]
    ):
        return drained(
            context, drain(context), floored(context, count / 2), DOC, f"{NKI_COSTS}: N/2"
        )
    return drained(context, drain(context), floored(context, count), DOC, f"{NKI_COSTS}: N")


def memset(context: Context) -> Cost:
    """Memset: about N, or N/2 for zero in a 16-bit dtype."""
    dst = context["dst"]
    count = dst.elements * (2 if strided(context) else 1)
    if context.engine == "gpsimd":
        start = context.generation.number("gpsimd_start").value
        return drained(context, "gpsimd_drain_ns", start + count, ASSUMED, "taken as 150 + N")
    if context["value"] == 0 and dst.dtype.name in SIXTEEN:
        half, source = floored(context, count / 2), f"{NKI_COSTS}: N/2 for 0 in 16 bits"
        return drained(context, "memset_drain_ns", half, DOC, source)
    per = context.generation.number("memset_per_element")
    interval = floored(context, count * per.value)
    return drained(context, "memset_drain_ns", interval, per.evidence, per.source)


def scalar_tensor_tensor(context: Context) -> Cost:
    """ScalarTensorTensor: 2N on v2, N for one pair in bfloat16; about N later, and operand0."""
    data, other = context["data"], context["operand1"]
    per = context.generation.number("scalar_tensor_tensor")
    rate, evidence, source = per.value, per.evidence, per.source
    half = data.dtype.name == other.dtype.name == "bfloat16" and data.elements % 2 == 0
    if half and (context["op0"], context["op1"]) == ("subtract", "multiply"):
        rate, evidence = 1, DOC
        source = f"{NKI_COSTS}: N for bfloat16, subtract, multiply and even N"
    count = data.elements * (2 if strided(context) else 1)
    made = drained(context, "vector_drain_ns", floored(context, rate * count), evidence, source)
    return read_apart(context, made, "operand0")


def scan(context: Context) -> Cost:
    """TensorTensorScan: 2N; a tile as initial value is read first."""
    count = context["data0"].elements * (2 if strided(context) else 1)
    interval = floored(context, 2 * count)
    made = drained(context, "vector_drain_ns", interval, DOC, f"{NKI_COSTS}: max(64, 2N)")
    if not isinstance(context["initial"], View):
        return made
    seed = context.generation.number("scan_seed_ns")
    return replace(
        made,
        latency=made.latency + cycles(context, seed.value),
        evidence=weakest((made.evidence, seed.evidence)),
        source=f"{made.source}; {seed.source}",
    )


def choosing(context: Context, tile: str) -> tuple[float, Evidence, str]:
    """Cycles of a choice by a predicate: N, or 2N where it and a tile share SBUF's read port.

    On v2 they do. Later Vector reads two tiles at a time, and whether choices gain by it is a
    machine option: they get no fast mode, which may mean N or that they stay at 2N as scans do.
    """
    predicate, other = context["predicate"], context[tile]
    count = predicate.elements * (2 if strided(context) else 1)
    if not (isinstance(other, View) and in_sbuf([other, predicate])):
        return count, DOC, f"{NKI_COSTS}: N"
    double = f"{NKI_COSTS}: 2N with {tile} and predicate in SBUF"
    if not context.generation.switches["fast_vector"]:
        return 2 * count, DOC, double
    if context.option("copy_predicated.cost") == "one_port":
        return 2 * count, ASSUMED, f"{double}, kept on {context.generation.name}"
    return count, ASSUMED, f"taken as tensor_tensor ({TRN2_PROBES}: N); 2N is v2's one read port"


def copy_predicated(context: Context) -> Cost:
    """CopyPredicated: N, on v2 2N with both inputs in SBUF."""
    count, evidence, source = choosing(context, "src")
    return drained(context, "vector_drain_ns", floored(context, count), evidence, source)


def aggregate(context: Context) -> Cost:
    """BatchNormAggregate: 13 cycles for each count, mean and variance."""
    count = 13 * context["data"].elements / 3 * (2 if strided(context) else 1)
    source = f"{NKI_COSTS}: max(64, 13 N / 3)"
    return drained(context, "vector_drain_ns", floored(context, count), DOC, source)


def transpose(context: Context) -> Cost:
    """Transpose on Vector: N, and no less than one block takes."""
    least = context.generation.number("transpose_min")
    count = context["data"].elements * (2 if strided(context) else 1)
    source = f"{least.source}; {NKI_COSTS}: nc_transpose N"
    return drained(context, "transpose_drain_ns", max(least.value, count), least.evidence, source)


def mask_load(context: Context) -> Cost:
    """LoadMaskRegister: a published time, rounded up to cycles."""
    fact = context.generation.number("mask_load_ns")
    taken = cycles(context, fact.value)
    return Cost(taken, taken, fact.evidence, fact.source)


def reciprocal(context: Context) -> Cost:
    """Reciprocal: 8N on v2, 6N measured later."""
    per = context.generation.number("reciprocal_per_element")
    count = context["data"].elements * per.value
    return drained(context, drain(context), floored(context, count), per.evidence, per.source)


def control(number: str) -> Callable[[Context], Cost]:
    """An instruction of the sequencer: a published time, rounded up to cycles."""

    def cost(context: Context) -> Cost:
        fact = context.generation.number(number)
        taken = max(1, cycles(context, fact.value))
        return Cost(taken, taken, fact.evidence, fact.source, "sequencer")

    return cost


def send_recv(context: Context) -> Cost:
    """SendRecv: a barrier beside what the DMA engines take, or GpSimd's own DMA engine."""
    if context["dma_engine"] == "dma":
        return control("barrier_ns")(context)
    src, numbers = context["src"], context.generation.number
    rate = numbers("dma_bytes_per_ns").value * context.generation.channels
    size = src.size * src.dtype.itemsize
    taken = cycles(context, max(numbers("dma_payload_ns").value, size / rate))
    return Cost(
        taken,
        taken,
        ASSUMED,
        "no figure is published for GpSimd's DMA engine; taken as a DMA from read to landing",
    )


def dma_issue(context: Context) -> Cost:
    """What a DMA instruction costs the queue that issues it: by who makes its descriptors."""
    if any(isinstance(v, View) and v.gathers for v in context.operands.values()):
        return control("dma_indirect_ns")(context)
    mode = context.operands.get("dge_mode") or default_dge(context)
    number = {"none": "dma_static_ns", "swdge": "dma_swdge_ns", "hwdge": "dma_hwdge_ns"}[mode]
    return control(number)(context)


def dma_sum(context: Context) -> Cost:
    """DmaCompute: static descriptors, or those of rows that a tile names."""
    rows = any(v.gathers for v in (context["dst"], *context["srcs"]))
    return control("dma_indirect_ns" if rows else "dma_static_ns")(context)


def default_dge(context: Context) -> str:
    """The descriptor generation a DMA uses unless it says: by engine and generation."""
    if context.engine == "gpsimd":
        return "swdge"
    if context.engine in ("sync", "scalar") and context.generation.switches["hardware_dge"]:
        return "hwdge"
    return "none"
