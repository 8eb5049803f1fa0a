# {"arrays": [["float32", [64, 64]], ["float32", [1, 64]]]}
"""A mask by index, a choice by a comparison, and a row spread over the partitions."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, row):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    z = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tile = nl.load(x)
    wide = nl.broadcast_to(nl.load(row), x.shape)
    lower = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=lower,
        pattern=[[-1, x.shape[1]]],
        channel_multiplier=1,
        on_true_tile=tile,
        on_false_value=-1.0,
        cmp_op=nl.greater_equal,
    )
    chosen = nl.ndarray(x.shape, dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=chosen, data1=lower, data2=wide, op=nl.greater)
    nisa.tensor_copy_predicated(dst=lower, src=tile, predicate=chosen)
    nl.store(y, nl.add(lower, wide))
    nl.store(z, nl.exp(nl.multiply(lower, 0.5)))
    return y, z
