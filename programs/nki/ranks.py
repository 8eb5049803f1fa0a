"""Work divided over ranks: kernels of NKI with collectives.

    python programs/models/ranks.py
    neuron-nasm nki programs/nki/ranks.py

``parallel_layer`` is a layer of an encoder of which each rank has some of the heads and some of the
width of the MLP (tensor parallelism, as in Megatron-LM): two all_reduces. ``training_step`` is a
linear layer of which each rank has some of the rows of a batch (data parallelism): one all_reduce
of the gradient. ``ring_attention`` attends to keys and values that pass from rank to rank: while a
rank works with those it has, the next ones arrive.
"""

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import numpy as np
from attention import attention
from layernorm import layernorm
from mlp import mlp
from projection import by_rows, loaded, projection, transposed


@nki.jit
def parallel_layer(x, mask, heads, qkv, out, w1, w2, norms, eps=1e-12, dtype=nl.bfloat16, ranks=1):
    """One rank's part of a layer: x [tokens, columns] and mask are the same on all ranks.

    ``heads`` are those of this rank, whose columns ``qkv`` makes and ``out`` takes, each a matrix
    and a row; ``w1`` makes its part of the MLP's width, a matrix and a column, and ``w2`` takes it.
    Rows that are added to a sum over ranks are zeros on all but one. ``norms`` are two pairs.
    """
    (qkv_w, qkv_b), (out_w, out_b), (w1_w, w1_b), (w2_w, w2_b) = qkv, out, w1, w2
    attended = attention(projection(x, qkv_w, qkv_b), mask, heads, dtype)
    x = layernorm(summed(projection(attended, out_w, out_b), ranks), *norms[0], x, eps)
    return layernorm(summed(mlp(x, w1_w, w1_b, w2_w, w2_b), ranks), *norms[1], x, eps)


