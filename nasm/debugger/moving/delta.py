"""What a move changed in memory: compared with the blocks that a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from nasm.base.problems import counted
from nasm.base.records import dataclass, field
from nasm.debugger.moving.stops import FEW, ElementChange
from nasm.runs.execution import Checkpoint, Execution
from nasm.sim.memory import POISON, Array, Block, Mask, Store
from nasm.views.tensor import Tensor

MOST = 256
"""Blocks of a tensor of which the elements are counted; of more only so many."""


@dataclass(frozen=True, slots=True, repr=False)
class MemoryChange:
    """Elements of a tensor that are not what they were.

    They lie in the ``box``: for each axis the first index, and one past the last; the box of
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


def settle(running: Execution) -> None:
    """Let the masks of memory say everything, so that it can be compared later."""
    for _, store in running.machine.state.every():
        store.flush()


def changes(running: Execution, since: Checkpoint) -> tuple[MemoryChange, ...]:
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
    order = running.program.tensors
    return tuple(sorted(found, key=lambda change: order[change.tensor].index))


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
        store, tensor = self.store, self.tensor
        left, size = (tensor.offset or 0) - store.base, tensor.dtype.itemsize
        arranged = tensor.arrangement is not None
        reached = range(left // store.width, (left + tensor.bytes - 1) // store.width + 1)
        numbers = [number for number in reached if number in blocks]
        done = 0
        if numbers and arranged:
            self._elements(0, prod(tensor.shape), left, blocks)
        for number in () if arranged else numbers[:MOST]:
            low = max(0, number * store.width - left) // size
            first = max(done, low)
            done = -(-min(tensor.bytes, (number + 1) * store.width - left) // size)
            if first < done:
                self._elements(first, done, left, blocks)
        if not self.count:
            return None
        self.few = sorted(self.few, key=lambda change: change.index)[:FEW]
        box = tuple(zip(self.low, (n + 1 for n in self.high), strict=True))
        whole = box == tuple((0, n) for n in tensor.shape)
        more = len(numbers) > MOST and not arranged
        return MemoryChange(tensor.name, self.count, box, tuple(self.few), self.nan, more, whole)

    def _elements(
        self, first: int, end: int, left: int, blocks: Mapping[int, Block | None]
    ) -> None:
        """Compare some elements of each row; ``left`` is where the tensor begins in it."""
        tensor, size = self.tensor, self.tensor.dtype.itemsize
        arrangement = tensor.arrangement
        columns = slice(left + first * size, left + end * size)
        if arrangement is not None:
            columns = slice(left, left + tensor.bytes)
        now, known = self._now(columns)
        old, knew = self._then(columns, blocks)
        if arrangement is not None:
            now, known = arrangement.spread(now, known, tensor.shape)
            old, knew = arrangement.spread(old, knew, tensor.shape)
        surely = tensor.index in self.store.complete, self.complete
        if all(surely):
            known = knew = np.broadcast_to(np.True_, known.shape)
        elif any(surely):  # their masks differ, whatever they hold
            known, knew = (
                np.ones_like(mask) if sure else mask
                for sure, mask in zip(surely, (known, knew), strict=True)
            )
        if np.array_equal(now, old) and np.array_equal(known, knew):
            return
        new, was = (np.ascontiguousarray(part).view(f"u{size}") for part in (now, old))
        has, had = (_all_bytes(mask, size) for mask in (known, knew))
        other = ((new != was) & (has | had)) | (has != had)
        if other.any():
            row, nth = other.nonzero()
            flat = row * tensor.elements + first + nth
            self._note(flat, new[other], was[other], has[other], had[other])

    def _now(self, columns: slice) -> tuple[Array, Mask]:
        """Bytes of the tensor's rows, and their mask."""
        first = (self.tensor.partition or 0) - self.store.row
        return self.store.part(slice(first, first + max(1, self.tensor.partitions)), columns)

    def _then(self, columns: slice, blocks: Mapping[int, Block | None]) -> tuple[Array, Mask]:
        """The same as they were."""
        width = self.store.width
        first = (self.tensor.partition or 0) - self.store.row
        rows = slice(first, first + max(1, self.tensor.partitions))
        parts = []
        for number in range(columns.start // width, (columns.stop - 1) // width + 1):
            begin = number * width
            low, high = max(columns.start, begin), min(columns.stop, begin + width)
            now, known = self._now(slice(low, high))
            if number not in blocks:
                parts.append((now, known))
                continue
            held, part = blocks[number], (rows, slice(low - begin, high - begin))
            if held is None:
                parts.append((np.full_like(now, POISON), np.zeros_like(known)))
            else:
                parts.append((held[0][part], held[1][part]))
        if len(parts) == 1:
            return parts[0]
        old, knew = zip(*parts, strict=True)
        return np.concatenate(old, axis=1), np.concatenate(knew, axis=1)

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
        for n in range(min(len(flat), FEW)):
            index = tuple(int(i[n]) for i in indices)
            old = before[n] if had[n] else None
            self.few.append(ElementChange(index, old, after[n] if has[n] else None))
        if tensor.dtype.is_float:
            with np.errstate(all="ignore"):
                bad = np.flatnonzero(~np.isfinite(after.astype(np.float32)) & has)
            if len(bad):
                at = tuple(int(i[bad[0]]) for i in indices)
                self.nan = at if self.nan is None else min(self.nan, at)


def _all_bytes(mask: Mask, size: int) -> Mask:
    """Whether all bytes of each element are marked."""
    whole = int.from_bytes(b"\x01" * size, "little")
    known: Mask = np.ascontiguousarray(mask).view(f"u{size}") == whole
    return known
