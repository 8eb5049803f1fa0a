"""Bytes with a written-mask, and regions: which bytes an access touches.

A :class:`Store` is an array of bytes, one row per partition (one row in all for a linear
memory), and a mask of the bytes ever written. :meth:`Store.put` is the only way in. Tensors that
share bytes live in one store; every other tensor has its own, dense, which the host's caches like
better than rows that lie far apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

POISON = 0xFF
"""What unwritten memory reads as: NaN in every floating-point dtype, -1 in every integer one."""

LINE = 64
"""Bytes of a line of the host's caches; a store begins on one."""

Array = NDArray[np.generic]
Mask = NDArray[np.bool_]


class Marking(Protocol):
    """Something that was written and whose place in the mask is owed."""

    def bits(self) -> Mask:
        """Its part of the mask."""


class Loan:
    """Bytes of a store as they are now, copied only if the store is about to change.

    What an instruction read at its start is written when it completes; mostly nobody touches its
    source in between, and a large tile need not be copied twice.
    """

    __slots__ = ("lender", "values")

    def __init__(self, lender: Store, values: Array) -> None:
        self.lender: Store | None = lender
        self.values = values
        lender.loans.append(self)

    def keep(self) -> None:
        """The store is about to change: copy."""
        self.values = self.values.copy()
        self.lender = None

    def take(self) -> Array:
        """The bytes as they were when they were lent; ends the loan."""
        if self.lender is not None:
            self.lender.loans.remove(self)
            self.lender = None
        return self.values


