"""Arrays of a recording: what each is in its document, and all their elements in one section."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from nasm.base.dtypes import DTYPES
from nasm.language.objects.bodies import Fields
from nasm.language.objects.sections import damaged
from nasm.sim.memory import Array

_DTYPES = {dtype.numpy.name: dtype.numpy for dtype in DTYPES.values()}
"""Dtypes of elements as they are stored, by their names."""

MOST_AXES = 32


class KeptArrays:
    """Numbers arrays as they come."""

    def __init__(self) -> None:
        self.index: list[dict[str, Any]] = []
        self._parts: list[bytes] = []

    def number(self, array: Array) -> int:
        """The number of an array, whose elements are kept as they are stored."""
        whole = np.ascontiguousarray(array)
        self.index.append({"dtype": whole.dtype.name, "shape": list(array.shape)})
        self._parts.append(whole.tobytes())
        return len(self._parts) - 1

    def data(self) -> bytes:
        """All of them, one after the other."""
        return b"".join(self._parts)


def read(rows: Sequence[object], data: memoryview) -> list[Array]:
    """The arrays that a document lists; raises Refused."""
    found: list[Array] = []
    at = 0
    for row in rows:
        fields = Fields(row, "record")
        dtype, shape = fields.get("dtype", str), fields.list_of("shape", int)
        kind = _DTYPES.get(dtype)
        if kind is None or len(shape) > MOST_AXES or any(size < 0 for size in shape):
            raise damaged("an array in it has no such dtype or shape")
        size = prod(shape) * kind.itemsize
        if at + size > len(data):
            raise damaged("an array in it is cut off")
        found.append(np.frombuffer(data[at : at + size], kind).reshape(shape).copy())
        at += size
    if at != len(data):
        raise damaged("there is something after its last array")
    return found
