"""What instructions cost, in cycles of the engine that runs them.

N is the elements per partition of the main input; the number of partitions never matters on
Vector, Scalar and GpSimd. Every figure comes from the generation's numbers, with its evidence.
A cost is a function of operands: a row names them, as it does for its rules. The first line of
its docstring is the sentence that the manual page of an instruction prints under Time.
"""

from __future__ import annotations

import math

from nasm.base.records import replace
from nasm.isa.effects import Transfer
from nasm.isa.evidence import Cost, Evidence, weakest
from nasm.isa.instruction import InstructionContext, OfOperands, of_operands
from nasm.targets.neuron import dge, dma
from nasm.targets.neuron.cost_parts import (
    ASSUMED,
    DOC,
    MEAS,
    NOTHING,
    cycles,
    drain,
    drained,
    floored,
    gpsimd_start,
    in_fast_mode,
    in_sbuf,
    published,
    read_apart,
    slots,
    worked,
)
from nasm.targets.neuron.figures import NKI_COSTS, TRN2_PROBES
from nasm.views.view import View

SIXTEEN = ("bfloat16", "float16")
EIGHT = ("float8_e4m3", "float8_e5m2", "float8_e4m3fn", "float8_e3m4")
TWO_APART = ("add", "multiply", "subtract")
"""What two bfloat16 tiles in SBUF are combined with at one element per cycle on v2."""


def _fast_dtypes(context: InstructionContext) -> tuple[str, ...]:
    return SIXTEEN + EIGHT if context.generation.switches["fast_vector_fp8"] else SIXTEEN


def _narrow(context: InstructionContext, views: list[View]) -> bool:
    fast = _fast_dtypes(context)
    return all(v.dtype.name in fast for v in views)


@of_operands
def one_tile(context: InstructionContext, main: View) -> Cost:
    """An element per cycle in each partition, at least the shortest interval: max(64, N)."""
    count = slots(context, main)
    return worked(context, drain(context), count, DOC, f"{NKI_COSTS}: max(64, N)")


def streamed(
    context: InstructionContext, main: View, others: list[View]
) -> tuple[float, Evidence, str]:
    """Cycles per slot of a copy, or of nki.isa.tensor_scalar, on the engine at hand."""
    every = [main, *others]
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


def _copied(context: InstructionContext, src: View, dst: View) -> Cost:
    rate, evidence, source = streamed(context, src, [dst])
    count = slots(context, src)
    made = worked(context, drain(context, src), rate * count, evidence, source)
    return in_fast_mode(context, made, floored(context, count))


OWN_RATES = {
    ("bfloat16", "float32"): "copy_bf16_to_f32",
    ("int32", "int32"): "copy_int32",
    ("float32", "uint8"): "copy_f32_to_uint8",
}
"""Pairs of dtypes that Vector copies at a rate of their own, contiguous and in SBUF."""


@of_operands
def copy(context: InstructionContext, src: View, dst: View) -> Cost:
    """An element per cycle, on Vector and Scalar more in their fast modes.

    Some pairs of dtypes have rates of their own, and there is a floor if a register or a tile
    holds the address.
    """
    rate, evidence, source = streamed(context, src, [dst])
    pair = OWN_RATES.get((src.dtype.name, dst.dtype.name))
    if rate == 0.5 and pair and context.engine == "vector":
        fact = context.generation.numbers[pair]
        rate, evidence, source = fact.value, fact.evidence, fact.source
    plain = slots(context, src)
    count = rate * plain
    if dge.at_run_time(src) or dge.at_run_time(dst):
        least = context.generation.numbers["dynamic_copy_min"]
        count, plain = max(count, least.value), max(plain, math.ceil(least.value))
        evidence, source = weakest((evidence, least.evidence)), f"{source}; {least.source}"
    made = worked(context, drain(context, src), count, evidence, source)
    return in_fast_mode(context, made, floored(context, plain))


@of_operands
def two_tiles(
    context: InstructionContext, first: View, second: View, dst: View, op: str = ""
) -> Cost:
    """Two tiles through one read port of SBUF take two cycles per element, through two take one."""
    count = slots(context, first)
    if context.engine == "gpsimd":
        interval = gpsimd_start(context) + 2 * count
        return drained(
            context, "gpsimd_drain_ns", interval, ASSUMED, f"{NOTHING}; taken as 150 + 2N"
        )
    rate, evidence, source = _two_streams(context, first, second, dst, op)
    made = worked(context, "vector_drain_ns", rate * count, evidence, source)
    return in_fast_mode(context, made, floored(context, count))


