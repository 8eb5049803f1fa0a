"""Tensors that stay in HBM from one kernel to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nasm.machine.outlines import NoValues

Array = np.ndarray[Any, Any]

Read = Callable[["HbmTensor"], None]
"""Notes that the host copies a tensor."""


class HbmTensor:
    """A tensor in the HBM of a simulated device, which kernels take as they take arrays.

    ``numpy.asarray`` of it, or :meth:`numpy`, is a copy on the host. A run without values leaves
    ``values`` false: it has a shape and a dtype only. In a model of several ranks it is in the HBM
    of ``rank``.
    """

    def __init__(
        self, name: str, held: Array, noted: Read, values: bool = True, rank: int | None = None
    ) -> None:
        self.name, self.values, self.rank = name, values, rank
        self._held, self._noted = held, noted

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return tuple(self._held.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its dtype."""
        dtype: np.dtype[Any] = self._held.dtype
        return dtype

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return self._held.nbytes

    def on_device(self) -> Array:
        """What it holds, for the device: nothing is copied to the host."""
        return self._held

    def write(self, made: Array) -> None:
        """Hold what a kernel has left in it."""
        self._held = made

    def numpy(self) -> Array:
        """A copy on the host; raises Failure for a run without values."""
        if not self.values:
            raise NoValues.of(f"tensor {self.name}")
        self._noted(self)
        return self._held.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The same, as NumPy asks for it."""
        if copy is False:
            raise ValueError(f"tensor {self.name} is in HBM: an array of it is a copy")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    def __repr__(self) -> str:
        where = "HBM" if self.rank is None else f"HBM of rank {self.rank}"
        return f"<{self.name}: {self.dtype}{list(self.shape)} in {where}>"
