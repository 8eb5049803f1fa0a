"""What a move changed in memory: compared with the blocks that a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nasm.debug.moving.stops import FEW, ElementChange
from nasm.problems import counted
from nasm.running import Checkpoint, Running
from nasm.sim.memory import BLOCK, Array, Block, Mask, Store
from nasm.spec.memory import Tensor

MOST = 256
"""Blocks of a tensor of which the elements are counted; of more only so many."""


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        more = " or more" if self.more else ""
        return f"<{self.place}: {counted(self.count, 'element')}{more} changed>"


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
        looked, more, numbers = 0, False, set(blocks)
        if self._split:
            numbers |= {number - 1 for number in blocks if number}
        for number in sorted(numbers):
            looked += self._block(number, blocks)
            if looked == MOST:
                more = number != max(numbers)
                break
        if not self.count:
            return None
        box = tuple(zip(self.low, (n + 1 for n in self.high), strict=True))
        whole = box == tuple((0, n) for n in self.tensor.shape)
        return MemoryChange(
            self.tensor.name, self.count, box, tuple(self.few), self.nan, more, whole
        )

    @property
    def _split(self) -> int:
        """How many bytes of an element may lie in the block behind the one that it begins in."""
        return 0 if self.store.alone else self.tensor.dtype.itemsize - 1

    def _part(self, number: int, blocks: Mapping[int, Block | None]) -> list[Any]:
        """A block's bytes as they are and as they were, and both masks."""
        now, known = self.store.part(number)
        if number not in blocks:
            return [now, now, known, known]
        held = blocks[number]
        if held is None:
            return [now, np.full_like(now, 0xFF), known, np.zeros_like(known)]
        return [now, held[0], known, held[1]]

    def _block(self, number: int, blocks: Mapping[int, Block | None]) -> bool:
        """Compare the elements that begin in a block; whether it has any of the tensor."""
        store, tensor = self.store, self.tensor
        if not self._reaches(number):
            return False
        parts = self._part(number, blocks)
        if self._split:
            behind = (part[: self._split] for part in self._part(number + 1, blocks))
            parts = [np.concatenate(both) for both in zip(parts, behind, strict=True)]
        now, old, known, knew = parts
        surely = tensor.index in store.complete, self.complete
        if surely[0] != surely[1]:  # what their masks say is not alike, whatever they hold
            known, knew = (
                np.ones_like(mask) if sure else mask
                for sure, mask in zip(surely, (known, knew), strict=True)
            )
        at, flat = self._apart(number, now, old, None if all(surely) else (known, knew))
        if not len(at):
            return True
        has, had = (
            np.ones(len(at), np.bool_) if all(surely) else mask[at].all(axis=1)
            for mask in (known, knew)
        )
        new, was = now[at], old[at]
        other = ((new != was).any(axis=1) & (has | had)) | (has != had)
        if other.any():
            self._note(flat[other], new[other], was[other], has[other], had[other])
        return True

    def _reaches(self, number: int) -> bool:
        """Whether a block lies between the first and the last byte of the tensor."""
        store, tensor = self.store, self.tensor
        if store.alone:
            return True
        rows = max(1, tensor.partitions)
        first = ((tensor.partition or 0) - store.row) * store.pitch
        first += (tensor.offset or 0) - store.base
        last = first + (rows - 1) * store.pitch + tensor.bytes
        return first < (number + 1) * BLOCK and number * BLOCK < last

    def _apart(
        self, number: int, now: Array, old: Array, masks: tuple[Mask, Mask] | None
    ) -> tuple[Array, Array]:
        """The elements of a block of which a byte or its mask is not what it was.

        For each the bytes in the block, and its flat index.
        """
        store, tensor = self.store, self.tensor
        size, first = tensor.dtype.itemsize, number * BLOCK
        unit = f"u{size}" if store.alone else "u1"
        other = now.view(unit) != old.view(unit)
        if masks is not None:
            other |= masks[0].view(unit) != masks[1].view(unit)
        found = np.flatnonzero(other)
        if store.alone:
            begin, flat = found * size, found + first // size
        else:
            row, column = np.divmod(found + first, store.pitch)
            row += store.row - (tensor.partition or 0)
            column += store.base - (tensor.offset or 0)
            mine = (column >= 0) & (column < tensor.bytes)
            mine &= (row >= 0) & (row < max(1, tensor.partitions))
            nth, over = np.divmod(column[mine], size)
            begin, at = np.unique(found[mine] - over, return_index=True)
            flat = (row[mine] * (tensor.bytes // size) + nth)[at]
            whole = (begin >= 0) & (begin + size <= len(now))
            begin, flat = begin[whole], flat[whole]  # what began in the one before is its own
        return begin[:, None] + np.arange(size), flat

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
            old = before[n] if had[n] else None
            self.few.append(ElementChange(index, old, after[n] if has[n] else None))
        if self.nan is None and tensor.dtype.is_float:
            with np.errstate(all="ignore"):
                bad = np.flatnonzero(~np.isfinite(after.astype(np.float32)) & has)
            if len(bad):
                self.nan = tuple(int(i[bad[0]]) for i in indices)