def _two_streams(
    context: InstructionContext, first: View, second: View, dst: View, op: str
) -> tuple[float, Evidence, str]:
    inputs = [first, second]
    if not context.generation.switches["fast_vector"]:
        if not in_sbuf(inputs):
            return 1, DOC, f"{NKI_COSTS}: N with one input in PSUM"
        plain = all(v.dtype.name == "bfloat16" and v.contiguous for v in [*inputs, dst])
        if plain and in_sbuf([dst]) and op in TWO_APART:
            return 1, DOC, f"{NKI_COSTS}: N for bf16 add, multiply, subtract in SBUF"
        return 2, DOC, f"{NKI_COSTS}: 2N"
    if in_sbuf(inputs) and _narrow(context, [*inputs, dst]):
        return 0.5, DOC, "Trainium2 guide, 'Vector Engine performance mode': tensor_tensor at 2x"
    here = MEAS if context.generation.name == "v3" else ASSUMED
    return 1, here, f"{TRN2_PROBES}: tensor_tensor at N"


@of_operands
def tile_and_scalars(
    context: InstructionContext,
    data: View,
    dst: View,
    op0: str,
    op1: str | None,
    operand0: object,
    operand1: object,
) -> Cost:
    """As a copy of the tile, and the time to read scalars that a tile holds; GpSimd is slower."""
    if context.engine == "gpsimd":
        interval = 4 * floored(context, data.elements)
        known = (op0, op1) == ("rsqrt", None)
        source = "NKI engine selection: rsqrt takes 4x Scalar's time"
        return drained(
            context,
            "gpsimd_drain_ns",
            interval,
            DOC if known else ASSUMED,
            source if known else f"{NOTHING}; taken as rsqrt ({source})",
        )
    return read_apart(context, _copied(context, data, dst), operand0, operand1)


@of_operands
def reduction(context: InstructionContext, data: View, dst: View, op: str = "") -> Cost:
    """An element per cycle; on v2 two for add and maximum in bfloat16."""
    count = slots(context, data)
    if context.engine == "gpsimd":
        source = f"{NOTHING}; taken as 150 + N"
        interval = gpsimd_start(context) + count
        return drained(context, "gpsimd_drain_ns", interval, ASSUMED, source)
    half = data.dtype.name == dst.dtype.name == "bfloat16"
    if half and op in ("add", "maximum") and not context.generation.switches["fast_vector"]:
        return worked(context, drain(context), count / 2, DOC, f"{NKI_COSTS}: N/2")
    return worked(context, drain(context), count, DOC, f"{NKI_COSTS}: N")


@of_operands
def filled(context: InstructionContext, dst: View, value: object) -> Cost:
    """About an element per cycle; two where zero is written in 16 bits."""
    count = slots(context, dst)
    if context.engine == "gpsimd":
        interval = gpsimd_start(context) + count
        return drained(context, "gpsimd_drain_ns", interval, ASSUMED, "taken as 150 + N")
    if value == 0 and dst.dtype.name in SIXTEEN:
        source = f"{NKI_COSTS}: N/2 for 0 in 16 bits"
        return worked(context, "memset_drain_ns", count / 2, DOC, source)
    per = context.generation.numbers["memset_per_element"]
    return worked(context, "memset_drain_ns", count * per.value, per.evidence, per.source)


@of_operands
def tile_scalar_tile(
    context: InstructionContext, data: View, other: View, op0: str, op1: str, operand0: object
) -> Cost:
    """Two cycles per element on v2, one for one pair in bfloat16; about one later.

    A scalar that a tile holds is read first.
    """
    per = context.generation.numbers["scalar_tensor_tensor"]
    rate, evidence, source = per.value, per.evidence, per.source
    half = data.dtype.name == other.dtype.name == "bfloat16" and data.elements % 2 == 0
    if half and (op0, op1) == ("subtract", "multiply"):
        rate, evidence = 1, DOC
        source = f"{NKI_COSTS}: N for bfloat16, subtract, multiply and even N"
    made = worked(context, "vector_drain_ns", rate * slots(context, data), evidence, source)
    return read_apart(context, made, operand0)


@of_operands
def scan(context: InstructionContext, data: View, initial: object) -> Cost:
    """Two cycles per element; results come later where a tile holds the initial value."""
    count = 2 * slots(context, data)
    made = worked(context, "vector_drain_ns", count, DOC, f"{NKI_COSTS}: max(64, 2N)")
    if not isinstance(initial, View):
        return made
    seed = context.generation.numbers["scan_seed_ns"]
    return replace(
        made,
        latency=made.latency + cycles(context, seed.value),
        evidence=weakest((made.evidence, seed.evidence)),
        source=f"{made.source}; {seed.source}",
    )


