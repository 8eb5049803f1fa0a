"""The ALU operators against plain scalar loops and values worked by hand."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from nasm.isa.evidence import Evidence
from nasm.targets.neuron import alu
from tests.tables import each

NAN, INF = math.nan, math.inf
F32 = np.float32
# Zeros of both signs, subnormals, the largest float, infinities, NaN.
EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, 2.5, -5.0, 3.0, 1e-45, -1e-45, 3.4028235e38, INF, -INF, NAN], F32
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """The contract of alu: whoever runs operators has silenced NumPy once."""
    with np.errstate(all="ignore"):
        yield


def floats(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, F32)


def bits(x: Any) -> list[int]:
    return np.asarray(x, F32).view(np.uint32).ravel().tolist()


# The rows


def test_every_operator_of_klr_has_a_row() -> None:
    # The 29 members of the AluOp enumeration in KLR/Core/Operators.lean.
    klr = (
        *("abs", "add", "arith_shift_left", "arith_shift_right", "average", "bitwise_and"),
        *("bitwise_not", "bitwise_or", "bitwise_xor", "bypass", "divide", "is_equal", "is_ge"),
        *("is_gt", "is_le", "is_lt", "logical_and", "logical_or", "logical_shift_left"),
        *("logical_shift_right", "logical_xor", "max", "min", "mod", "mult", "not_equal"),
        *("pow", "rsqrt", "subtract"),
    )
    assert len(klr) == 29
    assert tuple(sorted(o.klr for o in alu.OPERATORS.values() if o.klr)) == klr


def test_operators_that_only_nki_names_have_rows_too() -> None:
    ours = {o.name for o in alu.OPERATORS.values() if not o.klr}
    assert ours == {"square", "relu", "reciprocal", "abs_max", "abs_min"}


def test_reducing_operators_are_those_of_the_documented_table() -> None:
    assert set(alu.REDUCING) == {
        *("add", "subtract", "multiply", "maximum", "minimum"),
        *("logical_and", "logical_or", "logical_xor"),
        *("bitwise_and", "bitwise_or", "bitwise_xor"),
    }


def test_scalar_engine_adds_from_v3_on() -> None:
    add = alu.OPERATORS["add"]
    assert set(add.engines_on("v2")) == {"vector", "gpsimd"}
    assert set(add.engines_on("v3")) == {"vector", "gpsimd", "scalar"}


def test_abs_max_exists_nowhere_before_v4() -> None:
    row = alu.OPERATORS["abs_max"]
    assert row.engines_on("v3") == ()
    assert row.engines_on("v4") == ("vector", "scalar")


@each("row", alu.OPERATORS.values(), ids=lambda row: row.name)
def test_every_row_says_what_it_is(row: alu.AluOperator) -> None:
    assert row.summary.endswith(".")
    assert row.source
    assert row.engines
    # Where a row's source admits to an assumption for its whole meaning, so does its evidence.
    if row.evidence is Evidence.ASSUMED:
        assert "assumed" in row.source
    assert not (row.name in alu.BINARY and row.name in alu.UNARY)


@pytest.mark.parametrize(
    ("name", "identity"),
    [("add", 0), ("subtract", 0), ("multiply", 1), ("maximum", -INF), ("minimum", INF)],
)
def test_identities_are_the_documented_ones(name: str, identity: float) -> None:
    assert alu.OPERATORS[name].identity == identity


# float32


SCALAR: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "maximum": lambda a, b: NAN if a != a or b != b else max(a, b),
    "minimum": lambda a, b: NAN if a != a or b != b else min(a, b),
    "equal": lambda a, b: float(a == b),
    "not_equal": lambda a, b: float(a != b),
    "greater_equal": lambda a, b: float(a >= b),
    "greater": lambda a, b: float(a > b),
    "less_equal": lambda a, b: float(a <= b),
    "less": lambda a, b: float(a < b),
    "logical_and": lambda a, b: float(a != 0 and b != 0),
    "logical_or": lambda a, b: float(a != 0 or b != 0),
    "logical_xor": lambda a, b: float((a != 0) != (b != 0)),
    "abs_max": lambda a, b: a if abs(a) > abs(b) else b,
    "abs_min": lambda a, b: a if abs(a) < abs(b) else b,
    "abs": lambda a, b: abs(a),
    "square": lambda a, b: a * a,
    "bypass": lambda a, b: a,
}


@each("op", SCALAR)
def test_operators_equal_a_scalar_loop_on_all_pairs_of_edge_values(op: str) -> None:
    x, y = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES))
    got = alu.apply(op, x, y)
    assert got.dtype == F32
    want = [SCALAR[op](a, b) for a, b in zip(x, y, strict=True)]
    # Compared as values: which of two zeros a maximum takes, and which NaN, nobody states.
    np.testing.assert_array_equal(got, np.array(want, F32))


@each("op", [o for o in alu.ARITH if o in alu.BINARY])
def test_numbers_are_on_either_side_and_stay_float32(op: str) -> None:
    x = floats(0.5, 1.0, 3.0)
    # 0.1 is not a float32; it counts as the nearest one.
    tenth = np.full(3, 0.1, F32)
    for got, want in (
        (alu.apply(op, x, 0.1), alu.apply(op, x, tenth)),
        (alu.apply(op, 0.1, x), alu.apply(op, tenth, x)),
    ):
        assert got.dtype == F32
        assert bits(got) == bits(want)


def test_one_value_per_partition_meets_every_element_of_its_row() -> None:
    x = np.arange(6, dtype=F32).reshape(2, 3)
    pointer = floats(10, 100).reshape(2, 1)
    assert alu.apply("add", x, pointer).tolist() == [[10, 11, 12], [103, 104, 105]]


def test_addition_rounds_to_float32() -> None:
    # 2**24 + 1 lies between two floats and rounds to the even one.
    assert alu.apply("add", floats(2**24), floats(1)).tolist() == [2**24]


def test_abs_max_and_abs_min_keep_the_sign_and_a_tie_gives_y() -> None:
    assert alu.apply("abs_max", floats(-5, 5, -5), floats(3, -5, 5)).tolist() == [-5, -5, 5]
    assert alu.apply("abs_min", floats(-5, 5, -5), floats(3, -5, 5)).tolist() == [3, -5, 5]


@pytest.mark.parametrize("op", ["equal", "greater_equal", "greater", "less_equal", "less"])
def test_comparisons_with_nan_are_false(op: str) -> None:
    assert alu.apply(op, floats(NAN, 1, NAN), floats(1, NAN, NAN)).tolist() == [0, 0, 0]


def test_nan_is_unequal_even_to_itself() -> None:
    assert alu.apply("not_equal", floats(NAN), floats(NAN)).tolist() == [1]


def test_maximum_and_minimum_propagate_nan_from_both_sides() -> None:
    x, y = floats(NAN, 1), floats(1, NAN)
    assert np.isnan(alu.apply("maximum", x, y)).all()
    assert np.isnan(alu.apply("minimum", x, y)).all()


def test_relu_gives_positive_zero_and_keeps_nan() -> None:
    got = alu.apply("relu", floats(-3, -0.0, 2, NAN), None)
    assert bits(got[:3]) == bits([0.0, 0.0, 2.0])
    assert np.isnan(got[3])


def test_mod_takes_the_sign_of_the_divisor() -> None:
    # Floored division: -7 = -3 * 3 + 2 and 7 = -3 * -3 - 2.
    x, y = floats(7, -7, 7, -7, 5.5), floats(3, 3, -3, -3, 2)
    assert alu.apply("mod", x, y).tolist() == [1, 2, -2, -1, 1.5]


def test_roots_reciprocals_and_powers_are_rounded_once() -> None:
    x = np.concatenate([np.geomspace(1e-30, 1e30, 301), [1e-45, 3.4e38, 2, 3]]).astype(F32)
    doubles = [float(v) for v in x]
    cases: dict[str, Callable[[float], float]] = {
        "rsqrt": lambda v: 1 / math.sqrt(v),
        "reciprocal": lambda v: 1 / v,
        "power": lambda v: math.pow(v, 0.75),
    }
    for op, function in cases.items():
        assert bits(alu.apply(op, x, 0.75)) == bits([F32(function(v)) for v in doubles]), op


def test_edges_of_roots_reciprocals_and_powers() -> None:
    assert alu.apply("rsqrt", floats(0, INF, 4), 0).tolist() == [INF, 0, 0.5]
    assert np.isnan(alu.apply("rsqrt", floats(-1), 0)).all()
    assert alu.apply("reciprocal", floats(0, -0.0, -INF), 0).tolist() == [INF, -INF, 0]
    assert alu.apply("power", floats(-2, 0, 2), floats(3, 0, 200)).tolist() == [-8, 1, INF]


def test_average_has_no_form_of_two_operands() -> None:
    assert "average" not in alu.BINARY + alu.UNARY


# Reductions


def folded(op: Callable[[Any, Any], Any], rows: np.ndarray[Any, Any]) -> list[Any]:
    """Each row folded by a loop over scalars of the row's own dtype."""
    result = []
    for row in rows:
        running = row[0]
        for element in row[1:]:
            running = op(running, element)
        result.append(running)
    return result


