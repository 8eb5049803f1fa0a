"""What a tensor holds at the start, where its declaration says so without a file."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.dtypes import DType, Kind
from nasm.problems import Refused
from nasm.spec.memory import Tensor

Array = np.ndarray[Any, Any]


def initial(tensor: Tensor, init: Sequence[Any]) -> Array:
    """The values of ``zeros``, ``iota``, ``list``, ``random`` or ``normal``; raises Refused."""
    kind, dtype, shape = init[0], tensor.dtype, tensor.shape
    if kind == "zeros":
        return np.zeros(shape, dtype.numpy)
    if kind == "iota":
        return _rounded(np.arange(np.prod(shape), dtype=np.float64).reshape(shape), dtype)
    if kind == "list":
        return _listed(tensor, init[1])
    generator = np.random.default_rng(init[1])
    draw = generator.random if kind == "random" else generator.standard_normal
    return _rounded(draw(shape), dtype)


def possible(tensor: Tensor) -> None:
    """Refuse an initialiser whose values the tensor cannot hold, before anything runs.

    Files are looked at when the program is loaded: they may change until then.
    """
    init = tensor.init
    if not isinstance(init, tuple):
        return
    if init[0] == "list":
        initial(tensor, init)
    elif tensor.dtype.kind in (Kind.SCALE, Kind.PACKED):  # the first two tell of all
        few = (min(2, prod(tensor.shape)),)
        initial(Tensor(tensor.name, tensor.memory, tensor.dtype, few), init)


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
        said = f"the list for {tensor.name} is ragged or holds no numbers"
        raise Refused("E0217", said)
    if array.shape != tensor.shape and array.size != np.prod(tensor.shape):
        raise Refused(
            "E0217", f"{tensor.name} is {list(tensor.shape)}, its list {list(array.shape)}"
        )
    return _rounded(array.reshape(tensor.shape), tensor.dtype)
