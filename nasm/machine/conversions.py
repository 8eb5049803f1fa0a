"""How a tile's elements become what semantics take, and a result the bytes to store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Casting, DType
from nasm.base.problems import Refused
from nasm.isa.effects import Partial
from nasm.isa.instruction import FLOAT32
from nasm.sim.memory import Array, CopyOnWrite, Store
from nasm.views.view import View

Reader = Callable[[], Any]

WORTH_SHARING = 4096
"""Elements from which on a result that shares a memory's bytes is copied on write."""


def converter(
    dtype: DType, partitioned: bool, folded: bool, domain: str
) -> Callable[[Array], Reader] | None:
    """What makes a reader of an array; None: semantics get the array itself."""
    if domain != FLOAT32 or dtype.name == "float32":
        return partial(partial, flattened, partitioned=partitioned) if folded else None
    if not folded:
        return partial(dtypes.widener, dtype=dtype)

    def convert(array: Array) -> Reader:
        widen = dtypes.widener(array, dtype)
        return lambda: flattened(widen(), partitioned)

    return convert


def flattened(array: Array, partitioned: bool) -> Array:
    """An array with its free axes as one; shares memory where they already are."""
    if partitioned:
        return array if array.ndim == 2 else array.reshape(array.shape[0], -1)
    return array.reshape(1, -1)


def storing(
    shape: tuple[int, ...], dtype: DType, casting: Casting
) -> Callable[[Any, Store | None], Any]:
    """A function that turns a result into the bytes to store, in the shape of the target.

    It is given the one store that the instruction reads: a result that is not an array of its own
    can only be part of it.
    """
    size, held = int(np.prod(shape)), dtype.numpy
    narrow = None if dtype.name in ("float32", "tfloat32") else casting.narrower(dtype)

    def prepare(result: Any, source: Store | None) -> Any:
        if not isinstance(result, np.ndarray):
            return casting.fill(result, dtype, shape)
        if result.dtype == np.float32:
            if narrow is not None:
                result = narrow(result, dtype)
        elif result.dtype != held:
            if narrow is not None and not dtype.is_int:
                result = narrow(result.astype(np.float32), dtype)
            result = result.astype(held)
        if result.shape != shape:
            result = fitted(result, shape, size)
        if result.base is None:
            return result
        if source is None or size < WORTH_SHARING:
            return result.copy()
        return CopyOnWrite(source, result)

    return prepare


def storing_last(
    view: View, shape: tuple[int, ...], casting: Casting
) -> Callable[[Any, Store | None], Any]:
    """The same for a target with steps of 0: of what these put in one place the last is stored.

    ``shape`` is that of what is left.
    """
    rows = view.shape[:1] if view.partitioned else ()
    counts = (*rows, *(count for _, count in view.dims))
    steps = (*(1 for _ in rows), *(step for step, _ in view.dims))
    prepare = storing(counts, view.dtype, casting)
    key = tuple(slice(None) if step else slice(-1, None) for step in steps)

    def prepare_last(result: Any, _: Store | None) -> Any:
        every = np.broadcast_to(prepare(result, None), counts)
        return every[key].reshape(shape).copy()

    return prepare_last


def choosing(
    shape: tuple[int, ...], dtype: DType, casting: Casting
) -> Callable[[Any, Store | None], Partial]:
    """The same for a result of which some elements are not stored."""
    prepare = storing(shape, dtype, casting)

    def prepare_partial(part: Any, _: Store | None) -> Partial:
        every = np.broadcast_shapes(np.shape(part.where), np.shape(part.values))
        where = np.broadcast_to(part.where, every).reshape(shape)
        return Partial(prepare(part.values, None), where.copy())

    return prepare_partial


def fitted(result: Array, shape: tuple[int, ...], size: int) -> Array:
    """A result in the shape of its destination; only its free axes may be grouped otherwise."""
    if result.size != size or (len(shape) > 1 and result.shape[0] != shape[0]):
        raise Refused("E0404", f"the result is {list(result.shape)}, its destination {list(shape)}")
    return result.reshape(shape)
