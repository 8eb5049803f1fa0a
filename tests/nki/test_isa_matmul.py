"""The Tensor engine's functions: matmuls that add or overwrite, transposes, MX."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel import trace
from tests.nki.minikernel import Array, loaded, psum, result, sbuf, seeded, stored

BF16 = ml_dtypes.bfloat16


def whole(seed: int, *shape: int, dtype: Any = BF16) -> Array:
    """Small whole numbers: sums of their products are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


S, M = whole(1, 64, 32), whole(2, 64, 48)
PRODUCT = S.astype(np.float32).T @ M.astype(np.float32)


def refused(kernel: Any, *arrays: Array, target: str = "trn2") -> str:
    with pytest.raises(Failure) as failure:
        trace(kernel, *arrays, target=target)
    problem = failure.value.problems[0]
    assert problem.span is not None
    return f"{problem.code}: {problem.message}"


def test_the_first_matmul_into_a_place_overwrites_and_later_ones_add() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 48))
        nisa.memset(acc, 100.0)
        for _ in range(3):
            nisa.nc_matmul(acc, left, right)
        return stored(acc)

    assert np.array_equal(result(kernel, S, M), 3 * PRODUCT)


def test_accumulate_says_itself_whether_a_matmul_adds() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 48))
        nisa.nc_matmul(acc, left, right, accumulate=False)
        nisa.nc_matmul(acc, left, right, accumulate=True)
        nisa.nc_matmul(acc, left, right)
        return stored(acc)

    assert np.array_equal(result(kernel, S, M), 3 * PRODUCT)


def test_a_tile_declared_anew_has_not_begun() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right = loaded(s), loaded(m)
        for _ in range(2):
            acc = nl.ndarray((32, 48), nl.float32, nl.psum, address=(0, 0))
            nisa.nc_matmul(acc, left, right)
        return stored(acc)

    assert np.array_equal(result(kernel, S, M), PRODUCT)


def test_a_region_begun_in_part_is_split() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 96))
        nisa.nc_matmul(acc[:, 0:48], left, right)
        nisa.nc_matmul(acc[:, 24:72], left, right)
        return stored(acc[:, 0:72])

    found = result(kernel, S, M)
    expected = np.zeros((32, 72), np.float32)
    expected[:, 0:48] += PRODUCT
    expected[:, 24:72] += PRODUCT
    assert np.array_equal(found, expected)


def test_a_split_goes_along_axes_that_do_not_merge() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 8, 10))
        moving = right.reshape((64, 6, 8))
        nisa.nc_matmul(acc[:, 0:6, 0:8], left, moving)
        nisa.nc_matmul(acc[:, 2:8, 1:9], left, moving)
        return stored(acc[:, 2:6, 1:8])

    found = result(kernel, S, M)
    expected = np.zeros((32, 8, 10), np.float32)
    expected[:, 0:6, 0:8] += PRODUCT.reshape(32, 6, 8)
    expected[:, 2:8, 1:9] += PRODUCT.reshape(32, 6, 8)
    assert np.array_equal(found, expected[:, 2:6, 1:8])


def test_partitions_begun_in_part_are_refused() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 48))
        nisa.nc_matmul(acc[0:16], left[:, 0:16], right)
        nisa.nc_matmul(acc, left, right)
        return stored(acc)

    assert refused(kernel, S, M).startswith("E0652: nc_matmul into")


def test_a_loop_of_the_machine_makes_the_first_matmul_ambiguous() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((32, 48))

        def body(_: Any) -> None:
            nisa.nc_matmul(acc, left, right)

        nl.fori_loop(0, 3, body)
        return stored(acc)

    assert "in a loop of the machine" in refused(kernel, S, M)


def test_operands_at_other_partitions_choose_their_tile_of_the_array() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = (
            sbuf((128, 32), nl.bfloat16),
            sbuf((128, 48), nl.bfloat16),
            psum((128, 48)),
        )
        nisa.dma_copy(left[64:128], s)
        nisa.dma_copy(right[64:128], m)
        nisa.nc_matmul(acc[32:64], left[64:128], right[64:128])
        return stored(acc[32:64])

    assert np.array_equal(result(kernel, S, M), PRODUCT)


def test_row_tiles_are_named_in_rows_and_columns_of_the_array() -> None:
    def kernel(s: Any, m: Any) -> Any:
        left, right, acc = loaded(s), loaded(m), psum((128, 48))
        nisa.nc_matmul(acc[64:96], left, right, tile_position=(0, 64), tile_size=(64, 64))
        return stored(acc[64:96])

    assert np.array_equal(result(kernel, S, M), PRODUCT)


