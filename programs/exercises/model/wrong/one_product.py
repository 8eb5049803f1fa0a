# fails: read  (a stationary tile of 256 columns)
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def mlp(x, w1, b1, w2):
    """w2.T @ relu(w1.T @ x + b1), for x [128 inputs, images]; layers of 256 and of 10."""
    images = x.shape[1]
    y = nl.ndarray((10, images), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 256), dtype=w1.dtype, buffer=nl.sbuf)
    second = nl.ndarray((128, 2, 10), dtype=w2.dtype, buffer=nl.sbuf)
    bias = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
    given = nl.ndarray((128, images), dtype=x.dtype, buffer=nl.sbuf)
    hidden = nl.ndarray((128, 2, images), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=given, src=x)
    nisa.dma_copy(dst=first, src=w1)
    for half in range(2):
        nisa.dma_copy(dst=bias[:, half], src=b1[nl.ds(half * 128, 128), 0])
        nisa.dma_copy(dst=second[:, half], src=w2[nl.ds(half * 128, 128), :])
    result = nl.ndarray((10, images), dtype=nl.float32, buffer=nl.psum)
    for half in range(2):
        sums = nl.ndarray((128, images), dtype=nl.float32, buffer=nl.psum)
        columns = first
        nisa.nc_matmul(dst=sums, stationary=columns, moving=given)
        nisa.activation(dst=hidden[:, half], op=nl.relu, data=sums, bias=bias[:, nl.ds(half, 1)])
    for half in range(2):
        nisa.nc_matmul(dst=result, stationary=second[:, half], moving=hidden[:, half])
    out = nl.ndarray((10, images), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=out, src=result)
    nisa.dma_copy(dst=y, src=out)
    return y
