"""How arrays become text: small ones whole, large ones by their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base import dtypes
from nasm.debugger.values.statistics import statistics
from nasm.debugger.values.value import Value
from nasm.language.expectations.elements import Stored
from nasm.show import arrays
from nasm.show.arrays import WIDTH
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

LINEAR = Memory("ram", partitions=0, size=0, summary="", source="")


def shown(values: Any, dtype: str = "float32", known: Any = True, form: str = "") -> list[str]:
    found = dtypes.find(dtype)
    assert found is not None
    array = np.asarray(values)
    if array.dtype != found.numpy:
        array = array.astype(found.numpy)
    view = View.whole(Tensor("t", LINEAR, found, array.shape))
    missing = None if known is True else ~np.broadcast_to(known, array.shape)
    value = Value("t", Stored(array, found, computes=False), found, missing, view)
    return [*arrays.shown(value, form), arrays.summary(value, statistics(value))]


def test_a_heading_says_what_is_shown_and_where() -> None:
    assert shown([[1, 2]], "bfloat16")[0] == "t  bfloat16[1, 2]  in ram"


def test_a_row_is_folded_and_each_line_starts_with_its_index() -> None:
    assert shown(range(20), "int32")[1:-1] == [
        "   0   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15",
        "  16  16  17  18  19",
    ]


def test_a_long_row_shows_both_ends() -> None:
    lines = shown(range(4096), "int32")
    assert lines[1].split()[:3] == ["0", "0", "1"]
    assert lines[-2].split()[-1] == "4095"
    assert sum(line.strip() == "…" for line in lines) == 1
    assert len(lines) < 20
    assert max(map(len, lines)) <= WIDTH


def test_a_large_array_shows_its_corners() -> None:
    values = np.arange(200 * 300).reshape(200, 300)
    lines = shown(values, "int32")
    assert lines[1].split()[0] == "0"
    assert lines[1].split()[-1] == "299"
    assert "…" in lines[1]
    assert lines[-2].split()[0] == "199"
    assert lines[-2].split()[-1] == "59999"
    assert len(lines) == 1 + 1 + 6 + 1 + 6 + 1
    assert max(map(len, lines)) <= WIDTH


def test_sixteen_rows_are_shown_whole_and_seventeen_are_not() -> None:
    assert not any("…" in line for line in shown(np.zeros((16, 3))))
    assert any("…" in line for line in shown(np.zeros((17, 3))))


def test_more_than_two_axes_are_labelled_by_the_leading_ones() -> None:
    lines = shown(np.arange(12).reshape(2, 3, 2), "int32")
    assert [line.split()[0] for line in lines[2:-1]] == ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2"]
    assert lines[-2].split()[1:] == ["10", "11"]


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.5, "float32", "1.5"),
        (np.float32(1) / 3, "float32", "0.333333"),
        (np.nan, "float32", "nan"),
        (-np.inf, "bfloat16", "-inf"),
        (200, "uint8", "200"),
        (2**31 - 1, "int32", "2147483647"),
        (1e-30, "float32", "1e-30"),
        (240.0, "float8_e4m3", "240.0"),
        (0x3C003C00, "float8_e5m2_x4", "0x3c003c00"),
    ],
)
def test_an_element(value: Any, dtype: str, text: str) -> None:
    assert shown([value], dtype)[1].split()[1:] == [text]


@pytest.mark.parametrize(
    ("value", "dtype", "bits"),
    [
        (1.0, "float32", "3f800000"),
        (-2.0, "bfloat16", "c000"),
        (1.0, "float16", "3c00"),
        (-1, "int8", "ff"),
        (1, "uint16", "0001"),
    ],
)
def test_the_bits_of_an_element(value: Any, dtype: str, bits: str) -> None:
    assert shown([value], dtype, form="x")[1].split()[1:] == [bits]


def test_statistics_leave_out_nan_and_the_unwritten() -> None:
    lines = shown([1.0, 2.0, np.nan, 99.0], known=[True, True, True, False])
    assert lines[1].split() == ["0", "1.0", "2.0", "nan", "__"]
    assert lines[-1] == "  min 1  max 2  mean 1.5  1 NaN  4 elements  1 uninitialised"


def test_nothing_but_nan_has_no_least_element() -> None:
    assert shown([np.nan, np.nan])[-1] == "  2 NaN  2 elements"


def test_infinities_do_not_break_the_mean() -> None:
    assert shown([np.inf, -np.inf])[-1] == "  min -inf  max inf  mean nan  2 elements"


def test_a_packed_dtype_has_no_statistics() -> None:
    assert shown([1, 2], "float8_e5m2_x4")[-1] == "  2 elements"


def test_one_element_without_axes() -> None:
    assert shown(np.float32(2.5))[1:] == ["  2.5", "  min 2.5  max 2.5  mean 2.5  1 element"]
