# fails: mfu  (both operands are loaded for each product)
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul(a, b):
    """a.T @ b for a [K, M] and b [K, N]; M and K are multiples of 128, N of 512."""
    depth, rows = a.shape
    columns = b.shape[1]
    c = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    steps = depth // 128
    for m in range(rows // 128):
        for n in range(columns // 512):
            sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(steps):
                left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
                right = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf)
                here = nl.ds(k * 128, 128)
                nisa.dma_copy(dst=left, src=a[here, nl.ds(m * 128, 128)])
                nisa.dma_copy(dst=right, src=b[here, nl.ds(n * 512, 512)])
                nisa.nc_matmul(dst=sums, stationary=left, moving=right)
            out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=out, src=sums)
            nisa.dma_copy(dst=c[nl.ds(m * 128, 128), nl.ds(n * 512, 512)], src=out)
    return c
