"""What a move changed in memory: compared with the blocks that a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nasm.debug.stops import FEW, ElementChange
from nasm.running import Checkpoint, Running
from nasm.sim.memory import BLOCK, Array, Block, Mask, Store
from nasm.spec.memory import Tensor

MOST = 256
"""Blocks of a tensor of which the elements are counted; of more only so many."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """Elements of a tensor that are not what they were.

    They lie in the ``box``: for each axis the first index, and the one behind the last; the box of
    the ``whole`` tensor is all of it. There were
    ``more`` if not all were looked at. ``elements`` are the first few, ``nan`` is the first that
    is NaN or infinite now.
    """

    tensor: str
    count: int
    box: tuple[tuple[int, int], ...]
    elements: tuple[ElementChange, ...]
    nan: tuple[int, ...] | None = None
    more: bool = False
    whole: bool = False

    @property
    def place(self) -> str:
        """Where they are, as the language writes it."""
        if self.whole:
            return self.tensor
        return f"{self.tensor}[{', '.join(_slice(*ends) for ends in self.box)}]"


def _slice(first: int, last: int) -> str:
    return str(first) if last == first + 1 else f"{first}:{last}"


def settle(running: Running) -> None:
    """Let the masks of memory say everything, so that it can be compared later."""
    for store in running.machine.state.stores:
        store.flush()


def changes(running: Running, since: Checkpoint) -> tuple[MemoryChange, ...]:
    """What of each tensor is not as it was at a checkpoint."""
    settle(running)
    state = running.machine.state
    by_store: dict[int, list[Tensor]] = {}
    for tensor in running.program.tensors.values():
        by_store.setdefault(id(state.by_tensor[tensor.index]), []).append(tensor)
    found = []
    for store, saved in state.stored(since.saved[0]):
        blocks = store.since(saved)
        if blocks:
            for tensor in by_store.get(id(store), ()):
                whole = _Whole(tensor, store, store.was_complete(saved, tensor.index))
                if (change := whole.compared(blocks)) is not None:
                    found.append(change)
    order = list(running.program.tensors)
    return tuple(sorted(found, key=lambda change: order.index(change.tensor)))


@dataclass(slots=True)
class _Whole:
    """One tensor, compared block by block."""

    tensor: Tensor
    store: Store
    complete: bool
    count: int = 0
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    few: list[ElementChange] = field(default_factory=list)
    nan: tuple[int, ...] | None = None

    def compared(self, blocks: Mapping[int, Block | None]) -> MemoryChange | None:
        """What changed of it in some blocks."""
        looked, more = 0, False
        for number in sorted(blocks):
            looked += self._block(number, blocks[number])
            if looked == MOST:
                more = number != max(blocks)
                break
        if not self.count:
            return None
        box = tuple(zip(self.low, (n + 1 for n in self.high), strict=True))
        whole = box == tuple((0, n) for n in self.tensor.shape)
        return MemoryChange(
            self.tensor.name, self.count, box, tuple(self.few), self.nan, more, whole
        )

    def _block(self, number: int, held: Block | None) -> bool:
        """Compare a block; whether any of it is of the tensor."""
        store, tensor = self.store, self.tensor
        now, known = store.part(number)
        old: Array = np.full_like(now, 0xFF) if held is None else held[0]
        knew: Mask = np.zeros_like(known) if held is None else held[1]
        at = self._offsets(number, len(now))
        if at is None:
            return False
        mine, flat = at
        known = np.ones_like(known) if tensor.index in store.complete else known
        knew = np.ones_like(knew) if self.complete else knew
        size = tensor.dtype.itemsize
        parts = (a[mine].reshape(-1, size) for a in (now, old, known, knew))
        new, was, has, had = parts
        other = (new != was).any(axis=1) & (has.all(axis=1) | had.all(axis=1))
        other |= has.all(axis=1) != had.all(axis=1)
        if not other.any():
            return True
        self._note(flat[other], new[other], was[other], has[other], had[other])
        return True

    def _offsets(self, number: int, size: int) -> tuple[Any, Array] | None:
        """Which bytes of a block are of the tensor, and the flat index of each element there."""
        store, tensor = self.store, self.tensor
        first, itemsize = number * BLOCK, tensor.dtype.itemsize
        if store.alone:
            return slice(None), np.arange(first // itemsize, (first + size) // itemsize)
        row, column = np.divmod(np.arange(first, first + size), store.pitch)
        row += store.row - (tensor.partition or 0)
        column += store.base - (tensor.offset or 0)
        mine = (column >= 0) & (column < tensor.bytes)
        mine &= (row >= 0) & (row < max(1, tensor.partitions))
        at = np.flatnonzero(mine)
        if len(at):  # elements that go on in the next block are left to nobody
            at = at[-int(column[at[0]]) % itemsize :]
            at = at[: len(at) - len(at) % itemsize]
        if not len(at):
            return None
        flat = (row[at] * tensor.bytes + column[at]) // itemsize
        return at, flat.reshape(-1, itemsize)[:, 0]

    def _note(self, flat: Array, new: Array, was: Array, has: Array, had: Array) -> None:
        tensor = self.tensor
        self.count += len(flat)
        indices = np.unravel_index(flat.astype(np.int64), tensor.shape) if tensor.shape else ()
        low, high = [int(i.min()) for i in indices], [int(i.max()) for i in indices]
        self.low = [min(a, b) for a, b in zip(self.low or low, low, strict=True)]
        self.high = [max(a, b) for a, b in zip(self.high or high, high, strict=True)]
        after, before = (
            np.ascontiguousarray(part).view(tensor.dtype.numpy).reshape(-1) for part in (new, was)
        )
        for n in range(min(len(flat), FEW - len(self.few))):
            index = tuple(int(i[n]) for i in indices)
            old = before[n] if had[n].all() else None
            self.few.append(ElementChange(index, old, after[n] if has[n].all() else None))
        if self.nan is None and tensor.dtype.is_float:
            with np.errstate(all="ignore"):
                bad = np.flatnonzero(~np.isfinite(after.astype(np.float32)) & has.all(axis=1))
            if len(bad):
                self.nan = tuple(int(i[bad[0]]) for i in indices)
