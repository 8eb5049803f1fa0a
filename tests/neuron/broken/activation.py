"""Activation."""

from __future__ import annotations

from tests.neuron.broken.case import Broken


def cases() -> list[Broken]:
    row = "Activation"
    head = "@scalar Activation c, a, op=exp"
    return [
        Broken(row, "dst and data have", "E0404", "data 32", "@scalar Activation c, thin, op=exp"),
        Broken(row, "data, bias, scale", "E0404", "bias 64", f"{head}, bias=col64"),
        Broken(row, "data, bias, scale", "E0404", "scale 64", f"{head}, scale=col64"),
        Broken(row, "data, bias, scale", "E0404", "reduce_res 64", f"{head}, reduce_res=col64"),
        Broken(row, "on v2 bias is", "E0408", "bias=1.0 on v2", f"{head}, bias=1.0", "trn1"),
        Broken(row, "bias is of any dtype", "E0405", "tfloat32", f"{head}, bias=tcol"),
        Broken(row, "reciprocal takes no bias", "E0407", "with a bias",
               "@scalar Activation c, a, op=reciprocal, bias=col", "trn1"),
        Broken(row, "a reduction says", "E0407", "reduce_cmd=reduce without reduce_op",
               f"{head}, reduce_cmd=reduce"),
        Broken(row, "a reduction says", "E0407", "sums nothing", f"{head}, reduce_op=add"),
    ]  # fmt: skip
