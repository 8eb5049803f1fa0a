"""A product of matrices."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng):
    """Normal numbers, which bfloat16 holds."""
    shapes = {"A": (128, 128), "B": (128, 512)}
    return {name: rng.standard_normal(of).astype(bfloat16) for name, of in shapes.items()}


def golden(A, B):  # noqa: N803  (the names of the tensors)
    """The product, in float64."""
    return {"C": A.astype(np.float64).T @ B.astype(np.float64)}
