"""What kernels import as ``nki.language``."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from nasm.nki import applying, creation, functions, moving, reducing
from nasm.nki.errors import refuse
from nasm.nki.loops import dynamic_range, fori_loop, while_loop
from nasm.nki.names import DTYPES, HBM, DType, MemoryRegion, VirtualRegister, ds
from nasm.nki.objects import NKIObject
from nasm.nki.old_names import GONE, RemovedName
from nasm.nki.operators import Operator, function
from nasm.nki.programs import (
    is_hbm,
    is_on_chip,
    is_psum,
    is_sbuf,
    no_reorder,
    num_programs,
    program_id,
    program_ndim,
    unrolled,
    written_out,
)
from nasm.nki.tensor import NkiTensor
from nasm.nki.tile_sizes import TileSize

sbuf, psum = MemoryRegion.sbuf, MemoryRegion.psum
hbm, private_hbm, shared_hbm = HBM, MemoryRegion.private_hbm, MemoryRegion.shared_hbm
tensor = NkiTensor
tile_size = TileSize()
affine_range = sequential_range = unrolled
static_range = written_out

BINARY = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "abs_max",
    "abs_min",
    "power",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "left_shift",
    "right_shift",
    "logical_and",
    "logical_or",
    "logical_xor",
    "mod",
    "fmod",
)
"""Operators of two tiles."""

TABLES = (
    "abs",
    "square",
    "exp",
    "log",
    "sqrt",
    "tanh",
    "sigmoid",
    "relu",
    "gelu",
    "gelu_apprx_sigmoid",
    "gelu_apprx_tanh",
    "gelu_dx",
    "gelu_apprx_sigmoid_dx",
    "silu",
    "silu_dx",
    "softplus",
    "mish",
    "erf",
    "erf_dx",
    "arctan",
    "sign",
)
"""Functions of a tile that Scalar has tables for."""

REDUCTIONS = {
    "sum": "add",
    "max": "maximum",
    "min": "minimum",
    "prod": "multiply",
    "all": "logical_and",
}
"""Reductions, and the operators that they are named by where an operator is asked for."""

WORDS = ("average", "prelu", "bypass")
"""Operators that only calls of nki.isa apply."""


def _binary(name: str) -> Callable[..., Any]:
    def applied(x: Any, y: Any, dtype: Any = None) -> NkiTensor:
        return applying.binary(name, x, y, dtype)

    return applied


def _table(name: str) -> Callable[..., Any]:
    def applied(x: Any, dtype: Any = None) -> NkiTensor:
        return applying.unary(name, x, dtype)

    return applied


def _reduction(name: str, op: str) -> Callable[..., Any]:
    def applied(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
        return reducing.reduced(name, op, x, axis, dtype, keepdims)

    return applied


def _all(x: Any, axis: Any, dtype: Any = None) -> NkiTensor:
    return reducing.reduced("all", "logical_and", x, axis, dtype)


def _word(name: str) -> Callable[..., Any]:
    def applied(*args: Any, **kwargs: Any) -> Any:
        refuse(f"nl.{name} is a word for op=, as in a call of nki.isa, and no function")

    return applied


OPERATORS = {
    **{name: Operator(name, _binary(name)) for name in BINARY},
    **{name: Operator(name, _table(name)) for name in TABLES},
    **{name: Operator(name, _reduction(name, op), op) for name, op in REDUCTIONS.items()},
    **{name: Operator(name, _word(name)) for name in WORDS},
    "all": Operator("all", _all, REDUCTIONS["all"]),
    **{
        one.__name__: Operator(one.__name__, one)
        for one in (
            applying.copy,
            applying.invert,
            applying.logical_not,
            applying.negative,
            applying.reciprocal,
            applying.rsqrt,
            functions.ceil,
            functions.cos,
            functions.floor,
            functions.sin,
            functions.tan,
            functions.trunc,
        )
    },
}
"""What is an operator in a call of nki.isa, or could be taken for one, and a function by itself."""

FUNCTIONS = {
    one.__name__: function(one)
    for one in (
        applying.where,
        creation.device_print,
        creation.dropout,
        creation.empty_like,
        creation.full,
        creation.ones,
        creation.rand,
        creation.random_seed,
        creation.shared_constant,
        creation.shared_identity_matrix,
        creation.zeros,
        creation.zeros_like,
        moving.broadcast_to,
        moving.expand_dims,
        moving.gather_flattened,
        moving.load,
        moving.load_transpose2d,
        moving.matmul,
        moving.store,
        moving.transpose,
        reducing.mean,
        reducing.rms_norm,
        reducing.softmax,
        reducing.var,
    )
}
"""Functions that are no operators."""


_new_tensor = function(creation.ndarray)


class _Ndarray(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> NkiTensor:
        made: NkiTensor = _new_tensor(*args, **kwargs)
        return made

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, NkiTensor)


class ndarray(metaclass=_Ndarray):  # noqa: N801  (AWS's name)
    """A constructor, an annotation, and what isinstance is asked about."""

    __signature__ = signature(creation.ndarray)


globals().update(DTYPES)
globals().update({name: RemovedName(name) for name in GONE})
globals().update(FUNCTIONS)
globals().update(OPERATORS)
globals()["range"] = unrolled

__all__ = [
    "DType",
    "MemoryRegion",
    "NKIObject",
    "NkiTensor",
    "VirtualRegister",
    "affine_range",
    "ds",
    "dynamic_range",
    "fori_loop",
    "hbm",
    "is_hbm",
    "is_on_chip",
    "is_psum",
    "is_sbuf",
    "ndarray",
    "no_reorder",
    "num_programs",
    "private_hbm",
    "program_id",
    "program_ndim",
    "psum",
    "range",
    "sbuf",
    "sequential_range",
    "shared_hbm",
    "static_range",
    "tensor",
    "tile_size",
    "while_loop",
    *DTYPES,
    *FUNCTIONS,
    *GONE,
    *OPERATORS,
]
