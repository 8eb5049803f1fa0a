"""RMSNorm of the rows of a matrix, times a weight for each column: a kernel of NKI.

    neuron-nasm nki programs/nki/rmsnorm.py
    neuron-nasm nki programs/nki/rmsnorm.py:rmsnorm --in x=normal[256,512] --in w=ones[1,512]

y[i, j] = x[i, j] / sqrt(mean over j of x[i, j]**2 + eps) * w[j]

Rows go to partitions, 128 at a time. Of each block Scalar sums up the squares as it makes them, and
Scalar and Vector turn a sum into the factor of its row; Vector scales. No line says who waits for
whom: that is found out when the kernel is traced.
"""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def rmsnorm(x, w, eps=1e-6):
    """Normalise the rows of x [rows, columns], and multiply by w [1, columns]."""
    rows, columns = x.shape
    assert rows % nl.tile_size.pmax == 0, f"{rows} rows: wanted a multiple of 128"
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)

    # The weight is one row. A matmul with a column of ones puts it on every partition.
    weight = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=weight, src=w)
    ones = nl.ndarray((1, nl.tile_size.pmax), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    spread = nl.ndarray((nl.tile_size.pmax, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=spread, stationary=ones, moving=weight)
    gain = nl.ndarray((nl.tile_size.pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=gain, src=spread)

    for block in nl.affine_range(rows // nl.tile_size.pmax):
        here = nl.ds(block * nl.tile_size.pmax, nl.tile_size.pmax)
        tile = nl.ndarray((nl.tile_size.pmax, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[here, :])

        squares = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((nl.tile_size.pmax, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(
            dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total
        )

        # 1 / sqrt(total / columns + eps), for each row
        factor = nl.ndarray((nl.tile_size.pmax, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(
            dst=factor,
            data=total,
            op0=nl.multiply,
            operand0=1.0 / columns,
            op1=nl.add,
            operand1=eps,
        )
        nisa.activation(dst=factor, op=nl.rsqrt, data=factor)

        # (tile * factor) * gain, in one instruction
        result = nl.ndarray(tile.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.scalar_tensor_tensor(
            dst=result, data=tile, op0=nl.multiply, operand0=factor, op1=nl.multiply, operand1=gain
        )
        nisa.dma_copy(dst=y[here, :], src=result)
    return y


if __name__ == "__main__":
    random = np.random.default_rng(1)
    x = random.standard_normal((256, 512), np.float32)
    w = random.standard_normal((1, 512), np.float32)
    wanted = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-6) * w
    error = np.abs(rmsnorm(x, w) - wanted).max()
    print(f"largest error: {error:.1e}")
    assert error < 1e-5
