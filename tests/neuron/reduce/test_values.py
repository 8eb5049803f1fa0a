"""TensorReduce and Max8 against scalar folds: axes, order, negation, dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.targets.neuron import alu
from tests.neuron import scalar as reference
from tests.neuron.programs import Array, psum, refused, result, sbuf
from tests.parts import part
from tests.tables import each

ARITHMETIC = tuple(o for o in alu.REDUCING if o in alu.ARITH)
BITWISE = tuple(o for o in alu.REDUCING if o not in alu.ARITH)


def rows(values: Array, axes: int) -> list[list[float]]:
    """The groups to fold, in row-major order."""
    kept = values.shape[: values.ndim - axes]
    return [[float(v) for v in values[at].reshape(-1)] for at in np.ndindex(*kept)]


@each("op", ARITHMETIC)
@each(
    ("shape", "axis", "axes"),
    [
        ((3, 17), "1", 1),
        ((2, 3, 5), "2", 1),
        ((2, 3, 5), "[1, 2]", 2),
        ((2, 2, 3, 4), "[2, 3]", 2),
        ((2, 2, 3, 4), "[-1, -2, -3]", 3),
        ((2, 2, 1, 3, 2), "[1, 2, 3, 4]", 4),
    ],
)
def test_any_number_of_last_axes_is_folded_in_row_major_order(
    op: str, shape: tuple[int, ...], axis: str, axes: int
) -> None:
    values = np.random.default_rng(9).standard_normal(shape).astype(np.float32)
    kept = shape[: len(shape) - axes]
    dst = kept if len(kept) > 1 else (*kept, 1)
    got = result(
        f"@vector TensorReduce c, a, op={op}, axis={axis}",
        a=sbuf("f32", values),
        c=sbuf("f32", dst),
    )
    want = [reference.reduced(op, row) for row in rows(values, axes)]
    assert got.ravel().tolist() == want


@pytest.mark.parametrize("partitions", [1, 7, 8, 9, 128])
def test_a_sum_runs_from_the_first_element_to_the_last_in_float32(partitions: int) -> None:
    # After 1e8 every 1 is lost, one at a time; any other order would keep some of them.
    values = np.ones((partitions, 1000), np.float32)
    values[:, 0] = 1e8
    got = result(
        "@vector TensorReduce c, a, op=add, axis=1",
        a=sbuf("f32", values),
        c=sbuf("f32", (partitions, 1)),
    )
    assert got.ravel().tolist() == [1e8] * partitions


@pytest.mark.parametrize("seed", part(range(12), 4))
def test_sums_of_random_numbers_are_the_sequential_ones_bit_for_bit(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 200)))
    dtype = str(draw.choice(["float32", "bfloat16", "float16", "int8"]))
    values = (draw.standard_normal(shape) * 30).astype(reference.NUMPY[dtype])
    got = result(
        "@vector TensorReduce c, a, op=add, axis=1",
        str(draw.choice(["trn1", "trn2", "trn3"])),
        a=psum(dtype, values),
        c=sbuf("f32", (shape[0], 1)),
    )
    assert got.ravel().tolist() == [reference.reduced("add", row) for row in rows(values, 1)]


@pytest.mark.parametrize("op", ARITHMETIC)
def test_negate_turns_the_result_before_it_is_rounded(op: str) -> None:
    values = np.random.default_rng(4).integers(-20, 20, (5, 9)).astype(np.float32) / 8
    got = result(
        f"@vector TensorReduce c, a, op={op}, axis=1, negate=true",
        a=sbuf("f32", values),
        c=sbuf("u8", (5, 1)),
    )
    want = [reference.out(-reference.reduced(op, row), "uint8") for row in rows(values, 1)]
    assert got.ravel().tolist() == want


def test_a_sum_is_rounded_once_into_the_dtype_of_dst() -> None:
    # 256 + 1 + 1 = 258 is a bfloat16; rounded after each step it would stay 256.
    got = result(
        "@vector TensorReduce c, a, op=add, axis=1",
        a=sbuf("bf16", [[256, 1, 1]]),
        c=sbuf("bf16", (1, 1)),
    )
    assert float(got[0, 0]) == 258


def test_subtract_takes_every_later_element_from_the_first() -> None:
    got = result(
        "@vector TensorReduce c, a, op=subtract, axis=1",
        a=sbuf("f32", [[10, 1, 2, 3]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[4]]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
@pytest.mark.parametrize("op", BITWISE)
def test_bits_are_folded_as_they_are(op: str, dtype: str) -> None:
    values = np.random.default_rng(2).integers(-(2**31), 2**31, (4, 6)).astype(dtype)
    got = result(
        f"@vector TensorReduce c, a, op={op}, axis=1", a=sbuf(dtype, values), c=sbuf(dtype, (4, 1))
    )
    want = []
    for row in values.tolist():
        total = row[0]
        for value in row[1:]:
            total = reference.bitwise(op, total, value, dtype)
        want.append(total)
    assert got.ravel().tolist() == want


def test_integers_beyond_float32_lose_their_last_bits() -> None:
    got = result(
        "@vector TensorReduce c, a, op=add, axis=1",
        a=sbuf("i32", [[2**24, 1, 1]]),
        c=sbuf("i32", (1, 1)),
    )
    assert got.tolist() == [[2**24]]


def test_nan_goes_through_a_maximum() -> None:
    values = np.array([[1, np.nan, 3], [1, 2, 3]], np.float32)
    got = result(
        "@vector TensorReduce c, a, op=maximum, axis=1",
        a=sbuf("f32", values),
        c=sbuf("f32", (2, 1)),
    )
    assert np.isnan(got[0, 0])
    assert got[1, 0] == 3


def test_keepdims_changes_nothing() -> None:
    values = np.arange(12).reshape(2, 2, 3)
    for more in ("", ", keepdims=true"):
        got = result(
            f"@vector TensorReduce c, a, op=add, axis=2{more}",
            a=sbuf("f32", values),
            c=sbuf("f32", (2, 2, 1)),
        )
        assert got.ravel().tolist() == [3, 12, 21, 30]


def test_a_permuted_view_is_folded_along_its_own_last_axis() -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    got = result(
        "@vector TensorReduce c, a.permute(0, 2, 1), op=add, axis=2",
        a=sbuf("f32", values),
        c=sbuf("f32", (2, 4)),
    )
    # The columns of the 3x4 block: 0 + 4 + 8, 1 + 5 + 9, …
    assert got.tolist() == [[12, 15, 18, 21], [48, 51, 54, 57]]


# -- Max8


@pytest.mark.parametrize("seed", range(6))
def test_max8_gives_the_eight_largest_in_descending_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = (int(draw.integers(1, 129)), int(draw.integers(8, 60)))
    dtype = str(draw.choice(["float32", "bfloat16", "int32"]))
    values = draw.integers(-9, 9, shape).astype(reference.NUMPY[dtype])
    got = result("@vector Max8 c, a", a=psum(dtype, values), c=sbuf("f32", (shape[0], 8)))
    want = [sorted(map(float, row), reverse=True)[:8] for row in values.tolist()]
    assert got.tolist() == want


def test_max8_keeps_duplicates_and_walks_every_free_axis() -> None:
    values = np.array([5, -1, 5, 2, 9, 5, 0, 9, 1, 7, -3, 5]).reshape(1, 3, 4)
    got = result("@vector Max8 c, a", a=sbuf("f32", values), c=sbuf("f32", (1, 8)))
    assert got.tolist() == [[9, 9, 7, 5, 5, 5, 5, 2]]


def test_max8_orders_infinities() -> None:
    values = np.array([[0, np.inf, -np.inf, 1, 2, 3, 4, 5, -np.inf]], np.float32)
    got = result("@vector Max8 c, a", a=sbuf("f32", values), c=sbuf("f32", (1, 8)))
    assert got.tolist() == [[np.inf, 5, 4, 3, 2, 1, 0, -np.inf]]


# -- GpSimd


def test_gpsimd_sums_32_bit_integers_exactly_and_wraps() -> None:
    data = [[2**24 + 1, 1, 2**31 - 1], [5, 0, -7]]
    for engine, want in (("gpsimd", [[2**24 + 1 - 2**31], [-2]]), ("vector", [[2**31 - 1], [-2]])):
        got = result(
            f"@{engine} TensorReduce c, a, op=add, axis=1",
            "trn2",
            a=sbuf("i32", data),
            c=sbuf("i32", (2, 1)),
        )
        assert got.tolist() == want


def test_one_integer_meets_no_operator_and_keeps_its_bits() -> None:
    for op in ("logical_or", "maximum", "multiply"):
        got = result(
            f"@gpsimd TensorReduce c, a, op={op}, axis=1",
            "trn3",
            a=sbuf("i32", [[2**24 + 1]]),
            c=sbuf("i32", (1, 1)),
        )
        assert got.tolist() == [[2**24 + 1]], op


def test_gpsimd_reduces_from_v3_on() -> None:
    tiles = {"a": sbuf("f32", (1, 2)), "c": sbuf("f32", (1, 1))}
    (problem,) = refused("@gpsimd TensorReduce c, a, op=add, axis=1", "trn1", **tiles)
    assert problem.code == "E0408"
    assert "NeuronCore-v3 (Trn2) and NeuronCore-v4 (Trn3)" in problem.hint
