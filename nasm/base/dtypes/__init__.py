"""Storage types: their names, how NumPy holds them, and every cast with its rounding.

Engines compute in float32: an element is widened when it is read (:func:`to_float32`) and
rounded once when it is written (:func:`from_float32`, or a :class:`Casting` for a machine that
rounds otherwise). Data that a user gives or checks is float64 and is rounded once as well
(:func:`convert_float64`, :func:`to_float64`).

Arrays are held in :attr:`DType.numpy`; any shape and any strides are accepted. Functions
that have nothing to do return the array they were given, so a caller that is going to
write into the result copies it first.
"""

from nasm.base.dtypes.casts import (
    Lost,
    convert,
    convert_float64,
    from_float32,
    round_tfloat32,
    to_float32,
    to_float64,
    widener,
)
from nasm.base.dtypes.files import check_npy, format_value, from_npy, npy_storable
from nasm.base.dtypes.packing import pack, packed, unpack, unpacked
from nasm.base.dtypes.rounding import Casting
from nasm.base.dtypes.table import (
    DTYPES,
    Array,
    DType,
    DTypeError,
    ElementKind,
    Float32,
    Float64,
    find,
    names,
)

__all__ = [
    "DTYPES",
    "Array",
    "Casting",
    "DType",
    "DTypeError",
    "ElementKind",
    "Float32",
    "Float64",
    "Lost",
    "check_npy",
    "convert",
    "convert_float64",
    "find",
    "format_value",
    "from_float32",
    "from_npy",
    "names",
    "npy_storable",
    "pack",
    "packed",
    "round_tfloat32",
    "to_float32",
    "to_float64",
    "unpack",
    "unpacked",
    "widener",
]
