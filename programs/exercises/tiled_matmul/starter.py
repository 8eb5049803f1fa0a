# c = a.T @ b, of which this computes the first tile; each product loads both of its operands
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul(a, b):
    depth, rows = a.shape
    columns = b.shape[1]
    c = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(depth // 128):
        left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
        right = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=a[nl.ds(k * 128, 128), 0:128])
        nisa.dma_copy(dst=right, src=b[nl.ds(k * 128, 128), 0:512])
        nisa.nc_matmul(dst=sums, stationary=left, moving=right)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=out, src=sums)
    nisa.dma_copy(dst=c[0:128, 0:512], src=out)
    # your part: the other tiles
    return c
