"""What a tensor holds at the start, where its declaration defines it without a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DType, ElementKind
from nasm.base.pieces import Window, extent, windows
from nasm.base.problems import Refused
from nasm.views.tensor import Tensor

Array = np.ndarray[Any, Any]


def initial(tensor: Tensor, init: Sequence[Any]) -> Iterator[tuple[Window, Array]]:
    """The values of ``zeros``, ``iota``, ``list``, ``random`` or ``normal``, in pieces.

    They come in row-major order, each with its place; what they are does not depend on the pieces.
    Raises Refused.
    """
    if init[0] == "list":
        yield tuple(slice(0, n) for n in tensor.shape), _listed(tensor, init[1])
        return
    draw = _drawing(init, tensor.dtype)
    first = 0
    for window in windows(tensor.shape):
        shape = extent(window)
        count = prod(shape)
        yield window, draw(first, count).reshape(shape)
        first += count


def _drawing(init: Sequence[Any], dtype: DType) -> Callable[[int, int], Array]:
    """A function that makes the values from a number on, so many of them, asked for in order."""
    kind = init[0]
    if kind == "zeros":
        return lambda first, count: np.zeros(count, dtype.numpy)
    if kind == "iota":
        return lambda first, count: _rounded(
            np.arange(first, first + count, dtype=np.float64), dtype
        )
    generator = np.random.default_rng(init[1])
    draw = generator.random if kind == "random" else generator.standard_normal
    return lambda first, count: _rounded(draw(count), dtype)


def possible(tensor: Tensor) -> None:
    """Refuse an initialiser whose values the tensor cannot hold, before anything runs.

    Files are looked at when the program is loaded: they may change until then.
    """
    init = tensor.init
    if not isinstance(init, tuple):
        return
    if init[0] == "list":
        _listed(tensor, init[1])
    elif tensor.dtype.kind in (ElementKind.SCALE, ElementKind.PACKED):  # the first two tell of all
        few = (min(2, prod(tensor.shape)),)
        for _ in initial(Tensor(tensor.name, tensor.memory, tensor.dtype, few), init):
            pass


def _rounded(values: Any, dtype: DType) -> Array:
    try:
        return dtypes.convert_float64(np.asarray(values, np.float64), dtype)
    except dtypes.DTypeError as problem:
        raise Refused("E0217", str(problem)) from None


def _listed(tensor: Tensor, values: list[Any]) -> Array:
    try:
        found = np.asarray(values)
        array = np.asarray(values, np.float64) if found.dtype.kind != "U" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        message = f"the list for {tensor.name} is ragged or holds no numbers"
        raise Refused("E0217", message)
    if array.shape != tensor.shape and array.size != np.prod(tensor.shape):
        raise Refused(
            "E0217", f"{tensor.name} is {list(tensor.shape)}, its list {list(array.shape)}"
        )
    return _rounded(array.reshape(tensor.shape), tensor.dtype)


def array_of(init: Sequence[Any], dtype: DType, shape: tuple[int, ...]) -> Array:
    """What a tensor would hold that is declared so; raises Refused."""
    return _drawing(init, dtype)(0, prod(shape)).reshape(shape)
