"""Pictures: which element a cell stands for, and how it is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.debugger.values.pictures import MISSING, NAN, picture
from nasm.show import pictures
from tests.debugger.test_statistics import value

DEEP = np.float32([[0, 1, 8, 2], [3, -4, 5, 6], [1, 1, 0, 0]])


def test_a_cell_is_an_element_where_there_is_room() -> None:
    found = picture(value(DEEP), 10, 10)
    assert (found.block, found.low, found.high) == ((1, 1), -4.0, 8.0)
    assert [[c * 12 - 4 for c in row] for row in found.cells] == pytest.approx(DEEP)


def test_else_it_is_the_one_farthest_from_zero() -> None:
    found = picture(value(DEEP), 2, 2)
    assert (found.block, found.shape, found.low, found.high) == ((2, 2), (3, 4), -4.0, 8.0)
    assert found.cells == ((0.0, 1.0), (5 / 12, 4 / 12))  # of -4, 8; 1, 0


def test_or_the_mean() -> None:
    found = picture(value(DEEP), 2, 2, mean=True)  # 0, 5.25; 1, 0
    assert (found.low, found.high) == (0.0, 5.25)
    assert found.cells == ((0.0, 1.0), (pytest.approx(1 / 5.25), 0.0))


def test_what_is_missing_counts_only_where_nothing_else_is() -> None:
    missing = np.zeros((3, 4), bool)
    missing[0:2, 2:4] = missing[0, 0] = missing[2, 3] = True
    found = picture(value(DEEP, missing), 2, 2)
    assert found.cells == ((0.0, MISSING), (1.0, 4 / 5))  # -4; 1, 0
    one = picture(value(DEEP, missing), 3, 4)
    assert [c == MISSING for c in one.cells[0]] == [True, False, True, True]


def test_a_nan_marks_its_cell_and_infinities_are_the_ends_of_the_scale() -> None:
    found = picture(value(np.float32([[1, np.nan, 3, np.inf], [2, 2, -np.inf, 1]])), 2, 2)
    assert found.cells == ((NAN, 1.0), (0.5, 0.0))
    assert (found.low, found.high) == (2.0, 2.0)


def test_columns_that_do_not_divide_and_leading_axes() -> None:
    found = picture(value(np.arange(30, dtype=np.int32).reshape(2, 3, 5)), 3, 2)
    assert (found.shape, found.block) == ((6, 5), (2, 3))
    assert [[c * 22 + 7 for c in row] for row in found.cells] == pytest.approx(
        np.array([[7, 9], [17, 19], [27, 29]])
    )


def test_all_alike_and_what_has_no_picture() -> None:
    assert picture(value(np.float32([[5, 5]])), 2, 2).cells == ((0.5, 0.5),)
    with pytest.raises(Refused, match="no picture"):
        picture(value(np.float32(1)), 2, 2)


def test_characters_are_for_numbers_without_colour() -> None:
    array = np.float32([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
    missing = np.zeros((2, 5), bool)
    missing[1, 1] = True
    array[0, 3] = np.nan
    found = picture(value(array, missing), 5, 5)
    assert [line.plain for line in pictures.drawn(found, coloured=False)] == [
        "   .:?=",
        "  +_#%@",
        "  ' .:-=+*#%@' is 0 to 9",
        "  2 rows of 5; a cell is an element",
        "  _ uninitialised (1 element); ? NaN (1)",
    ]


def test_two_rows_share_a_line_in_colour() -> None:
    array = np.float32([[0, 9], [9, 9], [9, 0]])
    missing = np.zeros((3, 2), bool)
    missing[0, 1] = missing[1, 0] = True
    lines = pictures.drawn(picture(value(array, missing), 5, 5), coloured=True)
    assert [line.plain for line in lines[:2]] == ["  ▀▄", "  ▀▀"]
    first, last = "rgb(20,11,53)", "rgb(250,250,110)"
    assert [str(span.style) for line in lines[:2] for span in line.spans] == [
        first,
        last,
        last,
        first,
    ]
    assert "dark to light is 0 to 9" in lines[2].plain
    assert "· uninitialised (2 elements)" in lines[4].plain
