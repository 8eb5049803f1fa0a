"""What kernels import as ``nki.language``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nasm.nki.loops import dynamic_range, fori_loop, while_loop
from nasm.nki.names import DTYPES, HBM, DType, MemoryRegion, VirtualRegister, ds
from nasm.nki.operators import Operator
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import current

sbuf, psum = MemoryRegion.sbuf, MemoryRegion.psum
hbm, private_hbm, shared_hbm = HBM, MemoryRegion.private_hbm, MemoryRegion.shared_hbm
tensor = NkiTensor

BINARY = [
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
]
UNARY = [
    "abs",
    "square",
    "invert",
    "logical_not",
    "exp",
    "log",
    "sqrt",
    "rsqrt",
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
    "reciprocal",
    "copy",
    "sin",
    "cos",
    "tan",
    "arctan",
    "ceil",
    "floor",
    "trunc",
    "negative",
    "sign",
]
WORDS = ("average", "prelu", "bypass")

globals().update({name: Operator(name) for name in (*BINARY, *UNARY, *WORDS)})
globals().update(DTYPES)


class tile_size:  # noqa: N801  (AWS's name)
    """The sizes that a tile can have."""

    pmax = 128
    psum_fmax = 512
    psum_bank_fmax = 512
    psum_bank_fmax_bytes = 2048
    gemm_stationary_fmax = 128
    gemm_moving_fmax = 512
    bn_stats_fmax = 512
    psum_min_align = 4
    sbuf_min_align = 1


class _Ndarray(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> NkiTensor:
        return _ndarray(*args, **kwargs)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, NkiTensor)


class ndarray(metaclass=_Ndarray):  # noqa: N801
    """A constructor, an annotation, and what isinstance is asked about."""


def _ndarray(
    shape: Any,
    dtype: Any,
    buffer: Any = sbuf,
    name: str = "",
    address: tuple[int, int] | None = None,
) -> NkiTensor:
    """A new tensor, not initialised."""
    return current("nl.ndarray").tensor(shape, DType(dtype), MemoryRegion(buffer), name, address)


def affine_range(start: Any, stop: Any = None, step: int = 1) -> Iterator[int]:
    """A range that is unrolled while tracing."""
    return iter(range(start) if stop is None else range(start, stop, step))


sequential_range = static_range = affine_range


def program_id(axis: int = 0) -> int:
    """The number of the core."""
    return current("nl.program_id").core


def num_programs(axes: int = 0) -> int:
    """How many cores run the kernel."""
    return current("nl.num_programs").cores


def program_ndim() -> int:
    """The axes of the launch grid."""
    return int(current("nl.program_ndim").cores > 1)


@contextmanager
def no_reorder() -> Iterator[None]:
    """Keep the order of what is inside: it is kept everywhere."""
    trace = current("nl.no_reorder")
    trace.in_order += 1
    try:
        yield
    finally:
        trace.in_order -= 1


class NKIObject:
    """What classes of kernels derive from: class-level values are fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = [n for n in _fields(type(self))]
        for name, value in zip(fields, args, strict=False):
            setattr(self, name, value)
        for name in fields[len(args) :]:
            setattr(self, name, kwargs.pop(name, getattr(type(self), name, None)))
        if kwargs:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(kwargs))!r}")
        after = getattr(self, "__post_init__", None)
        if after is not None:
            after()


def _fields(cls: type) -> list[str]:
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        own = vars(base)
        names.update(dict.fromkeys(own.get("__annotations__", {})))
        names.update(
            dict.fromkeys(
                n
                for n, v in own.items()
                if not n.startswith("_")
                and not callable(v)
                and not isinstance(v, property | staticmethod | classmethod)
            )
        )
    return list(names)


__all__ = [
    "NKIObject",
    "VirtualRegister",
    "ds",
    "dynamic_range",
    "fori_loop",
    "ndarray",
    "tile_size",
    "while_loop",
]
