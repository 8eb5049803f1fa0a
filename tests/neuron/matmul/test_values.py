"""LoadStationary and MultiplyMoving: values, modes, tiles of the array, and what is in PSUM."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nasm.base.dtypes import find
from tests.neuron import scalar as reference
from tests.neuron.programs import (
    GENERATIONS,
    Array,
    fault,
    hazards,
    psum,
    ran,
    refused,
    result,
    sbuf,
)
from tests.tables import each

F32 = np.float32
NARROW = ("float8_e3m4", "float8_e4m3", "float8_e5m2", "bfloat16", "float16")
MULTIPLY = "@tensor\nLoadStationary a\nMultiplyMoving c, b"


def whole(shape: tuple[int, ...], seed: int, dtype: str = "float32") -> Array:
    """Small whole numbers: every product and every sum of them is exact in float32."""
    values = np.random.default_rng(seed).integers(-4, 5, shape)
    return values.astype(reference.NUMPY[dtype])


# -- values


@each(("k", "m", "n"), [(1, 1, 1), (3, 5, 7), (128, 2, 9), (17, 128, 3)])
@each("on", GENERATIONS)
def test_dst_is_the_transposed_stationary_tile_times_the_moving_one(
    k: int, m: int, n: int, on: str
) -> None:
    a, b = whole((k, m), 1), whole((k, n), 2)
    got = result(MULTIPLY, on, a=sbuf("f32", a), b=sbuf("f32", b), c=psum("f32", (m, n)))
    np.testing.assert_array_equal(got, reference.matmul(a, b))


@each(("first", "second"), [*itertools.product(NARROW, NARROW)])
def test_any_two_narrow_dtypes_go_together(first: str, second: str) -> None:
    a, b = whole((6, 3), 3, first), whole((6, 4), 4, second)
    got = result(MULTIPLY, a=sbuf(first, a), b=sbuf(second, b), c=psum("f32", (3, 4)))
    np.testing.assert_array_equal(got, reference.matmul(a, b))


@pytest.mark.parametrize("pair", [("f32", "tf32"), ("tf32", "f32"), ("tf32", "tf32")])
def test_float32_and_tfloat32_go_together(pair: tuple[str, str]) -> None:
    a, b = whole((6, 3), 3), whole((6, 4), 4)
    got = result(MULTIPLY, a=sbuf(pair[0], a), b=sbuf(pair[1], b), c=psum("f32", (3, 4)))
    np.testing.assert_array_equal(got, reference.matmul(a, b))


@pytest.mark.parametrize(
    ("first", "second", "on"),
    [
        ("f32", "bf16", "trn1"),
        ("tf32", "f16", "trn2"),
        ("e4m3", "f32", "trn3"),
        ("e4m3", "e4m3fn", "trn3"),
        ("e4m3fn", "e4m3", "trn3"),
    ],
)
def test_dtypes_that_do_not_mix_are_a_fault(first: str, second: str, on: str) -> None:
    problem = fault(
        MULTIPLY, on, a=sbuf(first, [[1.0]]), b=sbuf(second, [[1.0]]), c=psum("f32", (1, 1))
    )
    assert problem.code == "E0405"


def test_e4m3fn_reaches_448_on_v4_and_mixes_with_other_narrow_dtypes() -> None:
    got = result(
        MULTIPLY,
        "trn3",
        a=sbuf("e4m3fn", [[448.0]]),
        b=sbuf("bf16", [[2.0]]),
        c=psum("f32", (1, 1)),
    )
    assert got.tolist() == [[896]]


def test_a_product_of_random_tiles_is_the_exact_sum_rounded_once() -> None:
    draw = np.random.default_rng(5)
    a = draw.standard_normal((128, 24)).astype(reference.NUMPY["bfloat16"])
    b = draw.standard_normal((128, 30)).astype(reference.NUMPY["bfloat16"])
    got = result(MULTIPLY, a=sbuf("bf16", a), b=sbuf("bf16", b), c=psum("f32", (24, 30)))
    np.testing.assert_array_equal(got, reference.matmul(a, b).astype(F32))


TIES = (1 + 2.0**-10, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-12, -0.1)


@pytest.mark.parametrize("value", TIES)
def test_tfloat32_is_read_with_ten_mantissa_bits(value: float) -> None:
    want = reference.tfloat32(reference.f(value))
    for a, b in ((value, 1.0), (1.0, value)):
        got = result(MULTIPLY, a=sbuf("tf32", [[a]]), b=sbuf("tf32", [[b]]), c=psum("f32", (1, 1)))
        assert got.tolist() == [[want]]


def test_float32_is_read_in_full() -> None:
    got = result(
        MULTIPLY, a=sbuf("f32", [[1 + 2.0**-20]]), b=sbuf("f32", [[1.0]]), c=psum("f32", (1, 1))
    )
    assert got.tolist() == [[1 + 2.0**-20]]


def test_moving_may_have_many_free_axes_and_any_pattern() -> None:
    a, b = whole((4, 3), 6), whole((4, 5, 6), 7)
    got = result(
        "@tensor\nLoadStationary a[:, ::-1]\nMultiplyMoving c, b.permute(0, 2, 1)",
        a=sbuf("f32", a),
        b=sbuf("f32", b),
        c=psum("f32", (3, 6, 5)),
    )
    moving = b.transpose(0, 2, 1).reshape(4, 30)
    np.testing.assert_array_equal(got.reshape(3, 30), reference.matmul(a[:, ::-1], moving))


# -- accumulation


def test_a_group_accumulates_in_float32_and_starts_by_overwriting() -> None:
    a, b = whole((2, 8, 3), 8), whole((2, 8, 4), 9)
    lines = """@tensor
        LoadStationary a0
        MultiplyMoving c, b0
        LoadStationary a1
        MultiplyMoving c, b1, accumulate=true
        MultiplyMoving c, b1, accumulate=true"""
    got = result(
        lines,
        a0=sbuf("f32", a[0]),
        a1=sbuf("f32", a[1]),
        b0=sbuf("f32", b[0]),
        b1=sbuf("f32", b[1]),
        c=psum("f32", np.full((3, 4), 99)),
    )
    want = reference.matmul(a[0], b[0]) + 2 * reference.matmul(a[1], b[1])
    np.testing.assert_array_equal(got, want)


def test_accumulating_onto_what_nothing_wrote_is_a_hazard() -> None:
    found = hazards(
        "@tensor\nLoadStationary a\nMultiplyMoving c, a, accumulate=true",
        a=sbuf("f32", [[1.0]]),
        c=psum("f32", (1, 1)),
    )
    assert found == ["E0501"]


def test_overwriting_what_nothing_wrote_is_none() -> None:
    assert (
        hazards(MULTIPLY, a=sbuf("f32", [[1.0]]), b=sbuf("f32", [[1.0]]), c=psum("f32", (1, 1)))
        == []
    )


def test_v4_rounds_every_accumulation_into_a_bfloat16_psum() -> None:
    # 256 + 1 is no bfloat16 and rounds back to 256 at each of the two writes.
    got = result(
        "@tensor\nLoadStationary a\nMultiplyMoving c, b, accumulate=true\n"
        "MultiplyMoving c, b, accumulate=true",
        "trn3",
        a=sbuf("bf16", [[1.0]]),
        b=sbuf("bf16", [[1.0]]),
        c=psum("bf16", [[256.0]]),
    )
    assert float(got[0, 0]) == 256


def test_v4_fills_a_whole_psum_partition_with_one_matmul() -> None:
    b = whole((2, 4096), 1)
    got = result(
        MULTIPLY, "trn3", a=sbuf("f32", [[1.0], [2.0]]), b=sbuf("f32", b), c=psum("f32", (1, 4096))
    )
    np.testing.assert_array_equal(got, b[:1] + 2 * b[1:])


def test_v4_fills_it_with_twice_as_many_in_bfloat16() -> None:
    b = whole((2, 8192), 1, "bfloat16")
    got = result(
        MULTIPLY,
        "trn3",
        a=sbuf("bf16", [[1.0], [2.0]]),
        b=sbuf("bf16", b),
        c=psum("bf16", (1, 8192)),
    )
    wide = b.astype(F32)
    np.testing.assert_array_equal(got.astype(F32), wide[:1] + 2 * wide[1:])


# -- tiles of the array


@pytest.mark.parametrize(("on", "size"), [("trn1", 64), ("trn2", 64), ("trn2", 32), ("trn3", 32)])
def test_tiles_of_the_array_hold_one_stationary_tile_each(on: str, size: int) -> None:
    a, b = whole((128, size), 10), whole((128, 5), 11)
    places = list(itertools.product(range(0, 128, size), repeat=2))
    load, multiply = [], []
    for number, (row, column) in enumerate(places):
        tile = f"tile_position=[{row}, {column}], tile_size=[{size}, {size}]"
        rows = f"{row}:{row + size}"
        # Each tile holds the rows' weights, its columns turned by its number.
        load.append(f"LoadStationary w{number}[{rows}], {tile}")
        multiply.append(f"MultiplyMoving c{row}[{column}:{column + size}], b[{rows}], {tile}")
    got = ran(
        "@tensor\n" + "\n".join(load + multiply),
        on,
        b=sbuf("f32", b),
        **{f"w{n}": sbuf("f32", np.roll(a, n, axis=1)) for n in range(len(places))},
        **{f"c{row}": psum("f32", (128, 5)) for row in range(0, 128, size)},
    )
    for number, (row, column) in enumerate(places):
        weights = np.roll(a, number, axis=1)[row : row + size]
        want = reference.matmul(weights, b[row : row + size])
        np.testing.assert_array_equal(got.read(f"c{row}")[column : column + size], want)


def test_the_whole_array_is_also_a_tile_that_may_be_named() -> None:
    a, b = whole((128, 3), 1), whole((128, 5), 2)
    got = result(
        "@tensor\nLoadStationary a\n"
        "MultiplyMoving c, b, tile_position=[0, 0], tile_size=[128, 128]",
        a=sbuf("f32", a),
        b=sbuf("f32", b),
        c=psum("f32", (3, 5)),
    )
    np.testing.assert_array_equal(got, reference.matmul(a, b))


@pytest.mark.parametrize("alone", ["tile_position=[0, 0]", "tile_size=[64, 64]"])
def test_half_of_a_tile_is_one_error(alone: str) -> None:
    (problem,) = refused(f"@tensor LoadStationary a, {alone}", a=sbuf("f32", (128, 128)))
    assert f"{alone.split('=')[0]} alone" in problem.message
    assert "tile_position=[0, 0], tile_size=[128, 128]" in problem.hint


def test_a_full_load_replaces_the_tiles_it_covers() -> None:
    tile = "tile_position=[64, 0], tile_size=[64, 64]"
    problem = fault(
        f"@tensor\nLoadStationary a[64:128], {tile}\nLoadStationary a[0:1]\n"
        f"MultiplyMoving c, a[64:128], {tile}",
        a=sbuf("f32", whole((128, 4), 1)),
        c=psum("f32", (4, 4)),
    )
    assert problem.code == "E0503"
    assert "[64, 0]" in problem.message


# -- double_row


def test_double_row_contracts_two_rows_of_each_partition() -> None:
    a, b = whole((5, 2, 4), 12, "float8_e4m3"), whole((5, 2, 6), 13, "float8_e5m2")
    lines = """@tensor
        LoadStationary a, perf_mode=double_row
        MultiplyMoving c, b, perf_mode=double_row"""
    want = np.einsum("kli,klj->ij", a.astype(np.float64), b.astype(np.float64))
    for on in ("trn2", "trn3"):
        got = result(lines, on, a=sbuf("e4m3", a), b=sbuf("e5m2", b), c=psum("f32", (4, 6)))
        np.testing.assert_array_equal(got, want)


# -- transposing


TRANSPOSE = "@tensor\nLoadStationary a, is_transpose=true\nMultiplyMoving c, i, is_transpose=true"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("on", ["trn2", "trn3"])
def test_from_v3_on_a_transpose_moves_bits(dtype: str, on: str) -> None:
    kind = reference.NUMPY[dtype]
    bits = np.random.default_rng(3).integers(0, 2**16, (7, 4)).astype(np.uint16)
    a = (bits.astype(np.uint32) << 16 | 5).view(F32) if dtype == "float32" else bits.view(kind)
    a[0] = np.array([np.nan, np.inf, -np.inf, -0.0], kind)
    got = result(TRANSPOSE, on, a=sbuf(dtype, a), i=sbuf(dtype, np.eye(7)), c=psum(dtype, (4, 7)))
    assert np.ascontiguousarray(got).tobytes() == np.ascontiguousarray(a.T).tobytes()


def test_a_transpose_of_tfloat32_keeps_all_its_bits() -> None:
    value = F32(1 + 2.0**-20)
    got = result(
        TRANSPOSE, "trn2", a=sbuf("tf32", [[value]]), i=sbuf("tf32", [[1]]), c=psum("tf32", (1, 1))
    )
    assert got[0, 0] == value


@pytest.mark.parametrize(
    ("dtype", "on"),
    [
        ("e4m3", "trn2"),
        ("e5m2", "trn2"),
        ("e3m4", "trn2"),
        ("e4m3", "trn3"),
        ("e5m2", "trn3"),
        ("e4m3fn", "trn3"),
    ],
)
def test_a_transpose_of_bytes_writes_sixteen_bits_with_zeros_above(dtype: str, on: str) -> None:
    # NaN, a subnormal, -0 and ordinary ones
    codes = np.array([[0x7F, 0x01], [0xFF, 0x80], [0x3C, 0x42]], np.uint8)
    kind = find(dtype)
    assert kind is not None
    a = codes.view(kind.numpy)
    done = ran(
        TRANSPOSE.replace("c,", "c[:, ::2],"),
        on,
        a=sbuf(dtype, a),
        i=sbuf(dtype, np.eye(3)),
        c=psum(dtype, np.ones((2, 6))),
    )
    assert done.read("c").view(np.uint8).tolist() == [
        [0x7F, 0, 0xFF, 0, 0x3C, 0],
        [0x01, 0, 0x80, 0, 0x42, 0],
    ]


def test_the_zeros_of_such_a_transpose_are_written_too() -> None:
    done = ran(
        TRANSPOSE.replace("c,", "c[:, 0:1],"),
        "trn2",
        a=sbuf("e4m3", [[1.0]]),
        i=sbuf("e4m3", [[1.0]]),
        c=psum("e4m3", (1, 4)),
    )
    assert done.known("c").tolist() == [[True, True, False, False]]


def test_a_permutation_moves_rows_as_it_says() -> None:
    a = np.arange(6).reshape(3, 2)
    turn = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])  # column n holds its 1 in row n - 1
    got = result(TRANSPOSE, "trn2", a=sbuf("f32", a), i=sbuf("f32", turn), c=psum("f32", (2, 3)))
    assert got.tolist() == [[4, 0, 2], [5, 1, 3]]


def test_on_v2_nan_contaminates_what_a_transpose_multiplies() -> None:
    a = np.array([[np.nan, 1], [2, 3]], F32)
    got = result(
        TRANSPOSE, "trn1", a=sbuf("f32", a), i=sbuf("f32", np.eye(2)), c=psum("f32", (2, 2))
    )
    # dst[m, n] = sum over k of a[k, m] * i[k, n]: 0 * NaN reaches all of row m = 0.
    assert np.isnan(got[0]).all()
    assert got[1].tolist() == [1, 3]


def test_on_v2_infinities_contaminate_too() -> None:
    a = np.array([[np.inf, 1], [2, 3]], F32)
    got = result(
        TRANSPOSE, "trn1", a=sbuf("f32", a), i=sbuf("f32", np.eye(2)), c=psum("f32", (2, 2))
    )
    assert got[0, 0] == np.inf
    assert np.isnan(got[0, 1])


def test_a_moving_tile_that_is_no_permutation_is_undocumented() -> None:
    problem = fault(
        TRANSPOSE,
        "trn2",
        a=sbuf("f32", [[1], [2]]),
        i=sbuf("f32", [[1, 1], [1, 0]]),
        c=psum("f32", (1, 2)),
    )
    assert problem.code == "E0701"


def test_a_transpose_does_not_convert() -> None:
    problem = fault(
        TRANSPOSE, "trn2", a=sbuf("bf16", [[1.1]]), i=sbuf("f16", [[1]]), c=psum("f16", (1, 1))
    )
    assert problem.code == "E0405"


# -- what is loaded


def test_a_matmul_before_any_load_is_a_fault() -> None:
    problem = fault("@tensor MultiplyMoving c, b", b=sbuf("f32", [[1]]), c=psum("f32", (1, 1)))
    assert problem.code == "E0503"
    assert "LoadStationary" in problem.hint


def test_a_hint_that_the_load_did_not_have_is_a_fault() -> None:
    problem = fault(
        "@tensor\nLoadStationary a\nMultiplyMoving c, b, is_stationary_onezero=true",
        a=sbuf("f32", [[1]]),
        b=sbuf("f32", [[1]]),
        c=psum("f32", (1, 1)),
    )
    assert problem.code == "E0507"


@pytest.mark.parametrize("loaded", ["is_transpose=true", "perf_mode=double_row"])
def test_modes_must_be_those_of_the_load(loaded: str) -> None:
    a = np.ones((2, 2, 2))
    moving = "b[:, 0]" if "row" in loaded else "b[:, 0], is_transpose=false"
    problem = fault(
        f"@tensor\nLoadStationary a, {loaded}\nMultiplyMoving c, {moving}",
        "trn2",
        a=sbuf("e4m3" if "row" in loaded else "bf16", a),
        b=sbuf("bf16", a),
        c=psum("f32", (2, 2) if "row" in loaded else (4, 2)),
    )
    assert problem.code == "E0507"
    assert loaded in problem.message


def test_both_tiles_contract_over_the_same_partitions() -> None:
    problem = fault(
        MULTIPLY,
        a=sbuf("f32", whole((4, 2), 1)),
        b=sbuf("f32", whole((3, 2), 1)),
        c=psum("f32", (2, 2)),
    )
    assert problem.code == "E0404"
    assert "K = 3" in problem.message


def test_dst_has_a_partition_per_stationary_column() -> None:
    problem = fault(
        MULTIPLY,
        a=sbuf("f32", whole((4, 2), 1)),
        b=sbuf("f32", whole((4, 2), 1)),
        c=psum("f32", (3, 2)),
    )
    assert problem.code == "E0404"


def test_the_stationary_tile_stays_as_it_was_when_the_load_read_it() -> None:
    got = result(
        ".sem s, t\n@tensor\nLoadStationary a   $s++\nMultiplyMoving c, b  $t >= 1\n"
        "@vector Memset a, 5.0  $s >= 1  $t++",
        a=sbuf("f32", [[1.0]]),
        b=sbuf("f32", [[1.0]]),
        c=psum("f32", (1, 1)),
    )
    assert got.tolist() == [[1]]
