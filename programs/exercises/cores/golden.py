"""Half of X."""

import numpy as np


def inputs(rng):
    """Small integers, so that the result is exact."""
    return {"X": rng.integers(-99, 99, (256, 4096)).astype(np.float32)}


def golden(X):  # noqa: N803  (the name of the tensor)
    """The result."""
    return {"Y": X / 2}
