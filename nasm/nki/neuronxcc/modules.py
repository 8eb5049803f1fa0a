"""The modules of ``neuronxcc.nki``, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import ml_dtypes
import numpy as np

from nasm.nki import isa as today
from nasm.nki import names
from nasm.nki.errors import refuse, with_signature
from nasm.nki.language import OPERATORS
from nasm.nki.neuronxcc import allocation, isa, kernels, language, nccl, running
from nasm.nki.neuronxcc.affine import MeshGrid, arange
from nasm.nki.neuronxcc.tensor import TileTensor, numpys
from nasm.nki.operators import Operator
from nasm.nki.tensor import NkiTensor
from nasm.nki.tile_sizes import TileSize

PACKAGE = "neuronxcc.nki"


@cache
def _entry(module: str, name: str, apply: Callable[..., Any]) -> Callable[..., Any]:
    """A function as kernels call it: any call may have a name, for AWS's reports."""
    signature = inspect.signature(apply)
    named = "name" in signature.parameters

    @wraps(apply)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not named:
            kwargs.pop("name", None)
        for value in (*args, *kwargs.values()):
            if isinstance(value, NkiTensor):
                refuse(
                    f"{module}.{name} of {PACKAGE} with {value!r}, a tensor of nki",
                    "a kernel is of one dialect: import all of it from one package",
                )
        try:
            return apply(*args, **kwargs)
        except TypeError as wrong:
            with_signature(wrong, f"{module}.{name}", signature)
            raise

    called.__name__ = called.__qualname__ = name
    called.__module__ = "nasm.nki.neuronxcc"
    return called


class TileOperator(Operator):
    """An operator whose call takes a mask."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply it."""
        return self.apply(*args, **kwargs)


class Least:
    """``nl.fp32`` and ``nl.bfp16``: the limits of a dtype."""

    def __init__(self, dtype: str) -> None:
        limits = _finfo(dtype)
        self.min, self.max = float(limits.min), float(limits.max)


def _finfo(dtype: Any) -> Any:
    """The limits of a dtype."""
    return ml_dtypes.finfo(names.DType(dtype).stored.numpy)  # type: ignore[no-untyped-call]


class DialectSizes(TileSize):
    """``nl.tile_size``."""

    @property
    def total_available_sbuf_size(self) -> int:
        """Bytes of a partition of SBUF that tiles can have."""
        return self.sbuf_fmax_bytes


def language_names() -> dict[str, Any]:
    """What ``neuronxcc.nki.language`` has."""
    found: dict[str, Any] = {}
    for name, apply in language.FUNCTIONS.items():
        entry = _entry("nl", name, apply)
        word = OPERATORS.get(name)
        found[name] = TileOperator(name, entry, word.operator_name) if word is not None else entry
    for name, word in OPERATORS.items():
        found.setdefault(name, word)
    for name in ("float32", "float16", "int8", "int16", "int32", "uint8", "uint16", "uint32"):
        found[name] = getattr(np, name)
    found["bool_"] = np.bool_
    for name in ("bfloat16", "float8_e4m3", "float8_e5m2", "tfloat32"):
        found[name] = numpys(names.DTYPES[name])
    found |= {
        "affine_range": running.affine_range,
        "sequential_range": running.sequential_range,
        "static_range": running.static_range,
        "program_id": running.program_id,
        "num_programs": running.num_programs,
        "program_ndim": running.program_ndim,
        "arange": arange,
        "mgrid": MeshGrid(),
        "ds": names.ds,
        "par_dim": allocation.par_dim,
        "nc": kernels.Cores,
        "spmd_dim": kernels.GridAxis,
        "sbuf": allocation.MemoryName("sbuf"),
        "psum": allocation.MemoryName("psum"),
        "hbm": names.HBM,
        "private_hbm": names.MemoryRegion.private_hbm,
        "shared_hbm": names.MemoryRegion.shared_hbm,
        "tile_size": DialectSizes(),
        "fp32": Least("float32"),
        "bfp16": Least("bfloat16"),
        "finfo": _finfo,
        "tensor": TileTensor,
        "NKIObject": object,
        "all_reduce": _all_reduce,
    }
    return found


def _all_reduce(*args: Any, **kwargs: Any) -> None:
    refuse(
        "nl.all_reduce: instances of a grid run one after the other here",
        "write each instance's part into HBM, and add the parts in a second kernel",
    )


def isa_names() -> dict[str, Any]:
    """What ``neuronxcc.nki.isa`` has."""
    found: dict[str, Any] = {
        name: _entry("nisa", name, apply) for name, apply in isa.FUNCTIONS.items()
    }
    for name in ("engine", "reduce_cmd", "dge_mode", "oob_mode", "nc_version", "dma_engine"):
        found[name] = getattr(names, name)
    for name in ("tensor", "vector", "scalar", "gpsimd", "unknown"):
        found[f"{name}_engine"] = names.engine[name]
    found["get_nc_version"] = today.get_nc_version
    return found


def nccl_names() -> dict[str, Any]:
    """What ``neuronxcc.nki.nccl`` has."""
    return {name: _entry("nccl", name, apply) for name, apply in nccl.FUNCTIONS.items()}


def compiler_names() -> dict[str, Any]:
    """What ``neuronxcc.nki.compiler`` has."""
    return {
        "sbuf": allocation.MemoryName("sbuf"),
        "psum": allocation.MemoryName("psum"),
        "skip_middle_end_transformations": allocation.as_written,
        "enable_stack_allocator": allocation.unchanged,
        "force_auto_alloc": allocation.unchanged,
        "no_reorder": allocation.block,
        "allocation_scope": allocation.block,
        "multi_buffer": allocation.block,
    }


def top_names() -> dict[str, Any]:
    """What ``neuronxcc.nki`` has besides its modules."""
    return {
        "jit": kernels.jit,
        "trace": kernels.trace,
        "baremetal": kernels.baremetal,
        "benchmark": kernels.benchmark,
        "profile": kernels.profile,
        "simulate_kernel": kernels.simulate_kernel,
        "tensor": tensor,
    }


class _Annotation(type):
    """A class that represents tensors; in brackets it takes their shape.

    With a dtype, too, it is an argument to be timed with: an array of random numbers.
    """

    def __getitem__(cls, shape: Any) -> Any:
        parts = shape if isinstance(shape, tuple) else (shape,)
        if len(parts) < 2 or isinstance(parts[-1], int) or not isinstance(parts[0], list | tuple):
            return cls
        dtype = names.DType(parts[-1]).stored.numpy
        return np.random.default_rng(0).random(parts[0]).astype(dtype)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TileTensor)


class tensor(metaclass=_Annotation):  # noqa: N801  (AWS's names, both)
    """A tensor that a kernel is passed."""


class mutable_tensor(metaclass=_Annotation):  # noqa: N801
    """One that it writes."""


def typing_names() -> dict[str, Any]:
    """What ``neuronxcc.nki.typing`` has."""
    return {"tensor": tensor, "mutable_tensor": mutable_tensor}
