"""What instructions with accumulators cost, in cycles of Scalar or Vector."""

from __future__ import annotations

from nasm.spec.facts import Cost, Evidence, weakest
from nasm.spec.instruction import Site
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


def activation(site: Site) -> Cost:
    """Activation: C(N), what tiles of scale and bias add, and a read of the accumulators."""
    made = _activation(site, DOC, f"{NKI_COSTS}: max(64, N)")
    return read_apart(site, made, "bias", "scale")


def activation2(site: Site) -> Cost:
    """Activation2: no figure is published; taken as an Activation."""
    made = _activation(site, ASSUMED, "no figure is published; taken as an Activation")
    return read_apart(site, made, "imm0", "imm1", "relu_param")


def _activation(site: Site, evidence: Evidence, source: str) -> Cost:
    table = site["op"] != "copy"
    count = floored(site, site["data"].elements * (2 if strided(site) else 1))
    if site["reduce_res"] is not None:
        read = site.generation.number("accumulator_read")
        count += read.value
        evidence, source = weakest((evidence, read.evidence)), f"{source}; {read.source}"
    return drained(site, drain(site, table), count, evidence, source)


def read_accumulators(site: Site) -> Cost:
    """ActReadAccumulator: a published interval, and what was measured beyond it."""
    read = site.generation.number("accumulator_read")
    return drained(site, "accumulator_drain_ns", read.value, read.evidence, read.source)


def exponential(site: Site) -> Cost:
    """Exponential: four elements per cycle."""
    per = site.generation.number("exponential_per_element")
    count = per.value * site["src"].elements * (2 if strided(site) else 1)
    return drained(site, "vector_drain_ns", floored(site, count), per.evidence, per.source)


def tensor_scalar_reduce(site: Site) -> Cost:
    """TensorScalarReduce: C(N), and the shortest interval more when reduce_res is read."""
    least = site.generation.number("min_interval").value
    count = max(least, site["data"].elements * (2 if strided(site) else 1))
    if site["reduce_res"] is None:
        source = "no figure is published without reduce_res; taken as max(64, N)"
        return drained(site, "vector_drain_ns", count, ASSUMED, source)
    source = f"{NKI_COSTS}: max(64, N) + 64"
    return drained(site, "vector_drain_ns", count + least, DOC, source)


def select_reduce(site: Site) -> Cost:
    """SelectReduce: no figure is published; taken as CopyPredicated."""
    count, _, theirs = choosing(site, "on_true")
    source = f"no figure is published; taken as CopyPredicated ({theirs})"
    return drained(site, "vector_drain_ns", floored(site, count), ASSUMED, source)


def cumulative(site: Site) -> Cost:
    """TensorScalarCumulative: no figure is published; taken as max(64, N)."""
    count = site["src"].elements * (2 if strided(site) else 1)
    source = "no figure is published; taken as max(64, N)"
    return drained(site, "vector_drain_ns", floored(site, count), ASSUMED, source)
