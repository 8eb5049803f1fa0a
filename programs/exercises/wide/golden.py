"""A sum, in float32."""

import numpy as np


def inputs(rng):
    """Normal numbers."""
    return {name: rng.standard_normal((128, 16000)).astype(np.float32) for name in ("X", "Y")}


def golden(X, Y):  # noqa: N803  (the names of the tensors)
    """The sum."""
    return {"Z": X + Y}
