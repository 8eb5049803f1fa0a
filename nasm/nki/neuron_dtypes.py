"""``neuron_dtypes``: what kernels and their tests use of AWS's dtypes for NumPy.

Those that pack several numbers into an element are records of one field, which is named like them.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import packing

Array = np.ndarray[Any, Any]

PACKED = ("float8_e4m3fn_x4", "float8_e5m2_x4", "float4_e2m1fn_x4")


def as_numpy(dtype: Any) -> np.dtype[Any]:
    """A dtype of NKI's, of NumPy's, or a packed one, as NumPy's."""
    known = dtypes.find(str(dtype)) if isinstance(dtype, str) else None
    if known is not None and known.name in PACKED:
        return np.dtype([(known.name, known.numpy)])
    made: np.dtype[Any] = np.dtype(dtype if known is None else known.numpy)
    return made


def is_float_type(dtype: Any) -> bool:
    """Whether it holds numbers with an exponent."""
    found = as_numpy(dtype)
    return found.names is not None or found.kind == "f" or found.type.__module__ == "ml_dtypes"


def static_cast(array: Any, dtype: Any) -> Array:
    """Elements rounded into another dtype; four in one where it is a packed one, and back."""
    wanted, have = as_numpy(dtype), np.asarray(array)
    if have.dtype.names is not None:
        (name,) = have.dtype.names
        kind = dtypes.find(name)
        assert kind is not None
        if have.dtype == wanted:
            return have
        wide = packing.unpack(np.ascontiguousarray(have[name]), kind)
        have = wide.reshape(*have.shape[:-1], -1)
    if wanted.names is not None:
        (name,) = wanted.names
        kind = dtypes.find(name)
        assert kind is not None
        fours = np.asarray(have, np.float32).reshape(*have.shape[:-1], -1, 4)
        return packing.pack(np.ascontiguousarray(fours), kind, saturate=True).view(wanted)
    return have.astype(wanted)


def _members() -> dict[str, Any]:
    packed = {name: np.dtype([(name, dtypes.find(name).numpy)]) for name in PACKED}  # type: ignore[union-attr]
    own = {n: getattr(ml_dtypes, n) for n in dtypes.names() if hasattr(ml_dtypes, n)}
    return {
        **own,
        **packed,
        "static_cast": static_cast,
        "is_float_type": is_float_type,
        "sizeinbytes": lambda dtype: as_numpy(dtype).itemsize,
        "finfo": lambda dtype: ml_dtypes.finfo(as_numpy(dtype)),  # type: ignore[no-untyped-call]
    }


MEMBERS = _members()
"""What the module has."""
