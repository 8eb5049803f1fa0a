"""The storage types: their names, and how NumPy holds them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from nasm.base.records import dataclass

Array = npt.NDArray[Any]  # the element type is known only at run time
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]


class DTypeError(ValueError):
    """A conversion that does not exist, or data that is not of the dtype it should be."""


class ElementKind(Enum):
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
    kind: ElementKind
    aliases: tuple[str, ...]
    summary: str
    max_finite: float
    source: str

    @property
    def is_int(self) -> bool:
        """Whether it is an integer type."""
        return self.kind is ElementKind.INT

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type that arithmetic can read and write."""
        return self.kind is ElementKind.FLOAT

    @property
    def in_npy(self) -> bool:
        """Whether the .npy format knows it; if not, files hold its bits."""
        return self.kind is not ElementKind.PACKED and self.numpy.isbuiltin == 1

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], DType | None], tuple[str]]:
        # Copies and pickles must give the same object back, since `is` compares dtypes.
        return find, (self.name,)


def _row(
    name: str,
    aliases: str,
    kind: ElementKind,
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
    _row("uint8", "u8 bool_", ElementKind.INT, np.uint8, 2**8 - 1, "8-bit unsigned integer"),
    _row("int8", "i8", ElementKind.INT, np.int8, 2**7 - 1, "8-bit signed integer"),
    _row("uint16", "u16", ElementKind.INT, np.uint16, 2**16 - 1, "16-bit unsigned integer"),
    _row("int16", "i16", ElementKind.INT, np.int16, 2**15 - 1, "16-bit signed integer"),
    _row("uint32", "u32", ElementKind.INT, np.uint32, 2**32 - 1, "32-bit unsigned integer"),
    _row("int32", "i32", ElementKind.INT, np.int32, 2**31 - 1, "32-bit signed integer"),
    _row(
        "float8_e3m4",
        "e3m4",
        ElementKind.FLOAT,
        ml_dtypes.float8_e3m4,
        15.5,
        "8-bit float, 3 exponent and 4 mantissa bits, with infinities",
        "data types page, configurable FP8",
    ),
    _row(
        "float8_e4m3",
        "e4m3",
        ElementKind.FLOAT,
        ml_dtypes.float8_e4m3,
        240.0,
        "8-bit float, 4 exponent and 3 mantissa bits, with infinities",
    ),
    _row(
        "float8_e5m2",
        "e5m2",
        ElementKind.FLOAT,
        ml_dtypes.float8_e5m2,
        57344.0,
        "8-bit float, 5 exponent and 2 mantissa bits, with infinities",
    ),
    _row(
        "float8_e4m3fn",
        "e4m3fn",
        ElementKind.FLOAT,
        ml_dtypes.float8_e4m3fn,
        448.0,
        "8-bit float, 4 exponent and 3 mantissa bits, no infinities (OCP)",
    ),
    _row(
        "float8_e8m0fnu",
        "e8m0",
        ElementKind.SCALE,
        ml_dtypes.float8_e8m0fnu,
        2.0**127,
        "8-bit power of two, the scale of an MX block",
    ),
    _row(
        "float16",
        "f16 fp16",
        ElementKind.FLOAT,
        np.float16,
        65504.0,
        "16-bit float, 5 exponent and 10 mantissa bits (IEEE 754)",
    ),
    _row(
        "bfloat16",
        "bf16",
        ElementKind.FLOAT,
        ml_dtypes.bfloat16,
        (2 - 2.0**-7) * 2.0**127,
        "16-bit float, 8 exponent and 7 mantissa bits",
    ),
    _row(
        "tfloat32",
        "tf32",
        ElementKind.FLOAT,
        np.float32,
        (2 - 2.0**-10) * 2.0**127,
        "float32 in memory, read by matrix multiplication with 10 mantissa bits",
    ),
    _row(
        "float32",
        "f32 fp32",
        ElementKind.FLOAT,
        np.float32,
        (2 - 2.0**-23) * 2.0**127,
        "32-bit float, 8 exponent and 23 mantissa bits (IEEE 754)",
    ),
    _row(
        "float8_e5m2_x4",
        "",
        ElementKind.PACKED,
        np.uint32,
        57344.0,
        "four float8_e5m2, the first in the lowest byte",
        _MX,
    ),
    _row(
        "float8_e4m3fn_x4",
        "",
        ElementKind.PACKED,
        np.uint32,
        448.0,
        "four float8_e4m3fn, the first in the lowest byte",
        _MX,
    ),
    _row(
        "float4_e2m1fn_x4",
        "",
        ElementKind.PACKED,
        np.uint16,
        6.0,
        "four 4-bit floats (2 exponent bits, 1 mantissa bit), the first in the lowest bits",
        _MX,
    ),
)

DTYPES: dict[str, DType] = {dtype.name: dtype for dtype in _ROWS}
_SPELLINGS = {word: dtype for dtype in _ROWS for word in (dtype.name, *dtype.aliases)}


def find(name: str) -> DType | None:
    """The dtype of that name or alias, or None."""
    return _SPELLINGS.get(name)


def names() -> tuple[str, ...]:
    """Every spelling that `find` knows, names and aliases."""
    return tuple(_SPELLINGS)


def require_dtype(array: Array, wanted: np.dtype[Any]) -> None:
    """Refuse an array of another type: bits are reinterpreted, which would give garbage."""
    if array.dtype != wanted:
        raise TypeError(f"the array is {array.dtype}, wanted {wanted}")
