"""The sum, in float32."""

import numpy as np


def inputs(rng):
    """Two tensors of normal numbers."""
    return {name: rng.standard_normal((128, 256)).astype(np.float32) for name in ("X", "Y")}


def golden(X, Y):  # noqa: N803  (the names of the tensors)
    """Their sum."""
    return {"Z": X + Y}
