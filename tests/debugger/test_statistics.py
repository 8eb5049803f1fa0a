"""Statistics and histograms, piece by piece, against numbers by hand and NumPy as a whole."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.base import dtypes
from nasm.base.files import Allowed
from nasm.base.pieces import PIECE
from nasm.base.problems import Refused
from nasm.debugger.values.differences import difference, of_file
from nasm.debugger.values.statistics import Statistics, histogram, statistics
from nasm.debugger.values.value import Value
from nasm.language.expectations.elements import Plain, Stored
from nasm.show import arrays


def value(array: Any, missing: Any = None) -> Value:
    held = np.asarray(array)
    dtype = dtypes.find(held.dtype.name)
    elements = Plain(held) if dtype is None else Stored(held, dtype, computes=False)
    return Value("t", elements, dtype, None if missing is None else np.asarray(missing, np.bool_))


def test_nan_infinities_and_what_is_missing_are_reported_apart() -> None:
    found = statistics(value(np.float32([1, np.nan, np.inf, -2, 9]), [0, 0, 0, 0, 1]))
    assert found == Statistics(5, 4, 1, 1, -2.0, np.inf, np.inf)
    assert statistics(value(np.float32([np.nan]))) == Statistics(1, 1, 1)
    assert statistics(value(np.float32([3]), [1])) == Statistics(1, 0)


@pytest.mark.parametrize("kind", ["float32", "int32", "uint8", "float16", ml_dtypes.bfloat16])
def test_many_elements_are_summed_piece_by_piece(kind: Any) -> None:
    rng = np.random.default_rng(1)
    array = rng.integers(0, 200, (3, PIECE // 2 + 7)).astype(kind)
    array[2, 5] = 250
    missing = rng.random(array.shape) < 0.3
    seen = array.astype(np.float64)
    whole, part = statistics(value(array)), statistics(value(array, missing))
    assert (whole.least, whole.most, whole.known) == (0.0, 250.0, array.size)
    assert whole.mean == pytest.approx(seen.mean(), rel=1e-12)
    assert part.known == np.count_nonzero(~missing)
    assert part.mean == pytest.approx(seen[~missing].mean(), rel=1e-12)


def test_a_float32_sum_is_made_in_float64() -> None:
    array = np.full((1, 4 * PIECE), 0.1, np.float32)
    assert statistics(value(array)).mean == pytest.approx(float(np.float32(0.1)), rel=1e-12)


def test_packed_elements_are_counted_only() -> None:
    packed = dtypes.DTYPES["float8_e5m2_x4"]
    held = Stored(np.zeros(3, np.uint32), packed, computes=False)
    one = Value("t", held, packed, np.array([True, False, False]))
    assert statistics(one) == Statistics(3, 2, numeric=False)
    for refused in (lambda: histogram(one, 16), lambda: difference(one, one)):
        with pytest.raises(Refused, match="packed"):
            refused()
    with pytest.raises(Refused, match="packed"):
        of_file(one, "t.npy", Allowed())


def test_a_histogram_of_integers_has_a_bin_for_each() -> None:
    found = histogram(value(np.int32([0, 1, 1, 3])), 16)
    assert found.edges == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert found.counts == (1, 2, 0, 1)
    assert arrays.histogram(found, 40) == [
        "  0 .. 1  1  ##############",
        "  1 .. 2  2  ###########################",
        "  2 .. 3  0",
        "  3 .. 4  1  ##############",
    ]


def test_a_histogram_leaves_out_what_is_no_number() -> None:
    array = np.float32([0, 16, 15.5, np.nan, np.inf, 5, 7])
    found = histogram(value(array, [0, 0, 0, 0, 0, 1, 0]), 16)
    assert found.edges == tuple(float(n) for n in range(17))
    assert [n for n, count in enumerate(found.counts) if count] == [0, 7, 15]
    assert sum(found.counts) == 4
    assert (found.statistics.nan, found.statistics.infinite, found.statistics.known) == (1, 1, 6)


def test_a_histogram_of_one_number_or_none() -> None:
    assert histogram(value(np.float32([2, 2, 2])), 16).counts == (3,)
    none = histogram(value(np.float32([np.nan, np.inf])), 16)
    assert arrays.histogram(none) == ["  no finite numbers"]


def test_conditions_say_where_they_hold() -> None:
    condition = value(np.array([True, False, True, True]), [0, 0, 0, 1])
    assert arrays.summary(condition, statistics(condition)) == "  true in 2 of 4, 1 unknown"
