"""The kernels of programs/nki, each against NumPy, on one core and on two."""

from __future__ import annotations

from math import erf
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm.nki

Array = np.ndarray[Any, Any]
FOLDER = Path(__file__).parents[2] / "programs" / "nki"
RANDOM = np.random.default_rng(3)


def kernel(name: str) -> Any:
    return getattr(nasm.nki.module(str(FOLDER / f"{name}.py")), name)


def drawn(*shape: int, scale: float = 1.0) -> Array:
    return RANDOM.standard_normal(shape, np.float32) * np.float32(scale)


def gelu(x: Array) -> Array:
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def near(found: Array, wanted: Array, error: float) -> bool:
    return float(np.abs(found - wanted).max()) <= error


def normed(x: Array, eps: float) -> Array:
    x = x.astype(float)
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)


@pytest.mark.parametrize("cores", [1, 2])
def test_layernorm_is_that_of_a_sum(cores: int) -> None:
    x, residual, gain, bias = drawn(256, 64), drawn(256, 64), drawn(1, 64), drawn(1, 64)
    found = kernel("layernorm")[cores](x, gain, bias, residual, eps=0.25)
    assert near(found, normed(x + residual, 0.25) * gain + bias, 2e-6)


def test_layernorm_takes_rows_of_more_than_one_part_of_statistics() -> None:
    x, gain, bias = drawn(128, 1024) + 7, drawn(1, 1024), drawn(1, 1024)
    assert near(kernel("layernorm")(x, gain, bias), normed(x, 1e-12) * gain + bias, 2e-5)


@pytest.mark.parametrize("cores", [1, 2])
def test_projection_is_a_product_and_a_bias(cores: int) -> None:
    x, w, b = drawn(256, 192), drawn(192, 640, scale=0.1), drawn(1, 640)
    assert near(kernel("projection")[cores](x, w, b), x @ w + b, 1e-5)


def test_projection_multiplies_in_the_dtype_of_its_weights() -> None:
    x, w, b = drawn(128, 64), drawn(64, 32, scale=0.1), drawn(1, 32)
    short = ml_dtypes.bfloat16
    found = kernel("projection")(x, w.astype(short), b)
    rounded = [array.astype(short).astype(np.float32) for array in (x, w, b)]
    assert near(found, rounded[0] @ rounded[1] + rounded[2], 1e-5)


@pytest.mark.parametrize("cores", [1, 2])
def test_mlp_is_two_products_with_gelu_between_them(cores: int) -> None:
    x, w1, b1 = drawn(256, 64), drawn(64, 192, scale=0.2), drawn(192, 1)
    w2, b2 = drawn(192, 64, scale=0.1), drawn(1, 64)
    found = kernel("mlp")[cores](x, w1, b1, w2, b2)
    assert near(found, gelu(x @ w1 + b1.T) @ w2 + b2, 1e-5)


def attended(qkv: Array, mask: Array, heads: int) -> Array:
    blocks, depth = len(qkv) // 128, qkv.shape[1] // 3 // heads
    q, k, v = qkv.astype(float).reshape(blocks, 128, 3, heads, depth).transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(depth) + mask.reshape(blocks, 1, 128, 128)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return (shares @ v).transpose(0, 2, 1, 3).reshape(len(qkv), heads * depth)


@pytest.mark.parametrize("cores", [1, 2])
def test_attention_sees_what_the_mask_of_its_block_allows(cores: int) -> None:
    owner = np.repeat([0, 1, 2], [50, 100, 106]).reshape(2, 128)
    mask = np.where(owner[:, :, None] == owner[:, None, :], 0, -1e4).astype("f4").reshape(256, 128)
    qkv = drawn(256, 3 * 64)
    found = kernel("attention")[cores](qkv, mask, 4, "float32")
    assert near(found, attended(qkv, mask, 4), 2e-6)
    other = qkv.copy()
    other[50:150] += 1  # of another sentence
    same = kernel("attention")[cores](other, mask, 4, "float32")
    assert (found[:50] == same[:50]).all()
    assert not near(found[50:150], same[50:150], 0.1)


def test_attention_of_large_scores_does_not_overflow() -> None:
    qkv = drawn(128, 3 * 32, scale=30)
    found = kernel("attention")(qkv, np.zeros((128, 128), "f4"), 1, "float32")
    assert near(found, attended(qkv, np.zeros((128, 128)), 1), 0.01)


def test_a_layer_in_one_launch_is_its_kernels_one_by_one() -> None:
    x, mask = drawn(128, 64), np.zeros((128, 128), np.float32)
    weights = {
        "qkv": (drawn(64, 192, scale=0.2), drawn(1, 192)),
        "out": (drawn(64, 64, scale=0.2), drawn(1, 64)),
        "norm1": (drawn(1, 64), drawn(1, 64)),
        "mlp": (drawn(64, 128, scale=0.2), drawn(128, 1), drawn(128, 64), drawn(1, 64)),
        "norm2": (drawn(1, 64), drawn(1, 64)),
    }
    projection, attention, layernorm, mlp = map(
        kernel, ("projection", "attention", "layernorm", "mlp")
    )
    attends = attention(projection(x, *weights["qkv"]), mask, 2, "float32")
    middle = layernorm(projection(attends, *weights["out"]), *weights["norm1"], x)
    wanted = layernorm(mlp(middle, *weights["mlp"]), *weights["norm2"], middle)
    found = kernel("transformer_layer")(x, mask, 2, weights, dtype="float32")
    assert (found == wanted).all()


def test_rows_that_fill_no_block_are_refused_with_what_is_wanted() -> None:
    with pytest.raises(AssertionError, match="100 rows: wanted a multiple of 128"):
        kernel("projection")(drawn(100, 64), drawn(64, 64), drawn(1, 64))
