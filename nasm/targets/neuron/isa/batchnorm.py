"""Mean and variance in two steps: statistics of pieces, and what they are together."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.isa.instruction import InstructionContext, Operand
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.figures import STATS_MOST
from nasm.targets.neuron.isa.table import ISA, LANES, Names
from nasm.targets.neuron.rules import LIMIT, elements, rule, same_partitions

STATS, AGGREGATE = "nki.isa.bn_stats", "nki.isa.bn_aggr"


def _total(values: Any) -> Any:
    return alu.reduce("add", values, 1)


@ISA.instruction(
    Operand("dst", LANES, "w", doc="[P, 6]"),
    Operand("data", LANES, doc="up to 512 elements per partition"),
    engines=("vector",),
    rules=(
        same_partitions("dst", "data"),
        elements("data", 1, STATS_MOST, STATS),
        elements("dst", 6, 6, STATS),
    ),
    cost=costs.one_tile("data"),
    vendor=Names("bn_stats", "", "BatchNormStats"),
    formula="dst[p, :] = count, mean and variance * count of data[p, 0::2], then of data[p, 1::2]",
    example="BatchNormStats stats, a",
    tensors=".sbuf stats f32[128, 6]",
    source=f"{STATS}; elements are even or odd by index from 0 (assumed)",
)
def BatchNormStats(data: Any) -> Any:
    """Compute count, mean and variance * count of a partition's even elements and of its odd ones.

    Variance * count is the sum of squared differences from the mean. Every step is rounded to
    float32 and sums run from the first element to the last (assumed). Without odd elements their
    count, mean and variance are 0 (assumed).
    """
    made = np.zeros((len(data), 6), np.float32)
    for first in (0, 1):
        part = data[:, first::2]
        count = np.float32(part.shape[1])
        if count:
            mean = _total(part) / count
            spread = _total(np.square(part - mean[:, None]))
            made[:, 3 * first : 3 * first + 3] = np.stack(
                [np.full_like(mean, count), mean, spread], axis=1
            )
    return made


@rule(
    LIMIT, "data holds count, mean and variance * count, one or more times", AGGREGATE, about="data"
)
def triples(context: InstructionContext) -> str | None:
    """A multiple of three elements."""
    found = context.operands["data"].elements
    if found % 3 == 0:
        return None
    return f"data has {found} elements per partition; wanted a multiple of 3"


@ISA.instruction(
    Operand("dst", LANES, "w", doc="[P, 2]"),
    Operand("data", LANES, doc="a multiple of 3 elements per partition, as BatchNormStats makes"),
    engines=("vector",),
    rules=(same_partitions("dst", "data"), triples, elements("dst", 2, 2, AGGREGATE)),
    cost=costs.aggregate("data"),
    vendor=Names("bn_aggr", "", "BatchNormAggregate"),
    formula="dst[p, :] = mean and variance of what the triples of data[p, :] describe",
    example="BatchNormAggregate both, stats",
    tensors=".sbuf both f32[128, 2]\n.sbuf stats f32[128, 3 * {n}]",
    source=AGGREGATE,
)
def BatchNormAggregate(data: Any) -> Any:
    """Aggregate counts, means and variances * counts into one mean and one variance.

    With C the sum of the counts: mean = sum(c * m) / C and variance = (sum(v) + sum(c * (m -
    mean)**2)) / C, that of a population. Every step is rounded to float32 and sums run from the
    first triple to the last (assumed).
    """
    counts, means, spreads = data[:, 0::3], data[:, 1::3], data[:, 2::3]
    count = _total(counts)
    mean = _total(counts * means) / count
    between = _total(counts * np.square(means - mean[:, None]))
    return np.stack([mean, (_total(spreads) + between) / count], axis=1)
