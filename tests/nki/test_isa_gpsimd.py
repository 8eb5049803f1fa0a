"""GpSimd's functions and random numbers: each function of nki.isa against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from tests.nki.minikernel import loaded, result, sbuf, seeded, stored

A = seeded(1, 128, 24)


def test_iota_counts_by_its_pattern() -> None:
    def kernel() -> Any:
        tile = sbuf((128, 2, 4), nl.int32)
        nisa.iota(tile, [[100, 2], [1, 4]], 7, channel_multiplier=1000)
        return stored(tile)

    lanes, high, low = np.ix_(np.arange(128), np.arange(2), np.arange(4))
    assert np.array_equal(result(kernel), 7 + 1000 * lanes + 100 * high + low)


def test_affine_select_masks_what_is_above_the_diagonal() -> None:
    def kernel(source: Any) -> Any:
        x = loaded(source)
        nisa.affine_select(
            x,
            pattern=[[-1, 24]],
            channel_multiplier=1,
            on_true_tile=x,
            on_false_value=-9.0,
            cmp_op=nl.greater_equal,
            offset=2,
        )
        return stored(x)

    lanes, columns = np.ix_(np.arange(128), np.arange(24))
    assert np.array_equal(result(kernel, A), np.where(lanes - columns + 2 >= 0, A, -9))


def test_local_gather_takes_columns_by_the_entries_of_16_partitions() -> None:
    index = np.random.default_rng(2).integers(0, 12, (128, 1)).astype(np.uint16)

    def kernel(source: Any, index: Any) -> Any:
        dst = sbuf((128, 32))
        nisa.local_gather(dst, loaded(source), loaded(index), num_elem_per_idx=2)
        return stored(dst)

    found = result(kernel, A, index)
    for core in range(8):
        rows = slice(16 * core, 16 * core + 16)
        columns = np.concatenate([e + np.arange(2) for e in index[rows].T.reshape(-1)])
        assert np.array_equal(found[rows], A[rows][:, columns]), core


def test_nc_n_gather_takes_elements_of_each_partition() -> None:
    index = np.random.default_rng(3).integers(0, 24, (128, 10)).astype(np.uint32)

    def kernel(source: Any, index: Any) -> Any:
        dst = sbuf((128, 10))
        nisa.nc_n_gather(dst, loaded(source), loaded(index))
        return stored(dst)

    assert np.array_equal(result(kernel, A, index), np.take_along_axis(A, index, axis=1))


def test_nonzero_with_count_lists_places_then_padding_then_the_count() -> None:
    a = np.zeros((128, 8), np.int32)
    a[0, [1, 2, 5]] = 1
    a[16, 7] = 3

    def kernel(source: Any) -> Any:
        dst = sbuf((128, 9), nl.int32)
        nisa.memset(dst, 77)
        nisa.nonzero_with_count(dst, loaded(source), index_offset=16)
        return stored(dst)

    found = result(kernel, a)
    assert found[0].tolist() == [17, 18, 21, -1, -1, -1, -1, -1, 3]
    assert found[16].tolist() == [23, -1, -1, -1, -1, -1, -1, -1, 1]
    assert (found[1:16] == 77).all()


@pytest.mark.parametrize("largest_first", [False, True])
def test_topk_gives_the_largest_in_a_snake(largest_first: bool) -> None:
    n, k = 42, 32
    flat = np.random.default_rng(4).permutation(n).astype(ml_dtypes.bfloat16)
    snake = np.zeros(48, ml_dtypes.bfloat16)
    snake[:n] = flat
    source = snake.reshape(3, 16).T.copy()

    def kernel(source: Any) -> Any:
        values, places = sbuf((16, k), nl.bfloat16), sbuf((16, k), nl.uint32)
        nisa.topk(values, places, loaded(source), n, sorted=largest_first)
        return stored(values[:, 0:2]), stored(places[:, 0:2])

    values, places = result(kernel, source, target="trn3")
    order = np.argsort(flat.astype(np.float32))[-k:][:: -1 if largest_first else 1]
    assert np.array_equal(values.T.reshape(-1), flat[order])
    assert np.array_equal(places.T.reshape(-1), order)


def test_sequence_bounds() -> None:
    ids = np.array([[1, 1, 2, 2, 2, 0]], np.float32)

    def kernel(source: Any) -> Any:
        dst = sbuf((1, 2, 6))
        nisa.sequence_bounds(dst, loaded(source))
        return stored(dst)

    assert result(kernel, ids)[0].tolist() == [[0, 0, 2, 2, 2, 6], [2, 2, 5, 5, 5, -1]]


def test_equal_seeds_give_equal_random_numbers() -> None:
    seed = np.array([[1234]], np.uint32)

    def kernel(source: Any) -> Any:
        tiles = []
        for _ in range(2):
            nisa.set_rng_seed(loaded(source))
            tile = sbuf((128, 16), nl.uint32)
            nisa.rng(tile)
            tiles.append(stored(tile))
        return tuple(tiles)

    first, second = result(kernel, seed)
    assert np.array_equal(first, second)
    assert len(np.unique(first)) > 1000


def test_the_state_of_the_generator_is_kept_and_set() -> None:
    seeds = np.random.default_rng(5).integers(1, 2**31, (128, 6)).astype(np.uint32)

    def kernel(source: Any) -> Any:
        state, first = sbuf((128, 6), nl.uint32), sbuf((128, 8), nl.uint32)
        nisa.rand_set_state(loaded(source))
        nisa.rand_get_state(state)
        nisa.rng(first, engine=nisa.engine.gpsimd)
        nisa.rand_set_state(state)
        second = sbuf((128, 8), nl.uint32)
        nisa.rng(second, engine=nisa.engine.gpsimd)
        return stored(state), stored(first), stored(second)

    state, first, second = result(kernel, seeds)
    assert np.array_equal(state, seeds)
    assert np.array_equal(first, second)


def test_rand2_stays_between_its_bounds() -> None:
    seeds = np.random.default_rng(6).integers(1, 2**31, (128, 24)).astype(np.uint32)

    def kernel(source: Any) -> Any:
        nisa.rand_set_state(loaded(source), engine=nisa.engine.vector)
        tile = sbuf((128, 64))
        nisa.rand2(tile, -1.0, 3.0)
        return stored(tile)

    found = result(kernel, seeds, target="trn3")
    assert -1 <= found.min() < -0.9
    assert 2.9 < found.max() <= 3


@pytest.mark.parametrize(("prob", "kept"), [(0.0, 1.0), (1.0, 0.0)])
def test_dropout_of_all_and_of_nothing(prob: float, kept: float) -> None:
    seed = np.array([[1]], np.uint32)

    def kernel(source: Any, seed: Any) -> Any:
        nisa.set_rng_seed(loaded(seed))
        dst = sbuf((128, 24))
        nisa.dropout(dst, loaded(source), prob)
        return stored(dst)

    found = result(kernel, A, seed)
    assert np.array_equal(np.abs(found), np.abs(A) * kept)


def test_registers_go_from_a_tile_and_to_one() -> None:
    def kernel(source: Any) -> Any:
        register = nisa.register_alloc()
        nisa.register_load(register, loaded(source))
        other = nisa.register_alloc(5)
        nisa.register_move(other, register)
        tile = sbuf((1, 1), nl.int32)
        nisa.register_store(tile, other)
        return stored(tile)

    assert result(kernel, np.array([[42]], np.int32)).tolist() == [[42]]
