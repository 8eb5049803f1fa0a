# {"arrays": [["bfloat16", [256, 128]], ["bfloat16", [256, 512]]]}
"""A matmul in tiles, added up in PSUM."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    TK, TM, TN = 128, 64, 256
    for m in nl.affine_range(M // TM):
        for n in nl.affine_range(N // TN):
            acc = nl.ndarray((TM, TN), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // TK):
                left = nl.ndarray((TK, TM), dtype=lhsT.dtype, buffer=nl.sbuf)
                right = nl.ndarray((TK, TN), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=left, src=lhsT[k * TK : (k + 1) * TK, m * TM : (m + 1) * TM])
                nisa.dma_copy(dst=right, src=rhs[nl.ds(k * TK, TK), nl.ds(n * TN, TN)])
                nisa.nc_matmul(dst=acc, stationary=left, moving=right)
            result = nl.ndarray((TM, TN), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=acc)
            nisa.dma_copy(dst=out[nl.ds(m * TM, TM), nl.ds(n * TN, TN)], src=result)
    return out
