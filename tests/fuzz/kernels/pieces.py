# {"arrays": [["float32", [128, 256]]]}
"""Matmuls into overlapping parts of a bank: the first into a place overwrites, later ones add."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    y = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    z = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    acc = nl.ndarray((64, 256), dtype=nl.float32, buffer=nl.psum)
    weights = tile[:, 0:64]
    nisa.nc_matmul(dst=acc[:, 0:100], stationary=weights, moving=tile[:, 0:100])
    nisa.nc_matmul(dst=acc[:, 50:200], stationary=weights, moving=tile[:, 50:200])
    nisa.nc_matmul(dst=acc, stationary=weights, moving=tile)
    nisa.nc_matmul(dst=acc[:, 0:32], stationary=weights, moving=tile[:, 0:32], accumulate=False)
    nl.store(y, nl.copy(acc))
    nisa.nc_matmul(dst=acc[:, 0:64], stationary=weights, moving=tile[:, 64:128], accumulate=True)
    few = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=few, op=nl.tanh, data=acc[:, 0:64], scale=0.01)
    chosen = nl.full((64, 8), 1, nl.uint8)
    nisa.tensor_copy_predicated(dst=few[:, 0:8], src=acc[:, 8:16], predicate=chosen)
    nl.store(z, few)
    return y, z
