"""A transpose."""

import numpy as np
from ml_dtypes import bfloat16


def inputs(rng):
    """Normal numbers, which bfloat16 holds."""
    return {"X": rng.standard_normal((512, 512)).astype(bfloat16)}


def golden(X):  # noqa: N803  (the name of the tensor)
    """The same numbers, turned."""
    return {"Y": np.ascontiguousarray(X.T)}
