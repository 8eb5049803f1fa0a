"""DMA as plain loops: both sides are lists of elements in row-major order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.neuron.scalar import NUMPY, f, out

AXES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


def walked(array: Any) -> list[Any]:
    """The elements of an array, the last axis fastest."""
    return [array[at] for at in itertools.product(*(range(n) for n in array.shape))]


def stored(elements: Sequence[Any], shape: Sequence[int], dtype: str) -> Any:
    """Elements put into an array in the same order."""
    made = np.empty(tuple(shape), NUMPY[dtype])
    for at, element in zip(itertools.product(*(range(n) for n in shape)), elements, strict=True):
        made[at] = element
    return made


def copied(src: Any, have: str, shape: Sequence[int], want: str) -> Any:
    """A copy: the bits between equal dtypes, through float32 otherwise."""
    elements = walked(src)
    if have != want:
        elements = [out(f(float(x)), want) for x in elements]
    return stored(elements, shape, want)


def added(dst: Any, src: Any, dtype: str) -> Any:
    """What dst holds and what arrives, added in float32."""
    pairs = zip(walked(dst), walked(src), strict=True)
    sums = [out(f(f(float(x)) + f(float(y))), dtype) for x, y in pairs]
    return stored(sums, dst.shape, dtype)


def transposed(src: Any, dtype: str) -> Any:
    """dst[i0, …] = src[…]: axis i of dst is axis AXES[i] of src."""
    axes = AXES[src.ndim]
    shape = [src.shape[a] for a in axes]
    made = np.empty(shape, NUMPY[dtype])
    for at in itertools.product(*(range(n) for n in shape)):
        place = [0] * src.ndim
        for axis, index in zip(axes, at, strict=True):
            place[axis] = index
        made[at] = src[tuple(place)]
    return made


def summed(sources: Sequence[Any], shape: Sequence[int], dtype: str) -> Any:
    """All sources added: in float32, in order, rounded once."""
    sums = []
    for row in zip(*(walked(s) for s in sources), strict=True):
        total = f(float(row[0]))
        for value in row[1:]:
            total = f(total + f(float(value)))
        sums.append(out(total, dtype))
    return stored(sums, shape, dtype)
