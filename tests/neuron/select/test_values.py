"""CopyPredicated; MatchValueLoad with FindIndex8 and MatchReplace8: worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron import scalar as reference
from tests.neuron.programs import fault, psum, ran, result, sbuf, session, times
from tests.parts import part

FIND = "@vector\nMatchValueLoad v\nFindIndex8 c, a"


def test_equal_values_find_successive_places_and_a_missing_one_gives_all_ones() -> None:
    # The data of the example of nki.isa.nc_match_replace8: 3 is at 2, and 8 from place 4 on.
    data = [[1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8]]
    got = result(
        FIND, a=sbuf("f32", data), v=sbuf("f32", [[3, 8, 8, 8, 8, 8, 8, 8]]), c=sbuf("u32", (1, 8))
    )
    assert got.tolist() == [[2, 4, 5, 6, 7, 8, 9, 10]]


@pytest.mark.parametrize(("dtype", "ones"), [("u16", 0xFFFF), ("u32", 0xFFFF_FFFF)])
def test_a_value_asked_for_more_often_than_it_occurs_is_missing(dtype: str, ones: int) -> None:
    got = result(
        FIND,
        a=sbuf("f32", [[7, 5, 7, 0, 1, 2, 3, 4]]),
        v=sbuf("f32", [[7, 7, 7, 9, 5, 5, 0, -0.0]]),
        c=sbuf(dtype, (1, 8)),
    )
    # Zero of either sign is one value, and it occurs once.
    assert got.tolist() == [[0, 2, ones, ones, 1, ones, 3, ones]]


def test_nan_matches_nothing() -> None:
    nan = np.nan
    got = result(
        FIND,
        a=sbuf("f32", [[nan, 1, 2, 3, 4, 5, 6, 7]]),
        v=sbuf("f32", [[nan, 1, nan, 2, 3, 4, 5, np.inf]]),
        c=sbuf("u16", (1, 8)),
    )
    assert got.tolist() == [[0xFFFF, 1, 0xFFFF, 2, 3, 4, 5, 0xFFFF]]


@pytest.mark.parametrize("seed", part(range(10), 4))
def test_find_index_equals_a_scalar_search(seed: int) -> None:
    draw = np.random.default_rng(seed)
    partitions, n = int(draw.integers(1, 129)), int(draw.integers(8, 40))
    dtype = str(draw.choice(["float32", "bfloat16", "int16"]))
    data = draw.integers(0, 9, (partitions, n)).astype(reference.NUMPY[dtype])
    vals = draw.integers(0, 11, (partitions, 8))
    got = result(
        FIND,
        str(draw.choice(["trn1", "trn2", "trn3"])),
        a=psum(dtype, data),
        v=sbuf("f32", vals),
        c=sbuf("u32", (partitions, 8)),
    )
    want = [reference.find_index8(d, v) for d, v in zip(data.tolist(), vals.tolist(), strict=True)]
    assert got.astype(np.int32).tolist() == want


def test_max8_then_find_index_names_the_places_of_the_largest() -> None:
    data = np.random.default_rng(3).permutation(50).reshape(1, 50)
    done = ran(
        "@vector\nMax8 best, a\nMatchValueLoad best\nFindIndex8 c, a",
        a=sbuf("f32", data),
        best=sbuf("f32", (1, 8)),
        c=sbuf("u32", (1, 8)),
    )
    assert data[0, done.read("c")[0]].tolist() == [49, 48, 47, 46, 45, 44, 43, 42]


def test_the_loaded_values_stay_for_every_search_that_follows() -> None:
    done = ran(
        "@vector\nMatchValueLoad v\nFindIndex8 c, a\nFindIndex8 d, b",
        a=sbuf("f32", [range(8)]),
        b=sbuf("f32", [range(8, 0, -1)]),
        v=sbuf("f32", [[1] * 8]),
        c=sbuf("u16", (1, 8)),
        d=sbuf("u16", (1, 8)),
    )
    assert done.read("c")[0, 0] == 1
    assert done.read("d")[0, 0] == 7


def test_the_loaded_values_are_a_copy_that_no_later_write_changes() -> None:
    # they used to be the tile's own bytes where the dtype is float32: a write reached them. The
    # copy of v starts once the write is complete, so that the search does, too
    done = ran(
        "@vector\nMatchValueLoad v\nMemset v, 0.0\nTensorCopy w, v\nFindIndex8 c, a",
        a=sbuf("f32", [[5, 6, 7, 8, 9, 10, 11, 12]]),
        v=sbuf("f32", [[7] * 8]),
        w=sbuf("f32", (1, 8)),
        c=sbuf("u16", (1, 8)),
    )
    assert done.read("c")[0, 0] == 2


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


# -- MatchReplace8

REPLACE = "@vector\nMatchValueLoad v\nMatchReplace8 c, a, {imm}, at"


def replaced(
    data: list[float], vals: list[float], imm: float, dtype: str = "f32"
) -> tuple[list[float], list[int]]:
    done = ran(
        REPLACE.format(imm=imm),
        a=sbuf(dtype, [data]),
        v=sbuf("f32", [vals]),
        c=sbuf(dtype, (1, len(data))),
        at=sbuf("u32", (1, 8)),
    )
    return [float(v) for v in done.read("c")[0]], done.read("at")[0].tolist()


def test_equal_values_are_replaced_from_the_last_slot_to_the_first() -> None:
    """The vendor's example, word for word."""
    data, at = replaced([1, 2, 3, 4, *[8] * 7], [3, *[8] * 7], -1.0)
    assert at == [2, 10, 9, 8, 7, 6, 5, 4]
    assert data == [1, 2, -1, 4, *[-1] * 7]


