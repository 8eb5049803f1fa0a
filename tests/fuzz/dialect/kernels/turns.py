# [[16, 12], [12, 16]]
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(x, y):
    out = nl.zeros((12, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    p, f = nl.arange(16)[:, None], nl.arange(12)[None, :]
    tile = nl.load(x[p, f])
    nl.store(x[p, f], tile + 1, mask=(p + f < 20))
    turned = nisa.nc_transpose(nl.load(x))
    other = nl.load(y)
    made = nisa.tensor_tensor(turned, other, op=np.maximum)
    made[0:12, 0:8] = nisa.activation(op=nl.abs, data=made[0:12, 8:16], scale=-2.0)
    most = nisa.tensor_reduce(np.max, made, axis=[1])
    made[...] = nisa.tensor_scalar(made, np.subtract, most, reverse0=True)
    made[0:8, 0:4] = 3
    nl.store(out, made)
    nl.store(
        out[0:12, 0:12],
        nl.minimum(made[0:12, 0:12], nl.copy(other[0:12, 4:16])),
        mask=(nl.arange(12)[:, None] < 9),
    )
    return out
