"""Two layers, in float64, with a hidden layer that bfloat16 holds."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng, images):
    """Normal numbers."""
    made = {"x": (128, images), "w1": (128, 256), "w2": (256, 10)}
    arrays = {name: rng.standard_normal(of).astype(bfloat16) for name, of in made.items()}
    return arrays | {"b1": (8 * rng.standard_normal((256, 1))).astype(np.float32)}


def golden(x, w1, b1, w2):
    """The result."""
    hidden = np.maximum(w1.astype(np.float64).T @ x.astype(np.float64) + b1, 0)
    return {"y": w2.astype(np.float64).T @ hidden.astype(bfloat16).astype(np.float64)}
