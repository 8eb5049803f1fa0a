"""TensorCopy and Memset: casts between dtypes, and access patterns as operands."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base import dtypes
from tests.neuron import scalar as reference
from tests.neuron.programs import Tile, hbm, psum, ran, result, same, sbuf
from tests.parts import part
from tests.tables import each

F32 = np.float32
KINDS = tuple(k for k in reference.NUMPY if k != "float8_e4m3fn")
# Halves between whole numbers, both ends of every integer dtype, overflow of every float, zeros.
EDGES = np.array(
    [
        0,
        -0.0,
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        127.5,
        128,
        -129,
        255.5,
        256,
        300,
        -1,
        247.9,
        248,
        464,
        15.75,
        61439,
        61440,
        65519,
        65520,
        32767.5,
        2.0**31,
        -(2.0**31),
        2.0**32,
        3.4e38,
        1e-45,
        2.0**-9,
        2.0**-10,
        1.0009765,
        np.inf,
        -np.inf,
        np.nan,
    ],
    F32,
)


@each("dst", [k for k in KINDS if k != "float32"])
def test_float32_is_rounded_into_every_dtype_as_section_2_4_says(dst: str) -> None:
    data = np.tile(EDGES, (3, 1))
    got = result("@vector TensorCopy c, a", a=sbuf("f32", data), c=sbuf(dst, data.shape))
    want = reference.each(data.shape, lambda p, n: reference.out(float(data[p, n]), dst), dst)
    same(got, want, signs=True)


@each("src", [k for k in KINDS if k != "float32"])
def test_every_pattern_of_a_dtype_widens_to_its_value(src: str) -> None:
    kind = np.dtype(reference.NUMPY[src])
    bits = np.random.default_rng(4).integers(0, 2 ** (8 * kind.itemsize), 512, dtype=np.uint64)
    if kind.itemsize == 1:
        bits = np.arange(256, dtype=np.uint64)
    data = bits.astype(f"u{kind.itemsize}").view(kind).reshape(2, -1)
    got = result("@gpsimd TensorCopy c, a", a=sbuf(src, data), c=sbuf("f32", data.shape))
    want = reference.each(data.shape, lambda p, n: reference.f(float(data[p, n])), "float32")
    same(got, want, signs=True)


@pytest.mark.parametrize("seed", part(range(16), 4))
def test_any_dtype_is_copied_into_any_other_through_float32(seed: int) -> None:
    draw = np.random.default_rng(seed)
    src, dst = (str(d) for d in draw.choice(KINDS, 2, replace=False))
    shape = (int(draw.integers(1, 129)), int(draw.integers(1, 20)))
    data = draw.integers(-300, 300, shape) / 2
    engine, on = draw.choice([("vector", "trn1"), ("gpsimd", "trn2"), ("scalar", "trn3")])
    a = sbuf(src, np.abs(data) if src.startswith("u") else data)
    got = result(f"@{engine} TensorCopy c, a", str(on), a=a, c=sbuf(dst, shape))
    held = a.values
    assert held is not None
    want = reference.each(
        shape, lambda p, n: reference.out(reference.f(float(held[p, n])), dst), dst
    )
    same(got, want, signs=True)


@pytest.mark.parametrize("engine", ["vector", "gpsimd", "scalar"])
def test_a_copy_between_equal_dtypes_keeps_every_bit(engine: str) -> None:
    data = np.array([[0x7FA0_0001, 0xFFC0_0000, 0x0100_0001, 0x8000_0000]], np.uint32)
    for dtype in ("float32", "int32", "tfloat32"):
        found = dtypes.find(dtype)
        assert found is not None
        given = Tile("sbuf", dtype, (1, 4), data.view(found.numpy))
        got = result(f"@{engine} TensorCopy c, a", "trn2", a=given, c=sbuf(dtype, (1, 4)))
        assert got.tobytes() == data.tobytes()


def test_int32_to_uint32_goes_through_float32() -> None:
    got = result("@vector TensorCopy c, a", a=sbuf("i32", [[2**24 + 1, -5]]), c=sbuf("u32", (1, 2)))
    assert got.tolist() == [[2**24, 0]]


def test_packed_elements_are_copied_as_they_are() -> None:
    words = np.array([[0x7FFF_00FE, 1]], np.uint32)
    got = result(
        "@vector TensorCopy c, a",
        "trn3",
        a=sbuf("float8_e4m3fn_x4", words),
        c=sbuf("float8_e4m3fn_x4", (1, 2)),
    )
    assert got.tolist() == words.tolist()


# -- Memset


@each("dtype", KINDS)
def test_memset_fills_with_the_value_rounded_once(dtype: str) -> None:
    value = 77 if "int" in dtype else 3.3
    for engine in ("vector", "gpsimd"):
        got = result(f"@{engine} Memset c, {value}", c=sbuf(dtype, (128, 3)))
        same(got, np.full((128, 3), reference.out(reference.f(value), dtype)))


def test_memset_rounds_a_number_once_not_through_float32() -> None:
    # 1 + 2**-8 + 2**-40 lies above the middle of two bfloat16, and in float32 on it.
    got = result(f"@vector Memset c, {1 + 2**-8 + 2**-40!r}", c=sbuf("bf16", (1, 1)))
    assert float(got[0, 0]) == 1 + 2.0**-7


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i8", -128),
        ("u32", 2**32 - 1),
        ("i32", -(2**31)),
        ("f32", "inf"),
        ("bf16", "-inf"),
        ("f16", "nan"),
        ("float8_e8m0fnu", 0.25),
    ],
)
def test_memset_reaches_the_ends_of_a_dtype(dtype: str, value: object) -> None:
    got = result(f"@vector Memset c, {value}", "trn3", c=psum(dtype, (4, 2)))
    np.testing.assert_array_equal(got.astype(np.float64), np.full((4, 2), float(str(value))))


def test_memset_writes_only_what_its_view_covers() -> None:
    done = ran("@vector Memset c[:, 1:6:2], 7", c=sbuf("i16", np.zeros((3, 6))))
    assert done.read("c").tolist() == [[0, 7, 0, 7, 0, 7]] * 3


# -- views as operands

DATA = np.random.default_rng(11).standard_normal((128, 6, 8)).astype(F32)

SOURCES = {
    "a[0:64]": DATA[0:64],
    "a[96:100, 2]": DATA[96:100, 2],
    "a[64:128, 1:4, ::2]": DATA[64:128, 1:4, ::2],
    "a[:, ::-1]": DATA[:, ::-1],
    "a[:, 4:1:-1, ::-3]": DATA[:, 4:1:-1, ::-3],
    "a[32, -1, -3:]": DATA[32:33, -1, -3:],
    "a[:, 2 : +3, 4 : +2]": DATA[:, 2:5, 4:6],
    "a.permute(0, 2, 1)": DATA.transpose(0, 2, 1),
    "a[:, 0:2].permute(0, 2, 1)": DATA[:, 0:2].transpose(0, 2, 1),
    "a.reshape(128, 48)": DATA.reshape(128, 48),
    "a.reshape(128, 4, -1)": DATA.reshape(128, 4, 12),
    "a[:, :, 0:1].broadcast(128, 6, 5)": np.broadcast_to(DATA[:, :, 0:1], (128, 6, 5)),
    "a[:, 3:4, 2:3].broadcast(128, 9, 7)": np.broadcast_to(DATA[:, 3:4, 2:3], (128, 9, 7)),
    "a.view(u16)": DATA.view(np.uint16),
    "a.view(i8)[:, :, 3:32:4]": DATA.view(np.int8)[:, :, 3:32:4],
    "a.view(bf16)[:, 5, 1::2]": DATA.view(reference.NUMPY["bfloat16"])[:, 5, 1::2],
    "a.ap([[48, 128], [8, 6], [1, 8]])": DATA,
    "a.ap([[48, 32], [-1, 48]], offset=32 * 48 + 47)": DATA.reshape(128, 48)[32:64, ::-1],
    "a.ap([[48, 4], [0, 3], [7, 6]], offset=5)": np.repeat(
        DATA.reshape(128, 48)[:4, None, 5:41:7], 3, axis=1
    ),
    "a.ap([[48, 2], [1, 3], [1, 3]], offset=1)": np.stack(
        [DATA.reshape(128, 48)[:2, 1 + n : 4 + n] for n in range(3)], axis=1
    ),
}


@each("view", SOURCES)
@each("memory", [sbuf, psum])
def test_a_view_reads_the_elements_numpy_reads(view: str, memory: object) -> None:
    want = np.ascontiguousarray(SOURCES[view])
    kind = want.dtype.name
    place = memory("f32", DATA)  # type: ignore[operator]
    got = result(f"@vector TensorCopy c, {view}", a=place, c=sbuf(kind, want.shape))
    assert got.tobytes() == want.tobytes()


WRITTEN = (
    "a[0:64]",
    "a[64:128, 1:4, ::2]",
    "a[:, 4:1:-1, ::-3]",
    "a.permute(0, 2, 1)",
    "a.ap([[48, 32], [-1, 48]], offset=32 * 48 + 47)",
)


@pytest.mark.parametrize("view", WRITTEN)
def test_a_view_writes_the_elements_numpy_writes(view: str) -> None:
    want = np.zeros((128, 6, 8), F32)
    shape = SOURCES[view].shape
    values = np.arange(np.prod(shape)).reshape(shape).astype(F32)
    target = {
        WRITTEN[0]: want[0:64],
        WRITTEN[1]: want[64:128, 1:4, ::2],
        WRITTEN[2]: want[:, 4:1:-1, ::-3],
        WRITTEN[3]: want.transpose(0, 2, 1),
        WRITTEN[4]: want.reshape(128, 48)[32:64, ::-1],
    }[view]
    target[...] = values
    done = ran(
        f"@vector TensorCopy {view}, v", a=sbuf("f32", np.zeros((128, 6, 8))), v=sbuf("f32", values)
    )
    np.testing.assert_array_equal(done.read("a"), want)


def test_a_transposed_view_of_hbm_reaches_a_dma() -> None:
    data = np.arange(12).reshape(3, 4)
    got = result("@sync DmaCopy c, a.T", a=hbm("f32", data), c=sbuf("f32", (4, 3)))
    np.testing.assert_array_equal(got, data.T)


def test_lanes_move_across_quadrants_one_to_one() -> None:
    values = np.arange(32).reshape(32, 1)
    done = ran(
        "@vector TensorCopy c[96:128], a[0:32]",
        a=sbuf("f32", values),
        c=sbuf("f32", np.zeros((128, 1))),
    )
    assert done.read("c")[96:].tolist() == values.tolist()
    assert not done.read("c")[:96].any()


@pytest.mark.parametrize("seed", part(range(20), 5))
def test_random_patterns_on_both_sides(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = tuple(int(n) for n in draw.integers(2, 7, 3))
    data = draw.integers(-9, 9, (16, *shape)).astype(F32)
    order = draw.permutation(3)
    stride = int(draw.integers(1, 3))
    axes = ", ".join(str(1 + a) for a in order)
    src = f"a.permute(0, {axes})[:, ::{-stride}]"
    want = np.ascontiguousarray(data.transpose(0, *(1 + order))[:, ::-stride])
    turned = ", ".join(map(str, (0, 3, 2, 1)))
    got = result(
        f"@vector TensorCopy c.permute({turned}), {src}",
        a=sbuf("f32", data),
        c=sbuf("f32", (16, *want.shape[:0:-1])),
    )
    np.testing.assert_array_equal(got.transpose(0, 3, 2, 1), want)
