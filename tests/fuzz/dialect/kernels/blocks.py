# [[2, 16, 12], [16, 8]]
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(x, y):
    out = nl.zeros((12, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((2, nl.par_dim(16), 12), dtype=nl.float32)
    right = nl.load(y)
    for i in nl.affine_range(2):
        tiles[i] = nl.load(x[i])
    total = nl.zeros((12, 8), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(2):
        total += nisa.nc_matmul(tiles[i], right)
    for i in nl.affine_range(2):
        total[:, 0:4] += nisa.nc_matmul(tiles[i, :, 0:12], right[:, 4:8])
    made = nisa.tensor_scalar(total, np.multiply, 2.0, op1=np.add, operand1=nl.max(total, axis=[1]))
    nl.store(out, made)
    return out
