# {"arrays": [["float32", [3, 1, 64]], ["float32", [64, 64]]]}
"""Rows spread over the partitions: read in both memories, written, made in a loop, moved."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(rows, x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    each = nl.ndarray((rows.shape[0], *x.shape), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    wide = nl.broadcast_to(nl.load(rows[0]), x.shape)
    other = nl.broadcast_to(nl.load(rows[1]), x.shape)
    nisa.dma_copy(dst=first, src=wide)
    total = nl.add(wide, other)
    nisa.tensor_tensor(dst=other[:, 8:40], data1=other[:, 8:40], data2=tile[:, 0:32], op=nl.add)
    turned = nl.transpose(other)
    nisa.tensor_tensor(dst=total, data1=total, data2=turned, op=nl.multiply)

    def block(i):
        row = nl.ndarray((1, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=rows.select(0, i))
        inner = nl.broadcast_to(row, x.shape)
        nisa.tensor_tensor(dst=total, data1=total, data2=inner, op=nl.add)
        nisa.tensor_scalar(dst=other, data=other, op0=nl.multiply, operand0=0.5)
        nisa.dma_copy(dst=each.select(0, i), src=inner)

    nl.fori_loop(0, rows.shape[0], block)
    nisa.tensor_tensor(dst=total, data1=other, data2=total, op=nl.add)
    nl.store(out, nl.add(total, wide))
    return out, first, each