def choosing(
    context: InstructionContext, predicate: View, other: object
) -> tuple[float, Evidence, str]:
    """Cycles of a choice by a predicate: N, or 2N where it and a tile share SBUF's read port.

    On v2 they do. Later Vector reads two tiles at a time, and whether choices gain by it is a
    machine option: they get no fast mode, which may mean N or that they stay at 2N as scans do.
    """
    count = slots(context, predicate)
    if not (isinstance(other, View) and in_sbuf([other, predicate])):
        return count, DOC, f"{NKI_COSTS}: N"
    double = f"{NKI_COSTS}: 2N with tile and predicate in SBUF"
    if not context.generation.switches["fast_vector"]:
        return 2 * count, DOC, double
    if context.generation.options["copy_predicated.cost"] == "one_port":
        return 2 * count, ASSUMED, f"{double}, kept on {context.generation.name}"
    return count, ASSUMED, f"taken as tensor_tensor ({TRN2_PROBES}: N); 2N is v2's one read port"


@of_operands
def choice(context: InstructionContext, predicate: View, other: object) -> Cost:
    """An element per cycle; on v2 half that rate with both inputs in SBUF.

    A number takes a little more on v3 and v4.
    """
    if not isinstance(other, View):
        per = context.generation.numbers["predicated_number"]
        count = per.value * slots(context, predicate)
        return worked(context, "vector_drain_ns", count, per.evidence, per.source)
    count, evidence, source = choosing(context, predicate, other)
    return worked(context, "vector_drain_ns", count, evidence, source)


@of_operands
def aggregate(context: InstructionContext, data: View) -> Cost:
    """13 cycles for each count, mean and variance of a partition."""
    count = 13 * slots(context, data) / 3
    source = f"{NKI_COSTS}: max(64, 13 N / 3)"
    return worked(context, "vector_drain_ns", count, DOC, source)


@of_operands
def reciprocal(context: InstructionContext, data: View) -> Cost:
    """Eight cycles per element on v2, six on v3 and v4."""
    per = context.generation.numbers["reciprocal_per_element"]
    count = data.elements * per.value
    return worked(context, drain(context), count, per.evidence, per.source)


SEQUENCED = "A fixed time of the sequencer, whatever the operands; the datapath stays free."


def control(number: str, text: str = SEQUENCED) -> OfOperands[Cost]:
    """The cost of an instruction of the sequencer: a figure, in nanoseconds."""
    return OfOperands((), lambda c: published(c, number), f"control of {number}", text)


@of_operands
def exchange(context: InstructionContext, src: View, dma_engine: str) -> Cost:
    """A barrier's time in addition to the DMA engines', or the way by GpSimd's own DMA engine."""
    if dma_engine == "dma":
        return published(context, "barrier_ns")
    numbers = context.generation.numbers
    rate = numbers["dma_bytes_per_ns"].value * context.generation.channels
    size = src.size * src.dtype.itemsize
    taken = cycles(context, max(numbers["dma_load_payload_ns"].value, size / rate))
    source = f"{NOTHING} for GpSimd's DMA engine; taken as a DMA from read to landing"
    return Cost(taken, taken, ASSUMED, source)


ISSUE = {"none": "dma_static_ns", "swdge": "dma_swdge_ns"}


def _issue(context: InstructionContext, transfer: Transfer, given: str | None) -> Cost:
    """What the issue of a transfer takes, by who makes its descriptors."""
    generation = context.generation
    used = dge.mode(generation, context.engine, transfer.moves[0], given)
    if used != "hwdge":
        return published(context, ISSUE[used])
    one, every = generation.numbers["dma_hwdge_one_ns"], generation.numbers["dma_hwdge_ns"]
    count, most = dma.engines(transfer, generation), generation.channels
    if count == most:
        return published(context, "dma_hwdge_ns")
    part = (count - 1) / (most - 1)
    taken = max(1, cycles(context, one.value + part * (every.value - one.value)))
    source = f"{one.source}; all {most} engines: {every.source}"
    return Cost(taken, taken, ASSUMED if part else one.evidence, source, "sequencer")


@of_operands
def dma_issue(context: InstructionContext, dst: View, src: View, dge_mode: str | None) -> Cost:
    """What its issue takes of the queue, by who makes its descriptors.

    The hardware takes longer the more DMA engines have something to do. These move the data, and
    GpSimd makes descriptors, apart from the queue.
    """
    return _issue(context, Transfer(((dst, src),)), dge_mode)


@of_operands
def dma_transpose_issue(
    context: InstructionContext, dst: View, src: View, dge_mode: str | None
) -> Cost:
    """What its issue takes of the queue, by who makes its descriptors.

    The DMA engines move the data apart from the queue.
    """
    return _issue(context, Transfer(((dst, src),), axes=(1, 0)), dge_mode)


@of_operands
def dma_sum(context: InstructionContext, dst: View, srcs: tuple[View, ...]) -> Cost:
    """What its issue takes of the queue: descriptors are ready, or GpSimd makes those of rows."""
    rows = any(v.gathers for v in (dst, *srcs))
    return published(context, "dma_swdge_ns" if rows else "dma_static_ns")
