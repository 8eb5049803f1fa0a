"""The Scalar engine of NeuronCore-v4: two operators with a scalar each, a function, a reduction."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Severity
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.kinds import Choice, Either, Flag, Number
from nasm.targets.neuron import accumulator_costs, activations, alu
from nasm.targets.neuron.accumulators import (
    ACCUMULATORS,
    Accumulators,
    folded,
    folding,
    kept_when_idle,
    read,
    run,
)
from nasm.targets.neuron.isa.activation import OUTSIDE, REDUCE, reduction_used
from nasm.targets.neuron.isa.table import COLUMN, ISA, PICKED, Names
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, rule, same_partitions, same_shape
from nasm.views.view import View

SOURCE = "nki.isa.activate2"
PAIRS = (
    ("multiply", "add"),
    ("multiply", "subtract"),
    ("multiply", "bypass"),
    ("add", "bypass"),
    ("subtract", "bypass"),
    ("bypass", "bypass"),
)
STAGE = Choice(("multiply", "add", "subtract", "bypass"), "operator")
SCALAR = Either((Number(), COLUMN))
REDUCTION = Operators(("add", "maximum", "minimum", "abs_max", "abs_min"), "reduction operator")


@rule(
    AVAILABLE,
    "op0 and op1 are one of six pairs: multiply with add, subtract or bypass; add, "
    "subtract or bypass with bypass",
    SOURCE,
)
def stage_pairs(context: InstructionContext) -> str | None:
    """What the tensor-scalar stage can be."""
    pair = (context.operands["op0"], context.operands["op1"])
    return None if pair in PAIRS else f"op0={pair[0]}, op1={pair[1]}"


@rule(MODE, "an operator other than bypass has its operand, and only one has a reverse", SOURCE)
def stage_operands(context: InstructionContext) -> str | None:
    """imm0 and reverse0 belong to op0, imm1 and reverse1 to op1."""
    for n in ("0", "1"):
        op = context.operands[f"op{n}"]
        if op != "bypass" and context.operands[f"imm{n}"] is None:
            return f"op{n}={op} without imm{n}"
        if op == "bypass" and context.operands[f"reverse{n}"]:
            return f"reverse{n}=true with op{n}=bypass"
    return None


@rule(DTYPE, "imm0 and imm1 are of one dtype if both are tiles", SOURCE)
def same_immediates(context: InstructionContext) -> str | None:
    """The two scalars come by one way."""
    first, second = context.operands["imm0"], context.operands["imm1"]
    if isinstance(first, View) and isinstance(second, View) and first.dtype is not second.dtype:
        return f"imm0 is {first.dtype.name}, imm1 {second.dtype.name}"
    return None


@rule(
    MODE,
    "a reduction needs reduce_op, and so does a reset, which starts from its identity",
    SOURCE,
    about="reduce_cmd",
)
def reduction_named(context: InstructionContext) -> str | None:
    """reduce_op selects what is reduced or reset."""
    command = context.operands["reduce_cmd"]
    if command != "idle" and context.operands["reduce_op"] is None:
        return f"reduce_cmd={command} without reduce_op"
    return None


@rule(
    MODE,
    "relu_param is for functions with a parameter",
    SOURCE,
    "prelu has one",
    severity=Severity.WARNING,
    about="relu_param",
)
def parameter_used(context: InstructionContext) -> str | None:
    """A parameter that changes nothing is probably a mistake."""
    unused = (
        context.operands["relu_param"] != 0.0
        and not activations.ACTIVATIONS[context.operands["op"]].parameter
    )
    return (
        f"relu_param with op={context.operands['op']}, which has no parameter" if unused else None
    )


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", PICKED),
    Operand("op", Choice(tuple(activations.ACTIVATIONS), "activation function")),
    Operand("imm0", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("imm1", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("op0", STAGE),
    Operand("op1", STAGE),
    Operand("relu_param", SCALAR, default=0.0, doc="prelu's slope below 0"),
    Operand("reverse0", Flag(), default=False, doc="imm0 <op0> data instead"),
    Operand("reverse1", Flag(), default=False, doc="imm1 <op1> result instead"),
    Operand("reduce_op", REDUCTION, default=None),
    Operand("reduce_res", COLUMN, "w", None, "receives the accumulators, a [P, 1] tile"),
    Operand("reduce_cmd", REDUCE, default="idle", doc="what happens to the accumulators"),
    Operand(
        "accumulators",
        ACCUMULATORS,
        "rw",
        use=kept_when_idle("reduce_cmd", "reduce_res", "reduce_op"),
    ),
    Operand("doubt", OUTSIDE, "w"),
    *folding("data"),
    engines=("scalar",),
    since="v4",
    rules=(
        same_shape("dst", "data"),
        same_partitions("data", "imm0", "imm1", "relu_param", "reduce_res"),
        stage_pairs,
        stage_operands,
        same_immediates,
        reduction_named,
        reduction_used,
        parameter_used,
    ),
    cost=accumulator_costs.function_of_stages(
        "data", "op", "reduce_res", "imm0", "imm1", "relu_param"
    ),
    vendor=Names("activate2", "", "Activate2"),
    formula="dst = op((data <op0> imm0) <op1> imm1); acc = acc <reduce_op> dst along the free "
    "axes; reduce_res = acc",
    example="Activation2 c, a, op=gelu, imm0=2.0, imm1=0.5, op0=multiply, op1=add",
    instead={"Activation": "where data * scale + bias comes before the function"},
    source=f"{SOURCE}; the identities of abs_max and abs_min are assumed",
)
def Activation2(
    data: Any,
    op: str,
    imm0: Any,
    imm1: Any,
    op0: str,
    op1: str,
    relu_param: Any,
    reverse0: bool,
    reverse1: bool,
    reduce_op: str | None,
    reduce_cmd: str,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
    accumulate: str,
    rounded: Any,
) -> tuple[Any, Any, Accumulators, str | None]:
    """Apply two operators, a function and a reduction: dst = op((data <op0> imm0) <op1> imm1).

    Every stage is rounded to float32; bypass leaves it out, and its operand need not be given.
    The accumulators are those of Activation: reset sets them to the identity of reduce_op (0 for
    add and abs_max, -inf for maximum, inf for minimum and abs_min), reduce joins the results to
    them, reset_reduce does both, idle (the default) leaves them alone. reduce_res reads them out.
    A partition is reduced in float32 from its first element to its last (assumed).
    """
    x = _stage(op0, data, imm0, reverse0)
    x = _stage(op1, x, imm1, reverse1)
    parameter = activations.ACTIVATIONS[op].parameter
    y = activations.prelu(x, relu_param) if parameter else activations.activate(op, x)
    if reduce_op is not None and reduce_cmd != "idle":
        y = folded(y, accumulate, rounded)
        accumulators = run(accumulators, reduce_cmd, lanes, reduce_op, y)
    reduced = None if out is None else read(accumulators, lanes)
    return y, reduced, accumulators, activations.doubt(op, x)


def _stage(op: str, x: Any, operand: Any, reverse: bool) -> Any:
    if op == "bypass":
        return x
    return alu.apply(op, operand, x) if reverse else alu.apply(op, x, operand)
