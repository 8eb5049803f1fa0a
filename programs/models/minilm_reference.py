"""The same model in plain NumPy, sentence by sentence, in float64: what the kernels are judged by.

It shares nothing with the kernels: no packing, no blocks, no masks, no rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erf
from typing import Any

import numpy as np
from minilm_weights import Weights

Array = np.ndarray[Any, Any]
_erf = np.vectorize(erf, otypes=[float])


def embeddings(weights: Weights, sentences: Sequence[Sequence[int]]) -> Array:
    """A vector of length 1 for each list of tokens."""
    return np.stack([_embedding(weights, np.asarray(tokens)) for tokens in sentences])


def _embedding(weights: Weights, tokens: Array) -> Array:
    rows = {"word": tokens, "position": np.arange(len(tokens)), "token_type": 0 * tokens}
    tables = {kind: weights.arrays[f"embeddings.{kind}_embeddings.weight"] for kind in rows}
    summed = sum(tables[kind][numbers].astype(float) for kind, numbers in rows.items())
    x = _norm(weights, "embeddings", np.asarray(summed))
    for layer in range(weights.config.layers):
        name = f"encoder.layer.{layer}"
        attended = _attention(weights, f"{name}.attention", x)
        x = _norm(weights, f"{name}.attention.output", x + attended)
        inner = _dense(weights, f"{name}.intermediate.dense", x)
        inner = inner * 0.5 * (1 + _erf(inner / np.sqrt(2)))
        x = _norm(weights, f"{name}.output", x + _dense(weights, f"{name}.output.dense", inner))
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _attention(weights: Weights, name: str, x: Array) -> Array:
    heads = weights.config.heads
    q, k, v = (
        np.stack(np.split(_dense(weights, f"{name}.self.{part}", x), heads, axis=1))
        for part in ("query", "key", "value")
    )
    scores = np.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed = np.concatenate(list(np.einsum("hqk,hkd->hqd", shares, v)), axis=1)
    return _dense(weights, f"{name}.output.dense", mixed)


def _dense(weights: Weights, name: str, x: Array) -> Array:
    matrix, bias = (weights.arrays[f"{name}.{part}"].astype(float) for part in ("weight", "bias"))
    made: Array = x @ matrix.T + bias
    return made


def _norm(weights: Weights, name: str, x: Array) -> Array:
    gain, bias = (weights.arrays[f"{name}.LayerNorm.{p}"].astype(float) for p in ("weight", "bias"))
    centred = x - x.mean(axis=-1, keepdims=True)
    made: Array = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + weights.config.eps)
    return made * gain + bias
