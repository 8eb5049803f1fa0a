"""How the elements of a tensor lie in its bytes, where that is not one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.dtypes import Array, DType
from nasm.base.records import dataclass, field

Bytes = NDArray[np.uint8]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A word of a target that comes after the shape of a declaration.

    ``stored`` is what elements are called there that are arrays of ``dtype`` for everybody else: a
    dtype, or a format that only stores. ``size`` is the bytes of a shape, and refuses one that
    cannot be so. ``encode`` makes bytes of an array, ``decode`` an array of bytes and a shape;
    ``uses`` says of a shape which bytes each element is made of, along a last axis of its result.
    """

    name: str
    stored: str
    dtype: DType
    summary: str
    source: str
    size: Callable[[Shape], int] = field(compare=False)
    encode: Callable[[Array], Bytes] = field(compare=False)
    decode: Callable[[Array, Shape], Array] = field(compare=False)
    uses: Callable[[Shape], NDArray[np.int64]] = field(compare=False)

    def known(self, written: NDArray[np.bool_], shape: Shape) -> NDArray[np.bool_]:
        """Which elements are initialised, if these bytes are."""
        found: Any = written[self.uses(shape)].all(axis=-1)
        return np.asarray(found, np.bool_).reshape(shape)

    def spread(
        self, data: Array, written: NDArray[np.bool_], shape: Shape
    ) -> tuple[Bytes, NDArray[np.bool_]]:
        """The bytes of elements in order, and which of them are initialised, as one row each."""
        full = np.where(written, data, 0).astype(np.uint8).reshape(-1)
        array = np.ascontiguousarray(self.decode(full, shape), self.dtype.numpy)
        known = np.repeat(self.known(written.reshape(-1), shape).reshape(-1), array.itemsize)
        return array.reshape(-1).view(np.uint8).reshape(1, -1), known.reshape(1, -1)
