"""Data that enters and leaves: .npy files, and elements as text."""

from __future__ import annotations

import io
import math
import warnings

import numpy as np
import pytest

from nasm.base.dtypes import DTYPES, ElementKind, format_value, from_npy, npy_storable
from tests.tables import each

PACKED = [d for d in DTYPES.values() if d.kind is ElementKind.PACKED]
BF16, F16, F32 = (DTYPES[n] for n in ("bfloat16", "float16", "float32"))
E4M3, E5M2, E8M0 = (DTYPES[n] for n in ("float8_e4m3", "float8_e5m2", "float8_e8m0fnu"))
U8, I32 = DTYPES["uint8"], DTYPES["int32"]


# .npy


def through_npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    file.seek(0)
    return np.load(file, allow_pickle=False)


@each("dtype", DTYPES.values(), ids=str)
def test_npy_files_give_the_bits_back(dtype):
    raw = np.random.default_rng(8).integers(0, 256, (4, 8 * dtype.itemsize), np.uint8)
    array = raw.view(dtype.numpy)
    stored = npy_storable(array, dtype)
    assert stored.dtype.isbuiltin == 1
    for back in (from_npy(through_npy(stored), dtype), from_npy(array, dtype)):
        assert back.dtype == dtype.numpy
        assert back.tobytes() == raw.tobytes()


@pytest.mark.parametrize("dtype", [BF16, E4M3, E8M0, *PACKED], ids=str)
def test_what_npy_lacks_is_read_from_void_and_written_as_unsigned(dtype):
    raw = np.arange(12 * dtype.itemsize, dtype=np.uint8)
    assert from_npy(raw.view(f"V{dtype.itemsize}"), dtype).tobytes() == raw.tobytes()
    assert npy_storable(raw.view(dtype.numpy), dtype).dtype == dtype.bits_dtype


def test_npy_of_the_other_byte_order_has_the_same_values():
    assert from_npy(np.array([1.5, 2], ">f4"), F32).tolist() == [1.5, 2.0]
    assert from_npy(np.array([0x3F80], ">u2"), BF16).astype(np.float32).tolist() == [1.0]


@pytest.mark.parametrize(
    ("given", "dtype", "sentence"),
    [
        (np.zeros(2), F32, "the array holds float64, wanted float32"),
        (np.zeros(2, np.int64), I32, "the array holds int64, wanted int32"),
        (np.zeros(2, np.uint32), I32, "the array holds uint32, wanted int32"),
        (np.zeros(2, "V4"), F32, "the array holds |V4, wanted float32"),
        (np.zeros(2, bool), U8, "the array holds bool, wanted uint8"),
        (
            np.zeros(2, np.float32),
            BF16,
            "the array holds float32, wanted bfloat16, or its bits as uint16",
        ),
        (np.zeros(2, np.int16), BF16, "the array holds int16, wanted bfloat16, or its bits"),
        (np.zeros(2, np.float16), BF16, "the array holds float16, wanted bfloat16, or its bits"),
        (np.zeros(2, E5M2.numpy), E4M3, "the array holds float8_e5m2, wanted float8_e4m3, or"),
        (np.zeros(2, "V4"), BF16, "the array holds |V4, wanted bfloat16, or its bits"),
        (np.zeros(2, [("a", "u1"), ("b", "u1")]), BF16, "wanted bfloat16, or its bits as uint16"),
    ],
)
def test_npy_of_another_dtype_is_refused(given, dtype, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the sentence is checked below)
        from_npy(given, dtype)
    assert sentence in str(caught.value)


# Printing


@each(
    ("value", "dtype", "text"),
    [
        (np.uint8(255), U8, "255"),
        (np.int32(-(2**31)), I32, "-2147483648"),
        (np.float32(1.5), F32, "1.5"),
        (np.float32(-0.0), F32, "-0.0"),
        (np.float32(-np.inf), F32, "-inf"),
        (np.float32(np.nan), F32, "nan"),
        (np.float32(0.1), F32, "0.1"),
        (np.float32(1 + 2**-23), F32, "1.0000001"),
        (np.float32(16777216.0), F32, "16777216.0"),
        (BF16.numpy.type(0.1), BF16, "0.1001"),  # exactly 0.10009765625
        (BF16.numpy.type(57344.0), BF16, "57344.0"),
        (F16.numpy.type(0.1), F16, "0.09998"),  # exactly 0.0999755859375
        (E4M3.numpy.type(0.9375), E4M3, "0.9375"),
        (E5M2.numpy.type(np.inf), E5M2, "inf"),
        (E8M0.numpy.type(0.5), E8M0, "0.5"),
        (np.uint32(0x3C), DTYPES["float8_e5m2_x4"], "0x0000003c"),
        (np.uint16(0x1234), DTYPES["float4_e2m1fn_x4"], "0x1234"),
    ],
)
def test_an_element_prints(value, dtype, text):
    assert format_value(value, dtype) == text


@pytest.mark.parametrize(
    "dtype", [d for d in DTYPES.values() if d.is_float and d.itemsize < 4], ids=str
)
def test_no_two_values_print_alike(dtype):
    patterns = np.arange(1 << 8 * dtype.itemsize, dtype=dtype.bits_dtype).view(dtype.numpy)
    for value in patterns[:: 1 if dtype.itemsize == 1 else 7]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # reading the text back overflows for infinities
            back = dtype.numpy.type(float(format_value(value, dtype)))
        assert float(back) == float(value) or math.isnan(float(value))
