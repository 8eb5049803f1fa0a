"""Three times X, plus one."""

import numpy as np


def inputs(rng, ROWS):  # noqa: N803  (the name of the constant)
    """Small integers, so that the result is exact."""
    return {"X": rng.integers(-99, 99, (ROWS, 64)).astype(np.float32)}


def golden(X):  # noqa: N803
    """The result."""
    return {"Y": 3 * X + 1}
