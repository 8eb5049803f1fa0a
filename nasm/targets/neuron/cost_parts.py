"""What costs are made of: an interval, a drain, and what strides, scalars and modes do to them."""

from __future__ import annotations

import math

from nasm.base.records import replace
from nasm.isa.evidence import Cost, Evidence, Fact, weakest
from nasm.isa.instruction import InstructionContext
from nasm.targets.neuron.paces import BUS
from nasm.targets.neuron.strides import slowing
from nasm.views.view import View

DOC, MEAS, ASSUMED = Evidence.DOCUMENTED, Evidence.MEASURED, Evidence.ASSUMED
NOTHING = "no figure is published"


def gigahertz(context: InstructionContext) -> float:
    """The clock of the engine, in cycles per nanosecond."""
    return context.generation.ticks / 1000 / context.generation.engine(context.engine).cycle


def cycles(context: InstructionContext, nanoseconds: float) -> int:
    """Nanoseconds in whole cycles of the engine, rounded up."""
    return math.ceil(round(nanoseconds * gigahertz(context), 6))


def drained(
    context: InstructionContext,
    tail: str,
    interval: float,
    evidence: Evidence,
    source: str,
    unit: str = "",
) -> Cost:
    """An interval in whole cycles, and results after the figure named by ``tail``."""
    return followed(context, context.generation.number(tail), interval, evidence, source, unit)


def followed(
    context: InstructionContext,
    after: Fact,
    interval: float,
    evidence: Evidence,
    source: str,
    unit: str = "",
) -> Cost:
    """An interval in whole cycles, and results so many nanoseconds after it."""
    whole = math.ceil(interval)
    tells = context.engine == "gpsimd" and not unit and _bus_is_shared(context)
    stride = slowing(context)
    if stride is not None:
        evidence, source = weakest((evidence, stride.evidence)), f"{source}; {stride.source}"
    if any(v.gathers for _, v in context.tiles):
        evidence, source = ASSUMED, f"{source}; no figure for indirection: taken as a plain tile"
    return Cost(
        whole,
        whole + cycles(context, after.value),
        weakest((evidence, after.evidence)),
        f"{source}; drain: {after.source}",
        unit,
        pace=BUS if tells else "",
    )


def worked(
    context: InstructionContext,
    tail: str,
    count: float,
    evidence: Evidence,
    source: str,
    then: float = 0,
) -> Cost:
    """So many cycles of Vector or Scalar, but no shorter interval than there is; ``then`` more.

    From v3 on the results of less work come sooner anyway.
    """
    made = drained(context, tail, floored(context, count) + then, evidence, source)
    if not context.generation.switches["early_results"]:
        return made
    sooner = math.ceil(floored(context, count) + then) - math.ceil(count + then)
    return replace(made, latency=max(made.interval, made.latency - sooner))


def _bus_is_shared(context: InstructionContext) -> bool:
    """Whether Vector's fast modes need the bus that GpSimd reaches SBUF by."""
    if not context.generation.switches["fast_vector"]:
        return False
    return context.option("vector.bus") == "shared"


def in_fast_mode(context: InstructionContext, made: Cost, plain: float) -> Cost:
    """A cost on an engine at hand that is ``plain`` cycles where it has no fast mode.

    Vector has none while GpSimd is at work in SBUF; other engines are not slowed down.
    """
    longer = math.ceil(plain) - made.interval
    if context.engine != "vector" or longer <= 0 or not _bus_is_shared(context):
        return made
    return replace(made, pace=BUS, key=longer)


def read_apart(context: InstructionContext, made: Cost, *operands: object) -> Cost:
    """A cost with the time to read those of some operands that a [P, 1] tile holds."""
    count = sum(isinstance(operand, View) for operand in operands)
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


def floored(context: InstructionContext, interval: float) -> float:
    """An interval, or the shortest there is."""
    return max(context.generation.number("min_interval").value, interval)


def drain(context: InstructionContext, copied: View | None = None) -> str:
    """The figure that says how long after its interval an engine's results are there.

    ``copied`` is a tile that is copied, with or without arithmetic on the way.
    """
    if context.engine == "scalar" and copied is not None:
        return "scalar_copy_drain_ns" if in_sbuf([copied]) else "scalar_psum_copy_drain_ns"
    return f"{context.engine}_drain_ns"


def in_sbuf(views: list[View]) -> bool:
    """Whether all tiles are in SBUF."""
    return all(v.tensor.memory.name == "sbuf" for v in views)


def gpsimd_start(context: InstructionContext) -> float:
    """The cycles GpSimd takes to start."""
    return context.generation.number("gpsimd_start").value


def published(context: InstructionContext, number: str, unit: str = "sequencer") -> Cost:
    """A time of the figures, rounded up to cycles."""
    fact = context.generation.number(number)
    taken = max(1, cycles(context, fact.value))
    return Cost(taken, taken, fact.evidence, fact.source, unit)
