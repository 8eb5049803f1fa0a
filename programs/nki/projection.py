"""A linear layer: a kernel of NKI.

    neuron-nasm nki programs/nki/projection.py

y = x @ w + b

Rows go to partitions, 128 at a time; on two cores every core has every second block of them. The
products are of w's dtype, sums are float32. The weights are loaded once, and stay in SBUF.
"""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def projection(x, w, b):
    """Multiply x [rows, inner] by w [inner, columns], and add b [1, columns] to each row."""
    rows, columns = x.shape[0], w.shape[1]
    pmax, most = nl.tile_size.pmax, nl.tile_size.psum_fmax
    assert rows % pmax == 0, f"{rows} rows: wanted a multiple of {pmax}"
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    weights, row, ones = by_rows(w), loaded(b, w.dtype), ones_of(w.dtype)
    for block in range(nl.program_id(0), rows // pmax, nl.num_programs(0)):
        here = nl.ds(block * pmax, pmax)
        turned = transposed(loaded(x[here, :], w.dtype))
        result = nl.ndarray((pmax, columns), dtype=x.dtype, buffer=nl.sbuf)
        for first in range(0, columns, most):
            part = nl.ds(first, min(most, columns - first))
            product = nl.ndarray((pmax, part.size), dtype=nl.float32, buffer=nl.psum)
            add_products(product, turned, weights, row, ones, part)
            nisa.tensor_copy(dst=result[:, part], src=product)
        nisa.dma_copy(dst=y[here, :], src=result)
    return y


def loaded(source, dtype):
    """A tile in SBUF of what is in HBM, as another dtype."""
    tile = nl.ndarray(source.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def by_rows(matrix):
    """A matrix of HBM as tiles in SBUF: 128 of its rows in each, the last one has the rest."""
    rows, pmax = matrix.shape[0], nl.tile_size.pmax
    return [
        loaded(matrix[nl.ds(first, min(pmax, rows - first)), :], matrix.dtype)
        for first in range(0, rows, pmax)
    ]


def ones_of(dtype):
    """A row of ones: a matmul with it puts another row on every partition."""
    ones = nl.ndarray((1, nl.tile_size.pmax), dtype=dtype, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    return ones


def transposed(tile):
    """The columns of a tile on partitions: a tile for every 128 of them."""
    rows, columns = tile.shape
    turned = []
    for first in range(0, columns, nl.tile_size.pmax):
        part = nl.ds(first, min(nl.tile_size.pmax, columns - first))
        there = nl.ndarray((part.size, rows), dtype=tile.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=there, data=tile[:, part])
        here = nl.ndarray((part.size, rows), dtype=tile.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=here, src=there)
        turned.append(here)
    return turned


def add_products(product, turned, weights, row, ones, part):
    """Sum up in PSUM some columns of a row that is added to each row, and of x @ w."""
    nisa.nc_matmul(dst=product, stationary=ones, moving=row[:, part])
    for x, w in zip(turned, weights, strict=True):
        nisa.nc_matmul(dst=product, stationary=x, moving=w[:, part])


if __name__ == "__main__":
    random = np.random.default_rng(1)
    x = random.standard_normal((256, 384), np.float32)
    w = random.standard_normal((384, 1152), np.float32) / 20
    b = random.standard_normal((1, 1152), np.float32)
    error = np.abs(projection(x, w, b) - (x @ w + b)).max()
    print(f"largest error: {error:.1e}")
    assert error < 1e-4
