"""Root plus square."""

import numpy as np


def inputs(rng):
    """Numbers that have a root."""
    return {"X": rng.uniform(0.5, 4, (128, 1024)).astype(np.float32)}


def golden(X):  # noqa: N803  (the name of the tensor)
    """The result, in float64."""
    x = X.astype(np.float64)
    return {"Y": np.sqrt(x) + x * x}
