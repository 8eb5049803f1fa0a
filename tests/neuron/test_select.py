"""MatchValueLoad and FindIndex8: duplicates, missing values, and what stays in the engine."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.models import scalar as reference
from tests.neuron.programs import fault, psum, ran, result, sbuf, times

FIND = "@vector\nMatchValueLoad v\nFindIndex8 c, a"


def test_equal_values_find_successive_places_and_a_missing_one_gives_all_ones() -> None:
    # The data of the reference's MatchReplace8 example: 3 is at 2, and 8 from place 4 on.
    data = [[1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8]]
    got = result(
        FIND, a=sbuf("f32", data), v=sbuf("f32", [[3, 8, 8, 8, 8, 8, 8, 8]]), c=sbuf("u32", (1, 8))
    )
    assert got.tolist() == [[2, 4, 5, 6, 7, 8, 9, 10]]


@pytest.mark.parametrize(("dtype", "ones"), [("u16", 0xFFFF), ("u32", 0xFFFF_FFFF)])
def test_a_value_asked_for_more_often_than_it_occurs_is_missing(dtype: str, ones: int) -> None:
    got = result(
        FIND, a=sbuf("f32", [[7, 5, 7, 0, 1, 2, 3, 4]]),
        v=sbuf("f32", [[7, 7, 7, 9, 5, 5, 0, -0.0]]), c=sbuf(dtype, (1, 8)),
    )  # fmt: skip
    # Zero of either sign is one value, and it occurs once.
    assert got.tolist() == [[0, 2, ones, ones, 1, ones, 3, ones]]


def test_nan_matches_nothing() -> None:
    nan = np.nan
    got = result(
        FIND, a=sbuf("f32", [[nan, 1, 2, 3, 4, 5, 6, 7]]),
        v=sbuf("f32", [[nan, 1, nan, 2, 3, 4, 5, np.inf]]), c=sbuf("u16", (1, 8)),
    )  # fmt: skip
    assert got.tolist() == [[0xFFFF, 1, 0xFFFF, 2, 3, 4, 5, 0xFFFF]]


@pytest.mark.parametrize("seed", range(10))
def test_find_index_equals_a_scalar_search(seed: int) -> None:
    draw = np.random.default_rng(seed)
    partitions, n = int(draw.integers(1, 129)), int(draw.integers(8, 40))
    dtype = str(draw.choice(["float32", "bfloat16", "int16"]))
    data = draw.integers(0, 9, (partitions, n)).astype(reference.NUMPY[dtype])
    vals = draw.integers(0, 11, (partitions, 8))
    got = result(
        FIND, str(draw.choice(["trn1", "trn2", "trn3"])), a=psum(dtype, data),
        v=sbuf("f32", vals), c=sbuf("u32", (partitions, 8)),
    )  # fmt: skip
    want = [reference.find_index8(d, v) for d, v in zip(data.tolist(), vals.tolist(), strict=True)]
    assert got.astype(np.int32).tolist() == want


def test_max8_then_find_index_names_the_places_of_the_largest() -> None:
    data = np.random.default_rng(3).permutation(50).reshape(1, 50)
    done = ran(
        "@vector\nMax8 best, a\nMatchValueLoad best\nFindIndex8 c, a",
        a=sbuf("f32", data), best=sbuf("f32", (1, 8)), c=sbuf("u32", (1, 8)),
    )  # fmt: skip
    assert data[0, done.read("c")[0]].tolist() == [49, 48, 47, 46, 45, 44, 43, 42]


def test_the_loaded_values_stay_for_every_search_that_follows() -> None:
    done = ran(
        "@vector\nMatchValueLoad v\nFindIndex8 c, a\nFindIndex8 d, b",
        a=sbuf("f32", [range(8)]), b=sbuf("f32", [range(8, 0, -1)]), v=sbuf("f32", [[1] * 8]),
        c=sbuf("u16", (1, 8)), d=sbuf("u16", (1, 8)),
    )  # fmt: skip
    assert done.read("c")[0, 0] == 1
    assert done.read("d")[0, 0] == 7


def test_a_search_before_any_load_is_a_fault() -> None:
    problem = fault("@vector FindIndex8 c, a", a=sbuf("f32", [range(8)]), c=sbuf("u16", (1, 8)))
    assert problem.code == "E0503"
    assert "MatchValueLoad" in problem.hint


def test_a_search_on_other_partitions_than_were_loaded_is_a_fault() -> None:
    problem = fault(
        FIND, a=sbuf("f32", [range(8)] * 2), v=sbuf("f32", [range(8)]), c=sbuf("u16", (2, 8))
    )
    assert problem.code == "E0404"
    assert "data has 2 partitions, the match values 1" in problem.message


def test_a_search_starts_once_the_values_are_loaded() -> None:
    done = ran(FIND, a=sbuf("f32", [range(8)]), v=sbuf("f32", [range(8)]), c=sbuf("u16", (1, 8)))
    # 64 cycles of 5 ticks each; the result is seen 100 cycles after the end of the second.
    assert times(done, "vector") == [(0, 820), (320, 1140)]
