"""What instructions with accumulators cost, in cycles of Scalar or Vector."""

from __future__ import annotations

from nasm.base.records import replace
from nasm.isa.evidence import Cost, Evidence, weakest
from nasm.isa.instruction import InstructionContext, of_operands
from nasm.targets.neuron.activations import ACTIVATIONS
from nasm.targets.neuron.cost_parts import (
    ASSUMED,
    DOC,
    NOTHING,
    drain,
    drained,
    in_sbuf,
    read_apart,
    slots,
    worked,
)
from nasm.targets.neuron.costs import choosing
from nasm.targets.neuron.figures import NKI_COSTS
from nasm.targets.neuron.paces import TABLES
from nasm.views.view import View


@of_operands
def function(
    context: InstructionContext, data: View, op: str, reduce_res: View | None, *scalars: object
) -> Cost:
    """An element per cycle; more for scalars that tiles hold, and for reading the accumulators.

    A function outside the table that Scalar has loaded waits until its own is.
    """
    made = _function(context, data, op, reduce_res, DOC, f"{NKI_COSTS}: max(64, N)")
    return read_apart(context, made, *scalars)


@of_operands
def function_of_stages(
    context: InstructionContext, data: View, op: str, reduce_res: View | None, *scalars: object
) -> Cost:
    """No figure is published: taken as nki.isa.activation, an element per cycle and what adds."""
    source = f"{NOTHING}; taken as nki.isa.activation"
    return read_apart(context, _function(context, data, op, reduce_res, ASSUMED, source), *scalars)


def _function(
    context: InstructionContext,
    data: View,
    op: str,
    reduce_res: View | None,
    evidence: Evidence,
    source: str,
) -> Cost:
    per, tail = 1.0, drain(context)
    if op == "copy":
        tail = "scalar_identity_drain_ns"
    elif op == "silu" and not in_sbuf([data]):
        own, tail = context.generation.numbers["silu_psum_per_element"], "silu_psum_drain_ns"
        per, evidence, source = own.value, weakest((evidence, own.evidence)), own.source
    then = 0.0
    if reduce_res is not None:
        read = context.generation.numbers["accumulator_read"]
        then = read.value
        evidence, source = weakest((evidence, read.evidence)), f"{source}; {read.source}"
    made = worked(context, tail, per * slots(context, data), evidence, source, then)
    return replace(made, pace=TABLES, key=ACTIVATIONS[op].needs)


@of_operands
def read_accumulators(context: InstructionContext) -> Cost:
    """A fixed time; on v3 and v4 as it was measured."""
    read = context.generation.numbers["accumulator_read"]
    return drained(context, "accumulator_drain_ns", read.value, read.evidence, read.source)


@of_operands
def exponential(context: InstructionContext, src: View) -> Cost:
    """Four elements per cycle in each partition."""
    per = context.generation.numbers["exponential_per_element"]
    count = per.value * slots(context, src)
    return worked(context, "vector_drain_ns", count, per.evidence, per.source)


@of_operands
def reduced(context: InstructionContext, data: View, reduce_res: View | None) -> Cost:
    """An element per cycle, and the shortest interval more when reduce_res is read."""
    count = slots(context, data)
    if reduce_res is None:
        source = f"{NOTHING} without reduce_res; taken as max(64, N)"
        return worked(context, "vector_drain_ns", count, ASSUMED, source)
    source = f"{NKI_COSTS}: max(64, N) + 64"
    then = context.generation.numbers["min_interval"].value
    return worked(context, "vector_drain_ns", count, DOC, source, then)


@of_operands
def choice_reduced(context: InstructionContext, predicate: View, on_true: View) -> Cost:
    """No figure is published: taken as nki.isa.tensor_copy_predicated."""
    count, _, theirs = choosing(context, predicate, on_true)
    source = f"{NOTHING}; taken as nki.isa.tensor_copy_predicated ({theirs})"
    return worked(context, "vector_drain_ns", count, ASSUMED, source)


@of_operands
def cumulative(context: InstructionContext, src: View) -> Cost:
    """No figure is published: taken as an element per cycle, max(64, N)."""
    count = slots(context, src)
    source = f"{NOTHING}; taken as max(64, N)"
    return worked(context, "vector_drain_ns", count, ASSUMED, source)
