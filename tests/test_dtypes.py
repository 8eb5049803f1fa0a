"""Casts against ml_dtypes, against plain Python arithmetic, and by hand."""

from __future__ import annotations

import copy
import math
import pickle
import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from nasm.base.dtypes import (
    DTYPES,
    DTypeError,
    ElementKind,
    convert,
    convert_float64,
    find,
    from_float32,
    names,
    round_tfloat32,
    to_float32,
    to_float64,
    widener,
)
from tests.tables import each

pytestmark = pytest.mark.filterwarnings("error")  # a cast never warns

# Exponent bits, mantissa bits, bias: nki.language supported data types.
LAYOUTS = {
    "float8_e3m4": (3, 4, 3),
    "float8_e4m3": (4, 3, 7),
    "float8_e5m2": (5, 2, 15),
    "float8_e4m3fn": (4, 3, 7),
    "float16": (5, 10, 15),
    "bfloat16": (8, 7, 127),
}
INTS = [d for d in DTYPES.values() if d.kind is ElementKind.INT]
PACKED = [d for d in DTYPES.values() if d.kind is ElementKind.PACKED]
UNWRITABLE = [d for d in DTYPES.values() if d.kind in (ElementKind.PACKED, ElementKind.SCALE)]
BF16, F16, F32, TF32 = (DTYPES[n] for n in ("bfloat16", "float16", "float32", "tfloat32"))
E4M3, E5M2, E3M4 = (DTYPES[n] for n in ("float8_e4m3", "float8_e5m2", "float8_e3m4"))
E4M3FN, E8M0 = DTYPES["float8_e4m3fn"], DTYPES["float8_e8m0fnu"]
I8, U8, I32, U32 = (DTYPES[n] for n in ("int8", "uint8", "int32", "uint32"))


def f32(*values):
    return np.array(values, np.float32)


def every_pattern(dtype):
    return np.arange(1 << 8 * dtype.itemsize, dtype=dtype.bits_dtype).view(dtype.numpy)


def bits(array):
    return array.view(f"u{array.itemsize}")


