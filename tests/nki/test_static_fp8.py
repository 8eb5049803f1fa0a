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
