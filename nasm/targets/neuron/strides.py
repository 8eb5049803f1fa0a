"""How strides slow down the ports by which engines reach SBUF and PSUM.

A port of v3 and v4 fetches blocks; a pattern that takes few elements of each is as slow as the
blocks it touches. Of v2 a step is documented: at a full rate or at half. What a cost follows from
must not depend on addresses, so each run along the innermost axis is taken to begin a block.
"""

from __future__ import annotations

import math

from nasm.isa.evidence import Evidence, Fact
from nasm.isa.instruction import InstructionContext
from nasm.views.view import View

MEASURED_ENGINES = ("scalar", "tensor")
"""What the rate of blocks was measured on."""


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
    size = context.generation.number("block_bytes").value
    apart = abs(step) * view.dtype.itemsize
    touched = count if apart >= size else math.floor((count - 1) * apart / size) + 1
    return view.elements // count * touched


def _strided(context: InstructionContext) -> list[View]:
    """The tiles whose innermost axis leaves out elements, or repeats one."""
    return [view for _, view in context.tiles if not view.contiguous]


def _far(context: InstructionContext) -> bool:
    """Whether a tile's innermost axis steps so far that its port runs at half rate, on v2."""
    far = context.generation.number("stride_bytes").value
    far += context.option("stride.sixteen") == "full"
    return any(abs(v.dims[-1][0]) * v.dtype.itemsize >= far for v in _strided(context))
