"""What instructions with accumulators cost, in cycles of Scalar or Vector."""

from __future__ import annotations

from nasm.spec.evidence import Cost, Evidence, weakest
from nasm.spec.instruction import Context
from nasm.targets.neuron.costs import (
    ASSUMED,
    DOC,
    choosing,
    drain,
    drained,
    floored,
    read_apart,
    strided,
)
from nasm.targets.neuron.figures import NKI_COSTS


def activation(context: Context) -> Cost:
    """Activation: C(N), what tiles of scale and bias add, and a read of the accumulators."""
    made = _activation(context, DOC, f"{NKI_COSTS}: max(64, N)")
    return read_apart(context, made, "bias", "scale")


def activation2(context: Context) -> Cost:
    """Activation2: no figure is published; taken as an Activation."""
    made = _activation(context, ASSUMED, "no figure is published; taken as an Activation")
    return read_apart(context, made, "imm0", "imm1", "relu_param")


def _activation(context: Context, evidence: Evidence, source: str) -> Cost:
    table = context["op"] != "copy"
    count = floored(context, context["data"].elements * (2 if strided(context) else 1))
    if context["reduce_res"] is not None:
        read = context.generation.number("accumulator_read")
        count += read.value
        evidence, source = weakest((evidence, read.evidence)), f"{source}; {read.source}"
    return drained(context, drain(context, table), count, evidence, source)


def read_accumulators(context: Context) -> Cost:
    """ActReadAccumulator: a published interval, and what was measured beyond it."""
    read = context.generation.number("accumulator_read")
    return drained(context, "accumulator_drain_ns", read.value, read.evidence, read.source)


def exponential(context: Context) -> Cost:
    """Exponential: four elements per cycle."""
    per = context.generation.number("exponential_per_element")
    count = per.value * context["src"].elements * (2 if strided(context) else 1)
    return drained(context, "vector_drain_ns", floored(context, count), per.evidence, per.source)


def tensor_scalar_reduce(context: Context) -> Cost:
    """TensorScalarReduce: C(N), and the shortest interval more when reduce_res is read."""
    least = context.generation.number("min_interval").value
    count = max(least, context["data"].elements * (2 if strided(context) else 1))
    if context["reduce_res"] is None:
        source = "no figure is published without reduce_res; taken as max(64, N)"
        return drained(context, "vector_drain_ns", count, ASSUMED, source)
    source = f"{NKI_COSTS}: max(64, N) + 64"
    return drained(context, "vector_drain_ns", count + least, DOC, source)


def select_reduce(context: Context) -> Cost:
    """SelectReduce: no figure is published; taken as CopyPredicated."""
    count, _, theirs = choosing(context, "on_true")
    source = f"no figure is published; taken as CopyPredicated ({theirs})"
    return drained(context, "vector_drain_ns", floored(context, count), ASSUMED, source)


def cumulative(context: Context) -> Cost:
    """TensorScalarCumulative: no figure is published; taken as max(64, N)."""
    count = context["src"].elements * (2 if strided(context) else 1)
    source = "no figure is published; taken as max(64, N)"
    return drained(context, "vector_drain_ns", floored(context, count), ASSUMED, source)
