# {"arrays": [["float32", [6, 128, 8]], ["int32", [1, 1]]]}
"""Loops of the machine: over blocks in HBM, and as often as an argument says."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, times):
    blocks, rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((rows, columns), dtype=nl.float32)

    def block(i):
        tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x.select(0, i))
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.activation(dst=tile, op=nl.square, data=tile, scale=0.5)
        nisa.dma_copy(dst=y.select(0, i), src=tile)

    nl.fori_loop(0, blocks, block)
    limit = nl.load(times)
    nisa.tensor_scalar(dst=limit, data=limit, op0=nl.maximum, operand0=0)
    nisa.tensor_scalar(dst=limit, data=limit, op0=nl.minimum, operand0=4)
    bound = nisa.register_alloc(limit)
    for _ in nl.dynamic_range(bound):
        nisa.tensor_scalar(dst=total, data=total, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=sums, src=total)
    return y, sums
