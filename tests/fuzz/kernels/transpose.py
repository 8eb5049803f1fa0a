# {"arrays": [["bfloat16", [128, 192]]]}
"""A transpose in blocks: on Tensor through PSUM, and one of 32 by 32 on Vector."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    y = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    small = nl.ndarray((32, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for block in nl.affine_range(columns // 64):
        turned = nl.ndarray((64, rows), dtype=x.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=tile[:, block * 64 : (block + 1) * 64])
        copied = nl.ndarray((64, rows), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=copied, src=turned)
        nl.store(y[block * 64 : (block + 1) * 64, :], copied)
    corner = nl.ndarray((32, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_transpose(dst=corner, data=tile[32:64, 32:64], engine=nisa.engine.vector)
    nisa.dma_copy(dst=small, src=corner)
    return y, small
