"""Results of an instruction's function: some of their elements, to be compared with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.debugger.origins.argument_arrays import Path, grafted, leaf
from nasm.debugger.origins.elements import Numbers
from nasm.isa.effects import Partial
from nasm.views.view import View

Array = np.ndarray[Any, Any]


def flat_shape(result: Any, path: Path, views: Sequence[View]) -> tuple[int, int]:
    """Rows and columns of what a result is stored as, or of an array that stays in the engine."""
    if views:
        rows = sum(view.partitions for view in views)
        return rows, sum(view.size for view in views) // rows
    array = leaf(result, path)
    return len(array), array.size // len(array)


def size_of(result: Any, path: Path) -> int:
    """How many elements a result has, or an array in it."""
    if isinstance(result, Partial):
        return int(np.prod(np.broadcast_shapes(np.shape(result.where), np.shape(result.values))))
    return leaf(result, path).size


def finite(arguments: list[Any], places: list[tuple[int, Path]]) -> list[Any] | None:
    """The arguments with numbers where they are NaN or infinite; None if they are nowhere."""
    changed, made = False, list(arguments)
    for at, path in places:
        array = leaf(made[at], path)
        if array.dtype != np.float32 or np.isfinite(array).all():
            continue
        rng = np.random.default_rng(array.size)
        some = np.asarray(rng.uniform(1, 2, array.shape), np.float32)
        made[at] = grafted(made[at], path, np.asarray(np.where(np.isfinite(array), array, some)))
        changed = True
    return made if changed else None


class Gone(Exception):
    """What was asked for is not there any more: the result has another structure."""


def picked(result: Any, path: Path, numbers: Numbers, size: int) -> tuple[Array | None, Array]:
    """Some elements of a result, and of a partial one which of them are stored.

    ``size`` is how many its place has, 0 if that is as many as the result.
    """
    if isinstance(result, Partial):
        every = np.broadcast_shapes(np.shape(result.where), np.shape(result.values))
        flags, values = (
            _spread(np.broadcast_to(part, every), size)[numbers]
            for part in (result.where, result.values)
        )
        values = values.copy()
        values[~flags] = np.zeros((), values.dtype)
        return flags, values
    try:
        array = leaf(result, path)
    except (AttributeError, IndexError):
        raise Gone from None
    if size or not len(numbers) or numbers.max() < array.size:
        return None, _spread(array, size or array.size)[numbers]
    raise Gone


def _spread(array: Array, size: int) -> Array:
    """A result as one row of so many elements."""
    array = np.asarray(array)
    if array.size != size:
        array = np.broadcast_to(array.reshape(-1)[:1], (size,))
    return array.reshape(-1)


def has_nan(result: Any, path: Path, numbers: Numbers, size: int) -> bool:
    """Whether some elements of a result are NaN."""
    _, values = picked(result, path, numbers, size)
    return values.dtype == np.float32 and bool(np.isnan(values).any())


def signature(result: Any, path: Path, numbers: Numbers, size: int) -> bytes:
    """Some elements of a result as bytes: the same for every NaN."""
    try:
        flags, values = picked(result, path, numbers, size)
    except Gone:
        return b"gone"
    if values.dtype == np.float32:
        values = np.where(np.isnan(values), np.float32(np.nan), values)
    if values.dtype == np.object_:
        return repr(values.tolist()).encode()
    return (b"" if flags is None else flags.tobytes()) + values.tobytes()
