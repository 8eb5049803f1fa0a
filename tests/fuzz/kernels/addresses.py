# {"arrays": [["float32", [128, 64]]]}
"""Tiles at addresses of the kernel's own, two of them in one place, and an argument written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    scratch = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
    one = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
    nisa.dma_copy(dst=one, src=x)
    nisa.tensor_scalar(dst=one, data=one, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=scratch, src=one)
    two = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf, address=(0, 128))
    nisa.memset(dst=two, value=3.0)
    three = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=three, src=scratch)
    nisa.tensor_tensor(dst=three[:, 0:32], data1=three[:, 32:64], data2=two, op=nl.subtract)
    nisa.dma_copy(dst=y, src=three)
    nisa.dma_copy(dst=x[:, 0:32], src=two)
    return y
