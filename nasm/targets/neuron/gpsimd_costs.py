"""What the instructions of GpSimd cost, and those that make random numbers.

GpSimd has no general rule: a start of its own, then what the vendor prints for the instruction.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from nasm.spec.evidence import Cost, Evidence, Fact, weakest
from nasm.spec.instruction import Context
from nasm.targets.neuron.costs import cycles, strided
from nasm.targets.neuron.figures import NKI_COSTS

DOC, ASSUMED = Evidence.DOCUMENTED, Evidence.ASSUMED
NOTHING = "no figure is published"


def _whole(context: Context, interval: float, evidence: Evidence, source: str) -> Cost:
    tail = context.generation.number(f"{context.engine}_drain_ns")
    busy = math.ceil(interval)
    return Cost(
        busy,
        busy + cycles(context, tail.value),
        weakest((evidence, tail.evidence)),
        f"{source}; drain: {tail.source}",
    )


def _start(context: Context) -> float:
    return context.generation.number("gpsimd_start").value


def _slots(context: Context, main: str) -> int:
    """N, or 2N where a stride halves the rate of a port."""
    return int(context[main].elements) * (2 if strided(context) else 1)


def affine(context: Context) -> Cost:
    """Iota and AffineSelect: 150 + N."""
    return _whole(context, _start(context) + _slots(context, "dst"), DOC, f"{NKI_COSTS}: 150 + N")


def walked(main: str) -> Callable[[Context], Cost]:
    """An instruction without a published figure: 150 + N."""

    def cost(context: Context) -> Cost:
        """150 + N, assumed: no figure is published."""
        interval = _start(context) + _slots(context, main)
        return _whole(context, interval, ASSUMED, f"{NOTHING}; taken as 150 + N, as AffineSelect")

    return cost


def gathered(context: Context) -> Cost:
    """LocalGather: 150 and so many cycles for each element, fewer where several come at once."""
    number = context.generation.number
    per = context["num_elem_per_idx"]
    count = context["dst"].elements
    fixed, each = number("gather_fixed").value, number("gather_per_element").value * per
    rate = (fixed + each) / each / min(4 / context["dst"].dtype.itemsize, per)
    if context.option("local_gather.cost") == "divide":
        return _whole(context, _start(context) + count / rate, DOC, f"{NKI_COSTS}: local_gather")
    return _whole(
        context,
        _start(context) + count * rate,
        ASSUMED,
        f"{NKI_COSTS}, local_gather: printed as a division, read as a product",
    )


def gathered_in_groups(context: Context) -> Cost:
    """NcNGather: a group of instructions for every 512 elements of data."""
    group = context.generation.number("gather_group")
    groups = math.ceil(context["data"].elements / group.value)
    return _whole(
        context,
        groups * (_start(context) + context["dst"].elements),
        ASSUMED,
        f"{NOTHING}; taken as 150 + N for each group ({group.source})",
    )


def top(context: Context) -> Cost:
    """TopK: 4n + K."""
    per: Fact = context.generation.number("topk_per_element")
    interval = per.value * context["n"] + context["val_dst"].elements
    return _whole(context, interval, per.evidence, per.source)


def drawn(context: Context) -> Cost:
    """max(64, N / 4) on v4's Vector, max(64, N) on older ones, 150 + N on GpSimd."""
    count = _slots(context, "dst")
    if context.engine == "gpsimd":
        return _whole(context, _start(context) + count, ASSUMED, f"{NOTHING}; taken as 150 + N")
    rate = context.generation.number("random_per_cycle")
    return _whole(context, _floored(context, count / rate.value), rate.evidence, rate.source)


def dropped(context: Context) -> Cost:
    """Dropout: max(64, N)."""
    interval = _floored(context, _slots(context, "data"))
    return _whole(context, interval, DOC, f"{NKI_COSTS}: max(64, N)")


def seeded(words: str) -> Callable[[Context], Cost]:
    """Moving the state of a generator: max(64, N), on GpSimd 150 + N; no figure is known."""

    def cost(context: Context) -> Cost:
        """150 + the words of a lane on GpSimd, 64 on Vector, assumed: no figure is published."""
        count = context[words].elements
        least = _start(context) + count if context.engine == "gpsimd" else _floored(context, count)
        return _whole(context, least, ASSUMED, f"{NOTHING}; taken as moving the words")

    return cost


def _floored(context: Context, interval: float) -> float:
    return max(context.generation.number("min_interval").value, interval)
