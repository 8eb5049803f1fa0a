"""What the instructions of GpSimd cost, and those that make random numbers.

GpSimd has no general rule: a start of its own, then what the vendor prints for the instruction.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from nasm.spec.facts import Cost, Evidence, Fact, weakest
from nasm.spec.instruction import Site
from nasm.targets.neuron.costs import cycles, strided
from nasm.targets.neuron.figures import NKI_COSTS

DOC, ASSUMED = Evidence.DOCUMENTED, Evidence.ASSUMED
NOTHING = "no figure is published"


def _whole(site: Site, interval: float, evidence: Evidence, source: str) -> Cost:
    tail = site.generation.number(f"{site.engine}_drain_ns")
    busy = math.ceil(interval)
    return Cost(
        busy,
        busy + cycles(site, tail.value),
        weakest((evidence, tail.evidence)),
        f"{source}; drain: {tail.source}",
    )


def _start(site: Site) -> float:
    return site.generation.number("gpsimd_start").value


def _slots(site: Site, main: str) -> int:
    """N, or 2N where a stride halves the rate of a port."""
    return int(site[main].elements) * (2 if strided(site) else 1)


def affine(site: Site) -> Cost:
    """Iota and AffineSelect: 150 + N."""
    return _whole(site, _start(site) + _slots(site, "dst"), DOC, f"{NKI_COSTS}: 150 + N")


def walked(main: str) -> Callable[[Site], Cost]:
    """An instruction without a published figure: 150 + N."""

    def cost(site: Site) -> Cost:
        """150 + N, assumed: no figure is published."""
        interval = _start(site) + _slots(site, main)
        return _whole(site, interval, ASSUMED, f"{NOTHING}; taken as 150 + N, as AffineSelect")

    return cost


def gathered(site: Site) -> Cost:
    """LocalGather: 150 and so many cycles for each element, fewer where several come at once."""
    number = site.generation.number
    per = site["num_elem_per_idx"]
    count = site["dst"].elements
    fixed, each = number("gather_fixed").value, number("gather_per_element").value * per
    rate = (fixed + each) / each / min(4 / site["dst"].dtype.itemsize, per)
    if site.option("local_gather.cost") == "divide":
        return _whole(site, _start(site) + count / rate, DOC, f"{NKI_COSTS}: local_gather")
    return _whole(
        site,
        _start(site) + count * rate,
        ASSUMED,
        f"{NKI_COSTS}, local_gather: printed as a division, read as a product",
    )


def gathered_in_groups(site: Site) -> Cost:
    """NcNGather: a group of instructions for every 512 elements of data."""
    group = site.generation.number("gather_group")
    groups = math.ceil(site["data"].elements / group.value)
    return _whole(
        site,
        groups * (_start(site) + site["dst"].elements),
        ASSUMED,
        f"{NOTHING}; taken as 150 + N for each group ({group.source})",
    )


def top(site: Site) -> Cost:
    """TopK: 4n + K."""
    per: Fact = site.generation.number("topk_per_element")
    interval = per.value * site["n"] + site["val_dst"].elements
    return _whole(site, interval, per.evidence, per.source)


def drawn(site: Site) -> Cost:
    """max(64, N / 4) on v4's Vector, max(64, N) on older ones, 150 + N on GpSimd."""
    count = _slots(site, "dst")
    if site.engine == "gpsimd":
        return _whole(site, _start(site) + count, ASSUMED, f"{NOTHING}; taken as 150 + N")
    rate = site.generation.number("random_per_cycle")
    return _whole(site, _floored(site, count / rate.value), rate.evidence, rate.source)


def dropped(site: Site) -> Cost:
    """Dropout: max(64, N)."""
    interval = _floored(site, _slots(site, "data"))
    return _whole(site, interval, DOC, f"{NKI_COSTS}: max(64, N)")


def seeded(words: str) -> Callable[[Site], Cost]:
    """Moving the state of a generator: max(64, N), on GpSimd 150 + N; no figure is known."""

    def cost(site: Site) -> Cost:
        """150 + the words of a lane on GpSimd, 64 on Vector, assumed: no figure is published."""
        count = site[words].elements
        least = _start(site) + count if site.engine == "gpsimd" else _floored(site, count)
        return _whole(site, least, ASSUMED, f"{NOTHING}; taken as moving the words")

    return cost


def _floored(site: Site, interval: float) -> float:
    return max(site.generation.number("min_interval").value, interval)
