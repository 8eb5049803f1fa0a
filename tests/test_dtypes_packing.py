"""Four small floats in an element: their places, their values, and how they are rounded."""

from __future__ import annotations

import itertools
import math

import ml_dtypes
import numpy as np
import pytest

from nasm.base.dtypes import DTYPES, DTypeError, pack, packed, unpack, unpacked

E5M2, E4M3FN, E2M1 = (DTYPES[f"{n}_x4"] for n in ("float8_e5m2", "float8_e4m3fn", "float4_e2m1fn"))
PACKED = (E5M2, E4M3FN, E2M1)
# The eight magnitudes of an E2M1 float, by its three lower bits: OCP microscaling formats.
FOUR_BITS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def random_elements(dtype):
    raw = np.random.default_rng(1).integers(0, 256, 4 * 3 * 5 * dtype.itemsize, np.uint8)
    return raw.view(dtype.numpy).reshape(3, 20)


@pytest.mark.parametrize("dtype", PACKED, ids=str)
def test_the_first_value_is_in_the_lowest_bits(dtype):
    width = 4 if dtype is E2M1 else 8
    given = random_elements(dtype)
    found = unpacked(given, dtype)
    assert found.shape == (3, 20, 4)
    assert found.dtype == np.uint8
    for at in itertools.product(range(3), range(20)):
        word = int(given[at])
        assert found[at].tolist() == [word >> width * k & (1 << width) - 1 for k in range(4)]
    assert packed(found, dtype).tobytes() == given.tobytes()
    assert packed(found, dtype).dtype == dtype.numpy


def test_by_hand():
    assert unpacked(np.array([0x44332211], np.uint32), E5M2).tolist() == [[0x11, 0x22, 0x33, 0x44]]
    assert unpacked(np.array([0x4321], np.uint16), E2M1).tolist() == [[1, 2, 3, 4]]
    # 1, -2, 0.5, 448: sign, 4 exponent bits of bias 7, 3 mantissa bits.
    ones = pack(np.array([[1, -2, 0.5, 448]], np.float32), E4M3FN)
    assert ones.tolist() == [0x7E30C038]
    # 1, -2, 0.5, 57344: sign, 5 exponent bits of bias 15, 2 mantissa bits.
    assert pack(np.array([1, -2, 0.5, 57344], np.float32), E5M2) == 0x7B38C03C
    assert pack(np.array([1, -2, 0.5, 6], np.float32), E2M1) == 0x71C2


@pytest.mark.parametrize(
    ("dtype", "part"),
    [
        (E5M2, ml_dtypes.float8_e5m2),
        (E4M3FN, ml_dtypes.float8_e4m3fn),
        (E2M1, ml_dtypes.float4_e2m1fn),
    ],
)
def test_every_pattern_in_every_place_has_the_value_of_ml_dtypes_and_goes_back(dtype, part):
    count = 16 if dtype is E2M1 else 256
    codes = np.arange(count, dtype=np.uint8)
    wanted = codes.view(part).astype(np.float32)
    for place in range(4):
        some = np.zeros((count, 4), np.uint8)
        some[:, place] = codes
        words = packed(some, dtype)
        values = unpack(words, dtype)
        assert values.dtype == np.float32
        np.testing.assert_array_equal(values[:, place], wanted)
        np.testing.assert_array_equal(np.signbit(values[:, place]), np.signbit(wanted))
        assert not values[:, [k for k in range(4) if k != place]].any()
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(pack(values, dtype)[numbers], words[numbers])


def test_four_bits_are_the_values_of_the_format():
    codes = np.arange(16, dtype=np.uint8).reshape(4, 4)
    values = unpack(packed(codes, E2M1), E2M1).ravel().tolist()
    assert values[:8] == list(FOUR_BITS)
    assert values[8:] == [-v for v in FOUR_BITS]
    assert math.copysign(1, values[8]) == -1


def test_four_bits_round_to_nearest_even_and_saturate():
    cases = {
        0.25: 0.0,
        0.75: 1.0,
        1.25: 1.0,
        1.75: 2.0,
        2.5: 2.0,
        3.5: 4.0,
        5.0: 4.0,
        5.01: 6.0,
        0.2500001: 0.5,
        7.0: 6.0,
        8.0: 6.0,
        1e30: 6.0,
        math.inf: 6.0,
        -math.inf: -6.0,
        -0.6: -0.5,
        math.nan: 0.0,
        -1e-30: -0.0,
    }
    for given, wanted in cases.items():
        word = pack(np.full(4, given, np.float32), E2M1)
        found = unpack(word, E2M1).tolist()
        assert found == [wanted] * 4, given
        assert math.copysign(1, found[0]) == math.copysign(1, wanted)


def test_eight_bits_overflow_as_their_dtypes_do():
    beyond = np.array([1e9, -1e9, math.inf, math.nan], np.float32)
    nan = math.nan
    for dtype, saturate, wanted in (
        (E5M2, False, [math.inf, -math.inf, math.inf, nan]),
        (E5M2, True, [57344, -57344, 57344, nan]),
        (E4M3FN, False, [nan, nan, nan, nan]),
        (E4M3FN, True, [448, -448, 448, nan]),
    ):
        found = unpack(pack(beyond, dtype, saturate), dtype)
        np.testing.assert_array_equal(found, np.array(wanted, np.float32))


def test_what_is_not_four_values_is_refused():
    with pytest.raises(DTypeError, match="4 values, found 3"):
        packed(np.zeros((2, 3), np.uint8), E5M2)
    with pytest.raises(DTypeError, match="is one value, not four"):
        unpack(np.zeros(2, np.float32), DTYPES["float32"])
    with pytest.raises(TypeError, match="wanted uint16"):
        unpack(np.zeros(2, np.uint32), E2M1)