def test_a_value_that_is_not_there_replaces_nothing_and_gives_all_ones() -> None:
    ones = 0xFFFF_FFFF
    data, at = replaced([7, 5, 7, 0, 1, 2, 3, 4], [7, 7, 7, 9, np.inf, 5, 0, -0.0], np.inf)
    # The last 7 finds the first one; of the zeros the last finds the only one.
    assert at == [ones, 2, 0, ones, ones, 1, ones, 3]
    assert data == [np.inf, np.inf, np.inf, np.inf, 1, 2, 3, 4]


def test_a_replaced_place_is_not_found_again() -> None:
    data, at = replaced([5, 6, 7, 8, 9, 10, 11, 12], [6, 0, 0, 0, 0, 0, 0, 5], 6.0)
    assert data[:2] == [6, 6]
    assert (at[0], at[7]) == (1, 0)


def test_what_is_replaced_is_rounded_into_dst_and_the_rest_goes_through_float32() -> None:
    data, _ = replaced([2**24 + 1, 5, 0, 1, 2, 3, 4, 6], [5] * 8, 2.5, "i32")
    assert data[:3] == [2**24, 2, 0]


def test_data_may_be_replaced_in_place_and_without_indices() -> None:
    values = np.random.default_rng(2).permutation(24).reshape(2, 3, 4)
    done = ran(
        "@vector\nMax8 best, a\nMatchValueLoad best\nMatchReplace8 a, a, 0.0",
        a=sbuf("f32", values),
        best=sbuf("f32", (2, 8)),
    )
    want = values.copy().reshape(2, 12)
    for row in want:
        row[np.argsort(row)[-8:]] = 0
    assert done.read("a").reshape(2, 12).tolist() == want.tolist()


# -- CopyPredicated


def test_chosen_elements_are_copied_and_the_others_stay() -> None:
    for reverse, want in (("false", [10, 2, 30, 4]), ("true", [1, 20, 3, 40])):
        got = result(
            f"@vector CopyPredicated c, a, m, reverse_pred={reverse}",
            a=sbuf("f32", [[10, 20, 30, 40]]),
            m=sbuf("u16", [[1, 0, 256, 0]]),
            c=sbuf("f32", [[1, 2, 3, 4]]),
        )
        assert got.tolist() == [want]


def test_a_predicate_is_true_whatever_bit_is_set() -> None:
    for dtype, top in (("u8", 0x80), ("u16", 0x8000), ("u32", 0x8000_0000)):
        got = result(
            "@vector CopyPredicated c, 9, m",
            m=psum(dtype, [[top, 0, 1]]),
            c=sbuf("i32", [[1, 2, 3]]),
        )
        assert got.tolist() == [[9, 2, 9]]


def test_bits_are_copied_and_a_number_is_rounded_once() -> None:
    big = 2**24 + 1
    got = result(
        "@vector CopyPredicated c, a, m",
        a=sbuf("i32", [[big]]),
        m=sbuf("u8", [[1]]),
        c=sbuf("i32", [[0]]),
    )
    assert got.tolist() == [[big]]
    # float32 first would make it a tie, and bfloat16 1: so it is next to 1.
    got = result(
        f"@vector CopyPredicated c, {1 + 2**-8 + 2**-40!r}, m",
        m=sbuf("u8", [[1]]),
        c=sbuf("bf16", [[0]]),
    )
    assert float(got[0, 0]) == 1 + 2**-7


def test_what_is_not_chosen_stays_unwritten() -> None:
    made = session(
        "@vector CopyPredicated c, 1.0, m", m=sbuf("u8", [[0, 1], [1, 0]]), c=sbuf("f32", (2, 2))
    )
    assert made.run().problems == ()
    assert made.known("c").tolist() == [[False, True], [True, False]]


def test_it_is_numpys_where() -> None:
    """The vendor's test."""
    draw = np.random.default_rng(0)
    a, b = draw.random((2, 128, 512), np.float32) * 100
    got = result(
        "@vector CopyPredicated c, a, m", a=sbuf("f32", a), c=sbuf("f32", b), m=sbuf("u8", a <= 80)
    )
    np.testing.assert_array_equal(got, np.where(a <= 80, a, b))


def test_columns_are_scattered_and_the_predicates_gathered() -> None:
    # Entry i stands on partition i: predicates 2, 0 and 3 decide on columns 4, 1 and 0.
    made = session(
        "@vector CopyPredicated c.indirect(to, num_elem=3), a, m.indirect(by, num_elem=3)",
        "trn3",
        c=sbuf("f32", (16, 5)),
        a=sbuf("f32", np.tile([10, 20, 30], (16, 1))),
        m=sbuf("u8", np.tile([0, 7, 1, 1], (16, 1))),
        to=sbuf("u16", np.array([4, 1, 0, *[9] * 13])[:, None]),
        by=sbuf("u16", np.array([2, 0, 3, *[9] * 13])[:, None]),
    )
    assert made.run().problems == ()
    assert made.known("c")[5].tolist() == [True, False, False, False, True]
    assert made.read("c")[5, [0, 4]].tolist() == [30, 10]