@pytest.mark.parametrize("mode", [nisa.matmul_perf_mode.double_row, "double_row"])
def test_double_row_contracts_two_rows_of_each_partition(mode: Any) -> None:
    s, m = (
        whole(3, 64, 2, 32, dtype=ml_dtypes.float8_e5m2),
        whole(4, 64, 2, 48, dtype=ml_dtypes.float8_e5m2),
    )

    def kernel(s: Any, m: Any) -> Any:
        acc = psum((32, 48))
        nisa.nc_matmul(acc, loaded(s), loaded(m), perf_mode=mode)
        return stored(acc)

    left, right = (a.astype(np.float32).reshape(128, -1) for a in (s, m))
    assert np.array_equal(result(kernel, s, m), left.T @ right)


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16])
def test_nc_transpose_on_tensor_keeps_the_dtype(target: str, dtype: Any) -> None:
    a = seeded(5, 96, 80, dtype=dtype)

    def kernel(source: Any) -> Any:
        dst = psum((80, 96), source.dtype)
        nisa.nc_transpose(dst, loaded(source))
        return stored(dst)

    assert np.array_equal(result(kernel, a, target=target), a.T)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int16, np.uint16])
def test_nc_transpose_of_integers_moves_their_bits(dtype: Any) -> None:
    a = np.random.default_rng(6).integers(0, 2**15, (64, 32)).astype(dtype)
    a[0, 0] = -1 if np.issubdtype(dtype, np.signedinteger) else np.iinfo(dtype).max

    def kernel(source: Any) -> Any:
        dst = psum((32, 64), source.dtype)
        nisa.nc_transpose(dst, loaded(source))
        return stored(dst)

    assert np.array_equal(result(kernel, a), a.T)
    assert "nc_transpose of" in refused(kernel, a, target="trn1")


def test_nc_transpose_of_bytes_writes_every_other_one() -> None:
    a = whole(7, 64, 32, dtype=ml_dtypes.float8_e5m2)

    def kernel(source: Any) -> Any:
        dst = psum((32, 128), source.dtype)
        nisa.nc_transpose(dst[:, ::2], loaded(source))
        return stored(dst[:, ::2])

    assert np.array_equal(result(kernel, a), a.T)


def test_nc_transpose_keeps_nan_and_infinity_from_v3_on() -> None:
    a = seeded(8, 32, 32)
    a[3, 4], a[5, 6] = np.nan, np.inf

    def kernel(source: Any) -> Any:
        dst = psum((32, 32))
        nisa.nc_transpose(dst, loaded(source))
        return stored(dst)

    assert np.array_equal(result(kernel, a), a.T, equal_nan=True)


def test_nc_transpose_flattens_free_axes_and_takes_rows_further_down() -> None:
    a = seeded(9, 128, 4, 8)

    def kernel(source: Any) -> Any:
        dst = psum((32, 64))
        nisa.nc_transpose(dst, loaded(source)[64:128])
        return stored(dst)

    assert np.array_equal(result(kernel, a), a[64:].reshape(64, 32).T)


def test_nc_transpose_on_vector() -> None:
    a = seeded(10, 32, 16, dtype=BF16)

    def kernel(source: Any) -> Any:
        dst = sbuf((16, 32), source.dtype)
        nisa.nc_transpose(dst, loaded(source))
        return stored(dst)

    assert np.array_equal(result(kernel, a), a.T)


def test_nc_transpose_on_vector_of_more_than_a_block_is_refused() -> None:
    def kernel(source: Any) -> Any:
        dst = sbuf((64, 64), source.dtype)
        nisa.nc_transpose(dst, loaded(source))
        return stored(dst)

    assert "nc_transpose of 64x64 on vector" in refused(kernel, seeded(11, 64, 64))


def test_the_identity_of_transposes_is_made_once_for_a_dtype() -> None:
    def kernel(source: Any) -> Any:
        x, outs = loaded(source), []
        for _ in range(3):
            dst = psum((32, 32))
            nisa.nc_transpose(dst, x)
            outs.append(stored(dst))
        return tuple(outs)

    made = trace(kernel, seeded(12, 32, 32))
    names = [
        made.program.instructions[n].row.name for q in made.program.queues for n in q.instructions
    ]
    assert names.count("AffineSelect") == 1
    assert names.count("Memset") == 1


def test_matmuls_of_mx_tiles_quantised_on_the_device() -> None:
    s, m = whole(13, 128, 4 * 32), whole(14, 128, 4 * 48)

    def kernel(s: Any, m: Any) -> Any:
        tiles = []
        for source, columns in ((s, 32), (m, 48)):
            data, scale = sbuf((128, columns), nl.float8_e4m3fn_x4), sbuf((128, columns), nl.uint8)
            nisa.quantize_mx(data, loaded(source), scale[_scales()])
            tiles.append((data, scale))
        acc = psum((32, 48))
        (left, left_scale), (right, right_scale) = tiles
        nisa.nc_matmul_mx(acc, left, right, left_scale, right_scale)
        return stored(acc)

    def _scales() -> Any:
        return slice(0, 128)

    left, right = (
        a.astype(np.float32).reshape(128, -1, 4).transpose(0, 2, 1).reshape(512, -1) for a in (s, m)
    )
    assert np.array_equal(result(kernel, s, m, target="trn3"), left.T @ right)
