"""What the library's tests import that is not public, or drives other computers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import packing

MISSING_PACKAGES = (
    "allpairspy",
    "aws_embedded_metrics",
    "boto3",
    "botocore",
    "fabric2",
    "invoke",
    "paramiko",
    "plotext",
    "pytest_html",
    "neuronxcc.starfish",
)
"""Packages of which nothing is used here but that they can be imported."""

DTYPES = "neuron_dtypes"

Array = np.ndarray[Any, Any]


class StandIns(MetaPathFinder, Loader):
    """Finds modules that are not there, and makes some that have whatever is asked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module of ours, if it is one of those."""
        if (
            fullname == DTYPES
            or fullname in MISSING_PACKAGES
            or fullname.startswith((*_INSIDE, "test.utils."))
        ):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty one."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill it."""
        if module.__name__ in (DTYPES, "neuronxcc.starfish.support.dtype"):
            module.__dict__.update(_dtypes())
        else:
            module.__dict__["__getattr__"] = _anything


_INSIDE = tuple(f"{name}." for name in MISSING_PACKAGES)


def install() -> None:
    """Let them be found where nothing else is, and packed dtypes by NumPy, under their names."""
    for name in _PACKED:
        np.sctypeDict.setdefault(name, _as_numpy(name))  # type: ignore[arg-type]
    if not any(isinstance(finder, StandIns) for finder in sys.meta_path):
        sys.meta_path.append(StandIns())


def _anything(name: str) -> type:
    """A class of any name: some are caught as exceptions."""
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Exception,), {})


def _dtypes() -> dict[str, Any]:
    """What is used of AWS's dtypes for NumPy: packed ones are records of one field."""
    packed = {name: np.dtype([(name, dtypes.find(name).numpy)]) for name in _PACKED}  # type: ignore[union-attr]
    own = {n: getattr(ml_dtypes, n) for n in dtypes.names() if hasattr(ml_dtypes, n)}
    return {
        **own,
        **packed,
        "static_cast": static_cast,
        "is_float_type": is_float_type,
        "sizeinbytes": lambda dtype: _as_numpy(dtype).itemsize,
        "finfo": lambda dtype: ml_dtypes.finfo(_as_numpy(dtype)),  # type: ignore[no-untyped-call]
    }


_PACKED = ("float8_e4m3fn_x4", "float8_e5m2_x4", "float4_e2m1fn_x4")


def _as_numpy(dtype: Any) -> np.dtype[Any]:
    """A dtype of NKI's, of NumPy's, or a packed one, as NumPy's."""
    known = dtypes.find(str(dtype)) if isinstance(dtype, str) else None
    if known is not None and known.name in _PACKED:
        return np.dtype([(known.name, known.numpy)])
    made: np.dtype[Any] = np.dtype(dtype if known is None else known.numpy)
    return made


def is_float_type(dtype: Any) -> bool:
    """Whether it holds numbers with an exponent."""
    found = _as_numpy(dtype)
    return found.names is not None or found.kind == "f" or found.type.__module__ == "ml_dtypes"


def static_cast(array: Any, dtype: Any) -> Array:
    """Elements rounded into another dtype; four in one where it is a packed one, and back."""
    wanted, have = _as_numpy(dtype), np.asarray(array)
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
