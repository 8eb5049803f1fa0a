"""Values to put in the place of others, to see what depends on them.

What an operation does not tell apart from one value it tells apart from another: a product shows
NaN, a maximum that ignores NaN shows an infinity, a comparison for equality only what is equal.
So there are many, and all of them are tried before an element is taken to have no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

COLUMNS = 8
"""Columns of other arrays whose values are tried, one after the other."""

SMALL = (0, 1, 2, -1, 3, 4, 5, 6, 7, 8)
"""Integers that operations single out, or that index something."""


def replacements(array: Array, others: Sequence[Array], numbers: Sequence[float]) -> list[Array]:
    """Arrays like one, each with other values; those that mostly show something come first.

    ``others`` are what it may be compared with, ``numbers`` the immediates of the instruction.
    """
    rng = np.random.default_rng(array.size)
    kinds = _floats(array, rng) if array.dtype == np.float32 else _bits(array, rng)
    found = [*kinds, *_moved(array)]
    if array.dtype == np.float32 or array.dtype.kind in "iu":
        values = (*SMALL, *_combined(numbers))
        found += [_filled(array, value) for value in dict.fromkeys(values)]
        found += _taken(array, others, numbers)
    return found


def _floats(array: Array, rng: np.random.Generator) -> Iterator[Array]:
    yield np.full_like(array, np.nan)
    sizes = rng.uniform(1.5, 3.0, array.shape)
    yield np.asarray(array * sizes + rng.choice((-1, 1), array.shape) * sizes, np.float32)
    yield np.full_like(array, np.inf)
    yield np.full_like(array, -np.inf)
    yield np.zeros_like(array)
    yield np.asarray(1024 * (sizes - 2), np.float32)


def _bits(array: Array, rng: np.random.Generator) -> Iterator[Array]:
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    raw = np.ascontiguousarray(array).view(unsigned)
    yield (~raw).view(array.dtype)
    top = int(np.iinfo(unsigned).max)
    yield (raw ^ rng.integers(1, top, raw.shape, unsigned, endpoint=True)).view(array.dtype)
    yield (raw ^ unsigned.type(1)).view(array.dtype)
    yield (raw ^ unsigned.type(2)).view(array.dtype)
    yield np.zeros_like(array)
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        yield np.full_like(array, limits.max)
        yield np.full_like(array, limits.min)
    else:
        with np.errstate(all="ignore"):
            for value in (np.inf, np.nan, -np.inf, 1.0, 1e4, -1e4):
                yield np.full(array.shape, value, np.float32).astype(array.dtype)


def _moved(array: Array) -> Iterator[Array]:
    """Its own values in other places: of indices these are all legal."""
    if array.size < 2:
        return
    flat = array.reshape(-1)
    yield np.roll(flat, 1).reshape(array.shape)
    yield np.roll(flat, -1).reshape(array.shape)
    yield flat[::-1].reshape(array.shape).copy()
    for pick in (flat[0], flat[-1], flat.max(), flat.min()) if array.dtype.kind in "iuf" else ():
        yield np.full_like(array, pick)


def _filled(array: Array, value: float) -> Array:
    with np.errstate(all="ignore"):
        if array.dtype.kind not in "iu":
            return np.full_like(array, value)
        limits = np.iinfo(array.dtype)
        return np.full_like(array, min(max(int(value), limits.min), limits.max))


def _combined(numbers: Sequence[float]) -> Iterator[float]:
    """The immediates, and what makes one of them of another."""
    finite = [n for n in dict.fromkeys(numbers) if np.isfinite(n)][:4]
    yield from finite
    yield from (-n for n in finite)
    yield from (n + 1 for n in finite)
    yield from (n - 1 for n in finite)
    for a in finite:
        for b in finite:
            yield from (a - b, a + b, a * b, a / b if b else a)


def _taken(array: Array, others: Sequence[Array], numbers: Sequence[float]) -> Iterator[Array]:
    """The values of what it may be compared with: where they meet it, or column by column."""
    for other in others:
        if other.dtype.kind not in "iuf" or not other.size:
            continue
        with np.errstate(all="ignore"):
            cast = other.astype(array.dtype)
            offsets = [n for n in dict.fromkeys(numbers) if np.isfinite(n) and n][:3]
            if array.dtype.kind in "iu":
                offsets = [int(n) for n in offsets if float(n).is_integer()]
            made = [cast]
            for n in offsets if array.dtype == np.float32 else ():
                number = np.float32(n)
                made += [cast - number, cast + number, cast / number, cast * number, number - cast]
        for values in made:
            yield from _spread(values, array)


def _spread(values: Array, array: Array) -> Iterator[Array]:
    """Values in the shape of an array."""
    if values.size == array.size:
        yield values.reshape(array.shape).copy()
        return
    if values.ndim < 1 or array.ndim < 1 or len(values) not in (1, len(array)):
        return
    columns = values.reshape(len(values), -1)
    width = array.size // len(array)
    side_by_side = np.resize(np.arange(columns.shape[1]), width)
    yield np.broadcast_to(columns[:, side_by_side], (len(array), width)).reshape(array.shape).copy()
    for column in range(min(columns.shape[1], COLUMNS)):
        one = columns[:, column].reshape(-1, *[1] * (array.ndim - 1))
        yield np.broadcast_to(one, array.shape).copy()
