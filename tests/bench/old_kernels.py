"""Kernels of NKI 0.1 as long as some thousand instructions: index vectors in loops over tiles."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def normed_rows(x, w):
    """Each row by the square root of its mean square, times a weight."""
    tiles, columns = x.shape[0] // 128, x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    row, column = nl.arange(128)[:, None], nl.arange(columns)[None, :]
    one = nl.arange(1)[:, None]
    weight = nl.ndarray((nl.par_dim(1), columns), dtype=x.dtype, buffer=nl.sbuf)
    weight[one, column] = nl.load(w[one, column])
    every = nl.broadcast_to(weight, shape=(128, columns))
    read = nl.ndarray((tiles, nl.par_dim(128), columns), dtype=x.dtype, buffer=nl.sbuf)
    made = nl.ndarray((tiles, nl.par_dim(128), columns), dtype=x.dtype, buffer=nl.sbuf)
    sums = nl.ndarray((tiles, nl.par_dim(128), 1), dtype=np.float32, buffer=nl.sbuf)
    for tile in nl.affine_range(tiles):
        read[tile, row, column] = nl.load(x[tile * 128 + row, column])
        squares = nl.multiply(read[tile, row, column], read[tile, row, column])
        sums[tile] = nl.sum(squares, axis=[1])
        scale = nl.rsqrt(nl.add(nl.multiply(sums[tile], 1 / columns), 1e-6))
        made[tile, row, column] = nl.multiply(read[tile, row, column], scale)
        made[tile, row, column] = nl.multiply(made[tile, row, column], every[row, column])
        nl.store(out[tile * 128 + row, column], made[tile, row, column])
    return out


@nki.jit
def tiled_product(left, right):
    """left.T @ right, in tiles of 128 by 512, each summed in PSUM."""
    depth, rows, columns = left.shape[0] // 128, left.shape[1] // 128, right.shape[1] // 512
    out = nl.ndarray((left.shape[1], right.shape[1]), dtype=left.dtype, buffer=nl.shared_hbm)
    along, row, column = (nl.arange(n) for n in (128, 128, 512))
    lefts = nl.ndarray((depth, rows, nl.par_dim(128), 128), dtype=left.dtype, buffer=nl.sbuf)
    rights = nl.ndarray((depth, columns, nl.par_dim(128), 512), dtype=right.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(depth):
        for i in nl.affine_range(rows):
            part = left[k * 128 + along[:, None], i * 128 + row[None, :]]
            lefts[k, i, along[:, None], row[None, :]] = nl.load(part)
        for j in nl.affine_range(columns):
            part = right[k * 128 + along[:, None], j * 512 + column[None, :]]
            rights[k, j, along[:, None], column[None, :]] = nl.load(part)
    for i in nl.affine_range(rows):
        for j in nl.affine_range(columns):
            total = nl.zeros((128, 512), dtype=np.float32, buffer=nl.psum)
            for k in nl.affine_range(depth):
                total[row[:, None], column[None, :]] += nisa.nc_matmul(
                    lefts[k, i, along[:, None], row[None, :]],
                    rights[k, j, along[:, None], column[None, :]],
                )
            made = nl.copy(total[row[:, None], column[None, :]], dtype=out.dtype)
            nl.store(out[i * 128 + row[:, None], j * 512 + column[None, :]], made)
    return out
