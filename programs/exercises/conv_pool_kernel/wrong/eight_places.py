# fails: right  (the last place is left out)
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def conv_pool(x, w):
    """The highest of each 2 x 2 of a convolution; x [128, 66, 34], w [128, 9, 128]."""
    y = nl.ndarray((128, 32, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    image = nl.ndarray((128, 66, 34), dtype=x.dtype, buffer=nl.sbuf)
    filters = nl.ndarray((128, 9, 128), dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=filters, src=w)
    for block in range(4):
        first = 0 if block == 0 else block * 16 + 2
        rows = nl.ds(first, block * 16 + 18 - first)
        nisa.dma_copy(dst=image[:, rows], src=x[:, rows])
    for block in range(4):
        sums = nl.ndarray((128, 16, 32), dtype=nl.float32, buffer=nl.psum)
        for tap in range(8):
            i, j = divmod(tap, 3)
            part = image[:, nl.ds(block * 16 + i, 16), nl.ds(j, 32)]
            nisa.nc_matmul(dst=sums, stationary=filters[:, tap], moving=part)
        wide = nl.ndarray((128, 16, 16), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=wide, data=sums.reshape((128, 16, 16, 2)), op=nl.maximum, axis=3)
        pairs = wide.reshape((128, 8, 2, 16))
        pooled = nl.ndarray((128, 8, 16), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=pooled, data1=pairs[:, :, 0], data2=pairs[:, :, 1], op=nl.maximum)
        nisa.dma_copy(dst=y[:, nl.ds(block * 8, 8)], src=pooled)
    return y
