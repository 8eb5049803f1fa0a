"""Transpose, LoadMaskRegister and Shuffle: worked by hand, and as the vendor's tests use them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.programs import Array, fault, psum, ran, result, sbuf, session, times

ROTATED = [(i - 1) % 32 for i in range(32)]


def numbered(rows: int, columns: int) -> Array:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


# -- Transpose


def test_a_partial_block_becomes_its_transpose() -> None:
    """The vendor's test: 32x2 on Vector."""
    data = numbered(32, 2)
    got = result("@vector Transpose c, a", a=sbuf("f32", data), c=psum("f32", (2, 32)))
    np.testing.assert_array_equal(got, data.T)


def test_the_free_axes_count_as_one() -> None:
    data = numbered(3, 6).reshape(3, 2, 3)
    got = result("@vector Transpose c, a", a=psum("f32", data), c=sbuf("f32", (6, 3)))
    np.testing.assert_array_equal(got, data.reshape(3, 6).T)


def test_blocks_are_transposed_where_they_are() -> None:
    data = numbered(64, 96)
    got = result("@vector Transpose c, a", a=sbuf("f32", data), c=sbuf("f32", (64, 96)))
    # dst[32a + i, 32b + j] = data[32a + j, 32b + i]; a = 1, b = 2, i = 3, j = 4
    assert got[35, 68] == data[36, 67]
    np.testing.assert_array_equal(got[0:32, 32:64], data[0:32, 32:64].T)
    assert not np.array_equal(got[0:64, 0:64], data[0:64, 0:64].T)


def test_a_signalling_nan_and_packed_elements_keep_their_bits() -> None:
    words = np.array([[0x7F80_0001, 0xFF80_0001], [0x8000_0000, 1]], np.uint32)
    for dtype in ("f32", "float8_e4m3fn_x4"):
        tile = sbuf(dtype, words.view(np.float32) if dtype == "f32" else words)
        got = result("@vector Transpose c, a", "trn3", a=tile, c=sbuf(dtype, (2, 2)))
        assert got.view(np.uint32).tolist() == words.T.tolist()


def test_a_transpose_moves_between_groups_of_32_partitions() -> None:
    done = ran(
        "@vector Transpose c[96:104], a[32:36]",
        a=sbuf("i16", np.arange(288).reshape(36, 8)),
        c=sbuf("i16", (104, 4)),
    )
    want = np.arange(288).reshape(36, 8)[32:36].T
    np.testing.assert_array_equal(done.read("c")[96:104], want)


# -- Shuffle


def shuffled(mask: list[int], src: Array, rows: int, before: Array | None = None) -> Array:
    lines = f"@vector\nLoadMaskRegister {mask}\nShuffle c, a"
    held = (rows, src.shape[1]) if before is None else before
    return result(lines, a=sbuf("f32", src), c=sbuf("f32", held))


def test_rows_rotate_in_place() -> None:
    """The vendor's first test: partition i goes to (i + 1) % 32."""
    data = numbered(32, 128)
    got = result(f"@vector\nLoadMaskRegister {ROTATED}\nShuffle c, c", c=sbuf("f32", data))
    np.testing.assert_array_equal(got, data[ROTATED])


def test_one_row_spreads_to_32() -> None:
    """The vendor's second test."""
    got = shuffled([0] * 32, numbered(1, 128), 32)
    np.testing.assert_array_equal(got, np.repeat(numbered(1, 128), 32, axis=0))


def test_every_group_of_32_rows_takes_the_same_mask() -> None:
    """The vendor's third test."""
    data = numbered(128, 128)
    want = np.concatenate([data[32 * q : 32 * q + 32][ROTATED] for q in range(4)])
    np.testing.assert_array_equal(shuffled(ROTATED, data, 128), want)


def test_a_row_whose_entry_is_255_stays_as_it_was() -> None:
    mask, before = [255] * 32, -np.ones((32, 4), np.float32)
    mask[5] = 7
    want = before.copy()
    want[5] = numbered(32, 4)[7]
    np.testing.assert_array_equal(shuffled(mask, numbered(32, 4), 32, before), want)


def test_a_row_that_is_left_alone_stays_unwritten() -> None:
    lines = f"@vector\nLoadMaskRegister {[0] * 31 + [255]}\nShuffle c, a"
    made = session(lines, a=sbuf("f32", numbered(32, 2)), c=sbuf("f32", (32, 2)))
    assert made.run().problems == ()
    assert made.known("c")[:31].all()
    assert not made.known("c")[31].any()


def test_entries_beyond_the_last_row_of_dst_have_no_effect() -> None:
    got = shuffled([3, 2, 1, 0, *[31] * 28], numbered(4, 3), 4)
    np.testing.assert_array_equal(got, numbered(4, 3)[::-1])


@pytest.mark.parametrize(("rows", "src", "taken"), [(32, 16, 31), (64, 32, 63)])
def test_a_row_that_src_does_not_have_is_a_fault(rows: int, src: int, taken: int) -> None:
    problem = fault(
        f"@vector\nLoadMaskRegister {list(range(32))}\nShuffle c, a",
        a=sbuf("f32", (src, 2)),
        c=sbuf("f32", (rows, 2)),
    )
    assert problem.code == "E0404"
    assert f"takes row {taken} of src, which has {src}" in problem.message


def test_a_shuffle_before_any_mask_is_a_fault() -> None:
    problem = fault("@vector Shuffle c, a", a=sbuf("f32", (2, 2)), c=sbuf("f32", (2, 2)))
    assert problem.code == "E0503"
    assert "LoadMaskRegister" in problem.hint


def test_a_mask_stays_until_another_is_loaded() -> None:
    done = ran(
        f"@vector\nLoadMaskRegister {[1] * 32}\nShuffle c, a\nShuffle d, a\n"
        f"LoadMaskRegister {[0] * 32}\nShuffle e, a",
        a=sbuf("f32", [[5], [6]]),
        c=sbuf("f32", (2, 1)),
        d=sbuf("f32", (2, 1)),
        e=sbuf("f32", (2, 1)),
    )
    assert [done.read(name)[0, 0] for name in "cde"] == [6, 6, 5]


def test_a_shuffle_starts_once_its_mask_is_loaded() -> None:
    done = ran(
        f"@vector\nLoadMaskRegister {ROTATED}\nShuffle c, a",
        "trn2",
        a=sbuf("f32", numbered(32, 128)),
        c=sbuf("f32", (32, 128)),
    )
    # 13 ns are 13 cycles of 0.96 GHz, each of 5 ticks; then 128, and 143 ns.
    assert times(done, "vector") == [(0, 65), (65, 65 + 5 * (128 + 138))]
