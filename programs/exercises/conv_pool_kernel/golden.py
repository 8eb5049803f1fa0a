"""Convolution and pooling, in float64."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng):
    """An image and filters of normal numbers, which bfloat16 holds."""
    shapes = {"x": (128, 66, 34), "w": (128, 9, 128)}
    return {name: rng.standard_normal(of).astype(bfloat16) for name, of in shapes.items()}


def golden(x, w):
    """The pooled sums."""
    image, filters, sums = x.astype(np.float64), w.astype(np.float64), np.zeros((128, 64, 32))
    for place in range(9):
        i, j = divmod(place, 3)
        part = np.ascontiguousarray(image[:, i : i + 64, j : j + 32]).reshape(128, -1)
        sums += (filters[:, place].T @ part).reshape(sums.shape)
    return {"y": sums.reshape(128, 32, 2, 16, 2).max(axis=(2, 4))}
