"""Kernels of NKI 0.1 that have a counterpart in today's dialect."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc.nki.language import par_dim


@nki.jit
def masked_rows(x, factor):  # the last tile is smaller
    """Each row times a number, and times its own sum."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    row, column = nl.arange(32)[:, None], nl.arange(x.shape[1])[None, :]
    for i in nl.affine_range(-(-x.shape[0] // 32)):
        inside = i * 32 + row < x.shape[0]  # which rows there are
        tile = nl.load(x[i * 32 + row, column], mask=inside)
        # a comment of its own
        scaled = tile * factor * nl.sum(tile, axis=[1])
        nl.store(out[i * 32 + row, column], scaled, mask=inside)
    return out


@ncc.skip_middle_end_transformations
@nki.jit
def product(x, y):
    """A product of blocks, summed in PSUM."""
    rows, columns, wide = x.shape[0] // 2, x.shape[1], y.shape[1]
    out = nl.ndarray((columns, wide), dtype=x.dtype, buffer=nl.shared_hbm)
    lefts = nl.ndarray((2, nl.par_dim(rows), columns), dtype=x.dtype)
    rights = nl.ndarray((2, par_dim(rows), wide), dtype=y.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(2):
        lefts[k] = nl.load(x[k * rows : (k + 1) * rows, :])
        rights[k, :, :] = nl.load(y[k * rows : (k + 1) * rows, :])
    total = nl.zeros((columns, wide), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        total += nisa.nc_matmul(lefts[k], rights[k])
    made = nl.copy(total, dtype=x.dtype)
    nl.store(out, made)
    return out


@nki.jit
def product_of_nl(x, y):
    out = nl.ndarray((x.shape[1], y.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((x.shape[1], y.shape[1]), dtype=nl.float32, buffer=nl.psum)
    left, right = nl.load(x), nl.load(y)
    for k in nl.affine_range(2):
        i_p = k * 32 + nl.arange(32)[:, None]
        total[...] += nl.matmul(
            left[i_p, nl.arange(x.shape[1])[None, :]],  # half of it
            right[i_p, nl.arange(y.shape[1])[None, :]],
            transpose_x=True,
        )
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def softmax(x):
    tile = nl.load(x)
    least = nl.max(tile, axis=1, keepdims=True)
    powers = nisa.activation(op=np.exp, data=tile - least, dtype=nl.float32)
    return nisa.tensor_scalar(powers, np.multiply, nl.reciprocal(nl.sum(powers, axis=1)))


@nki.jit
def pooled(x):
    """The means of squares of 2 by 2, by an access pattern."""
    channels, height, width = x.shape
    out = nl.ndarray((channels, height // 2, width // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    p, y, dy, w, dx = nl.mgrid[0:channels, 0 : height // 2, 0:2, 0 : width // 2, 0:2]
    tile = nl.load(x)
    sums = nl.sum(tile[p, 2 * y + dy, 2 * w + dx], axis=[2, 4])
    nl.store(out, value=sums / 4)
    return out


@nki.jit
def greatest(x):
    out = nl.ndarray((16, 12), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0]):
        most = nl.loop_reduce(nl.load(x[i]), op=np.max, loop_indices=[i])
    state = nl.full((16, 12), 1.0, dtype=x.dtype)
    for _ in nl.sequential_range(3):
        state[...] = state * 0.5
        state += most
    nl.store(out, -state)
    return out


@nki.jit
def turned(x):
    ident = nl.load(nl.shared_constant(np.identity(16, dtype=np.int8), dtype=nl.float32))
    tile = nl.load(x)
    out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype)
    both[...] = nisa.nc_transpose(tile)
    both[...] = nl.add(both, nisa.nc_matmul(tile, ident))
    nl.store(out, both)
    return out


@nki.jit
def chosen(x):
    p, f = nl.mgrid[0:16, 0:12]
    tile = nl.load(x[p, f])
    lower = nisa.affine_select(pred=p >= f, on_true_tile=tile, on_false_value=-1.0)
    counted = nisa.iota(2 * nl.arange(16)[:, None] + nl.arange(12)[None, :], dtype=nl.float32)
    greater = nl.where(lower > 0, lower, counted)
    return nisa.tensor_tensor(greater, counted, op=nl.add)


@nki.jit
def statistics(x):
    tile = nl.load(x)
    found = nisa.bn_aggr(nisa.bn_stats(tile))
    shifted = nisa.tensor_scalar(
        tile, np.subtract, found[:, 0:1], op1=np.multiply, operand1=found[:, 1:2]
    )
    best = nisa.max8(src=shifted)
    out = nl.ndarray((tile.shape[0], 8), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(src=best, dst=out[:, :])
    return out
