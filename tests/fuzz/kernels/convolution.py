# {"arrays": [["float32", [32, 10, 12]], ["float32", [32, 9]]]}
"""A convolution of 3 by 3 in each partition, by nine views of a tile; pooling by a pattern."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, weights):
    channels, height, width = x.shape
    high, wide = height - 2, width - 2
    y = nl.ndarray((channels, high, wide), dtype=x.dtype, buffer=nl.shared_hbm)
    pooled = nl.ndarray((channels, high // 2, wide // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    image, taps = nl.load(x), nl.load(weights)
    total = nl.ndarray((channels, high, wide), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for tap in range(9):
        row, column = tap // 3, tap % 3
        seen = image[:, row : row + high, column : column + wide]
        nisa.scalar_tensor_tensor(
            dst=total,
            data=seen,
            op0=nl.multiply,
            operand0=taps[:, tap : tap + 1],
            op1=nl.add,
            operand1=total,
        )
    nl.store(y, total)
    windows = total.ap(
        [[high * wide, channels], [2 * wide, high // 2], [2, wide // 2], [wide, 2], [1, 2]]
    )
    largest = nl.ndarray((channels, high // 2, wide // 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=largest, op=nl.maximum, data=windows, axis=(3, 4))
    nl.store(pooled, largest)
    return y, pooled
