"""What the instructions of GpSimd cost, and those that make random numbers.

GpSimd has no general rule: a start of its own, then what the vendor prints for the instruction.
"""

from __future__ import annotations

import math

from nasm.isa.evidence import Cost, Fact
from nasm.isa.instruction import InstructionContext, of_operands
from nasm.targets.neuron.cost_parts import (
    ASSUMED,
    DOC,
    NOTHING,
    drain,
    drained,
    gpsimd_start,
    slots,
    worked,
)
from nasm.targets.neuron.figures import NKI_COSTS
from nasm.views.view import View


@of_operands
def affine(context: InstructionContext, dst: View) -> Cost:
    """150 cycles and one for each element of a partition."""
    interval = gpsimd_start(context) + slots(context, dst)
    return drained(context, drain(context), interval, DOC, f"{NKI_COSTS}: 150 + N")


@of_operands
def walked(context: InstructionContext, main: View) -> Cost:
    """No figure is published: taken as 150 cycles and one for each element of a partition."""
    interval = gpsimd_start(context) + slots(context, main)
    source = f"{NOTHING}; taken as 150 + N, as nki.isa.affine_select"
    return drained(context, drain(context), interval, ASSUMED, source)


@of_operands
def gathered(context: InstructionContext, dst: View, num_elem_per_idx: int) -> Cost:
    """150 cycles and so many for each element, fewer where several come at once."""
    numbers, per, count = context.generation.numbers, num_elem_per_idx, dst.elements
    fixed, each = numbers["gather_fixed"].value, numbers["gather_per_element"].value * per
    rate = (fixed + each) / each / min(4 / dst.dtype.itemsize, per)
    start = gpsimd_start(context)
    if context.generation.options["local_gather.cost"] == "divide":
        return drained(
            context, drain(context), start + count / rate, DOC, f"{NKI_COSTS}: local_gather"
        )
    return drained(
        context,
        drain(context),
        start + count * rate,
        ASSUMED,
        f"{NKI_COSTS}, local_gather: printed as a division, read as a product",
    )


@of_operands
def gathered_in_groups(context: InstructionContext, dst: View, data: View) -> Cost:
    """A group of instructions for every 512 elements of data, each 150 cycles and one an index."""
    group = context.generation.numbers["gather_group"]
    groups = math.ceil(data.elements / group.value)
    return drained(
        context,
        drain(context),
        groups * (gpsimd_start(context) + dst.elements),
        ASSUMED,
        f"{NOTHING}; taken as 150 + N for each group ({group.source})",
    )


@of_operands
def top(context: InstructionContext, val_dst: View, n: int) -> Cost:
    """Four cycles for each of n elements, and one for each result."""
    per: Fact = context.generation.numbers["topk_per_element"]
    interval = per.value * n + val_dst.elements
    return drained(context, drain(context), interval, per.evidence, per.source)


@of_operands
def drawn(context: InstructionContext, dst: View) -> Cost:
    """As many words per lane and cycle as the generator makes: one, on Vector of v4 four."""
    count = slots(context, dst)
    if context.engine == "gpsimd":
        source = f"{NOTHING}; taken as 150 + N"
        return drained(context, drain(context), gpsimd_start(context) + count, ASSUMED, source)
    rate = context.generation.numbers["random_per_cycle"]
    return worked(context, drain(context), count / rate.value, rate.evidence, rate.source)


@of_operands
def dropped(context: InstructionContext, data: View) -> Cost:
    """An element per cycle in each partition, at least the shortest interval: max(64, N)."""
    return worked(context, drain(context), slots(context, data), DOC, f"{NKI_COSTS}: max(64, N)")


@of_operands
def seeded(context: InstructionContext, words: View) -> Cost:
    """No figure is published: taken as moving the words of a lane."""
    source = f"{NOTHING}; taken as moving the words"
    if context.engine == "gpsimd":
        start = gpsimd_start(context)
        return drained(context, drain(context), start + words.elements, ASSUMED, source)
    return worked(context, drain(context), words.elements, ASSUMED, source)
