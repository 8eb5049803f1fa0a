# y = x / sqrt(mean(x ** 2) + 1e-6) * gain, row by row
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rmsnorm(x, gain):
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:128, :])
    nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=nl.multiply)
    # your part
    nisa.dma_copy(dst=y[0:128, :], src=tile)
    return y
