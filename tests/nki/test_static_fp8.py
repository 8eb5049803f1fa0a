"""A projection with static fp8 weights: its input is scaled, clipped, and rounded to fp8.

By hand, and against ml_dtypes. A reference that clips the input and does not round it, as that of
AWS's attention_block_tkg does, is as far away as the rounding is.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from tests.nki.minikernel import Array, loaded, psum, result, sbuf, stored

BF16, E4M3 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3
LIMIT = 240.0
"""The largest value of float8_e4m3."""


def projection(x: Any, weights: Any, scale: Any) -> Any:
    """[K, T], [K, N] of fp8 and [K, 1] to the narrowed input and the product, [T, N]."""
    inverse, divided = sbuf(scale.shape), sbuf(x.shape, nl.bfloat16)
    nisa.reciprocal(inverse, loaded(scale))
    nisa.activation(dst=divided, op=nl.copy, data=loaded(x), scale=inverse)
    narrow = sbuf(x.shape, nl.float8_e4m3)
    clip = {"op0": nl.minimum, "operand0": LIMIT, "op1": nl.maximum, "operand1": -LIMIT}
    nisa.tensor_scalar(dst=narrow, data=divided, **clip)
    product = psum((x.shape[1], weights.shape[1]))
    nisa.nc_matmul(product, narrow, loaded(weights))
    return stored(narrow), stored(product)


def scaled(by: float, rows: int) -> Array:
    return np.full((rows, 1), by, np.float32)


def test_by_hand() -> None:
    x = np.array([[4.25, 4.75, 5, 1000, -61.5, 0.25, -33.25, 58]], BF16).T
    # Four times as much is 17, 19, 20, 4000, -246, 1, -133, 232. From 16 on steps are 2: 17 and 19
    # are ties and become even. From 128 on they are 16: -133 is next to -128, and 232 is a tie.
    narrow = [16, 20, 20, 240, -240, 1, -128, 224]
    weights = np.array([[1] * 8, [1, -1] * 4], E4M3).T
    found, product = result(projection, x, weights, scaled(0.25, 8))
    assert found.astype(np.float32).T.tolist() == [narrow]
    assert product.tolist() == [[153, -817]]


def test_against_ml_dtypes() -> None:
    rng, scale = np.random.default_rng(11), 0.003
    x = rng.normal(0, 0.3, (128, 3)).astype(BF16)
    weights = rng.uniform(-LIMIT, LIMIT, (128, 64)).astype(E4M3)
    found, product = result(projection, x, weights, scaled(scale, 128))
    inverse = np.float32(1) / np.float32(scale)
    clipped = np.clip((x.astype(np.float32) * inverse).astype(BF16), -LIMIT, LIMIT)
    clipped = clipped.astype(np.float64)
    narrow = clipped.astype(E4M3)
    assert np.array_equal(found.view(np.uint8), narrow.view(np.uint8))
    exact = narrow.astype(np.float64).T @ weights.astype(np.float64)
    assert np.array_equal(product, exact.astype(np.float32))
    # Without the rounding of the input the product is another one, by what that rounding makes.
    other = clipped.T @ weights.astype(np.float64)
    made = (narrow.astype(np.float64) - clipped).T @ weights.astype(np.float64)
    assert np.abs(product - other).max() > 1000
    np.testing.assert_allclose(product - other, made, atol=0.5)


def attention(q: Any, k: Any, v: Any, weights: Any, scale: Any) -> Any:
    """[D, T], [D, S] and [S, D] of fp8, [D, N] of fp8 and [D, 1] to what is attended, and [T, N].

    All between the operands and the projection is rounded as tiles of AWS's attention_block_tkg
    are: to bfloat16 the scaled q, the weights of softmax and what is attended; scores are float32.
    """
    depth, tokens, keys = *q.shape, k.shape[1]
    queries, scores = sbuf(q.shape, nl.bfloat16), psum((tokens, keys))
    nisa.tensor_scalar(dst=queries, data=loaded(q), op0=nl.multiply, operand0=depth**-0.5)
    nisa.nc_matmul(scores, queries, loaded(k))
    most, total = sbuf((tokens, 1)), sbuf((tokens, 1))
    nisa.tensor_reduce(most, nl.maximum, scores, axis=1)
    lower, mixing = sbuf((tokens, keys)), sbuf((tokens, keys), nl.bfloat16)
    nisa.tensor_scalar(dst=lower, data=scores, op0=nl.subtract, operand0=most)
    nisa.activation(dst=mixing, op=nl.exp, data=lower)
    nisa.tensor_reduce(total, nl.add, mixing, axis=1)
    nisa.reciprocal(total, total)
    turned, mixed = sbuf((keys, tokens), nl.bfloat16), psum((tokens, depth))
    nisa.tensor_copy(turned, transposed(mixing))
    nisa.nc_matmul(mixed, turned, loaded(v))
    attended, across = sbuf((tokens, depth), nl.bfloat16), sbuf((depth, tokens), nl.bfloat16)
    nisa.tensor_scalar(dst=attended, data=mixed, op0=nl.multiply, operand0=total)
    nisa.tensor_copy(across, transposed(attended))
    return stored(across), projection(across, weights, scale)[1]


def transposed(tile: Any) -> Any:
    turned = psum(tile.shape[::-1], nl.bfloat16)
    nisa.nc_transpose(turned, tile)
    return turned


def test_attention_before_a_projection_that_clips_it() -> None:
    """Scores of hundreds, and a scale that clips every element: what is left of it is its sign.

    With each rounding of a tile NumPy has the same bits. Without them a few signs are others, and
    the product is as far away as they are: so AWS's reference is, which computes in float32.
    """
    depth, tokens, keys, columns, scale = 32, 16, 128, 64, 0.003
    rng = np.random.default_rng(28)
    q = rng.normal(0, 20, (depth, tokens)).astype(BF16)
    shapes = (depth, keys), (keys, depth), (depth, columns)
    k, v, weights = (rng.normal(0, 60, shape).clip(-LIMIT, LIMIT).astype(E4M3) for shape in shapes)
    found, product = result(attention, q, k, v, weights, scaled(scale, depth))

    def numpy(tile: Any, single: Any) -> tuple[Array, Array]:
        """Attended and product, with what rounds to bfloat16 and to float32."""
        queries = tile(q.astype(np.float64) * depth**-0.5)
        scores = single(queries.T @ k.astype(np.float64))
        mixing = tile(single(np.exp(single(scores - scores.max(axis=1, keepdims=True)))))
        mixed = single(mixing @ v.astype(np.float64))
        total = single(1 / single(mixing.sum(axis=1, keepdims=True)))
        attended = tile(mixed * total)
        clipped = np.clip(tile(attended * single(1 / single(scale))), -LIMIT, LIMIT)
        return attended.T, clipped.astype(E4M3).astype(np.float64) @ weights.astype(np.float64)

    def rounded(dtype: Any) -> Any:
        return lambda a: np.asarray(a).astype(np.float32).astype(dtype).astype(np.float64)

    attended, wanted = numpy(rounded(BF16), rounded(np.float32))
    assert np.array_equal(found.astype(np.float64), attended)
    assert np.array_equal(product, wanted)
    exact, other = numpy(lambda a: a, lambda a: a)
    assert (np.abs(exact) > LIMIT * scale).mean() > 0.98
    assert 0 < (np.sign(exact) != np.sign(attended)).mean() < 0.05
    alike = (product * other).sum() / np.linalg.norm(product) / np.linalg.norm(other)
    assert 0.9 < alike < 0.99