@nki.jit
def training_step(x, dy, w, rate, ranks=1):
    """W - rate * x.T @ dy of a batch whose rows x [rows, inner] and dy [rows, columns] this has."""
    inner, columns = w.shape
    pmax = nl.tile_size.pmax
    assert inner % pmax == 0, f"{inner} inputs: wanted a multiple of {pmax}"
    assert columns <= nl.tile_size.psum_fmax, f"{columns} outputs do not fit a bank of PSUM"
    parts, errors = by_rows(x), by_rows(dy)
    gradient = nl.ndarray(w.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    for first in range(0, inner, pmax):
        total = nl.ndarray((pmax, columns), dtype=nl.float32, buffer=nl.psum)
        for rows, error in zip(parts, errors, strict=True):
            nisa.nc_matmul(dst=total, stationary=rows[:, nl.ds(first, pmax)], moving=error)
        tile = nl.ndarray((pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=gradient[nl.ds(first, pmax), :], src=tile)
    whole = summed(gradient, ranks)
    new = nl.ndarray(w.shape, dtype=w.dtype, buffer=nl.shared_hbm)
    for first in range(0, inner, pmax):
        here = nl.ds(first, pmax)
        tile, old = loaded(whole[here, :], nl.float32), loaded(w[here, :], w.dtype)
        nisa.scalar_tensor_tensor(
            dst=old, data=tile, op0=nl.multiply, operand0=-rate, op1=nl.add, operand1=old
        )
        nisa.dma_copy(dst=new[here, :], src=old)
    return new


@nki.jit
def ring_attention(q, k, v, dtype=nl.bfloat16, ranks=1):
    """softmax(q @ k.T / sqrt(d)) @ v of this rank's q [rows, d], and k and v of all ranks.

    Softmax is computed as keys arrive: where a larger score comes, what there is becomes smaller.
    """
    rows, depth = q.shape
    pmax = nl.tile_size.pmax
    assert rows % pmax == 0, f"{rows} rows: wanted a multiple of {pmax}"
    assert depth <= pmax, f"{depth} columns: wanted {pmax} at the most"
    held = nl.ndarray((2 * rows, depth), dtype=k.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=held[nl.ds(0, rows), :], src=k)
    nisa.dma_copy(dst=held[nl.ds(rows, rows), :], src=v)
    queries = [transposed(tile)[0] for tile in blocks(q, 0, rows, dtype)]
    sums = [nothing_yet(depth) for _ in queries]
    for step in range(ranks):
        keys = blocks(held, 0, rows, dtype)
        values = blocks(held, rows, rows, dtype)
        if step + 1 < ranks:
            coming = nl.ndarray(held.shape, dtype=held.dtype, buffer=nl.shared_hbm)
            everyone = ncc.ReplicaGroup([list(range(ranks))])
            ncc.collective_permute_implicit([[held]], [[coming]], everyone)
            held = coming
        turned = [transposed(tile)[0] for tile in keys]
        for query, (most, total, mixed) in zip(queries, sums, strict=True):
            for key, value in zip(turned, values, strict=True):
                attend(query, key, value, most, total, mixed, depth**-0.5, dtype)
    y = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    for number, (_, total, mixed) in enumerate(sums):
        factor = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.sbuf)
        result = nl.ndarray(mixed.shape, dtype=q.dtype, buffer=nl.sbuf)
        nisa.reciprocal(dst=factor, data=total)
        nisa.tensor_scalar(dst=result, data=mixed, op0=nl.multiply, operand0=factor)
        nisa.dma_copy(dst=y[nl.ds(number * pmax, pmax), :], src=result)
    return y


def summed(x, ranks):
    """The sum of a tensor in HBM over all ranks, in HBM."""
    if ranks == 1:
        return x
    total = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ncc.all_reduce([x], [total], ncc.ReplicaGroup([list(range(ranks))]), op=nl.add)
    return total


def blocks(source, first, rows, dtype):
    """Rows of a matrix in HBM as tiles of 128."""
    pmax = nl.tile_size.pmax
    return [loaded(source[nl.ds(first + n, pmax), :], dtype) for n in range(0, rows, pmax)]


def nothing_yet(depth):
    """Of 128 rows the largest score, the sum of weights, and the weighted sum of values."""
    pmax = nl.tile_size.pmax
    made = [nl.ndarray((pmax, n), dtype=nl.float32, buffer=nl.sbuf) for n in (1, 1, depth)]
    for tile, value in zip(made, (-1e30, 0.0, 0.0), strict=True):
        nisa.memset(dst=tile, value=value)
    return made


def attend(query, key, value, most, total, mixed, scale, dtype):
    """Add 128 keys and values to what 128 queries have; queries and keys are on columns."""
    rows, columns = query.shape[1], key.shape[1]
    scores = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=scores, stationary=query, moving=key)
    largest, now, minus, shrunk, new = (
        nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf) for _ in range(5)
    )
    nisa.tensor_reduce(dst=largest, op=nl.maximum, data=scores, axis=1)
    nisa.tensor_scalar(
        dst=now, data=largest, op0=nl.multiply, operand0=scale, op1=nl.maximum, operand1=most
    )
    nisa.tensor_scalar(dst=minus, data=now, op0=nl.multiply, operand0=-1.0)
    nisa.activation(dst=shrunk, op=nl.exp, data=most, bias=minus)
    nisa.tensor_copy(dst=most, src=now)
    weights = nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)
    nisa.activation(dst=weights, op=nl.exp, data=scores, bias=minus, scale=scale)
    nisa.tensor_reduce(dst=new, op=nl.add, data=weights, axis=1)
    nisa.scalar_tensor_tensor(
        dst=total, data=total, op0=nl.multiply, operand0=shrunk, op1=nl.add, operand1=new
    )
    part = nl.ndarray(mixed.shape, dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=part, stationary=transposed(weights)[0], moving=value)
    nisa.scalar_tensor_tensor(
        dst=mixed, data=mixed, op0=nl.multiply, operand0=shrunk, op1=nl.add, operand1=part
    )


if __name__ == "__main__":  # on one rank; programs/models/ranks.py takes more
    random = np.random.default_rng(1)
    q, k, v = random.standard_normal((3, 256, 64), np.float32)
    weights = np.exp(q @ k.T / 8)
    wanted = (weights / weights.sum(axis=1, keepdims=True)) @ v
    error = np.abs(ring_attention(q, k, v, dtype=nl.float32) - wanted).max()
    x, dy, w = (random.standard_normal((256, n), np.float32) for n in (128, 64, 64))
    error = max(
        error, np.abs(training_step(x, dy, w[:128], 0.01) - w[:128] + 0.01 * (x.T @ dy)).max()
    )
    print(f"largest error: {error:.1e}")
    assert error < 1e-4
