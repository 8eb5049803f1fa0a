"""The Scalar engine: a function of scaled and biased elements, with a running sum per lane."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Severity
from nasm.isa.implicit_kinds import Doubt, LanesOf
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.kinds import Choice, Either, Number
from nasm.targets.neuron import accumulator_costs, activations
from nasm.targets.neuron.accumulators import (
    ACCUMULATORS,
    Accumulators,
    commands,
    folded,
    folding,
    kept_when_idle,
    read,
    run,
)
from nasm.targets.neuron.isa.table import COLUMN, FLOAT_COLUMN, ISA, PICKED, Names
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, rule, same_partitions, same_shape
from nasm.views.view import View

SOURCE = "nki.isa.activation"
READ = "architecture guide, 'Pipelined Reduction'"
OUTSIDE = Doubt(activations.OUTSIDE)
REDUCE = commands("idle", "reset", "reduce", "reset_reduce")


@rule(
    AVAILABLE,
    "on v2 bias is a [P, 1] tile; from v3 on it may be a number",
    SOURCE,
    "put the number into a tile with Memset",
    about="bias",
)
def bias_form(context: InstructionContext) -> str | None:
    """What bias may be."""
    bias = context.operands["bias"]
    if bias is None or isinstance(bias, View) or context.generation.switches["scalar_literal_bias"]:
        return None
    return f"bias={bias} on {context.generation.name}; wanted a [P, 1] tile"


@rule(DTYPE, "bias is of any dtype but tfloat32", SOURCE, about="bias")
def bias_dtype(context: InstructionContext) -> str | None:
    """The one dtype a bias is not."""
    bias = context.operands["bias"]
    found = isinstance(bias, View) and bias.dtype.name == "tfloat32"
    return "bias is tfloat32" if found else None


@rule(MODE, "reciprocal takes no bias on v2", "NKI reference, engine selection", about="bias")
def reciprocal_unbiased(context: InstructionContext) -> str | None:
    """A limit of v2's reciprocal."""
    late = context.generation.switches["scalar_literal_bias"]
    if context.operands["op"] == "reciprocal" and context.operands["bias"] is not None and not late:
        return "op=reciprocal with a bias"
    return None


@rule(
    MODE,
    "a reduction needs reduce_op=add",
    SOURCE,
    "for example reduce_op=add, reduce_res=total, reduce_cmd=reset_reduce",
    about="reduce_cmd",
)
def reduction_named(context: InstructionContext) -> str | None:
    """reduce_op selects what is summed."""
    sums = context.operands["reduce_cmd"] in ("reduce", "reset_reduce")
    if sums and context.operands["reduce_op"] is None:
        return f"reduce_cmd={context.operands['reduce_cmd']} without reduce_op"
    return None


