# {"arrays": [["bfloat16", [256, 128]], ["bfloat16", [256, 512]]]}
"""A matmul in tiles, added up in PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(left, right):
    inner, rows = left.shape
    columns = right.shape[1]
    assert inner == right.shape[0]
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in nl.affine_range(rows // 64):
        for n in nl.affine_range(columns // 256):
            acc = nl.ndarray((64, 256), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(inner // 128):
                one = nl.ndarray((128, 64), dtype=left.dtype, buffer=nl.sbuf)
                two = nl.ndarray((128, 256), dtype=right.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=one, src=left[k * 128 : (k + 1) * 128, m * 64 : (m + 1) * 64])
                nisa.dma_copy(dst=two, src=right[nl.ds(k * 128, 128), nl.ds(n * 256, 256)])
                nisa.nc_matmul(dst=acc, stationary=one, moving=two)
            result = nl.ndarray((64, 256), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=acc)
            nisa.dma_copy(dst=out[nl.ds(m * 64, 64), nl.ds(n * 256, 256)], src=result)
    return out
