"""TensorTensor, TensorScalar and Reciprocal against scalar loops, on tiles of every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Severity
from nasm.targets.neuron import alu
from tests.neuron import scalar as reference
from tests.neuron.programs import Array, psum, ran, result, same, sbuf
from tests.parts import part
from tests.tables import each

ARITHMETIC = tuple(reference.BINARY)
BITWISE = tuple(o for o in alu.BINARY if o not in alu.ARITH)
FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
# abs_max and abs_min came with the last generation, power belongs to GpSimd.
ON = {"abs_max": "trn3", "abs_min": "trn3"}


def drawn(dtype: str, shape: tuple[int, ...], seed: int, low: int = -60, high: int = 60) -> Array:
    """Quarters in a small range, so that equal values and zeros occur, as the dtype has them."""
    values = np.random.default_rng(seed).integers(low, high, shape) / 4
    if dtype.startswith("uint"):
        values = np.abs(values)
    return values.astype(reference.NUMPY[dtype])


def test_the_reference_knows_every_binary_operator() -> None:
    assert {*ARITHMETIC, *BITWISE} == set(alu.BINARY)


# -- TensorTensor


@each("op", ARITHMETIC)
def test_tensor_tensor_equals_a_scalar_loop(op: str) -> None:
    a, b = drawn("float32", (5, 40), 1), drawn("bfloat16", (5, 40), 2)
    if op == "power":
        a, b = np.abs(a) + np.float32(0.5), drawn("bfloat16", (5, 40), 2, -12, 12)
    engine = "gpsimd" if op == "power" else "vector"
    for seed, dtype in enumerate(("float32", "bfloat16", "int16", "uint8", "float8_e5m2")):
        got = result(
            f"@{engine} TensorTensor c, a, b, op={op}",
            ON.get(op, "trn1"),
            a=sbuf("f32", a),
            b=sbuf("bf16", b),
            c=sbuf(dtype, (5, 40)),
        )
        same(got, reference.tensor_tensor(a, b, op, dtype))
        a = np.roll(a, seed + 1, axis=1)


@pytest.mark.parametrize("seed", part(range(24), 6))
def test_tensor_tensor_widens_and_rounds_between_any_dtypes(seed: int) -> None:
    draw = np.random.default_rng(seed)
    first, second, dst = draw.choice([*FLOATS, *INTEGERS], 3)
    op = str(draw.choice(["add", "subtract", "multiply", "maximum", "less"]))
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 9)))
    a, b = drawn(first, shape, seed), drawn(second, shape, seed + 100)
    got = result(
        f"@vector TensorTensor c, a, b, op={op}",
        str(draw.choice(["trn1", "trn2", "trn3"])),
        a=sbuf(first, a),
        b=psum(second, b),
        c=sbuf(dst, shape),
    )
    same(got, reference.tensor_tensor(a, b, op, dst))


def test_tensor_tensor_keeps_infinities_nan_and_subnormals() -> None:
    inf, nan, tiny = np.inf, np.nan, 1e-45
    a = np.array([[inf, inf, nan, tiny, 3e38, -0.0]], np.float32)
    b = np.array([[1.0, -inf, 1.0, tiny, 3e38, -0.0]], np.float32)
    got = result(
        "@vector TensorTensor c, a, b, op=add",
        a=sbuf("f32", a),
        b=sbuf("f32", b),
        c=sbuf("f32", (1, 6)),
    )
    assert got[0, [0, 4]].tolist() == [inf, inf]
    assert np.isnan(got[0, 1:3]).all()
    assert got[0, 3] == np.float32(2.8e-45)
    assert np.signbit(got[0, 5])


@each("dtype", INTEGERS)
@each("op", BITWISE)
def test_bitwise_operators_take_the_bits_as_they_are(op: str, dtype: str) -> None:
    draw = np.random.default_rng(len(op))
    limits = np.iinfo(reference.NUMPY[dtype])
    a = draw.integers(limits.min, limits.max, (3, 30), dtype=dtype, endpoint=True)
    b = draw.integers(limits.min, limits.max, (3, 30), dtype=dtype, endpoint=True)
    if "shift" in op:
        b = (b % (8 * a.itemsize)).astype(dtype)
    got = result(
        f"@vector TensorTensor c, a, b, op={op}",
        a=sbuf(dtype, a),
        b=sbuf(dtype, b),
        c=sbuf(dtype, (3, 30)),
    )
    want = reference.each(
        (3, 30), lambda p, n: reference.bitwise(op, int(a[p, n]), int(b[p, n]), dtype), dtype
    )
    same(got, want)


BIG = [[2**24 + 1, 2**31 - 1, -(2**31), 123_456_789]]
ADDED = [[2, 1, -1, 987_654_321]]


def test_gpsimd_adds_32_bit_integers_exactly_and_wraps() -> None:
    got = result(
        "@gpsimd TensorTensor c, a, b, op=add",
        a=sbuf("i32", BIG),
        b=sbuf("i32", ADDED),
        c=sbuf("i32", (1, 4)),
    )
    assert got.tolist() == [[2**24 + 3, -(2**31), 2**31 - 1, 1_111_111_110]]


def test_gpsimd_multiplies_unsigned_integers_modulo_2_to_the_32() -> None:
    a, b = [[2**16, 3_000_000_000, 65_537]], [[2**16 + 1, 3, 65_537]]
    got = result(
        "@gpsimd TensorTensor c, a, b, op=multiply",
        a=sbuf("u32", a),
        b=sbuf("u32", b),
        c=sbuf("u32", (1, 3)),
    )
    assert got.tolist() == [[x * y % 2**32 for x, y in zip(*a, *b, strict=True)]]


def test_vector_loses_what_float32_cannot_hold() -> None:
    # 2**24 + 1 reads as 2**24, and 2**24 + 2 fits; 2**31 - 1 reads as 2**31 and saturates.
    got = result(
        "@vector TensorTensor c, a, b, op=add",
        a=sbuf("i32", BIG),
        b=sbuf("i32", ADDED),
        c=sbuf("i32", (1, 4)),
    )
    assert got[0, :3].tolist() == [2**24 + 2, 2**31 - 1, -(2**31)]
    # 123456792 + 987654336 = 1111111128, between the floats 1111111040 and 1111111168.
    assert got[0, 3] == 1_111_111_168


def test_gpsimd_goes_through_float32_when_one_tile_holds_no_integers() -> None:
    got = result(
        "@gpsimd TensorTensor c, a, b, op=add",
        a=sbuf("i32", [[2**24 + 1]]),
        b=sbuf("i32", [[2]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[2**24 + 2]]


def test_power_of_integers_is_no_integer_operator() -> None:
    got = result(
        "@gpsimd TensorTensor c, a, b, op=power",
        a=sbuf("i32", [[3, 2, 10]]),
        b=sbuf("i32", [[4, -1, 9]]),
        c=sbuf("i32", (1, 3)),
    )
    assert got.tolist() == [[81, 0, 10**9]]  # 2**-1 = 0.5 rounds to even


def test_a_tile_may_be_combined_onto_itself() -> None:
    got = result("@vector TensorTensor c, c, c, op=multiply", c=sbuf("f32", [[1, -2, 3]]))
    assert got.tolist() == [[1, 4, 9]]


def test_abs_max_and_abs_min_keep_the_sign() -> None:
    """The values of the vendor's documentation."""
    for op, want in (("abs_max", -5), ("abs_min", 3)):
        got = result(
            f"@vector TensorTensor c, a, b, op={op}",
            "trn3",
            a=sbuf("f32", [[-5]]),
            b=sbuf("f32", [[3]]),
            c=sbuf("f32", (1, 1)),
        )
        assert got.tolist() == [[want]]