def quietly(array, dtype):
    """NumPy's or ml_dtypes' own cast, without its warnings."""
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def value_of(pattern, name):
    """The value of a bit pattern, from the layout of the format alone."""
    exponent_bits, mantissa_bits, bias = LAYOUTS[name]
    mantissa = pattern & ((1 << mantissa_bits) - 1)
    exponent = pattern >> mantissa_bits & ((1 << exponent_bits) - 1)
    sign = -1.0 if pattern >> (exponent_bits + mantissa_bits) else 1.0
    if name == "float8_e4m3fn":
        if pattern & 0x7F == 0x7F:
            return math.nan
    elif exponent == (1 << exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (2**mantissa_bits + mantissa) * 2.0 ** (exponent - bias - mantissa_bits)


def rounded(value, name):
    """A float rounded once to a format, to nearest even, in exact fractions."""
    _, mantissa_bits, bias = LAYOUTS[name]
    over = math.nan if name == "float8_e4m3fn" else math.inf
    if math.isnan(value):
        return math.nan
    if math.isinf(value):
        return math.copysign(over, value)
    exponent = max(math.frexp(value)[1] - 1, 1 - bias)
    quantum = Fraction(2) ** (exponent - mantissa_bits)
    nearest = round(Fraction(value) / quantum) * quantum  # round() of a Fraction is half-even
    if abs(nearest) > Fraction(DTYPES[name].max_finite):
        return math.copysign(over, value)
    return math.copysign(float(nearest), value)


def assert_same(found, wanted):
    """Equal values, signs of zero included, and NaN in the same places."""
    found, wanted = (quietly(np.asarray(a), np.float64) for a in (found, wanted))
    np.testing.assert_array_equal(found, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


def awkward_float32():
    """Random bit patterns, and the neighbourhood of every 16-bit upper half's midpoint."""
    rng = np.random.default_rng(1)
    anything = rng.integers(0, 1 << 32, 100_000, dtype=np.uint32)
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    near = [upper | low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]
    return np.concatenate([anything, *near]).view(np.float32)


# Names


def test_every_documented_name_and_alias_is_found():
    table = (
        "uint8 int8 uint16 int16 uint32 int32 float8_e3m4 float8_e4m3 float8_e5m2 float8_e4m3fn"
        " float8_e8m0fnu float16 bfloat16 tfloat32 float32"
        " float8_e5m2_x4 float8_e4m3fn_x4 float4_e2m1fn_x4"
    )
    assert list(DTYPES) == table.split()
    aliases = dict(
        f32="float32",
        f16="float16",
        bf16="bfloat16",
        tf32="tfloat32",
        i8="int8",
        u8="uint8",
        i16="int16",
        u16="uint16",
        i32="int32",
        u32="uint32",
        e3m4="float8_e3m4",
        e4m3="float8_e4m3",
        e4m3fn="float8_e4m3fn",
        e5m2="float8_e5m2",
        e8m0="float8_e8m0fnu",
        fp32="float32",
        fp16="float16",
        bool_="uint8",
    )
    for alias, name in aliases.items():
        assert find(alias) is DTYPES[name]
    assert set(names()) == set(table.split()) | set(aliases)
    assert len(names()) == len(set(names()))
    assert find("F32") is None


def test_widths_are_the_documented_ones():
    assert [d.itemsize for d in DTYPES.values()] == [
        1,
        1,
        2,
        2,
        4,
        4,
        1,
        1,
        1,
        1,
        1,
        2,
        2,
        4,
        4,
        4,
        4,
        2,
    ]
    for dtype in DTYPES.values():
        assert dtype.numpy.itemsize == dtype.bits_dtype.itemsize == dtype.itemsize
        assert dtype.bits_dtype.kind == "u"


@each("dtype", DTYPES.values(), ids=str)
def test_largest_value_is_numpys(dtype):
    if dtype.is_int:
        wanted = np.iinfo(dtype.numpy).max
    elif dtype is TF32:
        wanted = np.uint32(0x7F7FE000).view(np.float32)  # all exponents, 10 ones
    else:
        wanted = ml_dtypes.finfo(dtype.name.removesuffix("_x4")).max
    assert dtype.max_finite == float(wanted)


def test_copies_and_pickles_are_the_same_object():
    assert copy.deepcopy([BF16])[0] is BF16
    assert pickle.loads(pickle.dumps(BF16)) is BF16


# Widening


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_pattern_widens_to_the_value_of_its_layout(name):
    dtype = DTYPES[name]
    wide = to_float32(every_pattern(dtype), dtype)
    assert wide.dtype == np.float32
    wanted = [value_of(p, name) for p in range(1 << 8 * dtype.itemsize)]
    assert_same(wide, wanted)
    assert_same(to_float64(every_pattern(dtype), dtype), wanted)


def test_every_scale_widens_to_its_power_of_two():
    wide = to_float32(every_pattern(E8M0), E8M0)
    assert_same(wide, [2.0 ** (p - 127) for p in range(255)] + [math.nan])


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16", "int16"])
def test_every_small_integer_widens_exactly(name):
    dtype = DTYPES[name]
    patterns = every_pattern(dtype)
    assert to_float32(patterns, dtype).tolist() == patterns.tolist()


def test_large_integers_round_to_nearest_even_in_float32_and_are_exact_in_float64():
    # float32 has 24 bits: 2**24 + 1 is halfway to an even 2**24, 2**24 + 3 to 2**24 + 4.
    array = np.array([2**24 + 1, 2**24 + 3, 2**31 - 1, -(2**24) - 1], np.int32)
    assert to_float32(array, I32).tolist() == [2**24, 2**24 + 4, 2**31, -(2**24)]
    assert to_float64(array, I32).tolist() == array.tolist()
    assert to_float32(np.array([2**32 - 1], np.uint32), U32).tolist() == [2**32]
    assert to_float64(np.array([2**32 - 1], np.uint32), U32).tolist() == [2**32 - 1]


@pytest.mark.parametrize("dtype", [F32, TF32], ids=str)
def test_float32_passes_through_uncopied(dtype):
    array = f32(1.1, np.nan, -np.inf)
    assert to_float32(array, dtype) is array
    assert from_float32(array, dtype) is array


# Narrowing


@pytest.mark.parametrize("name", LAYOUTS)
def test_widening_then_narrowing_gives_every_pattern_back(name):
    dtype = DTYPES[name]
    patterns = every_pattern(dtype)
    wide = to_float32(patterns, dtype)
    back = from_float32(wide, dtype)
    assert back.dtype == dtype.numpy
    same = bits(back) == bits(patterns)
    assert np.all(same | np.isnan(wide))
    assert np.all(np.isnan(quietly(back, np.float32)) == np.isnan(wide))


@pytest.mark.parametrize("name", LAYOUTS)
def test_narrowing_has_the_bits_of_ml_dtypes(name):
    dtype = DTYPES[name]
    values = awkward_float32()
    wanted = quietly(values, dtype.numpy)
    np.testing.assert_array_equal(bits(from_float32(values, dtype)), bits(wanted))


@pytest.mark.parametrize("name", LAYOUTS)
def test_narrowing_rounds_once_to_nearest_even(name):
    sample = random.Random(2).sample(awkward_float32().tolist(), 3000)
    found = to_float64(from_float32(f32(*sample), DTYPES[name]), DTYPES[name])
    assert_same(found, [rounded(v, name) for v in sample])


@each(
    ("dtype", "given", "wanted"),
    [
        (E4M3, 247.9, 240.0),
        (E4M3, 248.0, math.inf),  # halfway to 256, which would be even
        (E4M3, -248.0, -math.inf),
        (E5M2, 61439.0, 57344.0),
        (E5M2, 61440.0, math.inf),
        (E3M4, 15.74, 15.5),
        (E3M4, 15.75, math.inf),
        (E4M3FN, 464.0, 448.0),  # halfway to 480, whose pattern is the NaN; 448 is even
        (E4M3FN, 465.0, math.nan),
        (E4M3FN, -math.inf, math.nan),
        (F16, 65519.0, 65504.0),
        (F16, 65520.0, math.inf),
        (BF16, -3.4028235e38, -math.inf),  # FP32_MIN
        (BF16, 3.3961775e38, math.inf),  # halfway past the largest
        (BF16, 1 + 2**-8, 1.0),  # halfway, 1.0 is even
        (BF16, 1 + 3 * 2**-8, 1 + 2**-6),
        (E4M3, 2.0**-10, 0.0),  # half the smallest
        (E4M3, 3 * 2.0**-10, 2.0**-8),
        (E4M3, -(2.0**-9), -(2.0**-9)),  # subnormals are kept
        (BF16, 2.0**-133, 2.0**-133),
        (BF16, -1e-45, -0.0),
    ],
)
def test_float_overflow_halfway_and_subnormals(dtype, given, wanted):
    narrow = from_float32(f32(given), dtype)
    assert_same(to_float32(narrow, dtype), [wanted])


@pytest.mark.parametrize(
    ("dtype", "given", "wanted"),
    [
        (I8, [2.5, 3.5, -2.5, -3.5, 0.5, -0.5], [2, 4, -2, -4, 0, 0]),
        (I8, [1e9, -1e9, 127.5, -128.5, np.inf, -np.inf], [127, -128, 127, -128, 127, -128]),
        (U8, [-1, 255.5, 254.5, np.nan], [0, 255, 254, 0]),
        (DTYPES["int16"], [40000, -40000, 32766.5], [32767, -32768, 32766]),
        (DTYPES["uint16"], [70000, -0.4], [65535, 0]),
        (I32, [2.0**31, -(2.0**31), 1e20, -1e20, np.nan], [2**31 - 1, -(2**31)] * 2 + [0]),
        (I32, [2.0**31 - 128, 16777217.0], [2**31 - 128, 16777216]),
        (U32, [2.0**32, 2.0**32 - 256, -5, np.inf], [2**32 - 1, 2**32 - 256, 0, 2**32 - 1]),
    ],
)
def test_integers_round_to_even_then_saturate_and_nan_is_zero(dtype, given, wanted):
    found = from_float32(f32(*given), dtype)
    assert found.dtype == dtype.numpy
    assert found.tolist() == wanted


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integers_against_plain_python(dtype):
    low, high = int(np.iinfo(dtype.numpy).min), int(np.iinfo(dtype.numpy).max)
    rng = random.Random(3)
    values = f32(*(rng.uniform(-1, 1) * 2.0 ** rng.uniform(0, 34) for _ in range(2000)))
    wanted = [min(max(round(v), low), high) for v in values.tolist()]
    assert from_float32(values, dtype).tolist() == wanted


def test_the_given_array_is_not_written():
    values = f32(2.5, np.nan, 1e9)
    for dtype in DTYPES.values():
        if dtype not in UNWRITABLE:
            from_float32(values, dtype)
            convert_float64(values.astype(np.float64), dtype)
    round_tfloat32(values)
    assert_same(values, [2.5, math.nan, 1e9])


def test_arrays_of_another_type_are_a_defect_of_the_caller():
    with pytest.raises(TypeError, match="the array is float64, wanted float32"):
        from_float32(np.zeros(3), BF16)
    with pytest.raises(TypeError, match="the array is uint16, wanted bfloat16"):
        to_float32(np.zeros(3, np.uint16), BF16)


# tfloat32


def tf32_bits(pattern):
    """Round a float32 bit pattern to 10 mantissa bits in plain integers."""
    sign, magnitude = pattern & 0x80000000, pattern & 0x7FFFFFFF
    if magnitude >= 0x7F800000:
        return pattern
    kept, cut = divmod(magnitude, 1 << 13)
    if cut > 1 << 12 or (cut == 1 << 12 and kept % 2 == 1):
        kept += 1
    return sign | kept << 13


def test_tfloat32_rounds_as_plain_integers_do():
    rng = np.random.default_rng(4)
    patterns = rng.integers(0, 1 << 32, 20_000, dtype=np.uint32)
    patterns[:5000] = patterns[:5000] >> 12 << 12  # exact and halfway cases
    edges = [
        0,
        0x80000000,
        1,
        0x1000,
        0x3000,
        0x7F7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7F800001,
        0x7FFFFFFF,
        0xFFFFFFFF,
        0x3F801000,
        0x3F803000,
    ]
    patterns = np.concatenate([patterns, np.array(edges, np.uint32)])
    found = round_tfloat32(patterns.view(np.float32)).view(np.uint32)
    assert found.tolist() == [tf32_bits(p) for p in patterns.tolist()]


def test_tfloat32_halfway_by_hand():
    given = f32(1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-23, 3.4028235e38, -np.inf, np.nan)
    wanted = [1.0, 1 + 2**-9, 1 + 2**-10, math.inf, -math.inf, math.nan]
    assert_same(round_tfloat32(given), wanted)


def test_tfloat32_keeps_float32_bits_in_memory():
    assert from_float32(f32(1 + 2**-23), TF32).tolist() == [1 + 2**-23]
    assert convert_float64(np.array([1 + 2.0**-23]), TF32).tolist() == [1 + 2**-23]


# Shapes and strides


@each(
    "dtype", [d for d in DTYPES.values() if d.kind in (ElementKind.INT, ElementKind.FLOAT)], ids=str
)
@each(
    "view",
    [
        lambda a: a[::2, ::3],
        lambda a: a[:, ::-1],
        lambda a: a.T,
        lambda a: a[:, 3:4],
        lambda a: np.broadcast_to(a[:, :1], a.shape),
        lambda a: a[3, 4, ...],
        lambda a: a[:0],
    ],
    ids=["steps", "reversed", "transposed", "column", "broadcast", "scalar", "empty"],
)
def test_views_convert_as_dense_arrays_do(dtype, view):
    patterns = np.random.default_rng(5).integers(0, 256, (24, 30 * dtype.itemsize), np.uint8)
    narrow = view(patterns.view(dtype.numpy))
    wide = view(patterns[:, : 28 * dtype.itemsize].repeat(4, 0).view(np.float32))
    for given, found, wanted in (
        (narrow, to_float32(narrow, dtype), to_float32(np.array(narrow, order="C"), dtype)),
        (wide, from_float32(wide, dtype), from_float32(np.array(wide, order="C"), dtype)),
    ):
        assert isinstance(found, np.ndarray)
        assert found.shape == given.shape
        assert found.tobytes() == wanted.tobytes()


# Conversions


def test_equal_dtypes_copy_bits_and_others_go_through_float32():
    array = np.array([2**24 + 1, -1, 300], np.int32)
    assert convert(array, I32, I32) is array
    assert convert(array, I32, U32).tolist() == [2**24, 0, 300]
    assert convert(array, I32, U8).tolist() == [255, 0, 255]
    signalling = np.array([0x7F81], np.uint16).view(BF16.numpy)
    assert bits(convert(signalling, BF16, BF16)).tolist() == [0x7F81]


def test_float8_to_bfloat16_is_exact_and_back_rounds():
    wide = convert(every_pattern(E4M3), E4M3, BF16)
    assert_same(wide.astype(np.float32), [value_of(p, "float8_e4m3") for p in range(256)])
    thirds = np.array([1 / 3], BF16.numpy)  # 0.333984375: between 0.3125 and 0.34375
    assert convert(thirds, BF16, E4M3).astype(np.float32).tolist() == [0.34375]


@pytest.mark.parametrize("dtype", UNWRITABLE, ids=str)
def test_only_quantizing_produces_packed_and_scale_dtypes(dtype):
    with pytest.raises(DTypeError, match=f"nothing converts to {dtype}: only quantizing"):
        from_float32(f32(1.0), dtype)
    array = np.zeros(2, dtype.numpy)
    assert convert(array, dtype, dtype) is array


@pytest.mark.parametrize("dtype", PACKED, ids=str)
def test_packed_dtypes_are_not_one_number(dtype):
    array = np.zeros(2, dtype.numpy)
    for widen in (to_float32, to_float64):
        with pytest.raises(DTypeError, match="four values"):
            widen(array, dtype)
    with pytest.raises(DTypeError, match="nothing converts"):
        convert_float64(np.ones(1), dtype)


@pytest.mark.parametrize("dtype", PACKED, ids=str)
def test_packed_dtypes_can_be_all_zero(dtype):
    zeros = convert_float64(np.zeros(3), dtype)
    assert zeros.dtype == dtype.numpy
    assert zeros.view(dtype.bits_dtype).tolist() == [0, 0, 0]


# float64


@pytest.mark.parametrize("name", LAYOUTS)
def test_float64_rounds_once(name):
    dtype = DTYPES[name]
    _, mantissa_bits, bias = LAYOUTS[name]
    rng = random.Random(6)
    values = [0.0, -0.0, 1e-300, -1e-300, 1e300, -1e300, math.inf, -math.inf, math.nan, 5e-324]
    for _ in range(1500):
        # A midpoint between two neighbours, and next to it by less than float32 can tell.
        exponent = rng.randint(-bias - 3, bias + 1)
        middle = (2 * rng.randrange(1 << mantissa_bits) + 1) * 2.0 ** (-mantissa_bits - 1)
        middle = rng.choice([-1, 1]) * math.ldexp(1 + middle, exponent)
        values += [middle, middle * (1 + 2**-50), middle * (1 - 2**-50), middle * rng.random()]
    found = convert_float64(np.array(values), dtype)
    assert found.dtype == dtype.numpy
    assert_same(to_float64(found, dtype), [rounded(v, name) for v in values])


def test_float64_rounds_once_where_float32_on_the_way_would_not():
    value = np.array([1 + 2.0**-8 + 2.0**-40])
    assert convert_float64(value, BF16).astype(np.float32).tolist() == [1 + 2**-7]
    assert value.astype(np.float32).astype(BF16.numpy).astype(np.float32).tolist() == [1.0]
    assert float(convert_float64(value[0], BF16)) == 1 + 2**-7


def test_float64_to_float16_and_float32_is_numpys():
    rng = np.random.default_rng(7)
    values = rng.integers(0, 1 << 64, 50_000, dtype=np.uint64).view(np.float64)
    usual = rng.normal(size=50_000) * 2.0 ** rng.integers(-30, 20, 50_000)
    values = np.concatenate([values, usual])
    for dtype in (F16, F32):
        assert_same(convert_float64(values, dtype), quietly(values, dtype.numpy))


def test_float64_to_integers_keeps_every_bit():
    given = np.array([2.0**31 - 1, 2.0**24 + 1, -(2.0**31) - 1, 2.0**31, 2.5, np.nan])
    assert convert_float64(given, I32).tolist() == [2**31 - 1, 2**24 + 1, -(2**31), 2**31 - 1, 2, 0]
    given = np.array([2.0**32 - 1, 2.0**32, -1.0])
    assert convert_float64(given, U32).tolist() == [2**32 - 1, 2**32 - 1, 0]


def test_float64_to_a_scale_must_be_a_power_of_two():
    given = np.array([1.0, 2.0**127, 2.0**-127, math.nan, 0.5])
    assert bits(convert_float64(given, E8M0)).tolist() == [127, 254, 0, 255, 126]
    for wrong in (3.0, 0.0, -1.0, math.inf, 2.0**128, 2.0**-128):
        with pytest.raises(DTypeError, match="powers of two"):
            convert_float64(np.array([1.0, wrong]), E8M0)


@each("dtype", ["bfloat16", "float16", "float8_e4m3", "int8", "int32", "float32"])
@each("cut", [slice(None), slice(None, None, 3)])
def test_a_widener_widens_what_the_array_holds_when_it_is_called(dtype, cut):
    kind = find(dtype)
    array = np.zeros((4, 9), kind.numpy)[:, cut]
    widen = widener(array, kind)
    array[...] = convert_float64(np.full(array.shape, 3.0), kind)
    assert (widen() == np.float32(3)).all()
    assert widen().dtype == np.float32
