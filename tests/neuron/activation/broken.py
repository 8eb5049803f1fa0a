"""Activation and Activation2."""

from __future__ import annotations

from tests.neuron.broken import Broken


def cases() -> list[Broken]:
    return [*_activation(), *_activation2()]


def _activation2() -> list[Broken]:
    row, on = "Activation2", "trn3"
    head, plain = "@scalar Activation2 c, a, op=copy", "op0=bypass, op1=bypass"
    scaled = f"{head}, imm0=2.0, op0=multiply, op1=bypass"
    return [
        Broken(
            row,
            "dst and data have",
            "E0404",
            "data 32",
            f"@scalar Activation2 c, thin, op=copy, {plain}",
            on,
        ),
        Broken(
            row, "data, imm0", "E0404", "relu_param 64", f"{head}, {plain}, relu_param=col64", on
        ),
        Broken(
            row,
            "op0 and op1 are one",
            "E0408",
            "op0=add, op1=add",
            f"{head}, imm0=1.0, imm1=1.0, op0=add, op1=add",
            on,
        ),
        Broken(
            row,
            "op0 and op1 are one",
            "E0408",
            "op0=bypass, op1=add",
            f"{head}, imm1=1.0, op0=bypass, op1=add",
            on,
        ),
        Broken(
            row,
            "an operator other than bypass",
            "E0407",
            "op1=add without imm1",
            f"{head}, imm0=1.0, op0=multiply, op1=add",
            on,
        ),
        Broken(
            row,
            "an operator other than bypass",
            "E0407",
            "reverse1=true with op1=bypass",
            f"{scaled}, reverse1=true",
            on,
        ),
        Broken(
            row,
            "imm0 and imm1 are of one",
            "E0405",
            "imm0 is float32, imm1 int32",
            f"{head}, imm0=col, imm1=icol, op0=multiply, op1=add",
            on,
        ),
        Broken(
            row,
            "a reduction needs reduce_op, and",
            "E0407",
            "reduce_cmd=reset without reduce_op",
            f"{scaled}, reduce_cmd=reset",
            on,
        ),
    ]


def _activation() -> list[Broken]:
    row = "Activation"
    head = "@scalar Activation c, a, op=exp"
    return [
        Broken(row, "dst and data have", "E0404", "data 32", "@scalar Activation c, thin, op=exp"),
        Broken(row, "data, bias, scale", "E0404", "bias 64", f"{head}, bias=col64"),
        Broken(row, "data, bias, scale", "E0404", "scale 64", f"{head}, scale=col64"),
        Broken(row, "data, bias, scale", "E0404", "reduce_res 64", f"{head}, reduce_res=col64"),
        Broken(row, "on v2 bias is", "E0408", "bias=1.0 on v2", f"{head}, bias=1.0", "trn1"),
        Broken(row, "bias is of any dtype", "E0405", "tfloat32", f"{head}, bias=tcol"),
        Broken(
            row,
            "reciprocal takes no bias",
            "E0407",
            "with a bias",
            "@scalar Activation c, a, op=reciprocal, bias=col",
            "trn1",
        ),
        Broken(
            row,
            "a reduction needs reduce_op=add",
            "E0407",
            "reduce_cmd=reduce without reduce_op",
            f"{head}, reduce_cmd=reduce",
        ),
    ]
