# fails: read  (384 columns are written into it)
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rmsnorm(x, gain):
    """Rows of x divided by the root of their mean square, times gain [1, columns]."""
    rows, columns = x.shape[0], 384
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    gains = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=gains, src=gain.ap([[0, 128], [1, columns]]))
    for block in range(rows // 128):
        here = nl.ds(block * 128, 128)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        square = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[here, :])
        nisa.tensor_tensor(dst=square, data1=tile, data2=tile, op=nl.multiply)
        nisa.tensor_reduce(dst=total, data=square, op=nl.add, axis=1)
        nisa.tensor_scalar(
            dst=total, data=total, op0=nl.multiply, operand0=1 / columns, op1=nl.add, operand1=1e-6
        )
        nisa.activation(dst=total, op=nl.rsqrt, data=total)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=gains, op=nl.multiply)
        nisa.dma_copy(dst=y[here, :], src=tile)
    return y
