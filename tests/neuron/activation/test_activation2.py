"""Activation2, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nasm.targets.neuron.activations import ACTIVATIONS
from tests.neuron import scalar
from tests.neuron.programs import cost, fault, ran, refused, result, sbuf

F32 = np.float32
PLAIN = "op0=bypass, op1=bypass"


@pytest.mark.parametrize(
    ("stages", "want"),
    [
        ("op0=multiply, imm0=2, op1=add, imm1=1", [7, -9]),
        ("op0=multiply, imm0=2, op1=subtract, imm1=1", [5, -11]),
        ("op0=multiply, imm0=2, op1=subtract, imm1=1, reverse1=true", [-5, 11]),
        ("op0=multiply, imm0=2, op1=bypass", [6, -10]),
        ("op0=add, imm0=2, op1=bypass, imm1=9", [5, -3]),
        ("op0=subtract, imm0=2, op1=bypass", [1, -7]),
        ("op0=subtract, imm0=2, op1=bypass, reverse0=true", [-1, 7]),
        (PLAIN, [3, -5]),
    ],
)
def test_two_operators_come_before_the_function(stages: str, want: list[float]) -> None:
    got = result(
        f"@scalar Activation2 c, a, op=copy, {stages}",
        "trn3",
        a=sbuf("i8", [[3, -5]]),
        c=sbuf("f32", (1, 2)),
    )
    assert got.tolist() == [want]


def test_immediates_may_be_one_value_per_partition() -> None:
    got = result(
        "@scalar Activation2 c, a, op=relu, op0=multiply, imm0=s, op1=add, imm1=b",
        "trn3",
        a=sbuf("f32", [[1, 2], [3, 4]]),
        s=sbuf("bf16", [[2], [-1]]),
        b=sbuf("bf16", [[1], [3.5]]),
        c=sbuf("f32", (2, 2)),
    )
    assert got.tolist() == [[3, 5], [0.5, 0]]


@pytest.mark.parametrize("slope", ["0.5", "s"])
def test_prelu_scales_what_is_below_zero(slope: str) -> None:
    got = result(
        f"@scalar Activation2 c, a, op=prelu, {PLAIN}, relu_param={slope}",
        "trn3",
        a=sbuf("f32", [[4, -4, 0]]),
        s=sbuf("f32", [[0.5]]),
        c=sbuf("f32", (1, 3)),
    )
    assert got.tolist() == [[4, -2, 0]]


def test_every_function_is_that_of_the_table() -> None:
    for op in ACTIVATIONS:
        if op == "prelu":
            continue
        got = result(
            f"@scalar Activation2 c, a, op={op}, {PLAIN}",
            "trn3",
            a=sbuf("f32", [[0.75]]),
            c=sbuf("f32", (1, 1)),
        )
        # One unit in the last place: two libraries' float64 may round to two sides of a tie.
        np.testing.assert_allclose(got[0, 0], scalar.ACTIVATION[op](0.75), rtol=2.0**-23)


@pytest.mark.parametrize(
    ("op", "first", "last", "empty"),
    [
        ("add", -4, -8, 0),
        ("maximum", 3, 3, -math.inf),
        ("minimum", -5, -5, math.inf),
        ("abs_max", -5, -5, 0),
        ("abs_min", -2, -2, math.inf),
    ],
)
def test_every_reduction_goes_on_from_its_identity(
    op: str, first: float, last: float, empty: float
) -> None:
    line = f"Activation2 c, a, op=copy, {PLAIN}, reduce_op={op}"
    done = ran(
        f"@scalar\n{line}, reduce_cmd=reset_reduce, reduce_res=t[:, 0:1]\n"
        f"{line}, reduce_cmd=reduce, reduce_res=t[:, 1:2]\n"
        f"Activation2 c, a, op=copy, {PLAIN}, reduce_res=t[:, 2:3]\n"
        f"{line}, reduce_cmd=reset\nActReadAccumulator t[:, 3:4]",
        "trn3",
        a=sbuf("f32", [[3, -5, -2]]),
        c=sbuf("f32", (1, 3)),
        t=sbuf("f32", (1, 4)),
    )
    assert done.read("t").tolist() == [[first, last, last, empty]]


def test_an_operator_with_idle_reads_the_accumulators_and_warns() -> None:
    line = f"Activation2 c, a, op=copy, {PLAIN}, reduce_op=maximum"
    done = ran(
        f"@scalar\n{line}, reduce_cmd=reset_reduce\n"
        f"Activation2 c, b, op=copy, {PLAIN}, reduce_op=maximum, reduce_res=t",
        "trn3",
        a=sbuf("f32", [[3, -5]]),
        b=sbuf("f32", [[9, 9]]),
        c=sbuf("f32", (1, 2)),
        t=sbuf("f32", (1, 1)),
    )
    assert done.read("t").tolist() == [[3]]
    (warning,) = done.program.warnings
    assert "reduce_op=maximum with reduce_cmd=idle reduces nothing" in warning.message


def test_activation_and_activation2_share_the_accumulators() -> None:
    done = ran(
        "@scalar\nActivation c, a, op=square, reduce_op=add, reduce_cmd=reset_reduce\n"
        f"Activation2 c, a, op=copy, {PLAIN}, reduce_op=add, reduce_cmd=reduce, reduce_res=t",
        "trn3",
        a=sbuf("f32", [[3, 4]]),
        c=sbuf("f32", (1, 2)),
        t=sbuf("f32", (1, 1)),
    )
    assert done.read("t").tolist() == [[32]]


def test_reducing_onto_accumulators_never_set_is_a_fault() -> None:
    problem = fault(
        f"@scalar Activation2 c, a, op=copy, {PLAIN}, reduce_op=add, reduce_cmd=reduce",
        "trn3",
        a=sbuf("f32", [[1]]),
        c=sbuf("f32", (1, 1)),
    )
    assert problem.code == "E0503"


def test_the_range_of_a_function_holds_after_both_operators() -> None:
    line = "@scalar Activation2 c, a, op=log, op0=multiply, imm0=-1.0, op1=add, imm1=0.5"
    done = ran(line, "trn3", a=sbuf("f32", [[0.25, 1.5]]), c=sbuf("f32", (1, 2)))
    (warning,) = (w for w in done.report().warnings if w.code == "E0515")
    assert "takes log of -1, outside" in warning.message


def test_a_parameter_that_nothing_uses_is_a_warning() -> None:
    done = ran(
        f"@scalar Activation2 c, a, op=relu, {PLAIN}, relu_param=0.5",
        "trn3",
        a=sbuf("f32", [[1]]),
        c=sbuf("f32", (1, 1)),
    )
    (warning,) = done.program.warnings
    assert "op=relu, which has no parameter" in warning.message


def test_earlier_generations_lack_it() -> None:
    (problem,) = refused(
        f"@scalar Activation2 c, a, op=copy, {PLAIN}",
        "trn2",
        a=sbuf("f32", (1, 1)),
        c=sbuf("f32", (1, 1)),
    )
    assert problem.code == "E0408"


def test_its_cost_is_taken_as_an_activations() -> None:
    tiles = {"a": sbuf("f32", (128, 500)), "c": sbuf("f32", (128, 500)), "t": sbuf("f32", (128, 1))}
    tail = "reduce_op=add, reduce_cmd=reset_reduce, reduce_res=t"
    ours = cost(f"@scalar Activation2 c, a, op=exp, {PLAIN}, {tail}", "trn3", **tiles)
    theirs = cost(f"@scalar Activation c, a, op=exp, {tail}", "trn3", **tiles)
    assert (ours.interval, ours.latency) == (theirs.interval, theirs.latency)
    assert ours.evidence.value == "assumed"
