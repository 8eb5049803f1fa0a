"""Integers as the operators see them: raw bits of any width, and exact 32-bit arithmetic.

The vendor documents operands of equal integer dtypes and little beyond that. Where it is silent
a result is either assumed, and said to be, or refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused

# Any integer dtype: the bits matter here, not the type.
Array = NDArray[Any]
Kernel = Callable[[Any, Any], Array]


def _pattern(value: int, dtype: np.dtype[Any]) -> Array:
    """An integer as an array of no axes that holds its bits."""
    width = dtype.itemsize * 8
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise Refused(
            "E0701",
            f"{value} does not fit the {width} bits of {dtype.name}, and what becomes of the"
            " rest is not documented",
        )
    return np.array(value & ((1 << width) - 1), f"u{dtype.itemsize}").view(dtype)


def _common_dtype(x: Any, y: Any) -> tuple[Array, Array]:
    """Both operands in one dtype, bits kept: the wider one, or x's.

    Widths are extended as the narrower one's sign says and scalars take the array's dtype
    (assumed: the vendor documents equal integer dtypes only).
    """
    if isinstance(x, (int, np.integer)):
        return _pattern(int(x), y.dtype), y
    if isinstance(y, (int, np.integer)):
        return x, _pattern(int(y), x.dtype)
    if x.dtype == y.dtype:
        return x, y
    dtype = x.dtype if x.dtype.itemsize >= y.dtype.itemsize else y.dtype
    return x.astype(dtype, copy=False), y.astype(dtype, copy=False)


def bitwise(ufunc: np.ufunc) -> Kernel:
    """An operator on the bits of both operands."""

    def kernel(x: Any, y: Any) -> Array:
        result: Array = ufunc(*_common_dtype(x, y))
        return result

    return kernel


def shift(ufunc: np.ufunc, signed: bool = False) -> Kernel:
    """A shift of x's pattern by y read as unsigned.

    NumPy defines what C does not: amounts of the width and above shift everything out, leaving
    zeros, or copies of the sign where it fills (assumed: the vendor does not say).
    """
    sign = "i" if signed else "u"

    def kernel(x: Any, y: Any) -> Array:
        if isinstance(x, (int, np.integer)):
            x = _pattern(int(x), y.dtype)
        size = x.dtype.itemsize
        form = f"{sign}{size}"
        if isinstance(y, (int, np.integer)):
            amounts: Any = int(y) if 0 <= y < size * 8 else size * 8
        elif y.dtype.itemsize == size:
            amounts = y.view(form)
        else:
            amounts = np.minimum(y.astype(np.uint64), np.uint64(size * 8)).astype(form)
        return np.asarray(ufunc(x.view(form), amounts)).view(x.dtype)

    return kernel


def exact(ufunc: np.ufunc, truth: bool = False, ordered: bool = False) -> Kernel:
    """The exact form of an arithmetic operator: modulo 2**32, truth as 1 and 0."""

    def kernel(x: Any, y: Any) -> Array:
        arrays = isinstance(x, np.ndarray) and isinstance(y, np.ndarray)
        if ordered and arrays and x.dtype != y.dtype:
            raise Refused(
                "E0701",
                f"the order of {x.dtype.name} and {y.dtype.name} is not documented",
                "give both operands the same dtype",
            )
        x, y = _common_dtype(x, y)
        result: Array = ufunc(x, y)
        return result.astype(x.dtype) if truth else result

    return kernel


def wrap32(value: int) -> int:
    """The int32 whose bits are the low 32 of a Python int."""
    return ((value + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000
