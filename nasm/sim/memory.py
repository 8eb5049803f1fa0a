"""Memory: bytes, and a shadow memory that says which of them are initialised.

A :class:`Store` is an array of bytes, one row per partition (one row in all for a linear
memory), and a mask of those that are initialised. :meth:`Store.before_change` is the one door for
a change: it keeps what a checkpoint or a copy-on-write array still needs. Tensors that share bytes
live in one store; every other tensor has its own, dense, which suits the host's caches better than
rows that lie far apart.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

POISON = 0xFF
"""What uninitialised memory reads as: NaN in every floating-point dtype, -1 in every integer."""

LINE = 64
"""Bytes of a line of the host's caches; a store begins on one."""

BLOCK = 1 << 16
"""Bytes that are kept together when one of them changes for the first time since a checkpoint.

A block is so many bytes of each row, for what is written together lies side by side in all rows."""

MOST_DERIVED = 256
"""How much is kept that was derived of a store's bytes."""

Array = NDArray[np.generic]
Mask = NDArray[np.bool_]
Block = tuple[NDArray[np.uint8], Mask, Mask | None]
"""What a block held: its bytes, which were initialised, which were not accumulable."""

Journal = dict[int, Block | None]
"""Blocks by number as they were at a checkpoint; None for one that was all uninitialised."""


ALL_ROWS = slice(None)


class PendingWrite(Protocol):
    """Bytes of a store that are about to change together.

    ``kept`` is the journal that already has their blocks; ``columns`` are the first of these bytes
    in a row of the store, and the one after the last.
    """

    kept: Journal | None

    @property
    def columns(self) -> tuple[int, int]:
        """The first byte in a row, and one past the last."""


class PendingMark(Protocol):
    """Something of a tensor that was written, and is not marked in the mask yet."""

    kept: Journal | None

    @property
    def number(self) -> int:
        """The number of the tensor."""

    @property
    def solid(self) -> bool:
        """Whether each byte of its columns is one of it, in every row of the store."""

    @property
    def columns(self) -> tuple[int, int]:
        """As of a change."""

    def bits(self) -> Mask:
        """Its part of the mask."""


class CopyOnWrite:
    """Bytes of a store as they are now, copied only when the store is about to change.

    What an instruction read at its start is written when it completes; mostly nothing writes its
    source in between, and a large tile need not be copied twice.
    """

    __slots__ = ("store", "values")

    def __init__(self, store: Store, values: Array) -> None:
        self.store: Store | None = store
        self.values = values
        store.shared.append(self)

    def detach(self) -> None:
        """The store is about to change: copy."""
        self.values = self.values.copy()
        self.store = None

    def take(self) -> Array:
        """The bytes as they were when this was made; nothing is shared any more."""
        if self.store is not None:
            self.store.shared.remove(self)
            self.store = None
        return self.values


class Derived:
    """What follows from some bytes of a store: made when read, kept until the store changes."""

    CACHES = ("kept", "values")
    __slots__ = ("home", "kept", "make", "values")

    def __init__(self, store: Store, make: Callable[[], Any]) -> None:
        self.home, self.make = store, make
        self.forget()

    def forget(self) -> None:
        """The store is about to change."""
        self.kept, self.values = False, None

    def read(self) -> Any:
        """What follows from the bytes as they are."""
        if not self.kept:
            if len(self.home.derivatives) >= MOST_DERIVED:
                self.home.forget()
            self.values = self.make()
            self.kept = True
            self.home.derivatives.append(self)
        return self.values


class Arena:
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
        """The next rows of so many bytes, poisoned, and their mask."""
        start, end = self._next, self._next + rows * size
        self._next += self.room(rows * size)
        return (
            self._data[start:end].reshape(rows, size),
            self._written[start:end].reshape(rows, size),
        )


MADE_LATER = frozenset(("data", "written", "_bytes", "_marks"))
"""What a store without an arena has once one of them is asked for."""


UNTOUCHED: Final = (0, frozenset[int](), (), (), False)
"""What a store would have saved before anything touched it."""


