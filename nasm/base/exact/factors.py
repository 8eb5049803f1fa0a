"""The sides of a product of matrices: their numbers, and how long these are."""

from __future__ import annotations

import math
import sys
import threading
import weakref
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact.error_free import BITS, Doubles

Array = NDArray[Any]
Floats = NDArray[np.float32]

HALF_ULP: Final = 2.0**-BITS

MOST_REUSED: Final = 512 * 512
"""Elements of the largest array that is used again."""

ARRAYS: Final = 8
"""How many arrays are kept to be used again."""

RANKED: Final = 48
"""Columns that are known as the longest of a factor."""

MOST_PARTS: Final = 32
"""How many times as many columns a factor may have that is measured in place of its part."""

COLUMNS: Final = 512
"""Columns whose norms are computed at once."""

MODERATE: Final = 55
"""Exponents up to which squares, and sums of MOST_ROWS of them, are normal numbers in float32."""

MOST_ROWS: Final = 512
"""Rows of a factor whose norms are computed in float32."""

CHUNK: Final = 1 << 20
"""Elements of a piece of memory for factors that are kept in float64."""

CHUNKS: Final = 8
"""How many of these there may be."""

_KNOWN = [np.empty(0)]
_UNUSED: Final = sys.getrefcount(_KNOWN[0])
"""References to an array that only a list has."""


class Scratch(threading.local):
    """Arrays for what lies between, which each thread uses again once nothing else has them.

    Fresh ones of this size may each be mapped, and their pages cleared, by the operating system:
    that takes a quarter of a product.
    """

    def __init__(self) -> None:
        self._kept: list[Doubles] = []

    def array(self, shape: tuple[int, ...]) -> Doubles:
        """An array that nothing else has, with anything in it."""
        size, kept = math.prod(shape), self._kept
        if size <= MOST_REUSED:
            for at in range(len(kept)):
                if sys.getrefcount(kept[at]) == _UNUSED:
                    if kept[at].size < size:
                        kept[at] = np.empty(size)
                    return kept[at][:size].reshape(shape)
        made = np.empty(size)
        if size <= MOST_REUSED and len(kept) < ARRAYS:
            kept.append(made)
        return made.reshape(shape)


SCRATCH: Final = Scratch()


class Chunk:
    """A piece of memory, of which parts are taken one after another."""

    def __init__(self) -> None:
        self.data, self.taken = np.empty(CHUNK), 0


class KeptDoubles:
    """Room for factors in float64: pieces that a host can map with few large pages."""

    def __init__(self) -> None:
        self._chunk: Chunk | None = None
        self._chunks = 0

    def keep(self, array: Array) -> Doubles | None:
        """An array in float64, if there is room for it."""
        size, chunk = array.size, self._chunk
        if size > CHUNK:
            return None
        if chunk is None or chunk.taken + size > CHUNK:
            self._chunk = None
            del chunk
            if self._chunks == CHUNKS:
                return None
            chunk = self._chunk = Chunk()
            self._chunks += 1
            weakref.finalize(chunk.data, self._free).atexit = False
        made = chunk.data[chunk.taken : chunk.taken + size].reshape(array.shape)
        chunk.taken += size
        made[...] = array
        return made

    def _free(self) -> None:
        self._chunks -= 1


_KEPT: Final = KeptDoubles()


