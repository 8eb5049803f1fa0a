"""The instructions that share Vector's accumulators, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.neuron.programs import cost, fault, psum, ran, result, sbuf

F32 = np.float32
MIN = float(np.finfo(np.float32).min)


# -- what the accumulators do


def test_what_one_instruction_leaves_another_goes_on_with() -> None:
    done = ran(
        "@vector\n"
        "TensorScalarReduce c, a, op0=multiply, operand0=2.0, reduce_op=add\n"
        "TensorScalarCumulative c, a, op0=add, op1=subtract, imm0=0.0, reduce_cmd=reduce\n"
        "Exponential c, z, reduce_cmd=reduce\n"
        "SelectReduce c, mask, a, 4.0, reduce_cmd=reduce\n"
        "RangeSelect c, a, low, low, comp_op0=greater, comp_op1=greater, reduce_cmd=reduce, "
        "reduce_res=m",
        "trn3",
        a=sbuf("f32", [[1, 2], [10, 20]]),
        z=sbuf("f32", [[0, 0], [0, 0]]),
        mask=sbuf("u8", [[1, 0], [1, 1]]),
        low=sbuf("f32", [[9], [0]]),
        c=sbuf("f32", (2, 2)),
        m=sbuf("f32", (2, 1)),
    )
    # Lane 0: 2 + 4 = 6; 2 - (1 - 6) = 7; + e^0 + e^0 = 9; max(1, 4) changes nothing, nor does
    # FP32_MIN. Lane 1: 60; 20 - (10 - 60) = 70; 72; max(10, 20); 20 of index 1.
    assert done.read("m").tolist() == [[9], [72]]


@pytest.mark.parametrize(
    ("line", "on"),
    [
        ("Exponential c, a", "trn3"),
        ("SelectReduce c, a, a, 1.0", "trn1"),
        ("RangeSelect c, f, l, l, comp_op0=less, comp_op1=less, reduce_cmd=idle", "trn2"),
    ],
)
@pytest.mark.parametrize("reader", ["TensorScalarReduce", "TensorScalarCumulative"])
def test_idle_leaves_the_accumulators_unknown(line: str, on: str, reader: str) -> None:
    on = "trn2" if (on, reader) == ("trn1", "TensorScalarCumulative") else on
    tail = {
        "TensorScalarReduce": "op0=add, operand0=0.0, reduce_op=add, reduce_cmd=reduce",
        "TensorScalarCumulative": "op0=add, imm0=0.0, op1=add, reduce_cmd=reduce",
    }[reader]
    tiles = {
        "a": sbuf("u8", [[1, 2]]),
        "f": sbuf("f32", [[1, 2]]),
        "l": sbuf("f32", [[1]]),
        "c": sbuf("f32", (1, 2)),
    }
    start = "TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add"
    assert fault(f"@vector {reader} c, a, {tail}", on, **tiles).message == (
        "the engine holds no accumulators yet"
    )
    ran(f"@vector\n{start}\n{reader} c, a, {tail}", on, **tiles)
    problem = fault(f"@vector\n{start}\n{line}\n{reader} c, a, {tail}", on, **tiles)
    assert problem.code == "E0503"
    assert "reduce_cmd=idle has left the accumulators unknown" in problem.message
    assert "reset_reduce" in problem.hint
    ran(f"@vector\n{line}\n{start}\n{reader} c, a, {tail}", on, **tiles)


def test_scalar_and_vector_have_accumulators_of_their_own() -> None:
    tiles = {
        "a": sbuf("f32", [[1, 2]]),
        "c": sbuf("f32", (1, 2)),
        "d": sbuf("f32", (1, 2)),
        "m": sbuf("f32", (1, 1)),
    }
    text = (
        "@vector TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add $s++\n"
        "@scalar Activation d, a, op=copy, reduce_op=add, reduce_cmd=reduce, reduce_res=m $s >= 1"
    )
    assert fault(f".sem s\n{text}", **tiles).code == "E0503"


def test_a_lane_is_a_partition_of_the_input() -> None:
    done = ran(
        "@vector\nTensorScalarReduce c[64:66], a[32:34], op0=add, operand0=0.0, reduce_op=add\n"
        "TensorScalarReduce c[0:2], a[32:34], op0=add, operand0=0.0, reduce_op=add, "
        "reduce_cmd=reduce, reduce_res=m",
        a=sbuf("f32", np.arange(64).reshape(64, 1)),
        c=sbuf("f32", (128, 1)),
        m=sbuf("f32", (2, 1)),
    )
    assert done.read("m").tolist() == [[64], [66]]


def test_reduce_res_may_be_dst_and_gets_the_result_of_the_reduction() -> None:
    got = result(
        "@vector TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add, "
        "reduce_res=c[:, 0:1]",
        a=sbuf("f32", [[1, 2, 4]]),
        c=sbuf("f32", (1, 3)),
    )
    assert got.tolist() == [[7, 2, 4]]


def test_the_columns_of_inputs_may_be_picked_by_a_tile() -> None:
    picked = "a.indirect(i, num_elem=3)"
    done = ran(
        f"@vector\nExponential c, {picked}, b, reduce_cmd=reset_reduce\n"
        f"TensorScalarReduce c, {picked}, op0=add, operand0=0.0, reduce_op=add, reduce_res=m\n"
        f"TensorScalarCumulative c, {picked}, op0=add, op1=add, imm0=0.0\n"
        f"@scalar Activation2 d, {picked}, op=copy, op0=bypass, op1=bypass, reduce_op=add, "
        "reduce_cmd=reset_reduce, reduce_res=n",
        "trn3",
        a=sbuf("f32", np.tile([5, 7, 11], (16, 1))),
        i=sbuf("u16", [[2], [0], [2]] + [[0]] * 13),
        b=sbuf("f32", [[11]] * 16),
        c=sbuf("f32", (16, 3)),
        d=sbuf("f32", (16, 3)),
        m=sbuf("f32", (16, 1)),
        n=sbuf("f32", (16, 1)),
    )
    assert done.read("c").tolist() == [[11, 16, 27]] * 16
    assert done.read("d").tolist() == [[11, 5, 11]] * 16
    assert done.read("m").tolist() == done.read("n").tolist() == [[27]] * 16


# -- the machine option accumulate: 257 is no bfloat16, and becomes 256


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        (
            "@vector TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add, reduce_res=m",
            514,
            512,
        ),
        ("@vector SelectReduce c, mask, a, 0.0, reduce_cmd=reset_reduce, reduce_res=m", 257, 256),
        (
            "@scalar Activation c, a, op=copy, reduce_op=add, reduce_cmd=reset_reduce, "
            "reduce_res=m",
            514,
            512,
        ),
        (
            "@scalar Activation2 c, a, op=copy, op0=bypass, op1=bypass, reduce_op=maximum, "
            "reduce_cmd=reset_reduce, reduce_res=m",
            257,
            256,
        ),
        ("@vector Exponential c, a, 251.45095, reduce_cmd=reset_reduce, reduce_res=m", None, 512),
        (
            "@vector RangeSelect c, a, z, z, comp_op0=greater_equal, comp_op1=greater_equal, "
            "reduce_res=m",
            257,
            257,
        ),
    ],
)
def test_the_option_chooses_what_is_accumulated(
    line: str, before: float | None, after: float
) -> None:
    tiles = {
        "a": sbuf("f32", [[257, 257]]),
        "mask": sbuf("u8", [[1, 1]]),
        "z": sbuf("f32", [[0]]),
        "c": sbuf("bf16", (1, 2)),
        "m": sbuf("f32", (1, 1)),
    }
    found = {}
    for chosen in ("before_cast", "after_cast"):
        done = ran(line, "trn3", {"accumulate": chosen}, **tiles)
        assert done.read("c").astype(F32).tolist() == [[256, 256]]
        found[chosen] = float(done.read("m")[0, 0])
    assert found["after_cast"] == after
    # e^(257 - 251.45095) is 257.0 less a bit: twice that is no bfloat16.
    assert found["before_cast"] == (before or pytest.approx(514, rel=1e-4))


def test_what_is_accumulated_after_the_cast_is_cast_as_the_options_say() -> None:
    done = ran(
        "@vector TensorScalarReduce c, a, op0=multiply, operand0=1.0, reduce_op=add, reduce_res=m",
        "trn3",
        {"accumulate": "after_cast", "cast.overflow": "saturate"},
        a=sbuf("f32", [[1000, 1]]),
        c=sbuf("float8_e4m3", (1, 2)),
        m=sbuf("f32", (1, 1)),
    )
    assert done.read("m").tolist() == [[241]]
    by_chance = ran(
        "@vector TensorScalarReduce c, a, op0=multiply, operand0=1.0, reduce_op=add, reduce_res=m",
        "trn3",
        {"accumulate": "after_cast", "rounding": "stochastic"},
        a=sbuf("f32", np.full((1, 100), 257)),
        c=sbuf("bf16", (1, 100)),
        m=sbuf("f32", (1, 1)),
    )
    stored = by_chance.read("c").astype(F32)
    assert set(stored.ravel().tolist()) == {256, 258}
    assert by_chance.read("m").tolist() == [[stored.sum()]]


# -- TensorScalarReduce


@pytest.mark.parametrize(
    ("op", "want"), [("add", 10), ("multiply", 24), ("maximum", 4), ("minimum", 1)]
)
def test_every_reduction_starts_from_its_identity(op: str, want: float) -> None:
    done = ran(
        f"@vector TensorScalarReduce c, a, op0=abs, reduce_op={op}, reduce_res=m",
        a=sbuf("f32", [[1, -2, 3, -4]]),
        c=sbuf("f32", (1, 4)),
        m=sbuf("f32", (1, 1)),
    )
    assert done.read("c").tolist() == [[1, 2, 3, 4]]
    assert done.read("m").tolist() == [[want]]


def test_load_reduce_starts_from_a_number_or_from_a_tile() -> None:
    done = ran(
        "@vector\nTensorScalarReduce c, a, op0=subtract, operand0=b, reduce_op=add, "
        "reduce_cmd=load_reduce, reduce_init=100.0, reduce_res=m\n"
        "TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=multiply, "
        "reduce_cmd=load_reduce, reduce_init=b, reduce_res=n",
        a=sbuf("f32", [[1, 2], [3, 4]]),
        b=sbuf("f32", [[1], [10]]),
        c=sbuf("f32", (2, 2)),
        m=sbuf("f32", (2, 1)),
        n=sbuf("bf16", (2, 1)),
    )
    assert done.read("m").tolist() == [[101], [87]]
    assert done.read("n").astype(F32).tolist() == [[2], [120]]


def test_negation_is_of_what_is_read_not_of_what_is_kept() -> None:
    line = "TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add"
    done = ran(
        f"@vector\n{line}, reduce_res=m, reduce_res_negate=true\n"
        f"{line}, reduce_cmd=reduce, reduce_res=n",
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        m=sbuf("f32", (1, 1)),
        n=sbuf("f32", (1, 1)),
    )
    assert (done.read("m").tolist(), done.read("n").tolist()) == ([[-3]], [[6]])


# -- TensorScalarCumulative


@pytest.mark.parametrize(
    ("op1", "want"),
    [
        ("add", [3, 5, 10]),
        ("subtract", [3, -1, 6]),
        ("multiply", [3, 6, 30]),
        ("maximum", [3, 3, 5]),
        ("minimum", [3, 2, 2]),
    ],
)
def test_the_new_element_is_the_left_side_of_the_running_value(op1: str, want: list[int]) -> None:
    got = result(
        f"@vector TensorScalarCumulative c, a, op0=add, op1={op1}, imm0=1.0",
        "trn2",
        a=sbuf("f32", [[2, 1, 4]]),
        c=sbuf("f32", (1, 3)),
    )
    assert got.tolist() == [want]


def test_a_walk_goes_on_across_axes_and_instructions_in_float32() -> None:
    done = ran(
        "@vector\nTensorScalarCumulative c, a, op0=multiply, op1=add, imm0=1.0, "
        "reduce_cmd=load_reduce, imm1=b\n"
        "TensorScalarCumulative d, a, op0=multiply, op1=add, imm0=1.0, reduce_cmd=reduce, imm1=b",
        "trn3",
        a=sbuf("i8", [[[100, 100], [57, 1]]]),
        b=sbuf("f32", [[0.25]]),
        c=sbuf("bf16", (1, 2, 2)),
        d=sbuf("f32", (1, 4)),
    )
    assert done.read("c").astype(F32).tolist() == [[[100, 200], [258, 258]]]
    assert done.read("d").tolist() == [[358.25, 458.25, 515.25, 516.25]]


# -- RangeSelect


def test_indices_are_compared_with_both_bounds() -> None:
    done = ran(
        "@vector RangeSelect c, a, low, high, comp_op0=greater_equal, comp_op1=less, "
        "range_start=10, reduce_res=m",
        "trn2",
        a=sbuf("bf16", [[5, 6, 7, 8], [-5, -6, -7, -8]]),
        low=sbuf("f32", [[11], [0]]),
        high=sbuf("f32", [[13], [10]]),
        c=sbuf("f32", (2, 4)),
        m=sbuf("f32", (2, 1)),
    )
    assert done.read("c").tolist() == [[MIN, 6, 7, MIN], [MIN] * 4]
    assert done.read("m").tolist() == [[7], [MIN]]


def test_a_row_of_nothing_is_minus_infinity_in_bfloat16_and_finite_in_reduce_res() -> None:
    # The published advice: with float32 in reduce_res the exponential of the difference is 0.
    done = ran(
        "@vector RangeSelect c, a, z, z, comp_op0=less, comp_op1=less, reduce_res=m, "
        "on_false_value=-3.4028235e38",
        "trn2",
        a=sbuf("f32", [[1, 2]]),
        z=sbuf("f32", [[0]]),
        c=sbuf("bf16", (1, 2)),
        m=sbuf("f32", (1, 1)),
    )
    assert done.read("c").astype(F32).tolist() == [[-math.inf, -math.inf]]
    assert done.read("m").tolist() == [[MIN]]


def test_reset_starts_a_maximum_without_this_instructions_elements() -> None:
    line = "RangeSelect c, a, z, z, comp_op0=greater_equal, comp_op1=equal"
    done = ran(
        f"@vector\n{line}, reduce_cmd=reset, reduce_res=m\n{line}, reduce_cmd=reduce, reduce_res=n",
        "trn2",
        a=sbuf("f32", [[-7, -2]]),
        z=sbuf("f32", [[0]]),
        c=sbuf("f32", (1, 2)),
        m=sbuf("f32", (1, 1)),
        n=sbuf("f32", (1, 1)),
    )
    assert (done.read("m").tolist(), done.read("n").tolist()) == ([[-math.inf]], [[-7]])


# -- SelectReduce


@pytest.mark.parametrize("reverse", [False, True])
def test_a_predicate_is_any_integer_that_is_not_zero(reverse: bool) -> None:
    done = ran(
        f"@vector SelectReduce c, mask, a, b, reduce_cmd=reset_reduce, reduce_res=m, "
        f"reverse_pred={str(reverse).lower()}",
        mask=psum("i16", [[-1, 0, 256, 0]]),
        a=sbuf("f16", [[1, 2, 3, 4]]),
        b=sbuf("i8", [[9]]),
        c=sbuf("f32", (1, 4)),
        m=sbuf("bf16", (1, 1)),
    )
    want = [9, 2, 9, 4] if reverse else [1, 9, 3, 9]
    assert done.read("c").tolist() == [want]
    assert float(done.read("m")[0, 0]) == 9


# -- Exponential


def test_the_maximum_is_subtracted_before_the_exponential() -> None:
    done = ran(
        "@vector Exponential c, a, b, reduce_res=m, reduce_cmd=load_reduce, reduce_init=0.5",
        "trn3",
        a=sbuf("i32", [[1000, 998], [0, 1]]),
        b=sbuf("f32", [[1000], [1]]),
        c=sbuf("f32", (2, 2)),
        m=sbuf("f32", (2, 1)),
    )
    want = [[1, math.exp(-2)], [math.exp(-1), 1]]
    np.testing.assert_allclose(done.read("c"), want, rtol=1e-7)
    np.testing.assert_allclose(done.read("m")[:, 0], [sum(w) + 0.5 for w in want], rtol=1e-7)


# -- time


def test_an_exponential_takes_a_quarter_cycle_per_element() -> None:
    tiles = {"a": sbuf("bf16", (128, 1024)), "c": sbuf("bf16", (128, 1024))}
    assert cost("@vector Exponential c, a", "trn3", **tiles).interval == 256


def test_reading_the_accumulators_adds_the_shortest_interval() -> None:
    tiles = {"a": sbuf("f32", (128, 200)), "c": sbuf("f32", (128, 200)), "m": sbuf("f32", (128, 1))}
    line = "@vector TensorScalarReduce c, a, op0=add, operand0=0.0, reduce_op=add"
    assert cost(line, **tiles).interval == 200
    assert cost(f"{line}, reduce_res=m", **tiles).interval == 264


def test_two_tiles_in_sbuf_take_two_cycles_per_element() -> None:
    line = "@vector SelectReduce c, mask, a, 0.0"
    tiles = {"a": sbuf("f32", (128, 200)), "c": sbuf("f32", (128, 200))}
    assert cost(line, mask=sbuf("u8", (128, 200)), **tiles).interval == 400
    assert cost(line, mask=psum("u8", (128, 200)), **tiles).interval == 200


def test_what_no_figure_is_published_for_is_assumed() -> None:
    tiles = {"a": sbuf("f32", (128, 200)), "c": sbuf("f32", (128, 200))}
    line = "@vector TensorScalarCumulative c, a, op0=add, op1=add, imm0=0.0"
    found = cost(line, "trn2", **tiles)
    assert (found.interval, found.evidence.value) == (200, "assumed")