@pytest.mark.parametrize(
    ("line", "said"),
    [("op=subtract", True), ("op=add", False), ("op=power", False), ("op=bitwise_or", True)],
)
def test_gpsimd_takes_what_is_not_described_with_a_warning(line: str, said: bool) -> None:
    dtype = "u8" if "bitwise" in line else "f32"
    done = ran(
        f"@gpsimd TensorTensor c, a, b, {line}",
        a=sbuf(dtype, [[4]]),
        b=sbuf(dtype, [[1]]),
        c=sbuf(dtype, (1, 1)),
    )
    warnings = [(w.code, w.severity) for w in done.program.warnings]
    assert warnings == ([("E0408", Severity.WARNING)] if said else [])


def test_exact_integers_on_gpsimd_need_no_warning() -> None:
    done = ran(
        "@gpsimd TensorTensor c, a, b, op=subtract",
        a=sbuf("i32", [[-(2**31)]]),
        b=sbuf("i32", [[1]]),
        c=sbuf("i32", (1, 1)),
    )
    assert list(done.program.warnings) == []
    assert done.read("c").tolist() == [[2**31 - 1]]


# -- TensorScalar


def scalar_model(data: Array, stages: list[tuple[str, Any, bool]], dtype: str) -> Array:
    def element(p: int, n: int) -> Any:
        value = reference.f(float(data[p, n]))
        for op, operand, reverse in stages:
            given = operand[p, 0] if isinstance(operand, np.ndarray) else operand
            value = reference.stage(op, value, reference.f(float(given)), reverse)
        return reference.out(value, dtype)

    return reference.each((len(data), data.shape[1]), element, dtype)


