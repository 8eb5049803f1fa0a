"""What costs are made of: an interval, a drain, and what strides, scalars and modes do to them.

Strides slow down the ports by which engines reach SBUF and PSUM. A port of v3 and v4 fetches
blocks; a pattern that takes few elements of each is as slow as the blocks it touches. Of v2 a step
is documented: at a full rate or at half. What a cost follows from must not depend on addresses, so
each run along the innermost axis is taken to begin a block.
"""

from __future__ import annotations

import math

from nasm.base.records import replace
from nasm.isa.evidence import Cost, Evidence, Fact, weakest
from nasm.isa.instruction import InstructionContext
from nasm.targets.neuron.paces import BUS
from nasm.views.view import View

DOC, MEAS, ASSUMED = Evidence.DOCUMENTED, Evidence.MEASURED, Evidence.ASSUMED
NOTHING = "no figure is published"
MEASURED_ENGINES = ("scalar", "tensor")
"""What the rate of blocks was measured on."""


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
    return followed(context, context.generation.numbers[tail], interval, evidence, source, unit)


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
    return context.generation.options["vector.bus"] == "shared"


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
    apart = context.generation.numbers[f"{context.engine}_operand_ns"]
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
    return max(context.generation.numbers["min_interval"].value, interval)


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
    return context.generation.numbers["gpsimd_start"].value


def published(context: InstructionContext, number: str, unit: str = "sequencer") -> Cost:
    """A time of the figures, rounded up to cycles."""
    fact = context.generation.numbers[number]
    taken = max(1, cycles(context, fact.value))
    return Cost(taken, taken, fact.evidence, fact.source, unit)


def slots(context: InstructionContext, main: View) -> int:
    """The elements of a partition, or more where a stride keeps a port busy for longer."""
    return port_slots(context, main.elements)


def port_slots(context: InstructionContext, count: int) -> int:
    """So many elements, or the slots of the port that a stride keeps busy for the longest time."""
    per = context.generation.numbers.get("block_slots")
    if per is None:
        return count * (2 if _far(context) else 1)
    ports = (math.ceil(per.value * blocks(context, v)) for v in _strided(context))
    return max(count, *ports, 0)


def slowing(context: InstructionContext) -> Fact | None:
    """The figure by which a stride slows a port down; None if all run at the full rate."""
    number = context.generation.numbers
    if "block_slots" not in number:
        return number["stride_bytes"] if _far(context) else None
    per = number["block_slots"]
    if all(per.value * blocks(context, v) <= v.elements for v in _strided(context)):
        return None
    if context.engine in MEASURED_ENGINES:
        return per
    engine = context.generation.engine(context.engine)
    text = f"no figure for {engine.title}; taken as Scalar's: {per.source}"
    return Fact(per.value, Evidence.ASSUMED, text)


def blocks(context: InstructionContext, view: View) -> int:
    """The blocks that one partition of a tile touches, run by run along its innermost axis."""
    dims = view.dims
    if not dims:
        return 1
    step, count = dims[-1]
    size = context.generation.numbers["block_bytes"].value
    apart = abs(step) * view.dtype.itemsize
    touched = count if apart >= size else math.floor((count - 1) * apart / size) + 1
    return view.elements // count * touched


def _strided(context: InstructionContext) -> list[View]:
    """The tiles whose innermost axis leaves out elements, or repeats one."""
    return [view for _, view in context.tiles if not view.contiguous]


def _far(context: InstructionContext) -> bool:
    """Whether a tile's innermost axis steps so far that its port runs at half rate, on v2."""
    far = context.generation.numbers["stride_bytes"].value
    far += context.generation.options["stride.sixteen"] == "full"
    return any(abs(v.dims[-1][0]) * v.dtype.itemsize >= far for v in _strided(context))
