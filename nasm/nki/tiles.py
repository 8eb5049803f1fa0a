"""What the functions of nki.language have in common: new tiles, calls of nki.isa, dtypes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from nasm.nki import isa
from nasm.nki.errors import refuse, trail
from nasm.nki.indexing import whole_number
from nasm.nki.names import DTYPES, DType, MemoryRegion
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import current
from nasm.nki.variables import variable

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum
FLOAT32, INT32 = DTYPES["float32"], DTYPES["int32"]


def instruct(name: str, **arguments: Any) -> None:
    """Call a function of nki.isa."""
    getattr(isa, name)(**arguments)


def new(
    what: str, shape: Sequence[int], dtype: Any, buffer: MemoryRegion = SBUF, name: str = ""
) -> NkiTensor:
    """A tensor for the result of a function."""
    return current(f"nl.{what}").tensor(tuple(shape), DType(dtype), buffer, name or what)


def result(what: str, shape: Sequence[int], dtype: Any, buffer: MemoryRegion = SBUF) -> NkiTensor:
    """The tensor that a function gives: of the name of the variable that it is assigned to."""
    return new(what, shape, dtype, buffer, variable(trail(sys._getframe(1))))


def tile(what: str, value: Any, argument: str = "x") -> NkiTensor:
    """An argument that is a tile on chip."""
    if not isinstance(value, NkiTensor):
        other = "it is one of neuronxcc.nki, and a kernel is of one dialect"
        hint = other if hasattr(value, "storage") else ""
        refuse(f"nl.{what}: {argument} is {value!r}; wanted a tile on chip", hint)
    if not value.on_chip:
        refuse(
            f"nl.{what}: {argument} is {value!r}; wanted a tile on chip",
            "nl.load(tensor) brings it there",
        )
    return value


def number(value: Any) -> bool:
    """Whether a value is a number that is known while tracing."""
    if isinstance(value, bool | int | float):
        return True
    return hasattr(value, "item") and not getattr(value, "ndim", 1)


def wider(first: DType, second: DType) -> DType:
    """The dtype of what is made of two: a float before an integer, then the one of more bytes."""
    if first == second:
        return first
    one, other = first.stored, second.stored
    if one.is_int != other.is_int:
        return second if one.is_int else first
    return second if other.itemsize > one.itemsize else first


def free_axes(what: str, x: NkiTensor, axis: Any) -> tuple[int, ...]:
    """The axes that a function works along: no partitions, and the last ones."""
    given = axis if isinstance(axis, list | tuple) else (axis,)
    axes = [whole_number(n, f"an axis of nl.{what}") for n in given]
    wrong = [n for n in axes if not -x.ndim <= n < x.ndim]
    if wrong:
        refuse(f"nl.{what}: axis {wrong[0]} of {x!r}, which has {x.ndim} axes")
    made = tuple(sorted({n % x.ndim for n in axes}))
    if made != tuple(range(x.ndim - len(made), x.ndim)) or made[:1] == (0,) or not made:
        refuse(
            f"nl.{what} along {list(made)} of {x!r}: wanted its last axes, without axis 0",
            "across partitions nisa.nc_matmul with ones adds, "
            "and nisa.tensor_partition_reduce; .permute(…) puts other axes last",
        )
    return made
