"""Packed dtypes: four small floats in one element, the first in the lowest bits."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import numpy.typing as npt

from nasm.base.dtypes.casts import from_float32, to_float32
from nasm.base.dtypes.table import (
    DTYPES,
    Array,
    DType,
    DTypeError,
    ElementKind,
    Float32,
    require_dtype,
)

Codes = npt.NDArray[np.uint8]


def unpacked(array: Array, dtype: DType) -> Codes:
    """The bits of each of the four values, along a new last axis."""
    require_dtype(array, dtype.numpy)
    places = _places(dtype)
    mask = array.dtype.type((1 << _width(dtype)) - 1)
    codes: Codes = ((array[..., None] >> places) & mask).astype(np.uint8)
    return codes


def packed(codes: Codes, dtype: DType) -> Array:
    """Elements of the bits of four values each, which lie along the last axis."""
    require_dtype(codes, np.dtype(np.uint8))
    if codes.shape[-1:] != (4,):
        raise DTypeError(f"an element of {dtype} is 4 values, found {codes.shape[-1]}")
    wide = codes.astype(dtype.numpy) << _places(dtype)
    result: Array = np.bitwise_or.reduce(wide, axis=-1)
    return result


def unpack(array: Array, dtype: DType) -> Float32:
    """The four values of each element as float32, along a new last axis; exact."""
    codes = unpacked(array, dtype)
    part = _part(dtype)
    return _FOUR_BITS.take(codes) if part is None else to_float32(codes.view(part.numpy), part)


def pack(values: Float32, dtype: DType, saturate: bool = False) -> Array:
    """Round float32 values, four along the last axis, to nearest even and pack them.

    8-bit floats overflow as :func:`from_float32` does. A 4-bit float has neither infinities nor
    NaN: beyond 6 it saturates, and NaN becomes 0 (assumed).
    """
    require_dtype(values, np.dtype(np.float32))
    part = _part(dtype)
    if part is not None:
        return packed(from_float32(values, part, saturate).view(np.uint8), dtype)
    numbers = np.where(np.isnan(values), np.float32(0), values)
    return packed(numbers.astype(ml_dtypes.float4_e2m1fn).view(np.uint8), dtype)


def _part(dtype: DType) -> DType | None:
    """The dtype of each of the four values; None: it has four bits and is no storage type."""
    if dtype.kind is not ElementKind.PACKED:
        raise DTypeError(f"an element of {dtype} is one value, not four")
    return DTYPES.get(dtype.name.removesuffix("_x4"))


def _width(dtype: DType) -> int:
    return 4 if _part(dtype) is None else 8


@cache
def _places(dtype: DType) -> Array:
    """By how many bits each of the four values is shifted."""
    return np.arange(0, 4 * _width(dtype), _width(dtype)).astype(dtype.numpy)


_FOUR_BITS = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
