"""Moving and filling: copies between on-chip memories."""

from __future__ import annotations

import math
from typing import Any

from nasm.base.dtypes import ElementKind
from nasm.isa.instruction import InstructionContext, Operand, Rule, in_bits
from nasm.isa.kinds import Anything
from nasm.targets.neuron import costs
from nasm.targets.neuron.indirection import indirect_on
from nasm.targets.neuron.isa.table import ISA, LANES, PICKED, Names, copied
from nasm.targets.neuron.rules import DTYPE, rule, same_shape
from nasm.views.view import View

COPY_SOURCE = "nki.isa.tensor_copy"


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("src", PICKED),
    engines=("vector", "gpsimd", "scalar"),
    engine_since={"scalar": "v3"},
    rules=(same_shape("dst", "src"), indirect_on("vector", "scalar")),
    cost=costs.copy("src", "dst"),
    domain=copied("src", "dst"),
    vendor=Names("tensor_copy", "COPY", ("Copy", "NcCopy")),
    formula="dst = src",
    example="TensorCopy c, a",
    instead={
        "DmaCopy": "where one of the two is in HBM",
        "CopyPredicated": "where only some elements are copied",
    },
    source=f"{COPY_SOURCE}; Trainium2 guide, 'Vector Engine performance mode'",
)
def TensorCopy(src: Any) -> Any:
    """Copy a tile: bit for bit between equal dtypes, through float32 otherwise."""
    return src


def number_fits(name: str, source: str) -> Rule:
    """A number is one that dst can be filled with."""

    @rule(
        DTYPE,
        "the value is of dst's class: no fraction into an integer, 0 into x4 dtypes",
        source,
        each=True,
        names=(name, "dst"),
        about=name,
    )
    def check(context: InstructionContext) -> str | None:
        value, dtype = context.operands[name], context.operands["dst"].dtype
        if isinstance(value, View):
            return None
        into = f"{name}={value} into {dtype.name}"
        if dtype.kind is ElementKind.PACKED and value != 0:
            return f"{into}; wanted 0"
        if dtype.kind is ElementKind.SCALE and not _is_scale(value):
            return f"{into}; wanted a power of two, 2**-127 to 2**127"
        if not dtype.is_int:
            return None
        if isinstance(value, float):
            return f"{into}; wanted an integer"
        bits = 8 * dtype.itemsize
        signed = dtype.name.startswith("int")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return None if low <= value <= high else f"{into}; wanted {low} to {high}"

    return check


def _is_scale(value: float) -> bool:
    fraction, exponent = math.frexp(value)
    return math.isnan(value) or (fraction == 0.5 and -126 <= exponent <= 128)


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("value", Anything()),
    engines=("vector", "gpsimd"),
    rules=(number_fits("value", "nki.isa.memset; NKI release notes 2.29"),),
    cost=costs.filled("dst", "value"),
    domain=in_bits,
    vendor=Names("memset", "MEMSET", "MemSet"),
    formula="dst = value",
    example="Memset c, 0.0",
    instead={"Iota": "where elements count up"},
    source="nki.isa.memset",
)
def Memset(value: Any) -> Any:
    """Fill a tile with a constant, converted once to dst's dtype."""
    return value
