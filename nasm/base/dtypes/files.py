"""Elements outside the machine: in .npy files, and as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.dtypes.table import Array, DType, DTypeError, ElementKind, require_dtype


def npy_storable(array: Array, dtype: DType) -> Array:
    """The array as a .npy file holds it: itself, or its bits where .npy lacks the dtype."""
    require_dtype(array, dtype.numpy)
    return array if dtype.in_npy else array.view(dtype.bits_dtype)


def check_npy(found: np.dtype[Any], dtype: DType) -> None:
    """Refuse elements of which :func:`from_npy` makes none of this dtype; raises DTypeError.

    The values are never converted. A dtype that .npy lacks is also taken from its bits, held
    as unsigned integers or void of its width.
    """
    native = found.newbyteorder("=")
    wanted = str(dtype)
    if not dtype.in_npy:
        if native == dtype.bits_dtype or _bits(found, dtype):
            return
        wanted += f", or its bits as {dtype.bits_dtype}"
    if native != dtype.numpy:
        raise DTypeError(f"the array holds {found}, wanted {wanted}")


def from_npy(array: Array, dtype: DType) -> Array:
    """Take an array, read from a .npy file or given from Python, as one of this dtype."""
    check_npy(array.dtype, dtype)
    if array.dtype == dtype.numpy:
        return array
    if _bits(array.dtype, dtype):
        return array.view(dtype.numpy)
    return array.astype(array.dtype.newbyteorder("="), copy=False).view(dtype.numpy)


def _bits(found: np.dtype[Any], dtype: DType) -> bool:
    """Whether elements are plain bytes, as many as the dtype has."""
    return found.type is np.void and found.names is None and found.itemsize == dtype.itemsize


def format_value(value: Any, dtype: DType) -> str:
    """One element as text: '255', '1.5', '-inf', 'nan', '0x3c003c00' for a packed one.

    Floats have the fewest digits, but at least four, that no other value of the dtype has;
    whole numbers below ten million are written out.
    """
    if dtype.is_int:
        return str(int(value))
    if dtype.kind is ElementKind.PACKED:
        return f"0x{int(value):0{2 * dtype.itemsize}x}"
    number = float(value)
    if not np.isfinite(number) or (number.is_integer() and abs(number) < 1e7):
        return repr(number)
    with np.errstate(all="ignore"):
        for digits in range(4, 9):
            shown = float(f"{number:.{digits}g}")
            if float(dtype.numpy.type(shown)) == number:
                return repr(shown)
    return repr(float(f"{number:.9g}"))
