"""What moving elements between partitions costs on Vector, in its cycles."""

from __future__ import annotations

from nasm.base.records import replace
from nasm.isa.evidence import Cost, weakest
from nasm.isa.instruction import InstructionContext, OfOperands, of_operands
from nasm.targets.neuron.cost_parts import DOC, drained, published, slots, worked
from nasm.targets.neuron.figures import NKI_COSTS, QUADRANT
from nasm.targets.neuron.paces import QUADRANTS
from nasm.views.view import View


@of_operands
def transpose(context: InstructionContext, dst: View, data: View) -> Cost:
    """An element per cycle in each partition, and no less than one 32x32 block takes.

    On v3 and v4 more if the last transpose moved between other quadrants of the partitions.
    """
    least = context.generation.numbers["transpose_min"]
    interval = max(least.value, slots(context, data))
    source = f"{least.source}; {NKI_COSTS}: nc_transpose N"
    made = drained(context, "transpose_drain_ns", interval, least.evidence, source)
    change = context.generation.numbers.get("transpose_change")
    if change is None:
        return made
    return replace(
        made,
        evidence=weakest((made.evidence, change.evidence)),
        source=f"{made.source}; {change.source}",
        pace=QUADRANTS,
        key=(quadrants(data), quadrants(dst)),
    )


@of_operands
def shuffle(context: InstructionContext, src: View) -> Cost:
    """An element per cycle in each partition, at least the shortest interval: max(64, N)."""
    source = f"{NKI_COSTS}: max(64, N)"
    return worked(context, "shuffle_drain_ns", slots(context, src), DOC, source)


def quadrants(view: View) -> tuple[int, int]:
    """The first and the last quadrant of the partitions that a tile is in."""
    first = view.partition + (view.tensor.partition or 0)
    return first // QUADRANT, (first + view.partitions - 1) // QUADRANT


def mask_load() -> OfOperands[Cost]:
    """The cost of loading a mask of 32 rows."""
    text = "A fixed time, whatever the mask."
    return OfOperands((), lambda c: published(c, "mask_load_ns", ""), "mask_load", text)