@each("reverse", ["false", "true"])
@each("op", [o for o in ARITHMETIC if o != "power"])
def test_tensor_scalar_with_a_number_on_either_side(op: str, reverse: str) -> None:
    data = drawn("bfloat16", (6, 31), 3)
    got = result(
        f"@vector TensorScalar c, a, op0={op}, operand0=2.75, reverse0={reverse}",
        ON.get(op, "trn2"),
        a=sbuf("bf16", data),
        c=sbuf("f32", (6, 31)),
    )
    same(got, scalar_model(data, [(op, 2.75, reverse == "true")], "float32"))


@pytest.mark.parametrize("seed", part(range(24), 6))
def test_two_stages_with_numbers_and_columns_each_rounded_to_float32(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 12)))
    source, dst = (str(d) for d in draw.choice([*FLOATS, *INTEGERS], 2))
    data = drawn(source, shape, seed)
    columns = draw.standard_normal((2, shape[0], 1)).astype(np.float32)
    stages: list[tuple[str, Any, bool]] = []
    text = []
    for n in range(2):
        op = str(draw.choice(["add", "subtract", "multiply", "minimum", "greater"]))
        reverse, column = bool(draw.integers(2)), bool(draw.integers(2))
        number = float(draw.integers(-9, 9)) + 0.3
        stages.append((op, columns[n] if column else number, reverse))
        operand = f"s{n}" if column else number
        text.append(f"op{n}={op}, operand{n}={operand}, reverse{n}={str(reverse).lower()}")
    got = result(
        f"@vector TensorScalar c, a, {', '.join(text)}",
        str(draw.choice(["trn1", "trn2", "trn3"])),
        a=sbuf(source, data),
        s0=sbuf("f32", columns[0]),
        s1=psum("f32", columns[1]),
        c=sbuf(dst, shape),
    )
    same(got, scalar_model(data, stages, dst))


