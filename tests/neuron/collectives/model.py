"""Collectives as loops over elements, from the pages of nki.collectives; nothing here is nasm's.

What each rank of a group sends are arrays, one for each of its tensors. A sum is that of fractions,
rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tests.neuron.scalar import LIMITS, NUMPY

Array = np.ndarray[Any, Any]
Sent = Sequence[Sequence[Array]]


def nearest(value: Fraction, dtype: str) -> Any:
    """The element of a dtype that is nearest to a fraction, even of two; integers saturate."""
    kind = NUMPY[dtype]
    if dtype in LIMITS:
        low, high = LIMITS[dtype]
        return kind(min(max(int(value), low), high))
    with np.errstate(all="ignore"):
        guess = np.float64(float(value)).astype(kind)
        near = [guess, *(np.nextafter(guess, kind(to)) for to in (-math.inf, math.inf))]
    finite = [one for one in near if math.isfinite(float(one))]
    if len(finite) < 3:
        return guess  # at the limits of the dtype one rounding is as good as two
    away = [abs(Fraction(float(one)) - value) for one in finite]
    best = [one for one, off in zip(finite, away, strict=True) if off == min(away)]
    even = [one for one in best if not int(one.view(f"u{one.dtype.itemsize}")) & 1]
    return (even or best)[0]


def combined(op: str, values: Sequence[Any], dtype: str) -> Any:
    """Elements of several ranks as one."""
    if op == "add":
        if dtype not in LIMITS and not all(math.isfinite(float(v)) for v in values):
            with np.errstate(all="ignore"):
                return NUMPY[dtype](sum(float(v) for v in values))
        exact = sum((Fraction(int(v) if dtype in LIMITS else float(v)) for v in values), Fraction())
        return nearest(exact, dtype)
    best = values[0]
    for value in values[1:]:
        if (value < best) == (op == "minimum") and value != best:
            best = value
    return best


def folded(op: str, arrays: Sequence[Array], dtype: str) -> Array:
    made = np.empty(arrays[0].shape, arrays[0].dtype)
    for at in np.ndindex(*made.shape):
        made[at] = combined(op, [array[at] for array in arrays], dtype)
    return made


def part(array: Array, axis: int, count: int, which: int) -> Array:
    """One of equal parts along an axis."""
    size = array.shape[axis] // count
    window = [slice(None)] * array.ndim
    window[axis] = slice(which * size, (which + 1) * size)
    return array[tuple(window)]


def received(
    operation: str, group: Sequence[int], place: int, sent: Sent, dtype: str, **options: Any
) -> list[Array | None]:
    """What the rank at a place of a group receives; None where it stays as it was."""
    op, axis, count = options.get("op", ""), options.get("dim", 0), len(group)
    tensors = range(len(sent[0]))
    if operation == "all_reduce":
        return [folded(op, [s[n] for s in sent], dtype) for n in tensors]
    if operation == "all_gather":
        return [np.concatenate([s[n] for s in sent], axis) for n in tensors]
    if operation == "reduce_scatter":
        mine = [[part(s[n], axis, count, place) for s in sent] for n in tensors]
        return [folded(op, parts, dtype) for parts in mine]
    if operation == "all_to_all":
        mine = [[part(s[n], axis, count, place) for s in sent] for n in tensors]
        return [np.concatenate(parts, axis) for parts in mine]
    if operation == "collective_permute":
        for source, target in options["pairs"]:
            if target == group[place]:
                return [sent[list(group).index(source)][0]]
        return [None]
    before = sent[(place - 1) % count]
    if operation == "collective_permute_implicit":
        return list(before)
    half = len(before) // 2
    return [folded(op, [before[n], before[n + half]], dtype) for n in range(half)]


def varying(
    operation: str, place: int, sources: Sequence[Array], counts: Sequence[Array], size: int
) -> tuple[list[Any], list[int]]:
    """The elements of a destination, None where it stays, and how many came from each rank."""
    made: list[Any] = [None] * size
    came = []
    for sender, source in enumerate(sources):
        column = 0 if operation == "all_gather_v" else place
        count, begin = int(counts[sender][0, column]), int(counts[sender][1, column])
        for n in range(count):
            made[size // len(sources) * sender + n] = source.reshape(-1)[begin + n]
        came.append(count)
    return made, came


def ring(rank: int, iteration: int, group: Sequence[int]) -> int:
    """The rank whose data has come after some steps of a ring."""
    at = list(group).index(rank)
    for _ in range(iteration):
        at = at - 1 if at else len(group) - 1
    return group[at]
