"""Reductions along the free axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.isa.implicit_kinds import OptionOf
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.kinds import Flag, Integers
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.extremes import descending
from nasm.targets.neuron.isa.operator_rules import bitwise_integers
from nasm.targets.neuron.isa.table import ISA, LANES, PICKED, SHAPED_PICKED, Names, domain_of
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import MODE, SHAPE, elements, free_dims, rule, same_partitions

SOURCE = "nki.isa.tensor_reduce"


@rule(
    SHAPE,
    "axis names the last free axes of data, without gaps; the partition axis is 0",
    SOURCE,
    about="axis",
)
def trailing_axes(context: InstructionContext) -> str | None:
    """Which axes can be reduced."""
    rank = len(context.operands["data"].shape)
    axes = sorted(a + rank if a < 0 else a for a in context.operands["axis"])
    wanted = list(range(rank - len(axes), rank))
    if axes and axes == wanted and axes[0] > 0 and len(axes) <= 4:
        return None
    if not axes:
        return f"no axis; wanted the last ones, such as {rank - 1}"
    if len(axes) > 4:
        return f"{len(axes)} axes; wanted at most 4"
    if 0 in axes:
        return "axis 0 is the partition axis, which this instruction does not reduce"
    last = wanted if len(axes) < rank else list(range(1, rank))
    return f"axis={axes} of a tile with {rank} axes; wanted its last ones, such as {last}"


@rule(SHAPE, "dst has one element per reduced group", SOURCE, about="dst")
def reduced_size(context: InstructionContext) -> str | None:
    """What is left after reducing."""
    data = context.operands["data"]
    kept = data.elements
    for size in data.shape[len(data.shape) - len(context.operands["axis"]) :]:
        kept //= size
    found = context.operands["dst"].elements
    return None if found == kept else f"dst has {found} elements per partition; wanted {kept}"


@rule(MODE, "negate is for arithmetic operators", SOURCE, about="negate")
def negate_arithmetic(context: InstructionContext) -> str | None:
    """Bits have no sign."""
    if context.operands["negate"] and alu.OPERATORS[context.operands["op"]].bitvec:
        return f"negate=true with op={context.operands['op']}"
    return None


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", SHAPED_PICKED),
    Operand("op", Operators(alu.REDUCING, "reduction operator")),
    Operand("axis", Integers(), doc="the last free axes, the partition axis being 0"),
    Operand("negate", Flag(), default=False, doc="multiply the result by -1"),
    Operand("keepdims", Flag(), "-", False, "shape only: changes nothing here"),
    engines=("vector", "gpsimd"),
    engine_since={"gpsimd": "v3"},
    rules=(
        same_partitions("dst", "data"),
        trailing_axes,
        reduced_size,
        negate_arithmetic,
        bitwise_integers,
    ),
    cost=costs.reduction("data", "dst", op="op"),
    domain=domain_of("op"),
    vendor=Names("tensor_reduce", "TENSOR_REDUCE", "TensorReduce"),
    formula="dst = data[0] <op> data[1] <op> … along axis, times -1 if negate",
    example="TensorReduce m, a, op=maximum, axis=1",
    instead={
        "TensorPartitionReduce": "across partitions",
        "TensorScalarReduce": "where an operator comes before the reduction",
    },
    source=f"{SOURCE}; KLR for GpSimd from v3 on; order of the sum assumed: sequential in float32",
)
def TensorReduce(data: Any, op: str, axis: tuple[int, ...], negate: bool) -> Any:
    """Reduce the last free axes of a tile with an operator.

    Sums run from the first element to the last in float32; the vendor documents no order. GpSimd
    reduces 32-bit integers exactly, modulo 2**32 (assumed), when both tiles hold them.
    """
    result = alu.reduce(op, data, len(axis))
    return np.negative(result) if negate else result


@ISA.instruction(
    Operand("dst", LANES, "w", doc="[P, 8]"),
    Operand("src", LANES, doc="8 to 16,384 elements per partition"),
    Operand("nan", OptionOf("nan.maximum")),
    engines=("vector",),
    rules=(
        same_partitions("dst", "src"),
        elements("src", 8, 16384, "nki.isa.max8"),
        elements("dst", 8, 8, "nki.isa.max8"),
        free_dims("src", 2, "nki.isa.max8"),
    ),
    cost=costs.one_tile("src"),
    vendor=Names("max8", "", "Max8"),
    formula="dst[p, 0..7] = the 8 largest of src[p, :], descending",
    example="Max8 best, a",
    instead={"TensorReduce": "with op=maximum, where only the largest is wanted"},
    source="nki.isa.max8",
)
def Max8(src: Any, nan: str) -> Any:
    """Find the 8 largest values of each partition, in descending order, duplicates kept.

    NaN counts as larger than every number (assumed: the vendor does not say), or as smaller with
    `--option nan.maximum=ignore`.
    """
    return descending(src, 8, nan_first=nan != "ignore")
