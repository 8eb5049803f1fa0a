"""Functions on arrays that NumPy lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact import rounded

Floats = NDArray[np.float32]

# Operators on float32.


def truth(ufunc: np.ufunc) -> Callable[[Any, Any], Floats]:
    """A test as an operator: 1.0 where it holds, 0.0 where it does not."""

    def kernel(x: Any, y: Any) -> Floats:
        result: Floats = ufunc(x, y).astype(np.float32)
        return result

    return kernel


_ZERO: Final = np.zeros((), np.float32)


def relu(x: Floats) -> Floats:
    """The larger of x and +0, of whose sign a zero is."""
    result: Floats = np.maximum(x, _ZERO)
    result += _ZERO
    return result


def reciprocal_root(x: Floats) -> Floats:
    """1 / sqrt(x), rounded once: a root rounded to float32 first would cost an ulp."""
    result: Floats = np.divide(1.0, np.sqrt(x, dtype=np.float64)).astype(np.float32)
    return result


_power = rounded(lambda f, x, y: f.power(x, y))


def power(x: Any, y: Any) -> Floats:
    """The power x ** y, correctly rounded: NumPy's differs between processors."""
    if np.ndim(y) == 0 and y == 2:  # exact in float64, and often a tie
        return np.square(np.asarray(x, np.float64)).astype(np.float32)
    x, y = np.broadcast_arrays(np.asarray(x, np.float32), np.asarray(y, np.float32))
    return _power(x, y)


def larger(x: Any, y: Any) -> Floats:
    """Pick x where its magnitude is larger than y's, else y."""
    result: Floats = np.where(np.abs(x) > np.abs(y), x, y)
    return result


def smaller(x: Any, y: Any) -> Floats:
    """Pick x where its magnitude is smaller than y's, else y."""
    result: Floats = np.where(np.abs(x) < np.abs(y), x, y)
    return result
