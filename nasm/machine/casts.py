"""How a tile's elements become what semantics take, and a result the bytes to store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.dtypes import Casting, DType
from nasm.machine.places import flattened
from nasm.problems import Refused
from nasm.sim.memory import Array, Loan, Store
from nasm.spec.effects import Partial
from nasm.spec.instruction import FLOAT32, Operand
from nasm.spec.kinds import Tile

Reader = Callable[[], Any]
Writer = Callable[[Any], Any]


def tile_of(operand: Operand) -> Tile | None:
    """The tile that an operand may be."""
    kind = operand.kind
    if isinstance(kind, Tile):
        return kind
    return next((k for k in getattr(kind, "kinds", ()) if isinstance(k, Tile)), None)


def reading(array: Array, dtype: DType, domain: str, flat: bool, partitioned: bool) -> Reader:
    """A function that reads an array as the domain wants it: float32 values, or bits."""
    simple = not flat or (array.ndim == 2 and partitioned)
    if domain != FLOAT32 or dtype.name == "float32":
        if simple:
            return lambda: array
        return lambda: flattened(array, partitioned)
    widen = dtypes.widener(array, dtype)
    if simple:
        return widen
    return lambda: flattened(widen(), partitioned)


WORTH_LENDING = 4096
"""Elements from which on a result that is still somebody's bytes is lent instead of copied."""


def storing(target: Array, dtype: DType, casting: Casting, source: Store | None) -> Writer:
    """A function that turns a result into the bytes to store, in the shape of the target.

    ``source`` is the one store the instruction reads: a result that is not an array of its own
    can only be part of it.
    """
    shape, size = target.shape, target.size
    narrow = casting.narrower(dtype)
    kept = dtype.name in ("float32", "tfloat32")
    integer = dtype.is_int

    def prepare(result: Any) -> Any:
        if not isinstance(result, np.ndarray):
            return casting.fill(result, dtype, shape)
        if result.dtype == np.float32:
            if not kept:
                result = narrow(result, dtype)
        elif result.dtype != target.dtype:
            wide = result if integer else narrow(result.astype(np.float32), dtype)
            result = wide.astype(target.dtype)
        if result.shape != shape:
            result = fitted(result, shape, size)
        if result.base is None:
            return result
        return Loan(source, result) if source and size >= WORTH_LENDING else result.copy()

    return prepare


def choosing(target: Array, dtype: DType, casting: Casting) -> Writer:
    """The same for a result of which some elements are not stored."""
    prepare = storing(target, dtype, casting, None)
    shape = target.shape

    def prepare_partial(part: Any) -> Partial:
        every = np.broadcast_shapes(np.shape(part.where), np.shape(part.values))
        where = np.broadcast_to(part.where, every).reshape(shape)
        return Partial(prepare(part.values), where.copy())

    return prepare_partial


def fitted(result: Array, shape: tuple[int, ...], size: int) -> Array:
    """A result in the shape of its destination; only its free axes may be grouped otherwise."""
    if result.size != size or (len(shape) > 1 and result.shape[0] != shape[0]):
        raise Refused("E0404", f"the result is {list(result.shape)}, its destination {list(shape)}")
    return result.reshape(shape)
