"""Storage types: their names, how NumPy holds them, and every cast with its rounding.

Engines compute in float32: an element is widened when it is read (:func:`to_float32`) and
rounded once when it is written (:func:`from_float32`). Data that a user gives or checks is
float64 and is rounded once as well (:func:`convert_float64`, :func:`to_float64`).

Arrays are held in :attr:`DType.numpy`; any shape and any strides are accepted. Functions
that have nothing to do return the array they were given, so a caller that is going to
write into the result copies it first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]  # the element type is known only at run time
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

_FLOAT16 = np.dtype(np.float16)
_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)


class DTypeError(ValueError):
    """A conversion that does not exist, or data that is not of the dtype it should be."""


class Kind(Enum):
    """What an element of a dtype is."""

    INT = "an integer"
    FLOAT = "a floating-point number"
    PACKED = "four small floating-point numbers in one element"
    SCALE = "a power of two that scales a block of packed elements"


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One storage type. There is one object per type, so ``is`` compares them.

    ``numpy`` is what stores it, ``bits_dtype`` the unsigned integer of the same width,
    ``max_finite`` its largest finite value (of a packed type: of each of the four).
    """

    name: str
    itemsize: int
    numpy: np.dtype[Any]
    bits_dtype: np.dtype[Any]
    kind: Kind
    aliases: tuple[str, ...]
    summary: str
    max_finite: float
    source: str

    @property
    def is_int(self) -> bool:
        """Whether it is an integer type."""
        return self.kind is Kind.INT

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type that arithmetic can read and write."""
        return self.kind is Kind.FLOAT

    @property
    def in_npy(self) -> bool:
        """Whether the .npy format knows it; if not, files hold its bits."""
        return self.kind is not Kind.PACKED and self.numpy.isbuiltin == 1

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], DType | None], tuple[str]]:
        # Copies and pickles must give the same object back, since `is` compares dtypes.
        return find, (self.name,)


def _row(
    name: str,
    aliases: str,
    kind: Kind,
    numpy: npt.DTypeLike,
    max_finite: float,
    summary: str,
    source: str = "nki.language supported data types",
) -> DType:
    held = np.dtype(numpy)
    bits = np.dtype(f"u{held.itemsize}")
    spellings = tuple(aliases.split())
    return DType(name, held.itemsize, held, bits, kind, spellings, summary, max_finite, source)


_MX = "MX matrix multiplication, data tensor layout"

# Widths and names are documented; the largest values follow from the layouts, and the
# documented ones (240, 448 and 57344) agree.
_ROWS = (
    # bool_ is stored as uint8, and no rule tells the two apart.
    _row("uint8", "u8 bool_", Kind.INT, np.uint8, 2**8 - 1, "8-bit unsigned integer"),
    _row("int8", "i8", Kind.INT, np.int8, 2**7 - 1, "8-bit signed integer"),
    _row("uint16", "u16", Kind.INT, np.uint16, 2**16 - 1, "16-bit unsigned integer"),
    _row("int16", "i16", Kind.INT, np.int16, 2**15 - 1, "16-bit signed integer"),
    _row("uint32", "u32", Kind.INT, np.uint32, 2**32 - 1, "32-bit unsigned integer"),
    _row("int32", "i32", Kind.INT, np.int32, 2**31 - 1, "32-bit signed integer"),
    _row("float8_e3m4", "e3m4", Kind.FLOAT, ml_dtypes.float8_e3m4, 15.5,
         "8-bit float, 3 exponent and 4 mantissa bits, with infinities",
         "data types page, configurable FP8"),
    _row("float8_e4m3", "e4m3", Kind.FLOAT, ml_dtypes.float8_e4m3, 240.0,
         "8-bit float, 4 exponent and 3 mantissa bits, with infinities"),
    _row("float8_e5m2", "e5m2", Kind.FLOAT, ml_dtypes.float8_e5m2, 57344.0,
         "8-bit float, 5 exponent and 2 mantissa bits, with infinities"),
    _row("float8_e4m3fn", "e4m3fn", Kind.FLOAT, ml_dtypes.float8_e4m3fn, 448.0,
         "8-bit float, 4 exponent and 3 mantissa bits, no infinities (OCP)"),
    _row("float8_e8m0fnu", "e8m0", Kind.SCALE, ml_dtypes.float8_e8m0fnu, 2.0**127,
         "8-bit power of two, the scale of an MX block"),
    _row("float16", "f16 fp16", Kind.FLOAT, np.float16, 65504.0,
         "16-bit float, 5 exponent and 10 mantissa bits (IEEE 754)"),
    _row("bfloat16", "bf16", Kind.FLOAT, ml_dtypes.bfloat16, (2 - 2.0**-7) * 2.0**127,
         "16-bit float, 8 exponent and 7 mantissa bits"),
    _row("tfloat32", "tf32", Kind.FLOAT, np.float32, (2 - 2.0**-10) * 2.0**127,
         "float32 in memory, read by matrix multiplication with 10 mantissa bits"),
    _row("float32", "f32 fp32", Kind.FLOAT, np.float32, (2 - 2.0**-23) * 2.0**127,
         "32-bit float, 8 exponent and 23 mantissa bits (IEEE 754)"),
    _row("float8_e5m2_x4", "", Kind.PACKED, np.uint32, 57344.0,
         "four float8_e5m2, the first in the lowest byte", _MX),
    _row("float8_e4m3fn_x4", "", Kind.PACKED, np.uint32, 448.0,
         "four float8_e4m3fn, the first in the lowest byte", _MX),
    _row("float4_e2m1fn_x4", "", Kind.PACKED, np.uint16, 6.0,
         "four 4-bit floats (2 exponent bits, 1 mantissa bit), the first in the lowest bits", _MX),
)  # fmt: skip

DTYPES: dict[str, DType] = {dtype.name: dtype for dtype in _ROWS}
_SPELLINGS = {word: dtype for dtype in _ROWS for word in (dtype.name, *dtype.aliases)}


def find(name: str) -> DType | None:
    """The dtype of that name or alias, or None."""
    return _SPELLINGS.get(name)


def names() -> tuple[str, ...]:
    """Every spelling that `find` knows, names and aliases."""
    return tuple(_SPELLINGS)


def to_float32(array: Array, dtype: DType) -> Float32:
    """Widen elements to float32, as an engine does when it reads them.

    Exact, but for 32-bit integers beyond 2**24, which round to nearest even (assumed). A
    float32 or tfloat32 array is returned as it is. Packed dtypes raise :class:`DTypeError`.
    """
    _held_as(array, dtype.numpy)
    if dtype.kind is Kind.PACKED:
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
    to_float32(array[:0], dtype)
    if dtype.itemsize > 1 and dtype.numpy not in (_FLOAT32, _FLOAT16) and _near(array) is array:
        return partial(array.astype, np.float32)
    return partial(to_float32, array, dtype)


def from_float32(values: Float32, dtype: DType) -> Array:
    """Round float32 results into a dtype, as an engine does when it writes them.

    Floats round to nearest even and overflow to infinity (documented), float8_e4m3fn to NaN
    (assumed: it has no infinity). Integers round to nearest even and saturate (documented),
    NaN gives 0 (assumed). float32 and tfloat32 keep the bits (tfloat32 assumed), and the array
    is returned as it is. Packed and scale dtypes raise :class:`DTypeError`: only quantizing
    produces them.
    """
    _held_as(values, _FLOAT32)
    if dtype.numpy == _FLOAT32:
        return values
    if dtype.kind is Kind.INT:
        return _to_integer(values, dtype)
    if dtype.kind is not Kind.FLOAT:
        raise DTypeError(f"nothing converts to {dtype}: only quantizing produces it")
    if dtype.itemsize == 1:
        bits = values.view(np.uint32)
        keys = (bits >> np.uint32(16)).astype(np.uint16)
        keys |= (bits & np.uint32(0xFFFF)) != 0
        return np.asarray(_narrowed(dtype).take(keys, mode="wrap")).view(dtype.numpy)
    with np.errstate(all="ignore"):
        return _near(values).astype(dtype.numpy)


def round_tfloat32(values: Float32) -> Float32:
    """Round float32 to tfloat32's 10 mantissa bits, to nearest even.

    This is how matrix multiplication reads tfloat32 (assumed). Values that round past the
    largest become infinite; infinities and NaN stay.
    """
    _held_as(values, _FLOAT32)
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


def convert_float64(values: Float64, dtype: DType) -> Array:
    """Round float64 data into a dtype, once, by the rules of `from_float32`.

    Also gives a scale dtype its powers of two and NaN, and a packed dtype zeros; any other value
    for either raises :class:`DTypeError`.
    """
    _held_as(values, _FLOAT64)
    if dtype.is_int:
        return _to_integer(values, dtype)
    with np.errstate(all="ignore"):
        if dtype.numpy == _FLOAT32:
            return values.astype(np.float32)
        if dtype.kind is Kind.SCALE:
            return _exact_scale(values, dtype)
        if dtype.kind is Kind.PACKED and not values.any():
            return np.zeros(values.shape, dtype.numpy)
        return from_float32(_to_odd(values), dtype)


def npy_storable(array: Array, dtype: DType) -> Array:
    """The array as a .npy file holds it: itself, or its bits where .npy lacks the dtype."""
    _held_as(array, dtype.numpy)
    return array if dtype.in_npy else array.view(dtype.bits_dtype)


def from_npy(array: Array, dtype: DType) -> Array:
    """Take an array, read from a .npy file or given from Python, as one of this dtype.

    The values are never converted. A dtype that .npy lacks is also taken from its bits, held
    as unsigned integers or void of its width. Anything else raises :class:`DTypeError`.
    """
    found = array.dtype
    native = found.newbyteorder("=")
    if native == dtype.numpy:
        return array if found == dtype.numpy else array.astype(native)
    wanted = str(dtype)
    if not dtype.in_npy:
        if native == dtype.bits_dtype:
            return array.astype(native, copy=False).view(dtype.numpy)
        if found.type is np.void and found.names is None and found.itemsize == dtype.itemsize:
            return array.view(dtype.numpy)
        wanted += f", or its bits as {dtype.bits_dtype}"
    raise DTypeError(f"the array holds {found}, wanted {wanted}")


def format_value(value: Any, dtype: DType) -> str:
    """One element as text: '255', '1.5', '-inf', 'nan', '0x3c003c00' for a packed one.

    Floats have the fewest digits, but at least four, that no other value of the dtype has;
    whole numbers below ten million are written out.
    """
    if dtype.is_int:
        return str(int(value))
    if dtype.kind is Kind.PACKED:
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


def _held_as(array: Array, wanted: np.dtype[Any]) -> None:
    # Bits are reinterpreted below: an array of another type would give garbage silently.
    if array.dtype != wanted:
        raise TypeError(f"the array is {array.dtype}, wanted {wanted}")


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
def _narrowed(dtype: DType) -> npt.NDArray[np.uint8]:
    """The 8-bit pattern for the upper half of a float32, its lowest bit made sticky.

    The upper half keeps 7 mantissa bits, and the lowest says whether anything was cut off
    (rounding to odd). An 8-bit float keeps at most 4 and so needs 6 to round correctly.
    """
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    with np.errstate(all="ignore"):
        return upper.view(np.float32).astype(dtype.numpy).view(np.uint8)


def _to_integer(values: Array, dtype: DType) -> Array:
    limits = np.iinfo(dtype.numpy)
    with np.errstate(all="ignore"):
        if dtype.itemsize == 4:  # float32 cannot hold the limits
            values = values.astype(np.float64, copy=False)
        whole = np.asarray(np.rint(values))
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
