"""Vector: an operator with a scalar, its results reduced or accumulated in the same pass."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from nasm.isa.implicit_kinds import LanesOf
from nasm.isa.instruction import InstructionContext, Operand, Rule
from nasm.isa.kinds import Flag, Tile
from nasm.targets.neuron import accumulator_costs, alu
from nasm.targets.neuron.accumulators import (
    ACCUMULATORS,
    Accumulators,
    commands,
    folded,
    folding,
    lost_when_idle,
    put,
    reduced,
    started,
)
from nasm.targets.neuron.extremes import EXTREMES, NUMBERS
from nasm.targets.neuron.isa.accumulate import COMMAND_DOC, EIGHT, NUMBER, RESULT_DOC, SHORT
from nasm.targets.neuron.isa.operator_rules import on_engine
from nasm.targets.neuron.isa.table import COLUMN, ISA, ONCHIP, PICKED, Names
from nasm.targets.neuron.nan import Ignoring, Operators
from nasm.targets.neuron.rules import MODE, rule, same_partitions, same_shape

OPERATOR = Operators(tuple(o for o in alu.ARITH if alu.OPERATORS[o].kernel), "operator")
REDUCTION = Operators(("add", "multiply", "maximum", "minimum"), "reduction operator")
COMMANDS = commands("reset_reduce", "reduce", "load_reduce")


def _operand_present(op: str, operand: str, source: str) -> Rule:
    @rule(MODE, f"{op} needs {operand}, unless it is a unary operator", source, names=(op, operand))
    def check(context: InstructionContext) -> str | None:
        value = context.operands[operand]
        if alu.OPERATORS[context.operands[op]].unary:
            return None if value in (None, 0) else f"{op}={context.operands[op]} takes no {operand}"
        return f"{op}={context.operands[op]} without {operand}" if value is None else None

    return check


def _loaded(operand: str, source: str) -> Rule:
    @rule(MODE, f"reduce_cmd=load_reduce needs {operand}", source, names=("reduce_cmd", operand))
    def check(context: InstructionContext) -> str | None:
        missing = (
            context.operands["reduce_cmd"] == "load_reduce" and context.operands[operand] is None
        )
        return f"reduce_cmd=load_reduce without {operand}" if missing else None

    return check


# -- TensorScalarReduce

_REDUCE = "nki.isa.tensor_scalar_reduce"


@rule(MODE, "reduce_init is for reduce_cmd=load_reduce", _REDUCE, about="reduce_init")
def init_loaded(context: InstructionContext) -> str | None:
    """What would not be loaded."""
    unused = (
        context.operands["reduce_init"] is not None
        and context.operands["reduce_cmd"] != "load_reduce"
    )
    return f"reduce_init with reduce_cmd={context.operands['reduce_cmd']}" if unused else None


@rule(
    MODE,
    "reverse0 is not supported by the vendor yet",
    _REDUCE,
    "a subtraction the other way round: multiply by -1 and add",
    about="reverse0",
)
def not_reversed(context: InstructionContext) -> str | None:
    """Listed and refused by the vendor."""
    return "reverse0=true" if context.operands["reverse0"] else None


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", PICKED),
    Operand("op0", OPERATOR),
    Operand("operand0", NUMBER, default=None, doc="a number, or one value per partition"),
    Operand("reduce_op", REDUCTION),
    Operand("reduce_res", COLUMN, "w", None, RESULT_DOC),
    Operand("reverse0", Flag(), "-", False, "not supported by the vendor yet"),
    Operand("reduce_cmd", COMMANDS, default="reset_reduce", doc=COMMAND_DOC),
    Operand("reduce_init", NUMBER, default=None, doc="what load_reduce starts from"),
    Operand("reduce_res_negate", Flag(), default=False, doc="reduce_res gets the negative"),
    Operand("accumulators", ACCUMULATORS, "rw", use=lost_when_idle("reduce_cmd")),
    *folding("data"),
    engines=("vector",),
    rules=(
        same_shape("dst", "data"),
        same_partitions("data", "operand0", "reduce_res", "reduce_init"),
        _operand_present("op0", "operand0", _REDUCE),
        on_engine("op0"),
        not_reversed,
        _loaded("reduce_init", _REDUCE),
        init_loaded,
    ),
    cost=accumulator_costs.reduced("data", "reduce_res"),
    vendor=Names("tensor_scalar_reduce", "", "TensorScalarReduce"),
    formula="dst = data <op0> operand0; acc = acc <reduce_op> dst along the free axes; "
    "reduce_res = acc, or -acc",
    example="TensorScalarReduce c, a, op0=multiply, operand0=2.0, reduce_op=add, reduce_res=m",
    source=_REDUCE,
)
def TensorScalarReduce(
    data: Any,
    op0: str,
    operand0: Any,
    reduce_op: str,
    reduce_cmd: str,
    reduce_init: Any,
    reduce_res_negate: bool,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
    accumulate: str,
    rounded: Any,
) -> tuple[Any, Any, Accumulators]:
    """Apply an operator with a scalar, and reduce the results along the free axes.

    reduce_cmd joins the reduction to Vector's accumulators: reset_reduce (the default) starts
    them from the identity of reduce_op, load_reduce from reduce_init, reduce from what they hold.
    reduce_res_negate changes what reduce_res receives, not what the engine keeps. A partition is
    reduced in float32 from its first element to its last, and what that gives joins the
    accumulator (assumed).
    """
    y = folded(alu.apply(op0, data, operand0), accumulate, rounded)
    result, held = reduced(accumulators, reduce_cmd, reduce_op, y, lanes, out, reduce_init)
    if reduce_res_negate and result is not None:
        result = np.negative(result)
    return y, result, held


# -- TensorScalarCumulative

_CUMULATIVE = "nki.isa.tensor_scalar_cumulative"
_SHORT_TILE = Tile(ONCHIP, (*EIGHT, "float16", "bfloat16", "float32", *SHORT), indirect=True)


@ISA.instruction(
    Operand("dst", _SHORT_TILE, "w"),
    Operand("src", _SHORT_TILE),
    Operand("op0", OPERATOR),
    Operand("op1", Operators(("add", "subtract", "multiply", "maximum", "minimum"), "operator")),
    Operand("imm0", NUMBER, default=None, doc="a number, or one value per partition"),
    Operand("imm1", NUMBER, default=None, doc="what load_reduce starts from"),
    Operand("reduce_cmd", COMMANDS, default="reset_reduce", doc=COMMAND_DOC),
    Operand("accumulators", ACCUMULATORS, "rw", use=lost_when_idle("reduce_cmd")),
    Operand("lanes", LanesOf("src")),
    engines=("vector",),
    since="v3",
    rules=(
        same_shape("dst", "src"),
        same_partitions("src", "imm0", "imm1"),
        _operand_present("op0", "imm0", _CUMULATIVE),
        on_engine("op0"),
        _loaded("imm1", _CUMULATIVE),
    ),
    cost=accumulator_costs.cumulative("src"),
    vendor=Names("tensor_scalar_cumulative", "", "TensorScalarCumulative"),
    formula="acc = (src[i] <op0> imm0) <op1> acc; dst[i] = acc",
    example="TensorScalarCumulative c, a, op0=multiply, op1=add, imm0=2.0",
    source=f"{_CUMULATIVE}; documented for Trainium2 and Trainium3, that NeuronCore-v2 lacks it "
    "is assumed",
)
def TensorScalarCumulative(
    src: Any,
    op0: str,
    op1: str,
    imm0: Any,
    imm1: Any,
    reduce_cmd: str,
    accumulators: Accumulators,
    lanes: slice,
) -> tuple[Any, Accumulators]:
    """Walk a tile with a running value: acc = (src[i] <op0> imm0) <op1> acc, every one stored.

    The new element is op1's left side: subtract makes src[i] - acc. The walk is row-major over all
    free axes; the running value is one of Vector's accumulators and stays float32 whatever dst
    is. reduce_cmd says where it starts: reset_reduce (the default) at the identity of op1,
    load_reduce at imm1, reduce at what the engine holds.
    """
    elements = alu.apply(op0, src, imm0)
    state = np.empty((len(elements), elements.shape[1] + 1), np.float32)
    state[:, :1] = started(accumulators, reduce_cmd, lanes, op1, imm1)
    state[:, 1:] = elements
    states = _walked(op1, state)
    return states[:, 1:], put(accumulators, lanes, states[:, -1:])


# Their sides can be exchanged, so that NumPy's own walk will do.
_WALKS: Final = {"add": np.add, "multiply": np.multiply}


def _walked(op: str, state: Any) -> Any:
    if op == "subtract":
        return _differences(state)
    if op in _WALKS:
        return _WALKS[op].accumulate(state, axis=1)
    return (NUMBERS if type(op) is Ignoring else EXTREMES)[op].accumulate(state)


def _differences(state: Any) -> Any:
    """Each element less the value before it."""
    walk = np.ascontiguousarray(state.T)
    for n in range(1, len(walk)):
        walk[n] -= walk[n - 1]
    return walk.T
