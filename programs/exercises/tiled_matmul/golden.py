"""A product of matrices."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng, M, K, N):  # noqa: N803  (as in the text)
    """Normal numbers, which bfloat16 holds."""
    shapes = {"a": (K, M), "b": (K, N)}
    return {name: rng.standard_normal(of).astype(bfloat16) for name, of in shapes.items()}


def golden(a, b):
    """The product, in float64."""
    return {"c": a.astype(np.float64).T @ b.astype(np.float64)}