class Slab:
    """Bytes for many stores in one piece, which a host can map with few large pages."""

    def __init__(self, size: int) -> None:
        self._data = np.empty(size + LINE, np.uint8)
        self._data.fill(POISON)
        self._written = np.zeros(size + LINE, np.bool_)
        self._next = -self._data.ctypes.data % LINE

    @staticmethod
    def room(size: int) -> int:
        """Bytes to ask for so that something of this size can be taken."""
        return -(-size // LINE) * LINE

    def take(self, rows: int, size: int) -> tuple[NDArray[np.uint8], Mask]:
        """The next rows of so many bytes, poisoned, and their written-mask."""
        start, end = self._next, self._next + rows * size
        self._next += self.room(rows * size)
        return (
            self._data[start:end].reshape(rows, size),
            self._written[start:end].reshape(rows, size),
        )


class Store:
    """A rectangle of one memory of one core: its bytes, and which of them were ever written.

    It begins at a partition (``row``) and a byte within each (``base``); a linear memory has one
    row. ``complete`` are the numbers of tensors written as a whole, whose mask need not be kept;
    ``owed`` are accesses whose bytes were written and are not in the mask yet. ``foreign``, kept
    only where somebody asks, says which bytes were last written by others than those who may
    add to them.
    """

    __slots__ = (
        "_flat",
        "_mask",
        "base",
        "complete",
        "core",
        "data",
        "foreign",
        "loans",
        "name",
        "owed",
        "pitch",
        "row",
        "written",
    )

    def __init__(
        self,
        name: str,
        rows: int,
        size: int,
        row: int = 0,
        base: int = 0,
        core: int = 0,
        slab: Slab | None = None,
    ) -> None:
        self.name = name
        self.core = core
        self.row = row
        self.base = base
        self.data, self.written = (slab or Slab(rows * size)).take(rows, size)
        self.pitch = size
        self._flat = self.data.reshape(-1).data
        self._mask = self.written.reshape(-1).data
        self.complete: set[int] = set()
        self.owed: list[Marking] = []
        self.foreign: Mask | None = None
        self.loans: list[Loan] = []

    def array(
        self,
        dtype: DTypeLike,
        row: int,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Array:
        """Some bytes as an array that shares them, from a row and a byte of the memory on."""
        start = self.position(row, offset)
        return np.ndarray(shape, dtype, self._flat, start, strides)

    def position(self, row: int, offset: int) -> int:
        """Where a byte of the memory stands in the store."""
        return (row - self.row) * self.pitch + offset - self.base

    def mask(
        self, itemsize: int, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Mask:
        """The written-mask of elements from a byte on; a last axis walks the bytes of each."""
        return np.ndarray((*shape, itemsize), np.bool_, self._mask, start, (*strides, 1))

    def strangers(
        self, itemsize: int, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Mask:
        """The same of ``foreign``, which begins with the first question."""
        if self.foreign is None:
            self.foreign = np.zeros_like(self.written)
        held = self.foreign.reshape(-1).data
        return np.ndarray((*shape, itemsize), np.bool_, held, start, (*strides, 1))

    def put(self, target: Array, values: Array) -> None:
        """Store values where an array of this memory stands: the one door for a change."""
        if self.loans:
            self._keep_loans()
        target[...] = values

    def put_where(self, target: Array, values: Array, where: Mask) -> None:
        """Store the values that are chosen, and leave the other elements as they are."""
        if self.loans:
            self._keep_loans()
        np.copyto(target, values, where=where)

    def put_at(self, target: Array, places: tuple[Any, ...], values: Array) -> None:
        """Store values at chosen places of an array; of several for one place the last stays."""
        if self.loans:
            self._keep_loans()
        target[places] = values

    def pay(self) -> None:
        """Enter into the mask what is owed to it."""
        owed, self.owed = self.owed, []
        for access in owed:
            access.bits()[...] = True

    def put_loan(self, target: Array, loan: Loan) -> None:
        """Store what was lent, by this store or another."""
        if self.loans:
            self._keep_loans()
        target[...] = loan.take()

    def _keep_loans(self) -> None:
        for loan in self.loans:
            loan.keep()
        self.loans = []

    def add(self, target: Array, values: Array) -> None:
        """Add values to an array of this memory, in its own dtype: the other half of the door."""
        if self.loans:
            self._keep_loans()
        np.add(target, values, out=target)


class Region(NamedTuple):
    """The bytes an access touches: rows, a byte range in each, and the pattern within it.

    ``rows`` are (first, count, step); ``dims`` the free pattern as (byte step, count). ``place``
    tells memories of different cores apart and registers from memories. ``runs``, if there are
    any, say instead which bytes of each row: as [low, high), ascending.
    """

    place: str
    rows: tuple[int, int, int]
    low: int
    high: int
    start: int
    dims: tuple[tuple[int, int], ...]
    itemsize: int
    runs: tuple[tuple[int, int], ...] = ()

    @property
    def dense(self) -> bool:
        """Whether it walks a plain run, so that its lowest and highest byte say everything."""
        if self.runs:
            return False
        reach = self.itemsize
        for step, count in sorted(self.dims, key=lambda dim: abs(dim[0])):
            if step and abs(step) != reach:
                return False
            reach *= count if step else 1
        return True

    def offsets(self) -> NDArray[np.int64]:
        """Every byte offset it touches in a row, ascending."""
        at = np.arange(self.itemsize, dtype=np.int64)
        for step, count in reversed(self.dims):
            at = (np.arange(count, dtype=np.int64)[:, None] * step + at[None, :]).reshape(-1)
        return np.unique(at + self.start)

    def spans(self) -> NDArray[np.int64]:
        """The runs of bytes it touches in a row as [low, high), ascending."""
        if self.runs:
            return np.array(self.runs, np.int64)
        if self.dense:
            return np.array([(self.low, self.high)], np.int64)
        at = self.offsets()
        return np.stack([at, at + 1], axis=1)

    def covers_row(self, row: int) -> bool:
        """Whether it touches this row."""
        first, count, step = self.rows
        if step == 0:
            return row == first
        at, rest = divmod(row - first, step)
        return rest == 0 and 0 <= at < count


def meet(these: tuple[Region, ...], those: tuple[Region, ...]) -> bool:
    """Whether any of some accesses touches a byte of any of others."""
    for a in these:
        for b in those:
            if a.place == b.place and overlap(a, b):
                return True
    return False


def overlap(a: Region, b: Region) -> bool:
    """Whether two accesses touch a byte in common; exact for any pattern."""
    if a.place != b.place or a.low >= b.high or b.low >= a.high:
        return False
    if not _rows_meet(a, b):
        return False
    if a.dense and b.dense:
        return True
    if a.runs or b.runs:
        return _runs_meet(a.spans(), b.spans())
    return bool(np.intersect1d(a.offsets(), b.offsets(), assume_unique=True).size)


def _runs_meet(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether two ascending lists of runs have a byte in common."""
    before = np.searchsorted(a[:, 0], b[:, 1])  # runs of a that begin before one of b ends
    reach = np.concatenate(([np.iinfo(np.int64).min], a[:, 1]))
    return bool((reach[before] > b[:, 0]).any())


def _rows_meet(a: Region, b: Region) -> bool:
    first, count, step = a.rows
    low, high = sorted((first, first + step * (count - 1)))
    other, n, s = b.rows
    below, above = sorted((other, other + s * (n - 1)))
    if low > above or below > high:
        return False
    if abs(step) <= 1 and abs(s) <= 1:
        return True
    return any(b.covers_row(first + step * i) for i in range(count))