class Store:
    """A rectangle of one memory of one core: its bytes, and which of them are initialised.

    It begins at a partition (``row``) and a byte within each (``base``); a linear memory has one
    row. Without an arena its bytes are ``made`` when something asks for them, of which ``touched``
    is notified: until then all of it is uninitialised. ``alone`` says that one tensor lives in it,
    ``guarded`` that it matters what wrote last, since an instruction accumulates onto it.
    ``complete`` are the numbers of tensors written as a whole, whose mask is not looked at;
    ``pending`` are accesses whose bytes were written, and are not marked in the mask yet.
    ``not_accumulable``, which exists only once it is asked for, says which bytes were last written
    by an instruction onto which none may accumulate. ``journal`` has the blocks that changed since
    the last checkpoint, as they were, each ``width`` bytes of every row; ``shared`` are the
    copy-on-write arrays of these bytes, ``derivatives`` what was derived of them.
    """

    __slots__ = (
        "_bytes", "_ever", "_journals", "_marks", "_numbers", "alone", "base", "complete", "core",
        "data", "derivatives", "derived", "guarded", "journal", "made", "name", "not_accumulable",
        "pending", "pitch", "row", "rows", "shared", "touched", "width", "written",
    )  # fmt: skip
    CACHES = (
        "_bytes", "_ever", "_journals", "_marks", "_numbers", "derivatives", "derived", "journal",
        "made", "touched",
    )  # fmt: skip
    """What follows from the rest, or restores it."""

    data: NDArray[np.uint8]
    written: Mask
    _bytes: memoryview
    _marks: memoryview

    def __init__(
        self,
        name: str,
        rows: int,
        size: int,
        row: int = 0,
        base: int = 0,
        core: int = 0,
        arena: Arena | None = None,
    ) -> None:
        self.name = name
        self.core = core
        self.row = row
        self.base = base
        self.rows, self.pitch, self.made = rows, size, False
        self.touched: Callable[[Store], None] | None = None
        if arena is not None:
            self._take(arena)
        self.width = max(1, BLOCK // rows)
        self.alone, self.guarded = True, False
        self.complete: set[int] = set()
        self.pending: list[PendingMark] = []
        self.not_accumulable: Mask | None = None
        self.shared: list[CopyOnWrite] = []
        self.derivatives: list[Derived] = []
        self.derived: dict[tuple[Callable[[Array], Any], DTypeLike], Derived] = {}
        self.journal: Journal = {}
        self._journals = {0: self.journal}
        self._numbers = [0]  # in order
        self._ever: set[int] = set()

    def _take(self, arena: Arena) -> None:
        self.made = True
        self.data, self.written = arena.take(self.rows, self.pitch)
        self._bytes, self._marks = self.data.reshape(-1).data, self.written.reshape(-1).data

    def make(self) -> None:
        """Make its bytes, which something is going to ask for."""
        self._take(Arena(self.rows * self.pitch))
        if self.touched is not None:
            self.touched(self)

    def __getattr__(self, name: str) -> Any:
        """Its bytes, which are asked for for the first time."""
        if name not in MADE_LATER:
            raise AttributeError(name)
        self.make()
        return getattr(self, name)

    # -- places

    def array(
        self, dtype: DTypeLike, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Array:
        """Some bytes as an array that shares them, from a byte of the store on."""
        return np.ndarray(shape, dtype, self._bytes, start, strides)

    def mask(
        self, itemsize: int, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Mask:
        """The mask of elements from a byte on; a last axis walks the bytes of each."""
        return np.ndarray((*shape, itemsize), np.bool_, self._marks, start, (*strides, 1))

    def not_accumulable_mask(
        self, itemsize: int, start: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Mask:
        """The same of ``not_accumulable``, which begins with the first question."""
        if self.not_accumulable is None:
            self.not_accumulable = np.zeros_like(self.written)
        held = self.not_accumulable.reshape(-1).data
        return np.ndarray((*shape, itemsize), np.bool_, held, start, (*strides, 1))

    def deriving(self, make: Callable[[Array], Any], dtype: DTypeLike) -> Derived:
        """What is made of all of it, of elements of a dtype; kept until it changes."""
        found = self.derived.get((make, dtype))
        if found is None:
            made = partial(make, self.data.view(dtype))
            found = self.derived[make, dtype] = Derived(self, made)
        return found

    # -- changes

    def before_change(self, change: PendingWrite) -> None:
        """Keep what a checkpoint or a copy-on-write array still needs of bytes about to change."""
        if self.derivatives:
            self.forget()
        if self.shared:
            for array in self.shared:
                array.detach()
            self.shared = []
        if change.kept is not self.journal:
            self.keep(change)

    def keep(self, change: PendingWrite) -> None:
        """Put the blocks of these bytes into the journal, as they were at the checkpoint."""
        journal = self.journal
        left, right = change.columns
        for block in range(left // self.width, (right - 1) // self.width + 1):
            if block not in journal:
                journal[block] = self._copy(block) if block in self._ever else None
                self._ever.add(block)
        change.kept = journal

    def forget(self) -> None:
        """Drop what was derived of these bytes; it is made again when it is read."""
        for derived in self.derivatives:
            derived.forget()
        self.derivatives.clear()

    def _copy(self, block: int) -> Block:
        part = self._part(block)
        others = None if self.not_accumulable is None else self.not_accumulable[part].copy()
        return self.data[part].copy(), self.written[part].copy(), others

    def _part(self, block: int) -> tuple[slice, slice]:
        return ALL_ROWS, slice(block * self.width, (block + 1) * self.width)

    def knows(self, tensor: int) -> bool:
        """Whether all of a tensor was written; otherwise the mask says what of it was."""
        if self.pending:
            self.flush()
        return tensor in self.complete

    def flush(self) -> None:
        """Mark in the mask what is pending; together it may be all of the only tensor there is."""
        pending, self.pending = self.pending, []
        if self.alone and self._together(pending):
            self.complete.add(pending[0].number)
            return
        for access in pending:
            if access.kept is not self.journal:
                self.keep(access)
            access.bits()[...] = True

    def _together(self, pending: list[PendingMark]) -> bool:
        """Whether writes have between them every byte."""
        end = 0
        for left, right in sorted(access.columns for access in pending if access.solid):
            if left > end:
                return False
            end = max(end, right)
        return end == self.pitch

    # -- checkpoints

    def save(self) -> Any:
        """A checkpoint: from now on the journal keeps what changes."""
        number = self._numbers[-1] + 1
        journal = self._journals[number] = Journal()
        self._numbers.append(number)
        self.journal = journal
        return (
            number,
            frozenset(self.complete),
            tuple(self.pending),
            tuple((array, array.store, array.values) for array in self.shared),
            self.not_accumulable is not None,
        )

    def restore(self, saved: Any) -> None:
        """Everything as it was at a checkpoint; those made after it are gone."""
        number, complete, pending, shared, marking = saved
        if self.not_accumulable is not None and not marking:
            self.not_accumulable = None
        later = self._numbers[bisect_left(self._numbers, number) :]
        for one in reversed(later):
            for block, held in self._journals[one].items():
                self._put_back(block, held)
        for _ in later[1:]:  # after an interrupt before this it is all done again
            self._journals.pop(self._numbers.pop())
        self.journal = self._journals[number] = {}
        self.complete, self.pending = set(complete), list(pending)
        self.forget()
        self.shared = []
        for array, store, values in shared:
            array.store, array.values = store, values
            self.shared.append(array)

    def discard(self, saved: Any) -> None:
        """A checkpoint is given up: what only it needs is freed."""
        at = bisect_left(self._numbers, saved[0])
        journal = self._journals.pop(self._numbers.pop(at))
        before = self._journals[self._numbers[at - 1]]
        for block, held in journal.items():
            before.setdefault(block, held)
        if journal is self.journal:
            self.journal = before

    def kept(self, saved: Any) -> int:
        """Bytes that are kept of what changed since a checkpoint, up to the next one."""
        blocks = self._journals[saved[0]].values()
        return sum(_size(block) for block in blocks if block is not None)

    def since(self, saved: Any) -> dict[int, Block | None]:
        """The blocks that changed since a checkpoint, as they were at it."""
        found: dict[int, Block | None] = {}
        for number in self._numbers[bisect_left(self._numbers, saved[0]) :]:
            for block, held in self._journals[number].items():
                found.setdefault(block, held)
        return found

    @staticmethod
    def was_complete(saved: Any, tensor: int) -> bool:
        """Whether all of a tensor was initialised at a checkpoint, whatever its mask said."""
        return tensor in saved[1]

    def part(self, rows: slice, columns: slice) -> tuple[NDArray[np.uint8], Mask]:
        """Some bytes, and their mask."""
        return self.data[rows, columns], self.written[rows, columns]

    def _put_back(self, block: int, held: Block | None) -> None:
        part, others = self._part(block), self.not_accumulable
        if held is None:
            self._ever.discard(block)
            self.data[part], self.written[part] = POISON, False
            if others is not None:
                others[part] = False
            return
        self._ever.add(block)
        self.data[part], self.written[part], kept = held
        if others is not None:
            others[part] = False if kept is None else kept


def _size(block: Block) -> int:
    return sum(part.nbytes for part in block if part is not None)
