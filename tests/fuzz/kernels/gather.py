# {"arrays": [["float32", [64, 16]], ["int32", [32, 1]]]}
"""Rows that a tile names, then columns that another one names."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(table, rows):
    count, width = rows.shape[0], table.shape[1]
    out = nl.ndarray((count, width), dtype=table.dtype, buffer=nl.shared_hbm)
    picked = nl.ndarray((count, 8), dtype=table.dtype, buffer=nl.shared_hbm)
    index = nl.load(rows)
    nisa.tensor_scalar(dst=index, data=index, op0=nl.maximum, operand0=0)
    nisa.tensor_scalar(dst=index, data=index, op0=nl.minimum, operand0=63)
    tile = nl.ndarray((count, width), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=table.vector_select(0, index))
    nisa.dma_copy(dst=out, src=tile)
    columns = nl.ndarray((count, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=columns, pattern=[[2, 8]], offset=0, channel_multiplier=0)
    few = nl.ndarray((count, 8), dtype=table.dtype, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=few, data=tile, indices=columns)
    nisa.dma_copy(dst=picked, src=few)
    return out, picked