class BitSpan(NamedTuple):
    """How long the numbers of a factor are, as their exponents tell.

    Every element is a multiple of 2**low and below 2**high in magnitude, those of column n even of
    2**lows[n], which is its unit, and below 2**highs[n]: none is more than ``widest`` bits long in
    that. ``finite`` says whether all elements are numbers.
    """

    finite: bool
    low: int
    high: int
    widest: int
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]

    @classmethod
    def of(cls, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> BitSpan:
        """The span of columns."""
        high = int(highs.max())
        return cls(high <= 128, int(lows.min()), high, int((highs - lows).max()), lows, highs)


class Sizes:
    """Of each column [n] the Euclidean norm, not less than it is, and the same in its unit.

    By Cauchy and Schwarz no partial sum of a product exceeds the product of two norms; where that
    of two lengths does not exceed LONGEST, no sum of their products is rounded. Otherwise it is off
    by no more than the product of the norms times ``lost``.
    """

    CACHES = ("_ranked",)
    __slots__ = ("_ranked", "lengths", "longest", "lost", "norms")

    def __init__(self, norms: Doubles, lengths: Doubles, rows: int) -> None:
        self.norms, self.lengths = norms, lengths
        self.longest = float(lengths.max())
        # K - 1 additions, each off by half an ulp of a partial sum, and three more of the bound
        self.lost = (rows + 2) * HALF_ULP
        self._ranked: list[tuple[float, float, int]] | None = None

    @property
    def ranked(self) -> list[tuple[float, float, int]]:
        """The longest columns, from the longest on, each with its length and its norm."""
        if self._ranked is None:
            first = np.argsort(self.lengths)[: -RANKED - 1 : -1]
            columns = (self.lengths[first].tolist(), self.norms[first].tolist(), first.tolist())
            self._ranked = [*zip(*columns, strict=True)]
        return self._ranked


class Factor:
    """One side of a product: [K, n] of float32 or bfloat16, and how long its numbers are.

    It may be some columns of a ``whole``, which is measured at once if more than one of its parts
    is: as many calls of NumPy for all of them take little longer than for one.
    """

    CACHES = ("_asked", "_doubles", "_sizes", "_span", "_used")

    __slots__ = ("_asked", "_columns", "_doubles", "_sizes", "_span", "_used", "_whole", "held")

    def __init__(
        self, held: Array, whole: Factor | None = None, columns: slice | None = None
    ) -> None:
        self.held = held
        fits = whole is not None and whole.held.shape[1] <= MOST_PARTS * held.shape[1]
        self._whole, self._columns = whole if fits else None, columns
        self._asked: slice | None = None
        self._span: BitSpan | None = None
        self._sizes: Sizes | None = None
        self._doubles: Doubles | None = None
        self._used = False

    @classmethod
    def of(cls, values: Factor | Array) -> Factor:
        """The factor of an array, or one that is there already."""
        return values if isinstance(values, Factor) else cls(values)

    def copy(self) -> Factor:
        """The same numbers, in an array of their own."""
        made = Factor(self.held.copy())
        made._span, made._sizes = self.span, self._sizes
        whole = self._whole
        if made._sizes is None and whole is not None and whole._sizes is not None:
            made._sizes = self.sizes()
        return made

    @property
    def rows(self) -> int:
        """How many terms each sum has: K."""
        return len(self.held)

    @property
    def values(self) -> Floats:
        """The numbers in float32."""
        return self.held.astype(np.float32, copy=False)

    @property
    def span(self) -> BitSpan:
        """How long its numbers are."""
        if self._span is None:
            whole = self._whole
            if whole is not None and self._columns is not None and whole.wanted(self._columns):
                of, part = whole.span, self._columns
                self._span = BitSpan.of(of.lows[part], of.highs[part])
            else:
                self._span = _span(self.held)
        return self._span

    def wanted(self, columns: slice) -> bool:
        """Whether it is measured as a whole, now that some columns are asked for."""
        if self._span is None and self._asked in (None, columns):
            self._asked = columns
            return False
        return True

    @property
    def doubles(self) -> Doubles:
        """The values in float64, which are kept."""
        if self._doubles is None:
            self._doubles = self.held.astype(np.float64)
        return self._doubles

    def as_doubles(self) -> Doubles:
        """The values in float64, which are kept if this is not the first time, and there is room.

        Otherwise the array is for the caller alone, and for now.
        """
        if self._doubles is None and self._used:
            self._doubles = _KEPT.keep(self.held)
        self._used = True
        if self._doubles is not None:
            return self._doubles
        made = SCRATCH.array(self.held.shape)
        made[...] = self.held
        return made

    def sizes(self) -> Sizes:
        """The sizes of all columns."""
        if self._sizes is None:
            whole = self._whole
            if whole is not None and self._columns is not None and whole._span is not None:
                of, part = whole.sizes(), self._columns
                self._sizes = Sizes(of.norms[part], of.lengths[part], self.rows)
            else:
                norms = _norms(self.held, self.span)
                self._sizes = Sizes(norms, np.ldexp(norms, -self.span.lows), self.rows)
        return self._sizes


def _norms(held: Array, span: BitSpan) -> Doubles:
    """The Euclidean norm of each column, not less than it is.

    In float32 if no square leaves its range: it is off by no more than 2**-15 then, as are norms of
    up to 512 rows.
    """
    kind: Any = np.float32
    if span.low < -MODERATE or span.high > MODERATE or len(held) > MOST_ROWS:
        kind = np.float64
    norms = np.empty(held.shape[1])
    for start in range(0, len(norms), COLUMNS):
        part = held[:, start : start + COLUMNS].astype(kind, copy=False)
        norms[start : start + COLUMNS] = np.einsum("kn,kn->n", part, part)
    return np.asarray(np.sqrt(norms) * (1 + 2.0**-14))


def _span(held: Array) -> BitSpan:
    """How long the numbers of each column are: from the first bit of any to the last."""
    kind: Any
    kind, fraction = (np.uint16, 7) if held.itemsize == 2 else (np.uint32, 23)
    bits = held.view(kind)
    sizes = bits & kind((0x100 << fraction) - 1)
    most = sizes.max(axis=0)
    sizes -= kind(1)  # zero, which has no length, becomes the largest there is
    least = sizes.min(axis=0) + kind(1)
    used = np.bitwise_or.reduce(bits, axis=0) | kind(1 << fraction)
    used &= ~used + kind(1)
    unused = np.frexp(used.astype(np.float32))[1] - 1  # last bits that no element has
    highs = np.maximum(most >> fraction, 1).astype(np.int64) - 126
    lows = np.maximum(least >> fraction, 1).astype(np.int64) - (127 + fraction) + unused
    return BitSpan.of(np.minimum(lows, highs), highs)
