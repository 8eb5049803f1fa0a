"""How a machine rounds what it stores: to nearest or by chance, and what overflow becomes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from nasm.base.dtypes.casts import Lost, convert_float64, from_float32, to_float32
from nasm.base.dtypes.table import Array, DType, Float32
from nasm.base.records import dataclass

Narrow = Callable[[Float32, DType], Array]


@dataclass(frozen=True, slots=True)
class Casting:
    """The casts of one stream of instructions.

    ``saturating`` names the 8-bit floats whose overflow becomes their largest value. ``chance``,
    if there is any, rounds to 16-bit and 8-bit floats stochastically: uniform random bits are
    added to those that are cut off. It is state, drawn once for each element that is cast.
    ``lost``, if given, is called with the elements that overflow or saturate.
    """

    saturating: frozenset[str] = frozenset()
    chance: np.random.Generator | None = None
    lost: Lost | None = None

    def narrower(self, dtype: DType) -> Narrow:
        """The function that rounds float32 into a dtype: the plain one where it will do."""
        plain = dtype.name not in self.saturating and not self._by_chance(dtype)
        plain = plain and self.lost is None
        return from_float32 if plain else self.narrow

    def narrow(self, values: Float32, dtype: DType) -> Array:
        """Round float32 results into a dtype."""
        saturate = dtype.name in self.saturating
        if self.chance is not None and self._by_chance(dtype):
            values = _by_chance(values, dtype, self.chance)
        return from_float32(values, dtype, saturate, self.lost)

    def convert(self, array: Array, src: DType, dst: DType) -> Array:
        """Convert elements through float32; between equal dtypes the array as it is."""
        if src is dst:
            return array
        return self.narrow(to_float32(array, src), dst)

    def fill(self, value: Any, dtype: DType, shape: tuple[int, ...]) -> Array:
        """A number in every element; by chance each is rounded for itself."""
        exact = np.asarray(value, np.float64)
        if self._by_chance(dtype):
            with np.errstate(all="ignore"):
                return self.narrow(np.broadcast_to(exact.astype(np.float32), shape), dtype)
        saturate = dtype.name in self.saturating
        held = convert_float64(exact, dtype, saturate)
        if self.lost is not None and dtype.is_float and dtype.max_finite < abs(exact) < np.inf:
            overflows = saturate or not np.isfinite(to_float32(held, dtype))
            if overflows:
                self.lost(np.broadcast_to(np.True_, shape), dtype)
        return np.broadcast_to(held, shape)

    def save(self) -> Any:
        """Where the stream of chances is; None if there is none."""
        return None if self.chance is None else self.chance.bit_generator.state

    def restore(self, saved: Any) -> None:
        """Draw the same chances again as from when this was saved."""
        if self.chance is not None:
            self.chance.bit_generator.state = saved

    def _by_chance(self, dtype: DType) -> bool:
        return self.chance is not None and dtype.is_float and dtype.itemsize < 4


def _by_chance(values: Float32, dtype: DType, chance: np.random.Generator) -> Float32:
    """Values that the dtype holds exactly, or the next power of two where they overflow.

    Each is one of the two neighbours of what was given, its distance from the other deciding
    how likely. 32 random bits represent those that are cut off, which may be more than 32 only
    far below the smallest value.
    """
    mantissa, least = _layout(dtype)
    with np.errstate(all="ignore"):
        size = np.abs(values).astype(np.float64)
        unit = np.maximum(np.frexp(size)[1] - 1, least) - mantissa
        steps = np.ldexp(size, -unit)
        bits = chance.integers(0, 1 << 32, values.shape, np.uint32)
        whole = np.ldexp(np.floor(steps + bits * 2.0**-32), unit)
        rounded = np.copysign(whole, values).astype(np.float32)
    return np.where(np.isfinite(values), rounded, values)


@cache
def _layout(dtype: DType) -> tuple[int, int]:
    """Mantissa bits, and the exponent of the smallest normal value."""
    about = ml_dtypes.finfo(dtype.numpy)  # type: ignore[no-untyped-call]
    return int(about.nmant), int(about.minexp)