SHAPES = [(1, 1), (1, 300), (2, 33), (7, 17), (8, 65), (9, 64), (33, 3), (128, 1), (128, 70)]


@each("shape", SHAPES)
@each("op", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_reductions_are_a_scalar_float32_loop_bit_for_bit(op: str, shape: tuple[int, int]) -> None:
    scale = {"add": 1e3, "subtract": 1e3, "multiply": 1.2}.get(op, 1)
    rows = (np.random.default_rng(7).standard_normal(shape) * scale).astype(F32)
    steps: dict[str, Callable[[Any, Any], Any]] = {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "maximum": max,
        "minimum": min,
    }
    assert bits(alu.reduce(op, rows, 1)) == bits(folded(steps[op], rows))


def test_pairwise_summation_would_show() -> None:
    # After 1e8 every 1 is lost, one at a time; in pairs some of them would survive.
    row = np.ones((1, 1025), F32)
    row[0, 0] = 1e8
    for lanes in (1, 8, 128):
        assert alu.reduce("add", np.repeat(row, lanes, axis=0), 1).tolist() == [1e8] * lanes


@pytest.mark.parametrize("lanes", [1, 8, 50])
def test_a_sum_of_negative_zeros_stays_negative(lanes: int) -> None:
    zeros = np.full((lanes, 5), -0.0, F32)
    assert np.signbit(alu.reduce("add", zeros, 1)).all()
    assert np.signbit(alu.reduce("add", zeros[:, :1], 1)).all()


@pytest.mark.parametrize("op", ["maximum", "minimum"])
@pytest.mark.parametrize("lanes", [5, 40])
def test_zeros_of_both_signs_fold_as_the_operator_takes_them(op: str, lanes: int) -> None:
    # 17 elements: NumPy's own reduction takes this length in another order.
    signs = np.random.default_rng(3).integers(0, 2, (lanes, 17))
    rows = np.where(signs == 1, F32(-0.0), F32(0.0))
    running = rows[:, 0]
    for column in range(1, 17):
        running = alu.apply(op, running, rows[:, column])
    assert bits(alu.reduce(op, rows, 1)) == bits(running)


def test_maximum_and_minimum_reductions_propagate_nan() -> None:
    rows = floats(*range(64)).reshape(2, 32)
    rows[1, 20] = NAN
    for op, finite in (("maximum", 31), ("minimum", 0)):
        got = alu.reduce(op, rows, 1)
        assert got[0] == finite
        assert np.isnan(got[1])


def test_reduction_takes_the_trailing_axes_in_row_major_order() -> None:
    x = np.random.default_rng(1).standard_normal((16, 3, 4, 5), dtype=F32)
    for axes, lanes in ((1, (16, 3, 4)), (2, (16, 3)), (3, (16,))):
        got = alu.reduce("add", x, axes)
        assert got.shape == lanes
        assert got.dtype == F32
        rows = x.reshape(math.prod(lanes), -1)
        assert bits(got) == bits(folded(operator.add, rows))


def test_a_transposed_view_is_folded_in_its_own_order() -> None:
    x = (np.random.default_rng(2).standard_normal((40, 90)) * 100).astype(F32).T
    assert bits(alu.reduce("add", x, 1)) == bits(folded(operator.add, x))


@each("op", ["logical_and", "logical_or", "logical_xor", "abs_max", "abs_min"])
@each("n", [1, 2, 9])
def test_logical_and_magnitude_reductions_equal_a_scalar_loop(op: str, n: int) -> None:
    rows = np.random.default_rng(5).integers(-2, 3, (60, n)).astype(F32)
    got = alu.reduce(op, rows, 1)
    assert got.dtype == F32
    assert got.tolist() == folded(SCALAR[op], rows)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32])
def test_bitwise_reductions_keep_the_dtype(dtype: Any) -> None:
    rows = np.random.default_rng(6).integers(0, 128, (9, 5)).astype(dtype)
    for op, step in (
        ("bitwise_and", operator.and_),
        ("bitwise_or", operator.or_),
        ("bitwise_xor", operator.xor),
    ):
        got = alu.reduce(op, rows, 1)
        assert got.dtype == dtype
        assert got.tolist() == folded(step, rows)