@rule(
    MODE,
    "reduce_op reduces nothing with reduce_cmd=idle, the default",
    "nki.isa.activation, nki.isa.activate2: idle leaves the accumulators alone",
    "reduce_cmd=reset_reduce reduces this instruction's results",
    severity=Severity.WARNING,
)
def reduction_used(context: InstructionContext) -> str | None:
    """An operator that is not used is probably a mistake; what reduce_res reads is older."""
    idle = context.operands["reduce_op"] is not None and context.operands["reduce_cmd"] == "idle"
    if not idle:
        return None
    read = ", and reduce_res receives earlier results" * (
        context.operands["reduce_res"] is not None
    )
    return f"reduce_op={context.operands['reduce_op']} with reduce_cmd=idle reduces nothing{read}"


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", PICKED),
    Operand("op", Choice(activations.PLAIN, "activation function")),
    Operand("bias", Either((Number(), COLUMN)), default=None, doc="added after scaling"),
    Operand("scale", Either((Number(), FLOAT_COLUMN)), default=1.0, doc="multiplied first"),
    Operand("reduce_op", Choice(("add",), "reduction operator"), "-", None),
    Operand("reduce_res", COLUMN, "w", None, "receives the lanes' sums, a [P, 1] tile"),
    Operand("reduce_cmd", REDUCE, default="idle", doc="what happens to the lanes' sums"),
    Operand("accumulators", ACCUMULATORS, "rw", use=kept_when_idle("reduce_cmd", "reduce_res")),
    Operand("doubt", OUTSIDE, "w"),
    *folding("data"),
    engines=("scalar",),
    rules=(
        same_shape("dst", "data"),
        same_partitions("data", "bias", "scale", "reduce_res"),
        bias_form,
        bias_dtype,
        reciprocal_unbiased,
        reduction_named,
        reduction_used,
    ),
    cost=accumulator_costs.function("data", "op", "reduce_res", "bias", "scale"),
    vendor=Names(
        ("activation", "activation_reduce"),
        "ACTIVATE",
        ("Activate", "NcActivate", "ActivationReduce"),
    ),
    formula="dst = op(data * scale + bias); sums += dst along the free axes; reduce_res = sums",
    example="Activation c, a, op=exp, scale=2.0",
    instead={
        "Activation2": "where two operators come before the function, or a maximum is wanted",
        "TensorScalar": "where there is no function, on any of three engines",
    },
    source=f"{SOURCE}; architecture guide, 'Scalar Engine'; no fused multiply-add (assumed)",
)
def Activation(
    data: Any,
    op: str,
    bias: Any,
    scale: Any,
    reduce_cmd: str,
    accumulators: Accumulators,
    lanes: slice,
    out: slice | None,
    accumulate: str,
    rounded: Any,
) -> tuple[Any, Any, Accumulators, str | None]:
    """Apply a function to every element: dst = op(data * scale + bias), in float32.

    reduce_cmd adds the results along the free axes to 128 accumulators, one per lane: reset sets
    them to 0, reduce adds, reset_reduce does both, idle (the default) leaves them alone.
    reduce_res reads them out, at the cost of a second instruction; without it they stay in the
    engine for the next Activation, Activation2 or ActReadAccumulator. nki.isa.activation_reduce is
    reduce_op=add, reduce_cmd=reset_reduce with a reduce_res.

    A sum runs in float32 from a partition's first element to its last, and is then added to the
    accumulator (assumed: the vendor documents no order). Every addition rounds: of 16,384 elements
    such a sum was seen 85 units in the last place away from one in float64.

    An element outside the function's valid input range gets the mathematical value and a
    warning: there the hardware's result is invalid. sin continues as the vendor says it does.
    """
    x = _scaled(data, scale, bias)
    y = activations.activate(op, x)
    if reduce_cmd != "idle":
        y = folded(y, accumulate, rounded)
        accumulators = run(accumulators, reduce_cmd, lanes, "add", y)
    sums = None if out is None else read(accumulators, lanes)
    return y, sums, accumulators, activations.doubt(op, x)


def _scaled(data: Any, scale: Any, bias: Any) -> Any:
    """The argument data * scale + bias, each of the two steps rounded to float32."""
    if not (isinstance(scale, float) and scale == 1.0):
        data = data * scale
    return data if bias is None else data + bias


@ISA.instruction(
    Operand("dst", COLUMN, "w", doc="receives the accumulators of its own partitions"),
    Operand("accumulators", ACCUMULATORS),
    Operand("lanes", LanesOf("dst")),
    engines=("scalar",),
    cost=accumulator_costs.read_accumulators(),
    vendor=Names(explorer="ACTIVATION_READ_ACCUMULATOR"),
    formula="dst[p] = the accumulator of lane p",
    setup="Activation c, a, op=exp, reduce_op=add, reduce_cmd=reset_reduce",
    example="ActReadAccumulator m",
    source=f"{READ}; that the lanes read are dst's partitions is assumed",
)
def ActReadAccumulator(accumulators: Accumulators, lanes: slice) -> Any:
    """Read Scalar's accumulators: what reduce_res= of an Activation adds to it.

    The accumulators keep their values. Reading lanes that no reduce_cmd has set is a fault.
    """
    return read(accumulators, lanes)
