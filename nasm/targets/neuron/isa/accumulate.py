"""Vector: instructions that share one set of accumulators, a float32 per lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.isa.implicit_kinds import LanesOf
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.kinds import Choice, Either, Flag, Number, Tile
from nasm.targets.neuron import accumulator_costs, activations, alu, costs
from nasm.targets.neuron.accumulators import (
    ACCUMULATORS,
    Accumulators,
    commands,
    folded,
    folding,
    lost_when_idle,
    reduced,
)
from nasm.targets.neuron.isa.table import (
    COLUMN,
    FLOAT_COLUMN,
    INTEGERS,
    ISA,
    LANES,
    ONCHIP,
    Names,
    not_both_in,
)
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import LIMIT, MODE, free_dims, rule, same_partitions, same_shape
from nasm.views.view import View

EIGHT = ("float8_e3m4", "float8_e4m3", "float8_e5m2", "float8_e4m3fn")
FLOATS = (*EIGHT, "float16", "bfloat16", "tfloat32", "float32")
SHORT = ("uint8", "int8", "uint16", "int16")
NUMBER = Either((Number(), FLOAT_COLUMN))
FLOAT_RESULT = Tile(ONCHIP, FLOATS, column=True)
FP32_MIN = float(np.finfo(np.float32).min)
MAXIMUM = Operators(("maximum",), "reduction operator")
RESULT_DOC = "receives the accumulators, a [P, 1] tile; without it they stay in the engine"
COMMAND_DOC = "what happens to the accumulators"


@rule(
    MODE,
    "reduce_cmd=idle leaves the accumulators unknown, so that reduce_res receives nothing",
    "nki.isa.exponential, nki.isa.select_reduce",
    "reduce_cmd=reset_reduce reduces this instruction's results",
    about="reduce_cmd",
)
def nothing_idle(context: InstructionContext) -> str | None:
    """What is unknown cannot be read."""
    found = context.operands["reduce_cmd"] == "idle" and context.operands["reduce_res"] is not None
    return "reduce_res with reduce_cmd=idle" if found else None


@rule(
    MODE,
    "reduce_init is for reduce_cmd=load_reduce, and 0 otherwise",
    "nki.isa.exponential",
    about="reduce_init",
)
def init_loaded(context: InstructionContext) -> str | None:
    """What would not be loaded."""
    loading, value = (
        context.operands["reduce_cmd"] == "load_reduce",
        context.operands["reduce_init"],
    )
    unused = not loading and (isinstance(value, View) or value != 0.0)
    return f"reduce_init with reduce_cmd={context.operands['reduce_cmd']}" if unused else None


# -- Exponential

_EXP = "nki.isa.exponential"
_EXP_FLOATS = ("float8_e4m3", "float8_e5m2", "float16", "bfloat16", "float32")


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, (*_EXP_FLOATS, "tfloat32", *SHORT, "int32"), indirect=True), "w"),
    Operand("src", Tile(ONCHIP, (*_EXP_FLOATS, *INTEGERS), indirect=True)),
    Operand("max_value", NUMBER, default=0.0, doc="subtracted first"),
    Operand(
        "reduce_res", Tile(ONCHIP, (*_EXP_FLOATS, "tfloat32"), column=True), "w", None, RESULT_DOC
    ),
    Operand(
        "reduce_cmd",
        commands("idle", "reset_reduce", "reduce", "load_reduce"),
        default="idle",
        doc=COMMAND_DOC,
    ),
    Operand("reduce_init", NUMBER, default=0.0, doc="what load_reduce starts from"),
    Operand("accumulators", ACCUMULATORS, "rw", use=lost_when_idle("reduce_cmd")),
    *folding("src"),
    engines=("vector",),
    since="v4",
    rules=(
        same_shape("dst", "src"),
        same_partitions("src", "max_value", "reduce_res", "reduce_init"),
        free_dims("src", 3, _EXP),
        free_dims("dst", 3, _EXP),
        nothing_idle,
        init_loaded,
    ),
    cost=accumulator_costs.exponential("src"),
    vendor=Names("exponential", "", "Exponential"),
    formula="dst = e^(src - max_value); acc = acc + dst along the free axes; reduce_res = acc",
    example="Exponential c, a, 250.0, m, reduce_cmd=reset_reduce",
    instead={"Activation": "on Scalar, with op=exp"},
    source=f"{_EXP}; the exponential is rounded once to float32 (assumed)",
)
def Exponential(
    src: Any,
    max_value: Any,
    reduce_cmd: str,
    reduce_init: Any,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
    accumulate: str,
    rounded: Any,
) -> tuple[Any, Any, Accumulators]:
    """Raise e to every element less a maximum: dst = e^(src - max_value).

    reduce_cmd sums the results along the free axes into Vector's accumulators: reset_reduce
    from 0, load_reduce from reduce_init, reduce from what they hold. idle (the default) leaves
    them unknown: a later reduce is a fault. A sum runs in float32 from a partition's first element
    to its last, and is then added to the accumulator (assumed).
    """
    y = folded(activations.activate("exp", src - max_value), accumulate, rounded)
    return y, *reduced(accumulators, reduce_cmd, "add", y, lanes, out, reduce_init)


# -- RangeSelect

_RANGE = "nki.isa.range_select"
COMPARISON = Choice(("equal", "less", "less_equal", "greater", "greater_equal"), "comparison")


@rule(
    LIMIT,
    "range_start and the indices after it are within 2^24, exact in float32",
    _RANGE,
    about="range_start",
)
def exact_indices(context: InstructionContext) -> str | None:
    """Indices are compared as float32."""
    first = context.operands["range_start"]
    last = first + context.operands["on_true_tile"].elements - 1
    if first >= -(2**24) and last <= 2**24:
        return None
    return f"indices {first:,} to {last:,}; wanted -16,777,216 to 16,777,216"


@rule(
    MODE,
    "on_false_value is FP32_MIN, -3.4028235e38: the hardware has no other",
    _RANGE,
    about="on_false_value",
)
def false_value(context: InstructionContext) -> str | None:
    """A hardware constraint."""
    found = context.operands["on_false_value"]
    return None if np.float32(found) == np.float32(FP32_MIN) else f"on_false_value={found:g}"


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("on_true_tile", Tile(ONCHIP, FLOATS)),
    Operand("bound0", FLOAT_COLUMN),
    Operand("bound1", FLOAT_COLUMN),
    Operand("comp_op0", COMPARISON, doc="index <comp_op0> bound0"),
    Operand("comp_op1", COMPARISON, doc="index <comp_op1> bound1"),
    Operand(
        "reduce_cmd",
        commands("idle", "reset", "reduce", "reset_reduce"),
        default="reset_reduce",
        doc=COMMAND_DOC,
    ),
    Operand("reduce_res", COLUMN, "w", None, RESULT_DOC),
    Operand("reduce_op", MAXIMUM, default="maximum"),
    Operand("range_start", Number(integer=True), default=0, doc="the index of the first element"),
    Operand(
        "on_false_value", Number(), "-", FP32_MIN, "must be FP32_MIN: the hardware has no other"
    ),
    Operand("accumulators", ACCUMULATORS, "rw", use=lost_when_idle("reduce_cmd")),
    Operand("lanes", LanesOf("on_true_tile")),
    Operand("out", LanesOf("reduce_res")),
    engines=("vector",),
    since="v3",
    rules=(
        same_shape("dst", "on_true_tile"),
        same_partitions("on_true_tile", "bound0", "bound1", "reduce_res"),
        nothing_idle,
        exact_indices,
        false_value,
    ),
    cost=costs.one_tile("on_true_tile"),
    vendor=Names("range_select", "", ("RangeSelect", "NcRangeSelect")),
    formula="dst[i] = on_true_tile[i] if (range_start + i <comp_op0> bound0) and "
    "(range_start + i <comp_op1> bound1) else FP32_MIN; acc = maximum of acc and dst",
    tensors=".sbuf low float32[128, 1]\n.sbuf high float32[128, 1]",
    example="RangeSelect c, a, low, high, comp_op0=greater_equal, comp_op1=less, reduce_res=m",
    instead={
        "AffineSelect": "where the bounds follow from the index, on GpSimd",
        "SelectReduce": "where a tile says which elements to keep",
    },
    source=f"{_RANGE}; which reduce_cmd it takes in addition to reduce and reset_reduce is assumed",
)
def RangeSelect(
    on_true_tile: Any,
    bound0: Any,
    bound1: Any,
    comp_op0: str,
    comp_op1: str,
    reduce_cmd: str,
    reduce_op: str,
    range_start: int,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
) -> tuple[Any, Any, Accumulators]:
    """Keep the elements whose index lies between two bounds, and find their maximum.

    The index of an element is range_start plus its place in its partition, row-major; it is
    compared in float32 with bound0 and with bound1. Elements that fail either are FP32_MIN,
    -inf where dst has less range. reduce_cmd finds the maximum with Vector's accumulators:
    reset_reduce (the default) from -inf, reduce from what they hold; reset sets them to -inf
    only, idle leaves them unknown. The maximum is that of the values before they are rounded to
    dst's dtype, as the vendor's advice on float16 takes for granted: no option changes it.
    """
    index = np.arange(range_start, range_start + on_true_tile.shape[1]).astype(np.float32)
    inside = alu.apply(comp_op0, index, bound0) * alu.apply(comp_op1, index, bound1)
    y = np.where(inside != 0, on_true_tile, np.float32(FP32_MIN))
    return y, *reduced(accumulators, reduce_cmd, reduce_op, y, lanes, out)


# -- SelectReduce

_SELECT = "nki.isa.select_reduce"


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("predicate", Tile(ONCHIP, SHORT), doc="an element is chosen unless it is 0"),
    Operand("on_true", Tile(ONCHIP, (*EIGHT, "float16", "bfloat16", "float32", *SHORT))),
    Operand("on_false", Either((Number(), COLUMN)), doc="a number, or one value per partition"),
    Operand("reduce_res", FLOAT_RESULT, "w", None, RESULT_DOC),
    Operand(
        "reduce_cmd", commands("idle", "reduce", "reset_reduce"), default="idle", doc=COMMAND_DOC
    ),
    Operand("reduce_op", MAXIMUM, default="maximum"),
    Operand("reverse_pred", Flag(), default=False, doc="choose where the predicate is 0 instead"),
    Operand("accumulators", ACCUMULATORS, "rw", use=lost_when_idle("reduce_cmd")),
    *folding("on_true"),
    engines=("vector",),
    rules=(
        same_shape("dst", "predicate", "on_true"),
        same_partitions("on_true", "on_false", "reduce_res"),
        not_both_in("psum", "on_true", "predicate", source=_SELECT),
        nothing_idle,
    ),
    cost=accumulator_costs.choice_reduced("predicate", "on_true"),
    vendor=Names("select_reduce", "", "SelectReduce"),
    formula="dst = on_true if (predicate != 0) xor reverse_pred else on_false; "
    "acc = maximum of acc and dst; reduce_res = acc",
    tensors=".sbuf mask uint8[128, {n}]",
    example="SelectReduce c, mask, a, -1.0, m, reduce_cmd=reset_reduce",
    instead={"CopyPredicated": "where the other elements stay"},
    source=_SELECT,
)
def SelectReduce(
    predicate: Any,
    on_true: Any,
    on_false: Any,
    reduce_cmd: str,
    reduce_op: str,
    reverse_pred: bool,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
    accumulate: str,
    rounded: Any,
) -> tuple[Any, Any, Accumulators]:
    """Choose each element from a tile or a scalar by a predicate, and find their maximum.

    reduce_cmd finds the maximum along the free axes with Vector's accumulators: reset_reduce
    from -inf, reduce from what they hold. idle (the default) leaves them unknown: a later reduce
    is a fault.
    """
    other = np.float32(on_false) if isinstance(on_false, float) else on_false
    chosen = np.where((predicate != 0) != reverse_pred, on_true, other)
    y = folded(chosen, accumulate, rounded)
    return y, *reduced(accumulators, reduce_cmd, reduce_op, y, lanes, out)
