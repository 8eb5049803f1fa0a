"""Tensors of the drum whose elements stand from the last to the first."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from nasm.base import dtypes
from nasm.base.dtypes import Array
from nasm.base.problems import Refused
from nasm.views.arrangement import Arrangement, Bytes, Shape
from tests.toy.base import SOURCE


def _size(halves: int, shape: Shape) -> int:
    if prod(shape) % 2:
        raise Refused("E0246", f"pairs of elements, and there are {prod(shape)}")
    return prod(shape) * halves // 2


def _encode(halves: int, array: Array) -> Bytes:
    backward = array.reshape(-1)[::-1]
    if halves == 8:
        return np.ascontiguousarray(backward, "<i4").view(np.uint8)
    low = np.clip(backward, 0, 15).astype(np.uint8)
    return np.asarray(low[0::2] | low[1::2] << 4, np.uint8)


def _decode(halves: int, data: Array, shape: Shape) -> Array:
    if halves == 8:
        found: Array = np.ascontiguousarray(data).view("<i4")
    else:
        found = np.stack([data & 15, data >> 4], axis=-1).reshape(-1).astype(np.float32)
    return found[::-1].reshape(shape)


def _uses(halves: int, shape: Shape) -> NDArray[np.int64]:
    at = np.arange(prod(shape))[::-1] * halves // 2
    return np.stack([at + n for n in range(max(1, halves // 2))], axis=-1)


def _woven(stored: str, dtype: str, halves: int) -> Arrangement:
    found = dtypes.find(dtype)
    assert found is not None
    return Arrangement(
        "backward", stored, found, "from the last to the first", SOURCE,
        *(partial(part, halves) for part in (_size, _encode, _decode, _uses)),
    )  # fmt: skip


ARRANGEMENTS = _woven("int32", "int32", 8), _woven("nib", "float32", 1)
"""Integers, and numbers 0 to 15, two in a byte, which are float32 for everybody else."""
