"""Element by element, reductions, scans, selections: each function of nki.isa against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from tests.nki.minikernel import Array, loaded, psum, result, sbuf, seeded, stored

A, B = seeded(1, 128, 24), seeded(2, 128, 24)
COLUMN = seeded(3, 128, 1)
BF16 = ml_dtypes.bfloat16


def tiled(call: Any, *arrays: Array, like: int = 0, target: str = "trn2", **made: Any) -> Any:
    """What a call writes into a tile, its other operands loaded."""

    def kernel(*sources: Any) -> Any:
        tiles = [loaded(source) for source in sources]
        shape, dtype = made.get("shape", tiles[like].shape), made.get("dtype", tiles[like].dtype)
        dst = sbuf(shape, dtype)
        call(dst, *tiles)
        return stored(dst)

    return result(kernel, *arrays, target=target)


def test_tensor_copy_converts_into_the_dtype_of_dst() -> None:
    found = tiled(lambda dst, a: nisa.tensor_copy(dst, a), A, dtype=nl.bfloat16)
    assert np.array_equal(found, A.astype(BF16))


@pytest.mark.parametrize("engine", ["vector", "scalar", "gpsimd"])
def test_tensor_copy_is_executed_by_the_engine_that_is_asked(engine: str) -> None:
    found = tiled(lambda d, a: nisa.tensor_copy(d, a, engine=nisa.engine[engine]), A)
    assert np.array_equal(found, A)


def test_tensor_copy_takes_shapes_of_as_many_elements() -> None:
    found = tiled(lambda d, a: nisa.tensor_copy(d, a.reshape((128, 4, 6))), A)
    assert np.array_equal(found, A)


def test_memset_of_an_integer_tile() -> None:
    found = tiled(lambda d, a: nisa.memset(d, 7), A, dtype=nl.int32)
    assert found.dtype == np.int32
    assert (found == 7).all()
    assert (tiled(lambda d, a: nisa.memset(d, 3.0), A, dtype=nl.int32) == 3).all()  # as AWS's do


def test_tensor_copy_predicated_leaves_the_rest() -> None:
    where = (np.arange(128 * 24).reshape(128, 24) % 3 == 0).astype(np.uint8)

    def call(dst: Any, a: Any, b: Any, p: Any) -> None:
        nisa.tensor_copy(dst, a)
        nisa.tensor_copy_predicated(dst, b, p)

    assert np.array_equal(tiled(call, A, B, where), np.where(where, B, A))


@pytest.mark.parametrize(
    ("op", "expected"),
    [(nl.add, A + B), (nl.subtract, A - B), (nl.maximum, np.maximum(A, B)), (nl.less, A < B)],
)
def test_tensor_tensor(op: Any, expected: Array) -> None:
    found = tiled(lambda d, a, b: nisa.tensor_tensor(d, a, b, op), A, B)
    assert np.array_equal(found, expected.astype(np.float32))


def test_tensor_tensor_of_words_is_exact() -> None:
    a = np.full((128, 8), 2**24 + 1, np.int32)
    found = tiled(lambda d, x: nisa.tensor_tensor(d, x, x, nl.add), a)
    assert (found == 2**25 + 2).all()


def test_tensor_scalar_with_a_number_and_a_column() -> None:
    found = tiled(
        lambda d, a, c: nisa.tensor_scalar(d, a, nl.multiply, 2.0, False, nl.subtract, c, True),
        A,
        COLUMN,
    )
    assert np.array_equal(found, COLUMN - A * np.float32(2))


def test_tensor_scalar_of_bits_takes_integers() -> None:
    a = np.arange(128 * 8, dtype=np.int32).reshape(128, 8)
    found = tiled(lambda d, x: nisa.tensor_scalar(d, x, nl.bitwise_and, 12), a)
    assert np.array_equal(found, a & 12)


def test_scalar_tensor_tensor() -> None:
    found = tiled(
        lambda d, a, b, c: nisa.scalar_tensor_tensor(d, a, nl.add, c, nl.multiply, b), A, B, COLUMN
    )
    assert np.array_equal(found, (A + COLUMN) * B)


@pytest.mark.parametrize(
    ("axis", "shape"), [(3, (128, 2, 3)), ((2, 3), (128, 2)), ([-1], (128, 2, 3))]
)
def test_tensor_reduce_of_axes(axis: Any, shape: tuple[int, ...]) -> None:
    a = np.arange(128 * 24, dtype=np.float32).reshape(128, 2, 3, 4)
    found = tiled(lambda d, x: nisa.tensor_reduce(d, nl.add, x, axis), a, shape=shape)
    axes = (2, 3) if len(shape) == 2 else (3,)
    assert np.array_equal(found, a.sum(axis=axes))


def test_tensor_reduce_negates_and_keeps_axes() -> None:
    found = tiled(
        lambda d, a: nisa.tensor_reduce(d, nl.maximum, a, axis=[1], negate=True, keepdims=True),
        A,
        shape=(128, 1),
    )
    assert np.array_equal(found, -A.max(axis=1, keepdims=True))


def test_tensor_partition_reduce() -> None:
    a = np.arange(128 * 4, dtype=np.float32).reshape(128, 4)
    found = tiled(lambda d, x: nisa.tensor_partition_reduce(d, nl.add, x), a, shape=(1, 4))
    assert np.array_equal(found, a.sum(axis=0, keepdims=True))


def test_tensor_scalar_cumulative() -> None:
    a = np.arange(128 * 6, dtype=np.float32).reshape(128, 6) % 5
    found = tiled(lambda d, x: nisa.tensor_scalar_cumulative(d, x, nl.multiply, nl.add, 2.0), a)
    assert np.array_equal(found, np.cumsum(a * 2, axis=1))


def test_tensor_scalar_reduce() -> None:
    a = np.arange(128 * 6, dtype=np.float32).reshape(128, 6)

    def kernel(source: Any) -> Any:
        x, total = loaded(source), sbuf((128, 1))
        dst = sbuf(x.shape)
        nisa.tensor_scalar_reduce(dst, x, nl.add, 1.0, nl.add, total)
        return stored(dst), stored(total)

    dst, total = result(kernel, a)
    assert np.array_equal(dst, a + 1)
    assert np.array_equal(total, (a + 1).sum(1, keepdims=True))


def test_tensor_tensor_scan() -> None:
    found = tiled(lambda d, a, b: nisa.tensor_tensor_scan(d, a, b, 0.5, nl.multiply, nl.add), A, B)
    state, expected = np.full(128, 0.5, np.float32), np.empty_like(A)
    for n in range(24):
        state = A[:, n] * state + B[:, n]
        expected[:, n] = state
    assert np.array_equal(found, expected)


def test_activation_with_a_column_as_bias_and_scale_and_a_sum() -> None:
    a = np.arange(128 * 8, dtype=np.float32).reshape(128, 8) % 7
    scale, bias = np.full((128, 1), 2, np.float32), np.arange(128, dtype=np.float32)[:, None] % 3

    def kernel(source: Any, scale: Any, bias: Any) -> Any:
        x, total = loaded(source), sbuf((128, 1))
        dst = sbuf(x.shape)
        nisa.activation(
            dst,
            nl.square,
            x,
            bias=loaded(bias),
            scale=loaded(scale),
            reduce_op=nl.add,
            reduce_res=total,
            reduce_cmd=nisa.reduce_cmd.reset_reduce,
        )
        return stored(dst), stored(total)

    dst, total = result(kernel, a, scale, bias)
    expected = (a * scale + bias) ** 2
    assert np.array_equal(dst, expected)
    assert np.array_equal(total, expected.sum(axis=1, keepdims=True))


def test_activation_with_numbers() -> None:
    found = tiled(lambda d, a: nisa.activation(d, nl.exp, a, 1.0, 0.5), A)
    assert np.allclose(found, np.exp(A * np.float32(0.5) + 1), rtol=1e-5)


def test_activation_reduce_starts_its_sum_anew() -> None:
    a = np.ones((128, 6), np.float32)

    def kernel(source: Any) -> Any:
        x, first, second = loaded(source), sbuf((128, 1)), sbuf((128, 1))
        dst = sbuf(x.shape)
        nisa.activation_reduce(dst, nl.copy, x, nl.add, first)
        nisa.activation_reduce(dst, nl.copy, x, nl.add, second, scale=2.0)
        return stored(first), stored(second)

    first, second = result(kernel, a)
    assert (first == 6).all()
    assert (second == 12).all()


def test_activate2() -> None:
    found = tiled(
        lambda d, a: nisa.activate2(d, nl.relu, a, 2.0, 0.5, nl.multiply, nl.add), A, target="trn3"
    )
    assert np.array_equal(found, np.maximum(A * np.float32(2) + np.float32(0.5), 0))


def test_exponential() -> None:
    found = tiled(lambda d, a, c: nisa.exponential(d, a, c), A, COLUMN, target="trn3")
    assert np.allclose(found, np.exp(A - COLUMN), rtol=1e-5)


def test_reciprocal() -> None:
    a = np.float32(2) ** np.arange(8, dtype=np.float32) * np.ones((128, 1), np.float32)
    assert np.array_equal(tiled(lambda d, x: nisa.reciprocal(d, x), a), 1 / a)


def test_bn_stats_and_bn_aggr_give_mean_and_variance() -> None:
    def kernel(source: Any) -> Any:
        x, stats, both = loaded(source), sbuf((128, 6)), sbuf((128, 2))
        nisa.bn_stats(stats, x)
        nisa.bn_aggr(both, stats)
        return stored(both)

    found = result(kernel, A)
    assert np.allclose(found, np.stack([A.mean(axis=1), A.var(axis=1)], axis=1), atol=1e-6)


def test_max8_in_falling_order() -> None:
    found = tiled(lambda d, a: nisa.max8(d, a), A, shape=(128, 8))
    assert np.array_equal(found, -np.sort(-A, axis=1)[:, :8])


def test_nc_find_index8_finds_what_max8_gives() -> None:
    def kernel(source: Any) -> Any:
        x, top, where = loaded(source), sbuf((128, 8)), sbuf((128, 8), nl.uint32)
        nisa.max8(top, x)
        nisa.nc_find_index8(where, x, top)
        return stored(where)

    assert np.array_equal(result(kernel, A), np.argsort(-A, axis=1)[:, :8])


def test_nc_match_replace8_replaces_and_says_where() -> None:
    def kernel(source: Any) -> Any:
        x, top, where = loaded(source), sbuf((128, 8)), sbuf((128, 8), nl.uint32)
        dst = sbuf(x.shape)
        nisa.max8(top, x)
        nisa.nc_match_replace8(dst, x, top, -9.0, where)
        return stored(dst), stored(where)

    dst, where = result(kernel, A)
    order = np.argsort(-A, axis=1)[:, :8]
    expected = A.copy()
    np.put_along_axis(expected, order, -9, axis=1)
    assert np.array_equal(dst, expected)
    assert np.array_equal(where, order)


def test_select_reduce() -> None:
    where = (np.arange(128 * 24).reshape(128, 24) % 2).astype(np.uint8)

    def kernel(source: Any, predicate: Any) -> Any:
        x, most = loaded(source), sbuf((128, 1))
        dst = sbuf(x.shape)
        nisa.select_reduce(
            dst, loaded(predicate), x, -5.0, most, nisa.reduce_cmd.reset_reduce, nl.maximum
        )
        return stored(dst), stored(most)

    dst, most = result(kernel, A, where)
    expected = np.where(where, A, np.float32(-5))
    assert np.array_equal(dst, expected)
    assert np.array_equal(most, expected.max(axis=1, keepdims=True))


def test_range_select() -> None:
    low = np.full((128, 1), 3, np.float32)
    high = (np.arange(128, dtype=np.float32) % 24)[:, None]

    def kernel(source: Any, low: Any, high: Any) -> Any:
        x, most = loaded(source), sbuf((128, 1))
        dst = sbuf(x.shape)
        nisa.range_select(
            dst,
            on_true_tile=x,
            comp_op0=nl.greater_equal,
            comp_op1=nl.less,
            bound0=loaded(low),
            bound1=loaded(high),
            reduce_res=most,
            range_start=1,
            on_false_value=float(np.finfo(np.float32).min),
        )
        return stored(dst), stored(most)

    dst, most = result(kernel, A, low, high)
    index = np.arange(24, dtype=np.float32) + 1
    expected = np.where((index >= low) & (index < high), A, np.finfo(np.float32).min)
    assert np.array_equal(dst, expected)
    assert np.array_equal(most, expected.max(axis=1, keepdims=True))


def test_nc_stream_shuffle_exchanges_rows_of_each_group_of_32() -> None:
    mask = [(n + 1) % 32 for n in range(32)]
    found = tiled(lambda d, a: nisa.nc_stream_shuffle(d, a, mask), A)
    assert np.array_equal(found, A.reshape(4, 32, 24)[:, mask].reshape(128, 24))


def test_nc_stream_shuffle_leaves_rows_of_255() -> None:
    def call(dst: Any, a: Any, b: Any) -> None:
        nisa.tensor_copy(dst, b)
        nisa.nc_stream_shuffle(dst, a, [255] * 31 + [0])

    expected = B.copy()
    expected[31::32] = A[0::32]
    assert np.array_equal(tiled(call, A, B), expected)


def test_operands_in_psum() -> None:
    def kernel(a: Any, b: Any) -> Any:
        x = psum((128, 24))
        nisa.tensor_copy(x, loaded(a))
        nisa.tensor_tensor(x, x, loaded(b), nl.add)
        return stored(x)

    assert np.array_equal(result(kernel, A, B), A + B)


def test_a_number_of_numpy_is_a_number() -> None:
    found = tiled(lambda d, a: nisa.tensor_scalar(d, a, nl.add, np.float32(0.5)), A)
    assert np.array_equal(found, A + np.float32(0.5))


def test_a_tile_in_psum_is_read_more_often_than_it_has_elements() -> None:
    def kernel(source: Any) -> Any:
        tile, out = loaded(source), sbuf((128, 24, 300))
        held = psum((128, 24))
        nisa.tensor_copy(held, tile, engine=nisa.engine.vector)
        nisa.tensor_copy(out, held.expand_dim(2).broadcast(2, 300), engine=nisa.engine.vector)
        return stored(out)

    wanted = np.repeat(A[:, :, None], 300, axis=2)
    assert np.array_equal(result(kernel, A), wanted)
