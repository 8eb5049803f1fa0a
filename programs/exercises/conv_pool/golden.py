"""Convolution and pooling, in float64."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng):
    """An image and filters of normal numbers, which bfloat16 holds."""
    shapes = {"X": (128, 66, 34), "W": (3, 3, 128, 128)}
    return {name: rng.standard_normal(of).astype(bfloat16) for name, of in shapes.items()}


def golden(X, W):  # noqa: N803  (the names of the tensors)
    """The pooled sums."""
    x, w, sums = X.astype(np.float64), W.astype(np.float64), np.zeros((128, 64, 32))
    for i in range(3):
        for j in range(3):
            part = np.ascontiguousarray(x[:, i : i + 64, j : j + 32]).reshape(128, -1)
            sums += (w[i, j].T @ part).reshape(sums.shape)
    return {"Y": sums.reshape(128, 32, 2, 16, 2).max(axis=(2, 4))}
