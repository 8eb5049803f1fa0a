"""The two linear layers of a transformer's MLP, with GELU between them: a kernel of NKI.

    neuron-nasm nki programs/nki/mlp.py

y = gelu(x @ w1 + b1) @ w2 + b2

The first product is made transposed, which the second one wants: Tensor multiplies w1 by the
transposed x, and Scalar adds b1, of which each partition has one number, as it applies GELU. What
is between the layers never leaves the core.
"""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
from projection import add_products, by_rows, loaded, ones_of, transposed


@nki.jit
def mlp(x, w1, b1, w2, b2):
    """Apply both layers to x [rows, columns]; b1 is [width, 1], a column, and b2 [1, columns]."""
    rows, columns = x.shape
    pmax = nl.tile_size.pmax
    assert rows % pmax == 0, f"{rows} rows: wanted a multiple of {pmax}"
    assert columns <= nl.tile_size.psum_fmax, f"{columns} columns do not fit a bank of PSUM"
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    first, biases, second = by_rows(w1), by_rows(b1), by_rows(w2)
    row, ones = loaded(b2, w2.dtype), ones_of(w2.dtype)
    for block in range(nl.program_id(0), rows // pmax, nl.num_programs(0)):
        here = nl.ds(block * pmax, pmax)
        turned = transposed(loaded(x[here, :], w1.dtype))
        hidden = [activated(turned, first, n, bias) for n, bias in enumerate(biases)]
        total = nl.ndarray((pmax, columns), dtype=nl.float32, buffer=nl.psum)
        add_products(total, hidden, second, row, ones, nl.ds(0, columns))
        result = nl.ndarray((pmax, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        nisa.dma_copy(dst=y[here, :], src=result)
    return y


def activated(turned, weights, number, bias):
    """The n-th 128 columns of gelu(x @ w1 + b1), on partitions."""
    size, rows = bias.shape[0], turned[0].shape[1]
    product = nl.ndarray((size, rows), dtype=nl.float32, buffer=nl.psum)
    for x, w in zip(turned, weights, strict=True):
        part = nl.ds(number * nl.tile_size.pmax, size)
        nisa.nc_matmul(dst=product, stationary=w[:, part], moving=x)
    tile = nl.ndarray((size, rows), dtype=turned[0].dtype, buffer=nl.sbuf)
    nisa.activation(dst=tile, op=nl.gelu, data=product, bias=bias)
    return tile


if __name__ == "__main__":
    from math import erf

    random = np.random.default_rng(1)
    x = random.standard_normal((256, 384), np.float32)
    w1 = random.standard_normal((384, 1536), np.float32) / 20
    b1 = random.standard_normal((1536, 1), np.float32)
    w2 = random.standard_normal((1536, 384), np.float32) / 40
    b2 = random.standard_normal((1, 384), np.float32)
    inner = x @ w1 + b1.T
    gelu = inner * (1 + np.vectorize(erf)(inner / np.sqrt(2))) / 2
    error = np.abs(mlp(x, w1, b1, w2, b2) - (gelu @ w2 + b2)).max()
    print(f"largest error: {error:.1e}")
    assert error < 1e-3
