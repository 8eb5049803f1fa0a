"""Casts: widening what is read, rounding what is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from nasm.base.dtypes.table import (
    Array,
    DType,
    DTypeError,
    ElementKind,
    Float32,
    Float64,
    require_dtype,
)

_FLOAT16 = np.dtype(np.float16)
_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)


def to_float32(array: Array, dtype: DType) -> Float32:
    """Widen elements to float32, as an engine does when it reads them.

    Exact, but for 32-bit integers beyond 2**24, which round to nearest even (assumed). A
    float32 or tfloat32 array is returned as it is. Packed dtypes raise :class:`DTypeError`.
    """
    require_dtype(array, dtype.numpy)
    if dtype.kind is ElementKind.PACKED:
        raise _packed(dtype)
    if dtype.numpy == _FLOAT32:
        return array
    if dtype.itemsize == 1 and not dtype.is_int:
        # Several times faster than ml_dtypes' cast, which goes element by element.
        return np.asarray(_widened(dtype).take(array.view(np.uint8), mode="wrap"))
    if dtype.numpy != _FLOAT16:
        return _near(array).astype(np.float32)
    with np.errstate(all="ignore"):  # where hardware widens float16, a signalling NaN warns
        return _near(array).astype(np.float32)


def widener(array: Array, dtype: DType) -> Callable[[], Float32]:
    """A function that widens this array, as it then is, whenever it is called.

    What there is to decide is decided here, for tiles that are read over and over.
    """
    if dtype.itemsize > 1 and dtype.numpy not in (_FLOAT32, _FLOAT16) and _near(array) is array:
        return partial(array.astype, np.float32)
    return partial(to_float32, array, dtype)


Lost = Callable[[npt.NDArray[np.bool_], DType], None]
"""Called with the elements that did not fit into a dtype, by a cast that finds some."""


def from_float32(
    values: Float32, dtype: DType, saturate: bool = False, lost: Lost | None = None
) -> Array:
    """Round float32 results into a dtype, as an engine does when it writes them.

    Floats round to nearest even and overflow to infinity (documented), float8_e4m3fn to NaN
    (assumed: it has no infinity); ``saturate`` makes that of an 8-bit float its largest finite
    value. Integers round to nearest even and saturate (documented),
    NaN gives 0 (assumed). float32 and tfloat32 keep the bits (tfloat32 assumed), and the array
    is returned as it is. Packed and scale dtypes raise :class:`DTypeError`: only quantizing
    produces them. ``lost`` is called with what overflows or saturates.
    """
    require_dtype(values, _FLOAT32)
    if dtype.numpy == _FLOAT32:
        return values
    if dtype.kind is ElementKind.INT:
        return _to_integer(values, dtype, lost)
    if dtype.kind is not ElementKind.FLOAT:
        raise DTypeError(f"nothing converts to {dtype}: only quantizing produces it")
    if lost is not None and not float(np.vdot(values, values)) <= _safe(dtype):
        _overflowing(values, dtype, lost)
    if dtype.itemsize == 1:
        bits = values.view(np.uint32)
        keys = (bits >> np.uint32(16)).astype(np.uint16)
        keys |= (bits & np.uint32(0xFFFF)) != 0
        return np.asarray(_narrowed(dtype, saturate).take(keys, mode="wrap")).view(dtype.numpy)
    with np.errstate(all="ignore"):
        return _near(values).astype(dtype.numpy)


def round_tfloat32(values: Float32) -> Float32:
    """Round float32 to tfloat32's 10 mantissa bits, to nearest even.

    This is how matrix multiplication reads tfloat32 (assumed). Values that round past the
    largest become infinite; infinities and NaN stay.
    """
    require_dtype(values, _FLOAT32)
    bits = values.view(np.uint32)
    odd = (bits >> np.uint32(13)) & np.uint32(1)
    rounded = (bits + (odd + np.uint32(0x0FFF))) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(values), values, rounded.view(np.float32))


def convert(array: Array, src: DType, dst: DType) -> Array:
    """Convert elements from one dtype to another, through float32.

    Between equal dtypes it copies bits: the array is returned as it is. So int32 to int32
    keeps every bit, but int32 to uint32 keeps 24. Packed dtypes convert to nothing else, and
    nothing converts to them or to a scale: :class:`DTypeError`.
    """
    if src is dst:
        return array
    return from_float32(to_float32(array, src), dst)


def to_float64(array: Array, dtype: DType) -> Float64:
    """Widen elements to float64: exact for every dtype. Packed ones raise `DTypeError`."""
    exact = array if dtype.is_int else to_float32(array, dtype)
    with np.errstate(all="ignore"):
        return exact.astype(np.float64)


def convert_float64(values: Float64, dtype: DType, saturate: bool = False) -> Array:
    """Round float64 data into a dtype, once, by the rules of `from_float32`.

    Also gives a scale dtype its powers of two and NaN, and a packed dtype zeros; any other value
    for either raises :class:`DTypeError`.
    """
    require_dtype(values, _FLOAT64)
    if dtype.is_int:
        return _to_integer(values, dtype)
    with np.errstate(all="ignore"):
        if dtype.numpy == _FLOAT32:
            return values.astype(np.float32)
        if dtype.kind is ElementKind.SCALE:
            return _exact_scale(values, dtype)
        if dtype.kind is ElementKind.PACKED and not values.any():
            return np.zeros(values.shape, dtype.numpy)
        return from_float32(_to_odd(values), dtype, saturate)


def _packed(dtype: DType) -> DTypeError:
    return DTypeError(f"an element of {dtype} is four values and converts to no single one")


def _near(array: Array) -> Array:
    """The array, or a dense copy if no axis of it has adjacent elements.

    Casts of 16-bit floats are vectorised along such an axis and many times slower without
    one, so that the copy pays.
    """
    size = array.itemsize
    return array if size in array.strides else array.view(f"u{size}").copy().view(array.dtype)


@cache
def _widened(dtype: DType) -> Float32:
    """The float32 value of each of the 256 patterns of an 8-bit dtype."""
    with np.errstate(all="ignore"):
        return np.arange(256, dtype=np.uint8).view(dtype.numpy).astype(np.float32)


@cache
def _narrowed(dtype: DType, saturate: bool) -> npt.NDArray[np.uint8]:
    """The 8-bit pattern for the upper half of a float32, its lowest bit made sticky.

    The upper half keeps 7 mantissa bits, and the lowest says whether anything was cut off
    (rounding to odd). An 8-bit float keeps at most 4 and so needs 6 to round correctly.
    """
    upper = (np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)).view(np.float32)
    if saturate:  # NaN stays NaN; between the largest value and its bound nothing rounds down
        upper = np.clip(upper, -dtype.max_finite, dtype.max_finite)
    with np.errstate(all="ignore"):
        return upper.astype(dtype.numpy).view(np.uint8)


@cache
def _safe(dtype: DType) -> float:
    """The sum of squares up to which no element overflows, whatever was rounded on the way."""
    return 0.99 * dtype.max_finite**2


def _overflowing(values: Float32, dtype: DType, lost: Lost) -> None:
    """Tell of the finite elements that are beyond all that a floating-point dtype holds."""
    if values.max() <= dtype.max_finite and values.min() >= -dtype.max_finite:
        return
    beyond = ~np.isfinite(to_float32(from_float32(values, dtype), dtype)) & np.isfinite(values)
    if beyond.any():
        lost(beyond, dtype)


def _to_integer(values: Array, dtype: DType, lost: Lost | None = None) -> Array:
    limits = np.iinfo(dtype.numpy)
    with np.errstate(all="ignore"):
        if dtype.itemsize == 4:  # float32 cannot hold the limits
            values = values.astype(np.float64, copy=False)
        whole = np.asarray(np.rint(values))
        if whole.size and whole.min() >= limits.min and whole.max() <= limits.max:
            return whole.astype(dtype.numpy)  # of NaN neither holds
        if lost is not None:
            lost(~((whole >= limits.min) & (whole <= limits.max)), dtype)
        np.clip(whole, limits.min, limits.max, out=whole)
        np.copyto(whole, 0, where=np.isnan(whole))
        return whole.astype(dtype.numpy)


def _to_odd(values: Float64) -> Float32:
    """Cut float64 to float32; where that loses anything the last bit is made 1.

    Rounding the result to fewer bits then gives what rounding the float64 would have given;
    rounding to nearest twice would not (1 + 2**-8 + 2**-40 as bfloat16).
    """
    nearest = np.asarray(values.astype(np.float32))
    back = nearest.astype(np.float64)
    bits = nearest.view(np.uint32)
    bits -= np.abs(back) > np.abs(values)
    bits |= back != values
    return nearest


def _exact_scale(values: Float64, dtype: DType) -> Array:
    held = values.astype(dtype.numpy)
    wrong = (held.astype(np.float64) != values) & ~np.isnan(values)
    if np.any(wrong):
        found = values[wrong].flat[0]
        raise DTypeError(f"{dtype} holds powers of two from 2**-127 to 2**127, found {found:g}")
    return held
