"""Saturation and stochastic rounding: by hand, against exact fractions, and as chances."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from nasm.base.dtypes import DTYPES, Casting, from_float32, to_float32
from tests.parts import everything
from tests.tables import each
from tests.test_dtypes import LAYOUTS, awkward_float32, every_pattern, f32, rounded, value_of

EIGHT = ("float8_e3m4", "float8_e4m3", "float8_e5m2", "float8_e4m3fn")
PLAIN = Casting()


def chance(seed=0):
    return Casting(chance=np.random.Generator(np.random.PCG64(seed)))


class Fixed:
    """A generator that always draws the same bits."""

    def __init__(self, bits):
        self.bits = bits

    def integers(self, low, high, shape, dtype):
        assert (low, high) == (0, 2**32)
        return np.full(shape, self.bits, dtype)


# Saturation


@pytest.mark.parametrize("name", EIGHT)
def test_saturation_changes_what_overflows_and_nothing_else(name):
    dtype = DTYPES[name]
    values = awkward_float32()
    usual = to_float32(from_float32(values, dtype), dtype)
    found = to_float32(from_float32(values, dtype, saturate=True), dtype)
    over = ~np.isfinite(usual) & ~np.isnan(values)
    assert over.any()
    np.testing.assert_array_equal(found[~over], usual[~over])
    np.testing.assert_array_equal(found[over], np.copysign(dtype.max_finite, values[over]))


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("float8_e4m3", [240, 247.9, 248, 1e30, math.inf, -math.inf], [240] * 5 + [-240]),
        ("float8_e5m2", [57344, 61439, 61440, -1e30, math.inf], [57344] * 3 + [-57344, 57344]),
        ("float8_e3m4", [15.5, 15.74, 15.75, -16], [15.5, 15.5, 15.5, -15.5]),
        ("float8_e4m3fn", [448, 464, 465, 1e30, -math.inf], [448] * 4 + [-448]),
        ("float8_e4m3", [-0.0, 2.0**-10, 17.0], [-0.0, 0.0, 16.0]),
    ],
)
def test_saturation_by_hand(name, given, wanted):
    dtype = DTYPES[name]
    found = to_float32(Casting(frozenset([name])).narrow(f32(*given, math.nan), dtype), dtype)
    assert found[:-1].tolist() == wanted
    assert math.isnan(found[-1])


def test_only_what_is_named_saturates():
    casting = Casting(frozenset(["float8_e4m3"]))
    for name in LAYOUTS:
        dtype = DTYPES[name]
        found = float(to_float32(casting.narrow(f32(math.inf), dtype), dtype)[0])
        usual = float(to_float32(from_float32(f32(math.inf), dtype), dtype)[0])
        assert found == 240 if name == "float8_e4m3" else repr(found) == repr(usual)


def test_a_casting_that_changes_nothing_is_the_plain_cast():
    for dtype in DTYPES.values():
        assert PLAIN.narrower(dtype) is from_float32
        assert chance().narrower(dtype) is not from_float32 or dtype.name not in LAYOUTS
    for name in ("int8", "int32", "float32", "tfloat32"):
        assert chance().narrower(DTYPES[name]) is from_float32


def test_a_casting_converts_and_fills():
    e4m3, bf16, i32 = DTYPES["float8_e4m3"], DTYPES["bfloat16"], DTYPES["int32"]
    array = np.array([1, 1000, -1000], bf16.numpy)
    assert PLAIN.convert(array, bf16, bf16) is array
    saturating = Casting(frozenset(["float8_e4m3"]))
    assert saturating.convert(array, bf16, e4m3).astype(np.float32).tolist() == [1, 240, -240]
    assert saturating.fill(1e9, e4m3, (2, 3)).astype(np.float32).tolist() == [[240.0] * 3] * 2
    assert PLAIN.fill(2**31 - 1, i32, (2,)).tolist() == [2**31 - 1] * 2
    filled = chance().fill(1 + 2**-8, bf16, (4096,)).astype(np.float32)
    assert set(filled.tolist()) == {1.0, 1 + 2**-7}


# Stochastic rounding


def neighbours(value, name):
    """What lies below and above the magnitude of a float, and how far up it is, in fractions."""
    _, mantissa_bits, bias = LAYOUTS[name]
    size = abs(value)
    exponent = max(math.frexp(size)[1] - 1, 1 - bias)
    quantum = Fraction(2) ** (exponent - mantissa_bits)
    steps = Fraction(size) / quantum
    return math.floor(steps) * quantum, (math.floor(steps) + 1) * quantum, steps % 1


def in_format(exact, value, name):
    """An exact magnitude with the sign of a value, or what overflow makes of it."""
    return rounded(math.copysign(float(exact), value), name)


@each("bits", [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
@each("name", LAYOUTS)
def test_random_bits_are_added_to_those_that_are_cut_off(name, bits):
    dtype = DTYPES[name]
    values = np.random.default_rng(3).permutation(awkward_float32())[
        : 4000 if everything() else 200
    ]
    values = np.concatenate([values, to_float32(every_pattern(dtype)[:256], dtype)])
    values = values[np.isfinite(values)]
    found = to_float32(Casting(chance=Fixed(bits)).narrow(values, dtype), dtype)
    for value, got in zip(values.tolist(), found.tolist(), strict=True):
        low, high, part = neighbours(value, name)
        up = part + Fraction(bits, 2**32) >= 1
        wanted = in_format(high if up else low, value, name)
        assert got == wanted or (math.isnan(got) and math.isnan(wanted)), (value, got, wanted)
        assert math.copysign(1, got) == math.copysign(1, value) or math.isnan(got)


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_the_dtype_holds_never_changes(name):
    dtype = DTYPES[name]
    wide = to_float32(every_pattern(dtype), dtype)
    with np.errstate(all="ignore"):
        back = to_float32(chance().narrow(wide, dtype), dtype)
    np.testing.assert_array_equal(back, wide)
    np.testing.assert_array_equal(
        np.signbit(back)[~np.isnan(wide)], np.signbit(wide)[~np.isnan(wide)]
    )


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_mean_of_many_is_the_value(name):
    dtype = DTYPES[name]
    count = 1 << 16
    smallest = value_of(1, name)
    for value in (1.1, -3.3, 0.3 * smallest, 5.7 * smallest):
        given = float(np.float32(value))
        found = to_float32(chance(5).narrow(np.full(count, given, np.float32), dtype), dtype)
        low, high, part = neighbours(given, name)
        assert set(np.abs(found).tolist()) == {float(low), float(high)}
        # Six standard deviations of a binomial distribution: a millionth of a per cent.
        spread = math.sqrt(float(part * (1 - part)) / count)
        share = float((np.abs(found) == float(high)).mean())
        assert abs(share - float(part)) < 6 * spread


def test_overflow_by_chance_follows_the_rules_of_overflow():
    e4m3, e4m3fn, f16 = (DTYPES[n] for n in ("float8_e4m3", "float8_e4m3fn", "float16"))
    always = Casting(chance=Fixed(2**32 - 1))
    assert to_float32(always.narrow(f32(241), e4m3), e4m3).tolist() == [math.inf]
    assert to_float32(always.narrow(f32(65505), f16), f16).tolist() == [math.inf]
    assert math.isnan(to_float32(always.narrow(f32(449), e4m3fn), e4m3fn)[0])
    both = Casting(frozenset(["float8_e4m3", "float8_e4m3fn"]), Fixed(2**32 - 1))
    assert to_float32(both.narrow(f32(241, -1e9), e4m3), e4m3).tolist() == [240, -240]
    assert to_float32(both.narrow(f32(449), e4m3fn), e4m3fn).tolist() == [448]
    never = Casting(chance=Fixed(0))
    assert to_float32(never.narrow(f32(255.9), e4m3), e4m3).tolist() == [240]


def test_infinities_and_nan_stay():
    bf16 = DTYPES["bfloat16"]
    quiet = np.array([0x7FC00001, 0xFFFFFFFF, 0x7F800001], np.uint32).view(np.float32)
    always = Casting(chance=Fixed(2**32 - 1))
    assert np.isnan(to_float32(always.narrow(quiet, bf16), bf16)).all()
    ends = to_float32(always.narrow(f32(math.inf, -math.inf, 0.0, -0.0), bf16), bf16)
    assert ends.tolist() == [math.inf, -math.inf, 0.0, 0.0]
    assert np.signbit(ends).tolist() == [False, True, False, True]


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    values = np.random.default_rng(4).normal(size=(128, 64)).astype(np.float32)
    bf16 = DTYPES["bfloat16"]
    first, again, other = (chance(s).narrow(values, bf16).tobytes() for s in (1, 1, 2))
    assert first == again
    assert first != other
    stream = chance(1)
    assert stream.narrow(values, bf16).tobytes() == first
    assert stream.narrow(values, bf16).tobytes() != first
