"""What kernels import as ``nki.isa``."""

from __future__ import annotations

from typing import Any

from nasm.nki.calling import NkiInstruction, table
from nasm.nki.multi_row_calls import SPECIAL
from nasm.nki.names import (
    VirtualRegister,
    dge_mode,
    dma_engine,
    engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
)
from nasm.nki.older_calls import REMOVED, removed
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import current
from nasm.targets import TARGETS

FUNCTIONS = table(TARGETS["trn1"]().isa, SPECIAL)
"""The functions that are one row or several, by name."""

tensor_engine, vector_engine, scalar_engine = engine.tensor, engine.vector, engine.scalar
gpsimd_engine, unknown_engine = engine.gpsimd, engine.unknown


class NkiValidationError(Exception):
    """What AWS raises where a limit of the hardware is not kept: here that is a diagnostic."""


def get_nc_version() -> nc_version:
    """The generation that the kernel is traced for."""
    return nc_version(current("nki.isa.get_nc_version").builder.generation.order)


def get_nc_sub_version() -> int:
    """The member of the generation: there is one of each here."""
    current("nki.isa.get_nc_sub_version")
    return 0


def register_alloc(x: Any = None) -> VirtualRegister:
    """A new register: what a number, or a tile of one element, says; or not initialised."""
    made = current("nki.isa.register_alloc").register()
    if isinstance(x, NkiTensor):
        FUNCTIONS["register_load"].python(made, x)
    elif x is not None:
        FUNCTIONS["register_move"].python(made, x)
    return made


globals().update({name: function.python for name, function in FUNCTIONS.items()})
globals().update({name: removed(name) for name in REMOVED})

__all__ = [
    "NkiInstruction",
    "NkiValidationError",
    "VirtualRegister",
    "dge_mode",
    "dma_engine",
    "engine",
    "get_nc_sub_version",
    "get_nc_version",
    "gpsimd_engine",
    "matmul_perf_mode",
    "nc_version",
    "oob_mode",
    "reduce_cmd",
    "register_alloc",
    "scalar_engine",
    "tensor_engine",
    "unknown_engine",
    "vector_engine",
    *FUNCTIONS,
    *REMOVED,
]
