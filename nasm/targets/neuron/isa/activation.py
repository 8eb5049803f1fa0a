"""The Scalar engine: a function of scaled and biased elements, with a running sum per lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.problems import Refused
from nasm.spec.instruction import Operand, Site
from nasm.spec.kinds import Choice, Either, LanesOf, Number, State
from nasm.spec.view import View
from nasm.targets.neuron import activations, alu, costs
from nasm.targets.neuron.isa.table import COLUMN, FLOAT_COLUMN, ISA, PICKED, Names
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, rule, same_partitions, same_shape

SOURCE = "nki.isa.activation"
LANE_COUNT = 128
ACCUMULATORS = State(
    "accumulators", "reduce_cmd=reset_reduce or reset clears them first", initial=()
)
REDUCE = Choice(("idle", "reset", "reduce", "reset_reduce"), "reduce_cmd")


@rule(AVAILABLE, "on v2 bias is a [P, 1] tile; from v3 on it may be a number", SOURCE,
      "put the number into a tile with Memset")  # fmt: skip
def bias_form(site: Site) -> str | None:
    """What bias may be."""
    bias = site["bias"]
    if bias is None or isinstance(bias, View) or site.generation.switches["scalar_literal_bias"]:
        return None
    return f"bias={bias} on {site.generation.name}; wanted a [P, 1] tile"


@rule(DTYPE, "bias is of any dtype but tfloat32", SOURCE)
def bias_dtype(site: Site) -> str | None:
    """The one dtype a bias is not."""
    bias = site["bias"]
    found = isinstance(bias, View) and bias.dtype.name == "tfloat32"
    return "bias is tfloat32" if found else None


@rule(MODE, "reciprocal takes no bias on v2", "NKI reference, engine selection")
def reciprocal_unbiased(site: Site) -> str | None:
    """A limit of v2's reciprocal."""
    late = site.generation.switches["scalar_literal_bias"]
    if site["op"] == "reciprocal" and site["bias"] is not None and not late:
        return "op=reciprocal with a bias"
    return None


@rule(MODE, "a reduction says reduce_op=add and a reduce_cmd", SOURCE,
      "for example reduce_op=add, reduce_res=total, reduce_cmd=reset_reduce")  # fmt: skip
def reduction_named(site: Site) -> str | None:
    """reduce_op, reduce_cmd and reduce_res belong together."""
    sums = site["reduce_cmd"] in ("reduce", "reset_reduce")
    if sums and site["reduce_op"] is None:
        return f"reduce_cmd={site['reduce_cmd']} without reduce_op"
    if site["reduce_op"] is not None and site["reduce_cmd"] == "idle":
        return "reduce_op with reduce_cmd=idle, which sums nothing"
    return None


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", PICKED),
    Operand("op", Choice(activations.PLAIN, "activation function")),
    Operand("bias", Either((Number(), COLUMN)), default=None, doc="added after scaling"),
    Operand("scale", Either((Number(), FLOAT_COLUMN)), default=1.0, doc="multiplied first"),
    Operand("reduce_op", Choice(("add",), "reduction operator"), "-", None),
    Operand("reduce_res", COLUMN, "w", None, "receives the lanes' sums, a [P, 1] tile"),
    Operand("reduce_cmd", REDUCE, default="idle", doc="what happens to the lanes' sums"),
    Operand("accumulators", ACCUMULATORS, "rw"),
    Operand("lanes", LanesOf("data")),
    Operand("out", LanesOf("reduce_res")),
    engines=("scalar",),
    rules=(same_shape("dst", "data"), same_partitions("data", "bias", "scale", "reduce_res"),
           bias_form, bias_dtype, reciprocal_unbiased, reduction_named),
    cost=costs.activation,
    vendor=Names("activation", "ACTIVATE", "Activate"),
    formula="dst = op(data * scale + bias); sums += dst along the free axes; reduce_res = sums",
    example="Activation c, a, op=exp, scale=2.0",
    source=f"{SOURCE}; architecture guide, 'Scalar Engine'; no fused multiply-add (assumed)",
)  # fmt: skip
def Activation(
    data: Any, op: str, bias: Any, scale: Any, reduce_cmd: str, accumulators: Any, lanes: slice,
    out: slice | None,
) -> tuple[Any, Any, Any]:
    """Apply a function to every element: dst = op(data * scale + bias), in float32.

    reduce_cmd adds the results along the free axes to 128 accumulators, one per lane, before
    they are rounded to dst's dtype; reduce_res reads them out, at the cost of a second instruction.
    """
    y = activations.activate(op, _scaled(data, scale, bias))
    if reduce_cmd == "idle" and out is None:
        return y, None, accumulators
    sums, known = _copied(accumulators)
    here = lanes
    if reduce_cmd in ("reset", "reset_reduce"):
        sums[here], known[here] = 0, True
    elif not known[here].all():
        raise Refused("E0503", f"the engine holds no {ACCUMULATORS.name} yet", ACCUMULATORS.how)
    if reduce_cmd in ("reduce", "reset_reduce"):
        sums[here] += alu.reduce("add", y, 1)[:, None]
    return y, sums[here], (sums, known)


def _scaled(data: Any, scale: Any, bias: Any) -> Any:
    """The argument data * scale + bias, each of the two steps rounded to float32."""
    if not (isinstance(scale, float) and scale == 1.0):
        data = data * scale
    return data if bias is None else data + bias


def _copied(accumulators: Any) -> tuple[Any, Any]:
    """The lanes' sums, and which of them were ever set."""
    if not accumulators:
        return np.zeros((LANE_COUNT, 1), np.float32), np.zeros(LANE_COUNT, np.bool_)
    sums, known = accumulators
    return sums.copy(), known.copy()
