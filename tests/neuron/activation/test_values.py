"""Activation: functions of scaled and biased elements, and the sums that stay in the lanes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nasm.base.problems import Severity
from nasm.targets.neuron import activations
from tests.neuron import scalar as reference
from tests.neuron.programs import Array, fault, psum, ran, result, sbuf, times
from tests.parts import part
from tests.tables import each

F32 = np.float32
SUMS = "reduce_op=add, reduce_cmd"


def test_the_reference_knows_every_function() -> None:
    assert set(reference.ACTIVATION) == set(activations.PLAIN)


def arguments(op: str, shape: tuple[int, int]) -> Array:
    values = np.random.default_rng(len(op)).standard_normal(shape) * 1.4
    values = np.clip(values, -3.1, 3.1)
    return np.asarray((np.abs(values) + 0.01 if op in reference.POSITIVE else values), F32)


@each("op", activations.PLAIN)
def test_every_function_of_scaled_and_biased_elements(op: str) -> None:
    data = arguments(op, (4, 25))
    done = ran(
        f"@scalar Activation c, a, op={op}, scale=1.5, bias=b",
        "trn2",
        a=sbuf("f32", data),
        b=sbuf("f32", [[0.25]] * 4),
        c=sbuf("f32", (4, 25)),
    )
    if op == "sin":  # beyond pi lies a cubic, tried by hand below
        data = np.where(np.abs(data * 1.5 + 0.25) < 3.14, data, F32(0))
    want = np.array(
        [
            [
                reference.f(
                    reference.ACTIVATION[op](reference.f(reference.f(float(v) * 1.5) + 0.25))
                )
                for v in row
            ]
            for row in data
        ],
        F32,
    )
    got = done.read("c")[data != 0]
    # One unit in the last place: the mathematical value is rounded once on either side, but what
    # both compute in float64 may fall on two sides of a tie, or near one.
    np.testing.assert_array_max_ulp(got, want[data != 0], maxulp=1)


def test_sin_beyond_pi_is_the_published_cubic() -> None:
    got = result("@scalar Activation c, a, op=sin", a=sbuf("f32", [[9.0]]), c=sbuf("f32", (1, 1)))
    # Printed with six digits: -(9 - pi) + (9 - pi)**3 / 6.
    assert float(got[0, 0]) == pytest.approx(27.6526, rel=2e-6)


@pytest.mark.parametrize("seed", part(range(12), 4))
def test_scale_comes_first_then_bias_each_rounded_to_float32(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 20)))
    source, dst, kind = draw.choice(["float32", "bfloat16", "float16", "int16"], 3)
    data = (draw.standard_normal(shape) * 9).astype(reference.NUMPY[source])
    bias = (draw.standard_normal((shape[0], 1)) * 9).astype(reference.NUMPY[kind])
    columns = draw.standard_normal((shape[0], 1)).astype(F32)
    literal = bool(draw.integers(2))
    got = result(
        f"@scalar Activation c, a, op=copy, bias=b, scale={0.3 if literal else 's'}",
        str(draw.choice(["trn1", "trn2", "trn3"])),
        a=sbuf(source, data),
        b=psum(kind, bias),
        s=sbuf("f32", columns),
        c=sbuf(dst, shape),
    )

    def element(p: int, n: int) -> object:
        scale = reference.f(0.3) if literal else float(columns[p, 0])
        x = reference.f(reference.f(float(data[p, n])) * scale)
        return reference.out(reference.f(x + reference.f(float(bias[p, 0]))), dst)

    want = reference.each(shape, element, dst)
    np.testing.assert_array_equal(got.astype(F32), want.astype(F32))


def test_scale_and_bias_are_not_fused() -> None:
    # (1 + 2**-12)**2 rounds to 1 + 2**-11 before that is taken off; fused, 2**-24 would be left.
    x = 1 + 2.0**-12
    got = result(
        f"@scalar Activation c, a, op=copy, scale={x}, bias=b",
        a=sbuf("f32", [[x]]),
        b=sbuf("f32", [[-1 - 2.0**-11]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[0]]


def test_bias_is_a_number_from_v3_on() -> None:
    got = result(
        "@scalar Activation c, a, op=relu, bias=-1",
        "trn2",
        a=sbuf("f32", [[0.5, 3]]),
        c=sbuf("bf16", (1, 2)),
    )
    assert got.tolist() == [[0, 2]]


# -- the lanes' sums


def test_reset_reduce_sums_what_the_function_gives_and_hands_it_out() -> None:
    done = ran(
        "@scalar Activation c, a, op=square, scale=2, bias=b, "
        f"{SUMS}=reset_reduce, reduce_res=total",
        a=sbuf("f32", [[1, 2, 3], [4, 5, 6]]),
        b=sbuf("f32", [[1], [-1]]),
        c=sbuf("f32", (2, 3)),
        total=sbuf("f32", (2, 1)),
    )
    assert done.read("c").tolist() == [[9, 25, 49], [49, 81, 121]]
    assert done.read("total").tolist() == [[83], [251]]


def test_sums_go_on_across_instructions_until_they_are_reset() -> None:
    def line(cmd: str, out: str) -> str:
        return f"Activation c, a, op=copy, {SUMS}={cmd}, reduce_res={out}\n"

    done = ran(
        "@scalar\n"
        + line("reset_reduce", "t0")
        + line("reduce", "t1")
        + line("reduce", "t2")
        + line("reset_reduce", "t3"),
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        **{f"t{n}": sbuf("f32", (1, 1)) for n in range(4)},
    )
    assert [float(done.read(f"t{n}")[0, 0]) for n in range(4)] == [3, 6, 9, 3]


def test_reset_clears_the_sums_and_adds_nothing() -> None:
    done = ran(
        "@scalar\nActivation c, a, op=copy, reduce_cmd=reset, reduce_res=t0\n"
        f"Activation c, a, op=copy, {SUMS}=reduce, reduce_res=t1",
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        t0=sbuf("f32", (1, 1)),
        t1=sbuf("f32", (1, 1)),
    )
    assert float(done.read("t0")[0, 0]) == 0
    assert float(done.read("t1")[0, 0]) == 3


def test_idle_leaves_the_sums_alone_and_can_read_them() -> None:
    done = ran(
        f"@scalar\nActivation c, a, op=copy, {SUMS}=reset_reduce\n"
        "Activation c, a, op=square\nActivation c, a, op=square, reduce_res=t0",
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        t0=sbuf("f32", (1, 1)),
    )
    assert float(done.read("t0")[0, 0]) == 3


def test_reduce_op_with_idle_reads_the_sums_and_warns_that_it_adds_nothing() -> None:
    # nki.isa.activation: idle, the default, does not modify the registers; reduce_res reads them.
    done = ran(
        f"@scalar\nActivation c, a, op=copy, {SUMS}=reset_reduce\n"
        "Activation c, a, op=square, reduce_op=add, reduce_res=t0",
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        t0=sbuf("f32", (1, 1)),
    )
    assert float(done.read("t0")[0, 0]) == 3
    assert done.read("c").tolist() == [[1, 4]]
    (warning,) = done.program.warnings
    assert "reduce_op=add with reduce_cmd=idle reduces nothing, and reduce_res" in warning.message
    assert "reset_reduce" in warning.hint


def test_reading_sums_that_nothing_has_set_is_a_fault_however_it_is_asked_for() -> None:
    problem = fault(
        "@scalar Activation c, a, op=copy, reduce_op=add, reduce_res=t",
        a=sbuf("f32", [[1, 2]]),
        c=sbuf("f32", (1, 2)),
        t=sbuf("f32", (1, 1)),
    )
    assert problem.code == "E0503"


def test_sums_are_taken_in_float32_before_dst_is_rounded() -> None:
    # 257 is no bfloat16: dst gets 256, the sum 257 + 257.
    done = ran(
        f"@scalar Activation c, a, op=copy, {SUMS}=reset_reduce, reduce_res=t",
        a=sbuf("f32", [[257, 257]]),
        c=sbuf("bf16", (1, 2)),
        t=sbuf("f32", (1, 1)),
    )
    assert done.read("c").astype(F32).tolist() == [[256, 256]]
    assert done.read("t").tolist() == [[514]]


def test_a_sum_is_rounded_into_the_dtype_of_reduce_res() -> None:
    done = ran(
        f"@scalar Activation c, a, op=copy, {SUMS}=reset_reduce, reduce_res=t",
        a=sbuf("f32", [[100, 200.5]]),
        c=sbuf("f32", (1, 2)),
        t=sbuf("u8", (1, 1)),
    )
    assert done.read("t").tolist() == [[255]]


def test_every_free_axis_is_summed_from_the_first_element_to_the_last() -> None:
    data = np.full((1, 2, 500), 1, F32)
    data[0, 0, 0] = 1e8
    done = ran(
        f"@scalar Activation c, a, op=copy, {SUMS}=reset_reduce, reduce_res=t",
        a=sbuf("f32", data),
        c=sbuf("f32", (1, 2, 500)),
        t=sbuf("f32", (1, 1)),
    )
    assert done.read("t").tolist() == [[1e8]]


def test_each_lane_keeps_a_sum_of_its_own() -> None:
    done = ran(
        f"@scalar\nActivation c, a, op=copy, {SUMS}=reset_reduce\n"
        f"Activation c[32:34], a[32:34], op=copy, {SUMS}=reduce\n"
        "Activation c, a, op=copy, reduce_res=t",
        a=sbuf("f32", np.arange(64).reshape(64, 1)),
        c=sbuf("f32", (64, 1)),
        t=sbuf("f32", (64, 1)),
    )
    want = [float(p) for p in range(64)]
    want[32], want[33] = 64, 66
    assert done.read("t").ravel().tolist() == want


def test_the_lane_is_the_partition_of_the_data_not_of_the_result() -> None:
    done = ran(
        f"@scalar\nActivation c[64:66], a[32:34], op=copy, {SUMS}=reset_reduce, reduce_res=t\n"
        f"Activation c[0:2], a[32:34], op=copy, {SUMS}=reduce, reduce_res=t",
        a=sbuf("f32", np.arange(64).reshape(64, 1)),
        c=sbuf("f32", (128, 1)),
        t=sbuf("f32", (2, 1)),
    )
    assert done.read("t").tolist() == [[64], [66]]


@pytest.mark.parametrize("first", ["", f"Activation c[0:1], a[0:1], op=copy, {SUMS}=reset_reduce"])
def test_adding_to_lanes_never_reset_is_a_fault(first: str) -> None:
    problem = fault(
        f"@scalar\n{first}\nActivation c, a, op=copy, {SUMS}=reduce",
        a=sbuf("f32", [[1], [2]]),
        c=sbuf("f32", (2, 1)),
    )
    assert problem.code == "E0503"
    assert "reset" in problem.hint


def test_a_sum_that_became_nan_is_still_a_sum() -> None:
    done = ran(
        f"@scalar\nActivation c, a, op=copy, {SUMS}=reset_reduce\n"
        f"Activation c, a, op=copy, {SUMS}=reduce, reduce_res=t",
        a=sbuf("f32", [[math.nan, 1]]),
        c=sbuf("f32", (1, 2)),
        t=sbuf("f32", (1, 1)),
    )
    assert np.isnan(done.read("t")).all()


def test_the_accumulators_are_read_on_their_own_and_keep_their_values() -> None:
    done = ran(
        f"@scalar\nActivation c, a, op=copy, {SUMS}=reset_reduce\n"
        "ActReadAccumulator t[32:34]\nActReadAccumulator u[32:34]",
        a=sbuf("f32", np.arange(128).reshape(64, 2)),
        c=sbuf("f32", (64, 2)),
        t=sbuf("f32", (34, 1)),
        u=sbuf("bf16", (34, 1)),
    )
    # Lane 32 holds 64 + 65, lane 33 66 + 67; bfloat16 has 8 digits.
    assert done.read("t[32:34]").tolist() == [[129], [133]]
    assert done.read("u[32:34]").astype(F32).tolist() == [[129], [133]]


def test_reading_accumulators_that_nothing_has_set_is_a_fault() -> None:
    assert fault("@scalar ActReadAccumulator t", t=sbuf("f32", (2, 1))).code == "E0503"


def test_reduce_res_may_be_dst_and_gets_the_sum() -> None:
    # Release notes of Neuron 2.32: the sum is not clobbered where reduce_res aliases dst.
    done = ran(
        f"@scalar Activation c, a, op=copy, {SUMS}=reset_reduce, reduce_res=c[:, 1:2]",
        a=sbuf("f32", [[1, 2, 4]]),
        c=sbuf("f32", (1, 3)),
    )
    assert done.read("c").tolist() == [[1, 7, 4]]


# -- valid input ranges


@pytest.mark.parametrize(
    ("op", "data", "said"),
    [
        ("log", [1, 0, -1], "takes log of 0 and 1 more, outside 5.421e-20 to 1.845e+19"),
        ("sqrt", [4, 2e36], "takes sqrt of 2e+36, outside 1.204e-35 to 3.323e+35"),
        ("reciprocal", [-1, 1e-13], "takes reciprocal of 1e-13, outside 2.274e-13 to 4.398e+12"),
        ("arctan", [1.5, -2], "takes arctan of -2, outside -1.571 to 1.571"),
        ("rsqrt", [math.inf], "takes rsqrt of inf, outside 6.462e-27 to 1.585e+29"),
    ],
)
def test_outside_the_valid_range_is_the_mathematical_value_and_a_warning(
    op: str, data: list[float], said: str
) -> None:
    done = ran(
        f"@scalar Activation c, a, op={op}", a=sbuf("f32", [data]), c=sbuf("f32", (1, len(data)))
    )
    (warning,) = (w for w in done.report().warnings if w.code == "E0515")
    assert warning.severity is Severity.WARNING
    assert said in warning.message
    assert done.report().ok
    with np.errstate(all="ignore"):
        numpy = {
            "arctan": np.arctan,
            "log": np.log,
            "sqrt": np.sqrt,
            "rsqrt": lambda x: x**-0.5,
            "reciprocal": lambda x: 1 / x,
        }[op]
        np.testing.assert_allclose(done.read("c")[0], numpy(np.array(data)), rtol=1e-6)


@pytest.mark.parametrize(
    ("op", "data"),
    [
        ("sin", [9, -100]),
        ("exp", [200, -math.inf]),
        ("log", [math.nan, 2.0**-64, 2.0**64]),
        ("arctan", [math.pi / 2]),
        ("reciprocal", [-(2.0**-42)]),
    ],
)
def test_what_is_in_range_or_published_is_not_warned_of(op: str, data: list[float]) -> None:
    done = ran(
        f"@scalar Activation c, a, op={op}", a=sbuf("f32", [data]), c=sbuf("f32", (1, len(data)))
    )
    assert all(w.code == "E0526" for w in done.report().warnings)  # where infinities are born


def test_the_range_holds_after_scale_and_bias() -> None:
    done = ran(
        "@scalar Activation c, a, op=log, scale=-1.0, bias=0.5",
        "trn2",
        a=sbuf("f32", [[-1, 0.25]]),
        c=sbuf("f32", (1, 2)),
    )
    assert done.report().warnings == ()


# -- time


def test_dependent_activations_of_one_element_start_264_cycles_apart_on_v2() -> None:
    # The performance guide's figure 16: 189 ns, 264 cycles of 4 ticks.
    done = ran("@scalar\n" + "Activation c, c, op=exp\n" * 4, c=sbuf("f32", [[0.0]]))
    starts = [start for start, _ in times(done, "scalar")]
    assert starts == [0, 1056, 2112, 3168]


def test_independent_activations_start_64_cycles_apart() -> None:
    done = ran(
        "@scalar\n" + "Activation c, a, op=exp\n" * 3, a=sbuf("f32", [[0.0]]), c=sbuf("f32", (1, 1))
    )
    assert [start for start, _ in times(done, "scalar")] == [0, 256, 512]
