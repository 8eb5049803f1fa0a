"""LoadStationaryMX, MultiplyMovingMX and QuantizeMX, by hand and against the published reference.

The reference (mx_cpu_utils of the vendor's MXFP guide) is rewritten as loops in model.py.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.targets import TARGETS
from tests.neuron.mx import model
from tests.neuron.programs import Array, Tile, cost, fault, psum, ran, sbuf
from tests.tables import each

E4, E5, FP4 = "float8_e4m3fn_x4", "float8_e5m2_x4", "float4_e2m1fn_x4"
BF16 = ml_dtypes.bfloat16
QUANTIZE = "@vector QuantizeMX x, a, s"


def chosen(lines: str, options: dict[str, object], **tiles: Tile) -> Session:
    """The program after a run with machine options."""
    text = "\n".join([".target trn3", *(t.declaration(n) for n, t in tiles.items()), lines, ""])
    made = Session(
        assemble(Source("test.nasm", text), TARGETS, options=options),
        {n: t.values for n, t in tiles.items() if t.values is not None},
    )
    report = made.run()
    assert (report.problems, report.hazards) == ((), ())
    return made


def block(*values: float) -> Array:
    """32 partitions of one x4 column: the values stand in the first partitions, zeros elsewhere."""
    held = np.zeros((32, 4), BF16)
    held.reshape(-1)[: len(values)] = values
    return held


def quantised(values: Array, dtype: str = E4, **options: object) -> tuple[Array, Array]:
    """The bytes and the scale bytes of a tile of 32 partitions."""
    columns = values.shape[1] // 4
    done = chosen(
        QUANTIZE,
        {k.replace("__", "."): v for k, v in options.items()},
        a=sbuf("bf16", values),
        x=sbuf(dtype, (32, columns)),
        s=sbuf("u8", (4, columns)),
    )
    return done.read("x").view(np.uint8), done.read("s")


# -- quantising


def test_the_largest_value_of_a_block_decides_its_scale() -> None:
    data, scale = quantised(block(6, 1, -0.5, 0))
    # floor(log2(6)) = 2, X = 2**(2 - 7); 6 / X = 192 = 1.5 * 2**7, 1 / X = 2**5, -0.5 / X = -2**4.
    assert scale[0, 0] == 127 + 2 - 7
    assert data[0].tolist() == [0x74, 0x60, 0xD8, 0x00]
    data, scale = quantised(block(6, 1, -0.5, 0), E5)
    # X = 2**(2 - 14): 1.5 * 2**14, 2**12, -2**11.
    assert scale[0, 0] == 127 + 2 - 14
    assert data[0].tolist() == [0x76, 0x6C, 0xE8, 0x00]


def test_the_reading_of_the_ocp_specification_uses_the_whole_range_and_clips() -> None:
    data, scale = quantised(block(7.5, 7, 6), quantize_mx__scale="ocp")
    # X = 2**(2 - 8): 480 is clipped to 448, 448 and 384 are exact.
    assert scale[0, 0] == 127 + 2 - 8
    assert data[0, :3].tolist() == [0x7E, 0x7E, 0x7C]
    data, _ = quantised(block(7.5, 7, 6))
    # Twice the scale: 240, 224 and 192, none clipped.
    assert data[0, :3].tolist() == [0x77, 0x76, 0x74]


def test_a_block_is_eight_partitions_by_four_columns() -> None:
    values = np.zeros((32, 8), BF16)
    values[7, 3], values[8, 0], values[31, 7] = 2.0, 4.0, 8.0
    _, scale = quantised(values)
    # Exponents 1, 2 and 3 less 7, and the byte 0 of blocks that are all zero.
    assert scale.tolist() == [[121, 0], [122, 0], [0, 0], [0, 123]]


def test_what_is_too_small_has_the_smallest_scale() -> None:
    data, scale = quantised(block(2.0**-130, -(2.0**-126)))
    # X = 2**-127: 2**-3 and -2.
    assert scale[0, 0] == 0
    assert data[0, :2].tolist() == [0x20, 0xC0]


@pytest.mark.parametrize(("dtype", "codes"), [(E4, [0x7F, 0x7F]), (E5, [0x7C, 0x7E])])
def test_infinities_and_nan_are_cast_and_leave_the_rest_near_zero(
    dtype: str, codes: list[int]
) -> None:
    data, scale = quantised(block(math.inf, math.nan, 1.0), dtype)
    assert scale[0, 0] == 255 - (7 if dtype == E4 else 14)
    assert data[0].tolist() == [*codes, 0, 0]


@pytest.mark.parametrize("dtype", [E4, E5])
@pytest.mark.parametrize("reading", ["nki", "ocp"])
def test_random_tiles_quantise_as_the_reference_does(dtype: str, reading: str) -> None:
    draw = np.random.default_rng(7)
    sizes = np.repeat(np.repeat(2.0 ** draw.integers(-30, 30, (4, 16)), 8, 0), 4, 1)
    values = (draw.standard_normal((32, 64)) * sizes).astype(BF16)
    data, scale = quantised(values, dtype, quantize_mx__scale=reading)
    words, bytes_ = model.quantised(values.astype(np.float32), dtype, reading == "ocp")
    assert data.view(np.uint32).tolist() == words
    assert scale.tolist() == bytes_


def test_float16_is_quantised_by_its_value() -> None:
    held = np.zeros((32, 4), np.float16)
    held[0, 0] = 2.0**-24  # subnormal in float16
    done = ran(QUANTIZE, "trn3", a=sbuf("f16", held), x=sbuf(E4, (32, 1)), s=sbuf("u8", (4, 1)))
    assert done.read("s")[0, 0] == 127 - 24 - 7
    assert done.read("x").view(np.uint8)[0, 0] == 0x70  # 2**7


# -- multiplying


def packed(values: Array, dtype: str) -> Array:
    """[K, 4 N] numbers as x4 elements [K, N]."""
    kind, bits, _, _ = model.ELEMENTS[dtype]
    with np.errstate(all="ignore"):
        codes = values.astype(kind).view(np.uint8).reshape(values.shape[0], -1, 4)
    mask = (1 << bits) - 1
    words = sum((codes[..., q].astype(np.uint32) & mask) << (bits * q) for q in range(4))
    return np.asarray(words).astype(np.uint16 if bits == 4 else np.uint32)


def scaled(k: int, bytes_: Array, offset: int = 0) -> Array:
    """A scale tile [K, N] with a row of bytes for each group of 8 partitions."""
    held = np.full((k, bytes_.shape[1]), 77, np.uint8)
    for group, row in enumerate(bytes_):
        held[offset + model.scale_row(group)] = row
    return held


MULTIPLY = "@tensor\nLoadStationaryMX a, s\nMultiplyMovingMX c, b, t"


@each("first", [E4, E5, FP4])
@each("second", [E4, E5, FP4])
@each("kept", ["u8", "e8m0"])
def test_any_two_x4_dtypes_go_together(first: str, second: str, kept: str) -> None:
    draw = np.random.default_rng(1)
    a, b = (draw.choice([-4, -2, -1, 0, 0.5, 1, 3, 6], (64, 4 * n)) for n in (6, 5))
    s, t = (draw.integers(124, 131, (8, n), np.uint8) for n in (6, 5))
    kind = np.uint8 if kept == "u8" else ml_dtypes.float8_e8m0fnu
    done = ran(
        MULTIPLY,
        "trn3",
        a=sbuf(first, packed(a, first)),
        b=sbuf(second, packed(b, second)),
        s=sbuf(kept, scaled(64, s).view(kind)),
        t=sbuf(kept, scaled(64, t).view(kind)),
        c=psum("f32", (6, 5)),
    )
    factors = [np.repeat(2.0 ** (x.astype(float) - 127), 8, 0)[:, :, None] for x in (s, t)]
    wide = [x.reshape(64, -1, 4) * f for x, f in zip((a, b), factors, strict=True)]
    np.testing.assert_array_equal(done.read("c"), np.einsum("kiq,kjq->ij", *wide))


def test_the_first_of_four_is_in_the_lowest_bits() -> None:
    one = np.zeros((32, 8))
    one[0, 0] = 1.0
    two = np.zeros((32, 8))
    two[0] = [1, 2, 3, 4, 0.5, 0, 0, 0]
    unit = np.full((4, 2), 127, np.uint8)
    done = ran(
        MULTIPLY,
        "trn3",
        a=sbuf(E4, packed(one, E4)),
        b=sbuf(FP4, packed(two, FP4)),
        s=sbuf("u8", unit),
        t=sbuf("u8", unit),
        c=psum("f32", (2, 2)),
    )
    assert done.read("c").tolist() == [[1, 0.5], [0, 0]]


def test_scales_of_four_tensors_share_a_tile() -> None:
    # As in the vendor's kernel with packed scales: QuantizeMX at the offsets 0, 4, 8 and 12.
    draw = np.random.default_rng(2)
    a, b = (draw.standard_normal((128, 4 * n)).astype(BF16) for n in (8, 8))
    lines = """.sem made
        @vector QuantizeMX x, a, s                 $made++
        @vector QuantizeMX y, b, s[12:128]         $made++
        @tensor LoadStationaryMX x, s              $made >= 2
        @tensor MultiplyMovingMX c, y, s[12:128]"""
    done = ran(
        lines,
        "trn3",
        a=sbuf("bf16", a),
        b=sbuf("bf16", b),
        x=sbuf(E4, (128, 8)),
        y=sbuf(E4, (128, 8)),
        s=sbuf("u8", (128, 8)),
        c=psum("f32", (8, 8)),
    )
    rows = [row for row in range(128) if row % 32 < 4 or 12 <= row % 32 < 16]
    assert np.flatnonzero(done.known("s").all(axis=1)).tolist() == rows
    exact = np.einsum("kiq,kjq->ij", *(x.astype(float).reshape(128, -1, 4) for x in (a, b)))
    # Each product of two values of 3 mantissa bits is off by an eighth at most.
    bound = np.einsum("kiq,kjq->ij", *(abs(x.astype(float)).reshape(128, -1, 4) for x in (a, b)))
    assert (abs(done.read("c") - exact) <= bound / 8).all()


def scale_of_255(**options: object) -> Array:
    ones, unit = packed(np.ones((32, 8)), E4), np.full((4, 2), 127, np.uint8)
    high = unit.copy()
    high[0, 0] = 255
    done = chosen(
        MULTIPLY,
        {k.replace("__", "."): v for k, v in options.items()},
        a=sbuf(E4, ones),
        b=sbuf(E4, ones),
        s=sbuf("u8", high),
        t=sbuf("u8", unit),
        c=psum("f32", (2, 2)),
    )
    return done.read("c")


def test_the_scale_255_is_nan_or_by_choice_an_infinity() -> None:
    assert np.isnan(scale_of_255()[0]).all()
    assert scale_of_255()[1].tolist() == [128, 128]
    assert scale_of_255(mx__scale255="infinity").tolist() == [[math.inf] * 2, [128, 128]]


def test_a_bfloat16_accumulator_is_rounded_at_each_write() -> None:
    lines = "@tensor\nLoadStationaryMX a, s\n" + "\n".join(
        f"MultiplyMovingMX c, a, s, accumulate={adds}" for adds in ("false", "true", "true")
    )
    ones = packed(np.ones((32, 8)), E4)
    first = np.full((4, 2), 127, np.uint8)
    first[0] = 130  # 8 * 8 * 32 + 3 * 32 = 2144, and 4288 and 6432: bfloat16 has 8 bits
    done = ran(lines, "trn3", a=sbuf(E4, ones), s=sbuf("u8", first), c=psum("bf16", (2, 2)))
    total = BF16(2144)
    for _ in range(2):
        total = BF16(float(total) + 2144)
    assert done.read("c").tolist() == [[float(total)] * 2] * 2


@pytest.mark.parametrize("rows", [32, 64])
def test_row_tiles_hold_mx_tiles_side_by_side(rows: int) -> None:
    places = range(0, 128, rows)
    ones = packed(np.ones((128, 8)), E4)
    held = scaled(128, np.full((16, 2), 127, np.uint8))
    tiles = [f"tile_position=[{row}, 0], tile_size=[{rows}, 128]" for row in places]
    part = [f"{{0}}[{row} : +{rows}], s[{row} : +{rows}]" for row in places]
    lines = ["@tensor"]
    lines += [f"LoadStationaryMX {p.format('a')}, {t}" for p, t in zip(part, tiles, strict=True)]
    lines += [
        f"MultiplyMovingMX c, {p.format('a')}, accumulate={str(n > 0).lower()}, {t}"
        for n, (p, t) in enumerate(zip(part, tiles, strict=True))
    ]
    done = ran(
        "\n".join(lines), "trn3", a=sbuf(E4, ones), s=sbuf("u8", held), c=psum("f32", (2, 2))
    )
    assert done.read("c").tolist() == [[512, 512]] * 2


def test_columns_and_their_scales_are_gathered_by_one_index() -> None:
    draw = np.random.default_rng(3)
    a = packed(draw.choice([-2, -1, 0, 1, 2], (64, 4 * 8)), E4)
    s = scaled(64, draw.integers(125, 130, (8, 8), np.uint8))
    order = np.array([5, 0, 7, 3], np.int16)
    index = np.zeros((64, 1), np.int16)
    index[:4, 0] = order
    gathered = "{0}.indirect(i, num_elem=4)"
    lines = (
        f"@tensor\nLoadStationaryMX {gathered.format('a')}, {gathered.format('s')}\n"
        f"MultiplyMovingMX c, {gathered.format('a')}, {gathered.format('s')}"
    )
    done = ran(
        lines, "trn3", a=sbuf(E4, a), s=sbuf("u8", s), i=sbuf("i16", index), c=psum("f32", (4, 4))
    )
    picked = model.dequantised(a[:, order], s[:, order], E4)
    np.testing.assert_array_equal(done.read("c"), model.product(picked, picked))


# -- what is loaded


PLAIN = {
    "a": sbuf(E4, np.zeros((32, 2))),
    "s": sbuf("u8", np.zeros((4, 2))),
    "p": sbuf("bf16", np.zeros((32, 2))),
    "c": psum("f32", (2, 2)),
}


@pytest.mark.parametrize(
    ("lines", "code", "piece"),
    [
        ("LoadStationaryMX a, s\nMultiplyMoving c, p", "E0507", "MultiplyMovingMX"),
        ("LoadStationary p\nMultiplyMovingMX c, a, s", "E0507", "MultiplyMoving multiplies"),
        ("MultiplyMovingMX c, a, s", "E0503", "LoadStationaryMX"),
    ],
)
def test_each_kind_of_matmul_takes_its_own_kind_of_tile(lines: str, code: str, piece: str) -> None:
    problem = fault(f"@tensor\n{lines}", "trn3", **PLAIN)
    assert problem.code == code
    assert piece in problem.hint


# -- time


def test_an_mx_matmul_takes_the_time_of_a_bfloat16_one() -> None:
    tiles = {
        "x": sbuf(E4, (128, 512)),
        "t": sbuf("u8", (128, 512)),
        "b": sbuf("bf16", (128, 512)),
        "c": psum("f32", (128, 512)),
    }
    mine = cost("@tensor MultiplyMovingMX c, x, t", "trn3", **tiles)
    theirs = cost("@tensor MultiplyMoving c, b", "trn3", **tiles)
    assert (mine.interval, mine.latency) == (theirs.interval, theirs.latency)
    load = "@tensor LoadStationaryMX x[:, 0:128], t[:, 0:128]"
    assert cost(load, "trn3", **tiles).interval == 32


@pytest.mark.parametrize(("columns", "cycles"), [(4, 64), (256, 64), (512, 128), (2048, 512)])
def test_quantising_reads_four_elements_per_cycle(columns: int, cycles: int) -> None:
    tiles = {
        "a": sbuf("bf16", (128, columns)),
        "x": sbuf(E4, (128, columns // 4)),
        "s": sbuf("u8", (128, columns // 4)),
    }
    assert cost(QUANTIZE, "trn3", **tiles).interval == cycles
