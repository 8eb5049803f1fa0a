"""What AWS's own kernels of NKI 0.1 do, and their tests find right, in small kernels of ours."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import nasm.nki

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import compiler as ncc
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

RNG = np.random.default_rng(3)


def whole(*shape: int) -> np.ndarray[Any, Any]:
    """Whole numbers, so that no sum depends on its order."""
    return RNG.integers(-8, 9, shape).astype(np.float32)


def ran(kernel: Any, *args: Any) -> np.ndarray[Any, Any]:
    return np.asarray(nki.simulate_kernel(kernel, *args))


@nki.jit
def nearest(x: Any, wide: int) -> Any:
    """Columns of an image made wider, by indices that are computed: along the second axis of x."""
    batches, count, channels = x.shape
    out = nl.ndarray((batches, wide, channels), dtype=x.dtype, buffer=nl.shared_hbm)
    channel = nl.arange(channels)[None, :]
    for b in nl.affine_range(batches):
        for tile in nl.affine_range(-(-wide // 16)):
            at = tile * 16 + nl.arange(16)[:, None]
            place = nl.floor(nisa.iota(at, dtype=nl.int32) * count / wide, dtype=nl.int32)
            inside = at < wide
            picked = nl.load(x[b, place, channel], mask=inside)
            nl.store(out[b, at, channel], value=picked, mask=inside)
    return out


def test_a_tile_picks_rows_along_the_second_axis_where_a_mask_holds() -> None:
    x = whole(2, 12, 8)
    assert np.array_equal(ran(nearest, x, 21), x[:, np.arange(21) * 12 // 21])


@nki.jit
def halves(x: Any) -> Any:
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) / 2)
    return out


def test_a_quotient_of_integers_keeps_its_fraction() -> None:
    x = RNG.integers(-9, 9, (4, 8)).astype(np.int32)
    assert np.array_equal(ran(halves, x), x / 2)


@nki.jit
def counted_addresses(x: Any) -> Any:
    """More rounds than SBUF has room, each with an address that the kernel counts up."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    address = 0
    for i in nl.affine_range(x.shape[0]):
        address += 1024
        for j in nl.affine_range(2):
            tile = nl.ndarray(
                (nl.par_dim(8), 16384), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=address)
            )
            address += 16384 * 4
            tile[...] = nl.load(x[i, 8 * j : 8 * j + 8])
            nl.store(out[i, 8 * j : 8 * j + 8], tile)
    return out


def test_an_address_counted_up_in_a_loop_is_counted_once() -> None:
    x = whole(4, 16, 16384)
    assert np.array_equal(ran(counted_addresses, x), x)


@nki.jit
def causal(x: Any, y: Any) -> Any:
    """GpSimd reads a product, and a matmul a transpose, where they are: in PSUM."""
    out = nl.ndarray((32, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    row, column = nl.arange(32)[:, None], nl.arange(32)[None, :]
    left, right = nl.load(x), nl.load(y)
    product = nisa.nc_matmul(left, nisa.nc_transpose(right))
    nl.store(out, nisa.affine_select(row >= column, product, -1.0))
    return out


def test_engines_that_reach_no_psum_read_a_copy() -> None:
    x, y = whole(32, 32), whole(32, 32)
    want = np.where(np.tri(32, dtype=bool), x.T @ y.T, -1)
    assert np.array_equal(ran(causal, x, y), want)


@nki.jit
def scaled_by_rows(x: Any, by: Any) -> Any:
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.tensor_tensor(nl.load(x), nl.load(by), nl.multiply))
    return out


def test_tensor_tensor_repeats_a_column() -> None:
    x, by = whole(16, 24), whole(16, 1)
    assert np.array_equal(ran(scaled_by_rows, x, by), x * by)


@nki.jit
def turned(x: Any) -> Any:
    out = nl.ndarray(x.shape[::-1], dtype=nl.float32, buffer=nl.shared_hbm)
    small = nl.copy(nl.load(x), dtype=nl.float8_e4m3)
    nl.store(out, nl.copy(nisa.nc_transpose(small), dtype=nl.float32))
    return out


def test_a_transpose_of_bytes_has_no_zeros_in_between() -> None:
    x = RNG.normal(size=(64, 48)).astype(np.float32)
    assert np.array_equal(ran(turned, x), x.T.astype(ml_dtypes.float8_e4m3).astype(np.float32))
