"""Every cast there is: from each dtype to each other, by way of float32."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.dtypes import DTYPES, DTypeError, ElementKind, convert
from tests.tables import each
from tests.test_dtypes import awkward_float32, bits, every_pattern, quietly

PLAIN = [d for d in DTYPES.values() if d.kind in (ElementKind.INT, ElementKind.FLOAT)]
READ = [*PLAIN, DTYPES["float8_e8m0fnu"]]
PACKED = [d for d in DTYPES.values() if d.kind is ElementKind.PACKED]


def elements(dtype):
    """Every pattern of a dtype of 8 or 16 bits; of one of 32 bits those that are awkward."""
    if dtype.itemsize < 4:
        return every_pattern(dtype)
    if dtype.is_float:
        return awkward_float32()
    rng = np.random.default_rng(9)
    near = 2 ** rng.integers(0, 32, 20_000) + rng.integers(-3, 4, 20_000)
    signs = rng.choice([-1, 1], 20_000)
    limits = np.iinfo(dtype.numpy)
    edges = [limits.min, limits.max, limits.max - 63, limits.max - 64, limits.max - 65, 0]
    return np.clip(np.r_[near * signs, edges], limits.min, limits.max).astype(dtype.numpy)


def wanted(array, dst):
    """What a cast gives, by NumPy and ml_dtypes: to nearest even; integers saturate, NaN is 0."""
    wide = quietly(array, np.float32)
    if not dst.is_int:
        return quietly(wide, dst.numpy)
    limits = np.iinfo(dst.numpy)
    whole = np.rint(quietly(wide, np.float64))
    return (
        np.nan_to_num(whole, posinf=np.inf, neginf=-np.inf)
        .clip(limits.min, limits.max)
        .astype(np.int64)
        .astype(dst.numpy)
    )


@each("dst", PLAIN, ids=str)
@each("src", READ, ids=str)
def test_every_element_of_each_dtype_into_each_other(src, dst):
    array = elements(src)
    found = convert(array, src, dst)
    if src is dst:
        assert found is array
        return
    right = wanted(array, dst)
    assert found.dtype == dst.numpy
    np.testing.assert_array_equal(bits(found), bits(right))


@pytest.mark.parametrize("packed", PACKED, ids=str)
def test_packed_dtypes_take_part_in_no_cast(packed):
    for other in DTYPES.values():
        if other is packed:
            continue
        with pytest.raises(DTypeError):
            convert(np.zeros(2, packed.numpy), packed, other)
        with pytest.raises(DTypeError):
            convert(np.zeros(2, other.numpy), other, packed)
