# {"arrays": [["float32", [128, 512]]]}
"""More tiles than SBUF and PSUM have room for at once: bytes are used again."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for step in nl.affine_range(12):
        large = nl.ndarray((128, 6144), dtype=nl.float32, buffer=nl.sbuf)
        here = nl.ds(512 * step, 512)
        nisa.tensor_scalar(dst=large[:, here], data=tile, op0=nl.add, operand0=float(step))
        bank = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.tensor_tensor(dst=bank, data1=large[:, here], data2=tile, op=nl.subtract)
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=tile, op=nl.copy, data=bank, scale=0.5)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=large[:, here], op=nl.maximum)
    nl.store(y, tile)
    return y