def test_multiply_then_add_is_not_fused() -> None:
    # (1 + 2**-12)**2 = 1 + 2**-11 + 2**-24 rounds to 1 + 2**-11 before 1 + 2**-11 is taken off.
    x = 1 + 2.0**-12
    got = result(
        f"@vector TensorScalar c, a, op0=multiply, operand0={x}, op1=subtract, "
        f"operand1={1 + 2.0**-11}",
        a=sbuf("f32", [[x]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[0]]


@pytest.mark.parametrize(
    ("op", "engine", "on"),
    [
        ("abs", "vector", "trn1"),
        ("reciprocal", "vector", "trn1"),
        ("square", "vector", "trn3"),
        ("relu", "vector", "trn3"),
        ("rsqrt", "gpsimd", "trn1"),
        ("bypass", "vector", "trn1"),
    ],
)
def test_operators_of_one_operand_ignore_reverse(op: str, engine: str, on: str) -> None:
    data = drawn("float32", (4, 20), 5)
    data = np.abs(data) + 1 if op == "rsqrt" else data
    for more in ("", ", operand0=0", ", reverse0=true"):
        got = result(
            f"@{engine} TensorScalar c, a, op0={op}{more}",
            on,
            a=sbuf("f32", data),
            c=sbuf("f32", (4, 20)),
        )
        same(got, scalar_model(data, [(op, 0.0, False)], "float32"))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bitwise_stages_with_numbers_and_a_column_of_the_same_dtype(dtype: str) -> None:
    limits = np.iinfo(reference.NUMPY[dtype])
    draw = np.random.default_rng(8)
    data = draw.integers(limits.min, limits.max, (4, 16), dtype=dtype, endpoint=True)
    column = draw.integers(0, 7, (4, 1)).astype(dtype)
    got = result(
        "@vector TensorScalar c, a, op0=right_shift, operand0=s, op1=bitwise_xor, operand1=0x55",
        a=sbuf(dtype, data),
        s=sbuf(dtype, column),
        c=sbuf(dtype, (4, 16)),
    )

    def element(p: int, n: int) -> int:
        shifted = reference.bitwise("right_shift", int(data[p, n]), int(column[p, 0]), dtype)
        return reference.bitwise("bitwise_xor", shifted, 0x55, dtype)

    same(got, reference.each((4, 16), element, dtype))


@pytest.mark.parametrize("reverse", ["", ", reverse0=true"])
def test_a_column_of_bits_may_be_of_any_integer_dtype_of_the_width(reverse: str) -> None:
    got = result(
        f"@vector TensorScalar c, a, op0=bitwise_xor, operand0=s{reverse}",
        a=sbuf("i8", [[1, -1]]),
        s=sbuf("u8", [[255]]),
        c=sbuf("i8", (1, 2)),
    )
    assert got.tolist() == [[-2, 0]]


def test_a_number_shifted_by_the_data() -> None:
    got = result(
        "@vector TensorScalar c, a, op0=left_shift, operand0=1, reverse0=true",
        a=sbuf("u16", [[0, 3, 15]]),
        c=sbuf("u16", (1, 3)),
    )
    assert got.tolist() == [[1, 8, 32768]]


def test_address_arithmetic_on_32_bit_integers_is_exact_on_vector_too() -> None:
    got = result(
        "@vector TensorScalar c, a, op0=multiply, operand0=3, op1=add, operand1=s",
        a=sbuf("i32", [[2**24 + 1], [5]]),
        s=sbuf("i32", [[7], [2**31 - 1]]),
        c=sbuf("i32", (2, 1)),
    )
    assert got.tolist() == [[3 * 2**24 + 10], [-(2**31) + 14]]


def test_a_fraction_takes_integers_through_float32() -> None:
    got = result(
        "@vector TensorScalar c, a, op0=multiply, operand0=2.5",
        a=sbuf("i32", [[1, 3, 2**24 + 1]]),
        c=sbuf("i32", (1, 3)),
    )
    assert got.tolist() == [[2, 8, 41_943_040]]  # 2.5 and 7.5 round to even


def test_scalar_multiplies_and_adds_from_v3_on() -> None:
    data = drawn("bfloat16", (3, 9), 4)
    got = result(
        "@scalar TensorScalar c, a, op0=multiply, operand0=1.5, op1=add, operand1=-0.25",
        "trn2",
        a=sbuf("bf16", data),
        c=sbuf("bf16", (3, 9)),
    )
    same(got, scalar_model(data, [("multiply", 1.5, False), ("add", -0.25, False)], "bfloat16"))


def test_address_arithmetic_is_exact_and_other_integers_go_through_float32() -> None:
    big = 2**24 + 1
    for line, want in [
        ("op0=multiply, operand0=3, op1=add, operand1=1", 3 * big + 1),
        ("op0=add, operand0=-1", big - 1),
        # One operand that is no integer, or another operator, and float32 computes: 2**24.
        ("op0=add, operand0=0.0", 2**24),
        ("op0=subtract, operand0=0", 2**24),
        ("op0=multiply, operand0=1", 2**24),
    ]:
        got = result(
            f"@vector TensorScalar c, a, {line}", a=sbuf("i32", [[big]]), c=sbuf("i32", (1, 1))
        )
        assert got.tolist() == [[want]], line


def test_bypass_goes_with_operators_of_either_class() -> None:
    got = result(
        "@vector TensorScalar c, a, op0=bypass, op1=bitwise_xor, operand1=0xff",
        a=sbuf("u8", [[0x0F]]),
        c=sbuf("u8", (1, 1)),
    )
    assert got.tolist() == [[0xF0]]


# -- ScalarTensorTensor


def test_its_tiles_come_first_as_those_of_every_instruction() -> None:
    got = result(
        "@vector ScalarTensorTensor c, a, b, subtract, 4.0, multiply",
        a=sbuf("f32", [[10]]),
        b=sbuf("f32", [[7]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[(10 - 4) * 7]]


@pytest.mark.parametrize(
    ("more", "want"),
    [
        ("", (10 - 4) - 1),
        (", reverse0=true", (4 - 10) - 1),
        (", reverse1=true", 1 - (10 - 4)),
        (", reverse0=true, reverse1=true", 1 - (4 - 10)),
    ],
)
def test_a_scalar_then_a_tile_each_on_either_side(more: str, want: float) -> None:
    line = f"ScalarTensorTensor c, a, op0=subtract, operand0=4.0, op1=subtract, operand1=b{more}"
    got = result(
        f"@vector {line}", a=psum("i8", [[10]]), b=sbuf("bf16", [[1]]), c=sbuf("f32", (1, 1))
    )
    assert got.tolist() == [[want]]


def test_its_two_stages_are_not_fused() -> None:
    # (1 + 2**-12)**2 = 1 + 2**-11 + 2**-24 rounds to 1 + 2**-11 before 1 + 2**-11 is taken off.
    got = result(
        "@vector ScalarTensorTensor c, a, op0=multiply, operand0=s, op1=subtract, operand1=b",
        a=sbuf("f32", [[1 + 2.0**-12]]),
        s=sbuf("f32", [[1 + 2.0**-12]]),
        b=sbuf("f32", [[1 + 2.0**-11]]),
        c=sbuf("f32", (1, 1)),
    )
    assert got.tolist() == [[0]]


# -- Reciprocal


def test_reciprocal_is_one_rounded_division() -> None:
    data = np.array([[3, -0.1, 1e-40, 1e38, np.inf, 7]], np.float32)
    for dtype in ("float32", "bfloat16"):
        got = result("@vector Reciprocal c, a", a=sbuf("f32", data), c=sbuf(dtype, (1, 6)))
        want = [reference.out(reference.f(1 / float(v)), dtype) for v in data[0]]
        same(got, np.array([want]))


def test_reciprocal_of_zero_is_an_infinity_of_its_sign() -> None:
    done = ran("@vector Reciprocal c, a", a=sbuf("f32", [[0.0, -0.0]]), c=sbuf("f32", (1, 2)))
    assert done.read("c").tolist() == [[np.inf, -np.inf]]
