# both operands stay in SBUF
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
    left = nl.ndarray((128, steps, rows), dtype=a.dtype, buffer=nl.sbuf)
    right = nl.ndarray((128, steps, columns), dtype=b.dtype, buffer=nl.sbuf)
    for k in range(steps):
        nisa.dma_copy(dst=left[:, k], src=a[nl.ds(k * 128, 128), :])
        nisa.dma_copy(dst=right[:, k], src=b[nl.ds(k * 128, 128), :])
    for m in range(rows // 128):
        for n in range(columns // 512):
            sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(steps):
                nisa.nc_matmul(
                    dst=sums,
                    stationary=left[:, k, nl.ds(m * 128, 128)],
                    moving=right[:, k, nl.ds(n * 512, 512)],
                )
            out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=out, src=sums)
            nisa.dma_copy(dst=c[nl.ds(m * 128, 128), nl.ds(n * 512, 512)], src=out)
    return c
