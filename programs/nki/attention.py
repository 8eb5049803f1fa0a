"""Attention within blocks of 128 tokens, with several heads: a kernel of NKI.

    neuron-nasm nki programs/nki/attention.py

y = softmax(q @ k.T / sqrt(d) + mask) @ v, for each head

The columns of qkv are those of q, of k and of v; each has those of the first head first. Heads are
taken as many at a time as fit 128 partitions, so that Vector and Scalar work on all of them with
one instruction. A block attends to itself only: the mask of a block keeps apart what is in it.
"""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
from projection import loaded


@nki.jit
def attention(qkv, mask, heads, dtype=nl.bfloat16):
    """Attend: qkv is [tokens, 3 * columns], mask [tokens, 128], what is added to scores.

    ``dtype`` is that of the products.
    """
    tokens, columns = qkv.shape[0], qkv.shape[1] // 3
    pmax, depth = nl.tile_size.pmax, columns // heads
    together = min(heads, pmax // depth)
    assert tokens % pmax == 0, f"{tokens} tokens: wanted a multiple of {pmax}"
    assert heads % together == 0, f"{heads} heads: wanted a multiple of {together}"
    y = nl.ndarray((tokens, columns), dtype=qkv.dtype, buffer=nl.shared_hbm)
    for block in range(nl.program_id(0), tokens // pmax, nl.num_programs(0)):
        here = nl.ds(block * pmax, pmax)
        tile, masks = loaded(qkv[here, :], dtype), loaded(mask[here, :], nl.float32)
        result = nl.ndarray((pmax, columns), dtype=qkv.dtype, buffer=nl.sbuf)
        for first in range(0, columns, together * depth):
            q, k = (turned(tile, first + n * columns, together, depth) for n in range(2))
            weights, totals = softmax(scores(q, k), masks, depth**-0.5, dtype)
            v = tile[:, nl.ds(2 * columns + first, together * depth)]
            mix(result[:, nl.ds(first, together * depth)], weights, totals, v)
        nisa.dma_copy(dst=y[here, :], src=result)
    return y


def turned(tile, first, heads, depth):
    """Columns of some heads on partitions, those of every head from partition 0 on."""
    rows = tile.shape[0]
    there = nl.ndarray((depth, heads, rows), dtype=tile.dtype, buffer=nl.psum)
    for head in range(heads):
        nisa.nc_transpose(dst=there[:, head, :], data=tile[:, nl.ds(first + head * depth, depth)])
    here = nl.ndarray((depth, heads, rows), dtype=tile.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=here, src=there)
    return here


def scores(q, k):
    """Multiply q by k.T for some heads, side by side in PSUM."""
    heads, rows = q.shape[1:]
    made = nl.ndarray((rows, heads, rows), dtype=nl.float32, buffer=nl.psum)
    for head in range(heads):
        nisa.nc_matmul(dst=made[:, head, :], stationary=q[:, head, :], moving=k[:, head, :])
    return made


def softmax(found, masks, scale, dtype):
    """exp(scores * scale + mask - the maximum), and the sums of its rows."""
    rows, heads, columns = found.shape
    masked = nl.ndarray(found.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(
        dst=masked,
        data=found,
        op0=nl.multiply,
        operand0=scale,
        op1=nl.add,
        operand1=masks.ap([[columns, rows], [0, heads], [1, columns]]),
    )
    most = nl.ndarray((rows, heads), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=most, op=nl.maximum, data=masked, axis=2)
    nisa.tensor_tensor(
        dst=masked,
        data1=masked,
        data2=most.ap([[heads, rows], [1, heads], [0, columns]]),
        op=nl.subtract,
    )
    weights = nl.ndarray(found.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.activation(dst=weights, op=nl.exp, data=masked)
    totals = nl.ndarray((rows, heads), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=totals, op=nl.add, data=weights, axis=2)
    return weights, totals


def mix(result, weights, totals, v):
    """Write weights @ v / totals of some heads, side by side."""
    rows, heads, columns = weights.shape
    depth = v.shape[1] // heads
    there = nl.ndarray((columns, heads, rows), dtype=weights.dtype, buffer=nl.psum)
    for head in range(heads):
        nisa.nc_transpose(dst=there[:, head, :], data=weights[:, head, :])
    here = nl.ndarray((columns, heads, rows), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=here, src=there)
    mixed = nl.ndarray((rows, heads, depth), dtype=nl.float32, buffer=nl.psum)
    for head in range(heads):
        nisa.nc_matmul(
            dst=mixed[:, head, :],
            stationary=here[:, head, :],
            moving=v[:, nl.ds(head * depth, depth)],
        )
    factors = nl.ndarray((rows, heads), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=factors, data=totals)
    nisa.tensor_tensor(
        dst=result.reshape((rows, heads, depth)),
        data1=mixed,
        data2=factors.ap([[heads, rows], [1, heads], [0, depth]]),
        op=nl.multiply,
    )


if __name__ == "__main__":
    random = np.random.default_rng(1)
    tokens, heads, depth = 256, 12, 32
    qkv = random.standard_normal((tokens, 3 * heads * depth), np.float32)
    mask = np.where(np.arange(128) < 100, 0, -1e4).astype(np.float32) + np.zeros((tokens, 1), "f4")
    q, k, v = qkv.reshape(2, 128, 3, heads, depth).transpose(2, 0, 3, 1, 4)
    weights = q @ k.swapaxes(-1, -2) / np.sqrt(depth) + mask.reshape(2, 1, 128, 128)
    weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    wanted = (weights @ v).transpose(0, 2, 1, 3).reshape(tokens, heads * depth)
    error = np.abs(attention(qkv, mask, heads, dtype=nl.float32) - wanted).max()
    print(f"largest error: {error:.1e}")
    assert error < 1e-5
