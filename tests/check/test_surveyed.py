"""Every size of every program of the project: the table of the page is what is found."""

from __future__ import annotations

import re

import pytest

from tests.check.surveyed import (
    NOT_SIZES,
    Sized,
    constants,
    judge,
    key_of,
    pairs,
    row,
    rows_of_page,
)
from tests.parts import part

QUICK = [one for one in pairs() if one.stem in ("matmul_credits", "layernorm", "columns", "ring")]


def test_every_number_in_a_program_is_a_size_or_is_said_to_be_none() -> None:
    sizes = {key_of(one) for one in pairs()}
    every = set(constants())
    assert sizes <= every
    for program, name in every - sizes:
        some = [what for what in NOT_SIZES if re.fullmatch(what, f"{program} {name}")]
        assert some or any(re.fullmatch(what, name) for what in NOT_SIZES), (program, name)


def test_the_page_has_a_row_of_each_size() -> None:
    names = [f"| `{one.stem}` | {one.range.name} " for one in pairs()]
    rows = rows_of_page()
    assert len(rows) == len(names)
    for start, line in zip(names, rows, strict=True):
        assert line.startswith(start)


def compared(sized: Sized, count: int) -> None:
    """Whether a row is what is found, and that is so at sizes beyond."""
    found = sized.answer()
    judge(sized, found, count)
    assert row(sized, found) in rows_of_page()


@pytest.mark.parametrize("sized", part(QUICK, 2), ids=lambda one: "-".join(key_of(one)))
def test_some_sizes_are_as_the_page_says(sized: Sized) -> None:
    compared(sized, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("sized", pairs(), ids=lambda one: "-".join(key_of(one)))
def test_all_sizes_are_as_the_page_says(sized: Sized) -> None:
    compared(sized, 10)
