"""Layer normalisation of the rows of a sum: a kernel of NKI.

    neuron-nasm nki programs/nki/layernorm.py

y = (s - mean(s)) / sqrt(var(s) + eps) * gain + bias, for each row of s = x + residual

Rows go to partitions, 128 at a time; on two cores every core has every second block of them.
"""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def layernorm(x, gain, bias, residual=None, eps=1e-12):
    """Normalise the rows of x [rows, columns] plus residual; gain and bias are [1, columns]."""
    rows, columns = x.shape
    pmax = nl.tile_size.pmax
    assert rows % pmax == 0, f"{rows} rows: wanted a multiple of {pmax}"
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    gains, biases = everywhere(gain), everywhere(bias)
    for block in range(nl.program_id(0), rows // pmax, nl.num_programs(0)):
        here = nl.ds(block * pmax, pmax)
        tile = nl.ndarray((pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[here, :])
        if residual is not None:
            other = nl.ndarray((pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=other, src=residual[here, :])
            nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        normalise(tile, eps)
        result = nl.ndarray((pmax, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=gains, op=nl.multiply)
        nisa.tensor_tensor(dst=result, data1=tile, data2=biases, op=nl.add)
        nisa.dma_copy(dst=y[here, :], src=result)
    return y


def everywhere(row):
    """A tile with a row of HBM on each partition: a transfer that reads it 128 times."""
    columns = row.shape[1]
    tile = nl.ndarray((nl.tile_size.pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=row.ap([[0, nl.tile_size.pmax], [1, columns]]))
    return tile


def normalise(tile, eps):
    """Give each row of a tile the mean 0 and the variance 1, in place."""
    rows, columns = tile.shape
    parts = -(-columns // nl.tile_size.bn_stats_fmax)
    assert columns % parts == 0, f"{columns} columns do not split into {parts} equal parts"
    width = columns // parts
    stats = nl.ndarray((rows, 6 * parts), dtype=nl.float32, buffer=nl.sbuf)
    for part in range(parts):
        nisa.bn_stats(dst=stats[:, nl.ds(6 * part, 6)], data=tile[:, nl.ds(width * part, width)])
    both = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst=both, data=stats)
    factor = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=factor, data=both[:, 1:2], op0=nl.add, operand0=eps)
    nisa.activation(dst=factor, op=nl.rsqrt, data=factor)
    nisa.tensor_scalar(
        dst=tile,
        data=tile,
        op0=nl.subtract,
        operand0=both[:, 0:1],
        op1=nl.multiply,
        operand1=factor,
    )


if __name__ == "__main__":
    random = np.random.default_rng(1)
    x, residual = (random.standard_normal((256, 384), np.float32) for _ in range(2))
    gain, bias = (random.standard_normal((1, 384), np.float32) for _ in range(2))
    total = x + residual
    centred = total - total.mean(axis=1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12) * gain + bias
    error = np.abs(layernorm(x, gain, bias, residual) - wanted).max()
    print(f"largest error: {error:.1e}")
    assert error < 1e-4
