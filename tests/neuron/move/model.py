"""TensorCopy and Memset, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import scalar
from tests.neuron.elementwise.model import widened


def tensor_copy(src: Any, source: str, dtype: str) -> Any:
    """nki.isa.tensor_copy: bits between equal dtypes, else out(f(src))."""
    if source == dtype:
        return src.copy()
    return scalar.each(src.shape, lambda p, n: scalar.out(widened(src[p, n]), dtype), dtype)


def memset(shape: tuple[int, ...], value: float, dtype: str) -> Any:
    """nki.isa.memset: the value converted once."""
    with np.errstate(all="ignore"):
        return np.full(shape, scalar.NUMPY[dtype](value))
