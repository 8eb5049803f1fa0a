"""The instructions that share Vector's accumulators."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import psum, sbuf

MASK = {"mask": sbuf("u8", (128, 64)), "mask32": sbuf("u8", (128, 32))}

DEEP = "x[:, 0:2, 0:2, 0:2, 0:2]"
LONG = {"x": sbuf("f32", (1, 3, 3, 3, 3)), "long": sbuf("f32", (1, 16))}


def _exponential() -> list[Broken]:
    row, head = "Exponential", "@vector Exponential c, a"
    return [
        Broken(row, "dst and src have", "E0404", "src 32", "@vector Exponential c, thin", "trn3"),
        Broken(row, "src, max_value", "E0404", "max_value 64", f"{head}, col64", "trn3"),
        Broken(
            row,
            "src has at most 3",
            "E0402",
            "src needs 4 free dims",
            f"@vector Exponential long, {DEEP}",
            "trn3",
            tiles=LONG,
        ),
        Broken(
            row,
            "dst has at most 3",
            "E0402",
            "dst needs 4 free dims",
            f"@vector Exponential {DEEP}, long",
            "trn3",
            tiles=LONG,
        ),
        Broken(
            row,
            "reduce_cmd=idle leaves",
            "E0407",
            "reduce_res with reduce_cmd=idle",
            f"{head}, reduce_res=col",
            "trn3",
        ),
        Broken(
            row,
            "reduce_init is for",
            "E0407",
            "reduce_init with reduce_cmd=reduce",
            f"{head}, reduce_cmd=reduce, reduce_init=1.0",
            "trn3",
        ),
    ]


def _range_select() -> list[Broken]:
    row, tail = "RangeSelect", "comp_op0=less, comp_op1=less"
    head = f"@vector RangeSelect c, a, col, col, {tail}"
    return [
        Broken(
            row,
            "dst and on_true_tile",
            "E0404",
            "on_true_tile 32",
            f"@vector RangeSelect c, thin, col, col, {tail}",
        ),
        Broken(
            row,
            "on_true_tile, bound0",
            "E0404",
            "bound1 64",
            f"@vector RangeSelect c, a, col, col64, {tail}",
        ),
        Broken(
            row,
            "reduce_cmd=idle leaves",
            "E0407",
            "reduce_res with reduce_cmd=idle",
            f"{head}, reduce_cmd=idle, reduce_res=col",
        ),
        Broken(
            row,
            "range_start and",
            "E0410",
            "indices 16,777,154 to 16,777,217",
            f"{head}, range_start=2**24 - 62",
        ),
        Broken(
            row, "on_false_value is", "E0407", "on_false_value=-1", f"{head}, on_false_value=-1"
        ),
    ]


def _select_reduce() -> list[Broken]:
    row, head = "SelectReduce", "@vector SelectReduce c, mask, a, 0.0"
    pmask = {"pmask": psum("u8", (128, 64))}
    return [
        Broken(
            row,
            "dst, predicate and on_true",
            "E0404",
            "predicate 32",
            "@vector SelectReduce c, mask32, a, 0.0",
            tiles=MASK,
        ),
        Broken(
            row,
            "on_true, on_false",
            "E0404",
            "on_false 64",
            "@vector SelectReduce c, mask, a, col64",
            tiles=MASK,
        ),
        Broken(
            row,
            "on_true and predicate are not",
            "E0406",
            "both in psum",
            "@vector SelectReduce c, pmask, p, 0.0",
            tiles=pmask,
        ),
        Broken(
            row,
            "reduce_cmd=idle leaves",
            "E0407",
            "reduce_res with reduce_cmd=idle",
            f"{head}, reduce_res=col",
            tiles=MASK,
        ),
    ]


def _tensor_scalar_reduce() -> list[Broken]:
    row, tail = "TensorScalarReduce", "op0=add, operand0=1.0, reduce_op=add"
    head = f"@vector TensorScalarReduce c, a, {tail}"
    return [
        Broken(
            row,
            "dst and data have",
            "E0404",
            "data 32",
            f"@vector TensorScalarReduce c, thin, {tail}",
        ),
        Broken(row, "data, operand0", "E0404", "reduce_res 64", f"{head}, reduce_res=col64"),
        Broken(
            row,
            "op0 needs operand0",
            "E0407",
            "op0=add without operand0",
            "@vector TensorScalarReduce c, a, op0=add, reduce_op=add",
        ),
        Broken(
            row,
            "op0 needs operand0",
            "E0407",
            "op0=abs takes no operand0",
            "@vector TensorScalarReduce c, a, op0=abs, operand0=2.0, reduce_op=add",
        ),
        Broken(
            row,
            "an operator runs on",
            "E0408",
            "op0=square on vector",
            "@vector TensorScalarReduce c, a, op0=square, reduce_op=add",
        ),
        Broken(row, "reverse0 is not", "E0407", "reverse0=true", f"{head}, reverse0=true"),
        Broken(
            row,
            "reduce_cmd=load_reduce needs",
            "E0407",
            "without reduce_init",
            f"{head}, reduce_cmd=load_reduce",
        ),
        Broken(
            row,
            "reduce_init is for",
            "E0407",
            "reduce_init with reduce_cmd=reset_reduce",
            f"{head}, reduce_init=0.0",
        ),
    ]


def _tensor_scalar_cumulative() -> list[Broken]:
    row, tail = "TensorScalarCumulative", "op0=add, op1=add, imm0=1.0"
    head = f"@vector TensorScalarCumulative c, a, {tail}"
    return [
        Broken(
            row,
            "dst and src have",
            "E0404",
            "src 32",
            f"@vector TensorScalarCumulative c, thin, {tail}",
        ),
        Broken(
            row,
            "src, imm0 and imm1",
            "E0404",
            "imm1 64",
            f"{head}, imm1=col64, reduce_cmd=load_reduce",
        ),
        Broken(
            row,
            "op0 needs imm0",
            "E0407",
            "op0=add without imm0",
            "@vector TensorScalarCumulative c, a, op0=add, op1=add",
        ),
        Broken(
            row,
            "an operator runs on",
            "E0408",
            "op0=power on vector",
            "@vector TensorScalarCumulative c, a, op0=power, op1=add, imm0=2.0",
        ),
        Broken(
            row,
            "reduce_cmd=load_reduce needs",
            "E0407",
            "without imm1",
            f"{head}, reduce_cmd=load_reduce",
        ),
    ]


def cases() -> list[Broken]:
    return [
        *_exponential(),
        *_range_select(),
        *_select_reduce(),
        *_tensor_scalar_reduce(),
        *_tensor_scalar_cumulative(),
    ]
