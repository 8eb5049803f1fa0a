# {"arrays": [["float32", [256, 64]]]}
"""Softmax of rows: the largest taken off, exponentials added up as they are made."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for block in nl.affine_range(rows // 128):
        here = nl.ds(block * 128, 128)
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[here, :])
        top = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tile, axis=1, negate=True)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        powers = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(
            dst=powers, op=nl.exp, data=tile, bias=top, reduce_op=nl.add, reduce_res=total
        )
        nisa.reciprocal(dst=total, data=total)
        nisa.tensor_scalar(dst=powers, data=powers, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=y[here, :], src=powers)
    return y
