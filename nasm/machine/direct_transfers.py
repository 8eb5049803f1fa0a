"""Moves of transfers whose addresses are known, and how they are cut into shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Casting, DType
from nasm.isa.effects import ONTO, SUM, Partial, Plan, Transfer
from nasm.machine.access import Access
from nasm.machine.addresses import Addresses
from nasm.machine.findings import Findings
from nasm.machine.indirect_transfers import Chosen
from nasm.sim.counters import Who
from nasm.sim.memory import Array, CopyOnWrite
from nasm.views.pattern_runs import pieces, rows
from nasm.views.regions import Region
from nasm.views.view import View

Taken = Array | CopyOnWrite


class DirectMove:
    """A destination and its sources: where bytes come from and go to, and how.

    Each side is bound when bytes go through it: of a share that is read with others, but written by
    itself, only the destination is.
    """

    def __init__(
        self, addresses: Addresses, casting: Casting, views: Sequence[View], transfer: Transfer
    ) -> None:
        self.dst, *self.srcs = views
        self.op, self.axes, self.casting = transfer.op, transfer.axes, casting
        self._addresses = addresses
        self._reads: list[Access] = []
        self._write: Access | None = None
        self._take: Callable[[], Taken] | None = None

    @property
    def reads(self) -> list[Access]:
        """The sources."""
        self._reads = self._reads or [self._addresses.access(src) for src in self.srcs]
        return self._reads

    @property
    def write(self) -> Access:
        """The destination."""
        if self._write is None:
            self._write = self._addresses.access(self.dst)
        return self._write

    def _taking(self) -> Callable[[], Taken]:
        """What takes the bytes."""
        dst, casting, sources = self.dst, self.casting, [read.elements for read in self.reads]
        if self.axes:
            sources = [source.transpose(self.axes) for source in sources]
        have, want = [src.dtype for src in self.srcs], dst.dtype
        if self.op == SUM:
            return _summing(sources, have, dst.shape, want, casting)
        return _copying(sources[0], have[0], dst.shape, want, casting, self.reads[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """What is taken has the shape of the destination."""
        return self.dst.shape

    def touches(self, _: Chosen) -> tuple[Region, ...]:
        """All that it reads and writes."""
        return (self.write.region, *(read.region for read in self.reads))

    def take(self, _: Chosen, findings: Findings, who: Who | None = None) -> Taken:
        """The bytes to move, as they are now."""
        for access, view in zip(self.reads, self.srcs, strict=True):
            if not access.place.initialised and access.uninitialised:
                findings.uninitialised(view, access.missing, who=who)
            access.look()
        take = self._take
        if take is None:
            take = self._take = self._taking()
        taken = take()
        if findings.numbers.raised and isinstance(taken, np.ndarray):
            pairs = zip(self.reads, self.srcs, strict=True)
            read = [dtypes.to_float32(a.elements, view.dtype) for a, view in pairs]
            findings.numbers.look(read, dtypes.to_float32(taken, self.dst.dtype))
        return taken

    def put(self, _: Chosen, values: Taken, findings: Findings) -> None:
        """Let what was taken appear, or add it to what is there."""
        write = self.write
        if self.op != ONTO:
            write.put_elements(values)
            return
        if not write.place.initialised and write.uninitialised:
            findings.uninitialised(self.dst, write.missing, adding=True)
        taken = values.take() if isinstance(values, CopyOnWrite) else values
        more = dtypes.to_float32(taken, self.dst.dtype)
        write.add(more.reshape(write.array.shape), self.casting)


def _copying(
    source: Array, have: DType, shape: tuple[int, ...], want: DType, casting: Casting, read: Access
) -> Callable[[], Taken]:
    """Take the source's elements in the shape and dtype of the destination."""
    store, convert = read.store, casting.convert

    def take() -> Taken:
        done = convert(source, have, want)
        same = done is source
        return CopyOnWrite(store, done.reshape(shape)) if same else done.reshape(shape)

    return take


def _summing(
    sources: Sequence[Array],
    have: Sequence[DType],
    shape: tuple[int, ...],
    want: DType,
    casting: Casting,
) -> Callable[[], Array]:
    """Add the sources in float32, in order, and round into the destination's dtype."""
    narrow = casting.narrower(want)

    def take() -> Array:
        first, *others = zip(sources, have, strict=True)
        total = dtypes.to_float32(*first).reshape(shape).copy()
        for source, dtype in others:
            np.add(total, dtypes.to_float32(source, dtype).reshape(shape), out=total)
        return narrow(total, want)

    return take


ElementsCut = Callable[[int, int, tuple[int, ...]], Any]
"""Some of the elements that a move has taken, as another one takes them in its shape."""


def cutter(values: Taken | Partial) -> ElementsCut:
    """How to cut up what a move has taken; the whole is of no use any more."""
    if isinstance(values, Partial):
        flat, flags = values.values.reshape(-1), values.where.reshape(-1)
        return lambda a, b, shape: Partial(flat[a:b].reshape(shape), flags[a:b].reshape(shape))
    store = values.store if isinstance(values, CopyOnWrite) else None
    plain = (values.take() if isinstance(values, CopyOnWrite) else values).reshape(-1)
    if store is None:
        return lambda a, b, shape: plain[a:b].reshape(shape)
    return lambda a, b, shape: CopyOnWrite(store, plain[a:b].reshape(shape))


class TakenPieces:
    """What was taken for the pieces of a transfer, to be taken apart in another way."""

    def __init__(self) -> None:
        self._held: dict[int, list[tuple[int, int, ElementsCut]]] = {}

    def add(self, of: int, begin: int, end: int, values: Taken | Partial) -> None:
        """Elements [begin, end) of a move."""
        self._held.setdefault(of, []).append((begin, end, cutter(values)))

    def cut(self, of: int, begin: int, end: int, shape: tuple[int, ...]) -> Any:
        """Elements [begin, end) of a move in some shape; all of them were added."""
        found = []
        for first, last, cut in self._held[of]:
            low, high = max(first, begin), min(last, end)
            if low < high:
                found.append((low - first, high - first, cut))
        if len(found) == 1:
            ((low, high, cut),) = found
            return cut(low, high, shape)
        return _joined([cut(low, high, (high - low,)) for low, high, cut in found], shape)


def _joined(parts: Sequence[Taken | Partial], shape: tuple[int, ...]) -> Array | Partial:
    """Parts that follow each other as one, in some shape."""
    if any(isinstance(part, Partial) for part in parts):
        chosen = [part for part in parts if isinstance(part, Partial)]
        values = np.concatenate([part.values for part in chosen]).reshape(shape)
        return Partial(values, np.concatenate([part.where for part in chosen]).reshape(shape))
    arrays = [part.take() if isinstance(part, CopyOnWrite) else part for part in parts]
    return np.concatenate(arrays).reshape(shape)  # type: ignore[arg-type]


class CutViews(NamedTuple):
    """Elements [begin, end) of a move: of each of its views where they are in that of the move.

    ``parts`` are by how many partitions and bytes they begin further on, their shape and steps.
    """

    move: int
    begin: int
    end: int
    parts: tuple[tuple[int, int, tuple[int, ...], tuple[int, ...]], ...]

    @staticmethod
    def of(
        moves: Sequence[Sequence[View]], move: int, begin: int, end: int, views: Sequence[View]
    ) -> CutViews:
        """Where some views are in those of a move."""
        parts = tuple(
            (part.partition - of.partition, part.offset - of.offset, part.shape, part.steps)
            for of, part in zip(moves[move], views, strict=True)
        )
        return CutViews(move, begin, end, parts)

    def views(self, moves: Sequence[Sequence[View]]) -> tuple[View, ...]:
        """The same piece of other moves with the same patterns."""
        return tuple(
            View(of.tensor, of.dtype, of.partition + ahead, of.offset + further, shape, steps)
            for of, (ahead, further, shape, steps) in zip(moves[self.move], self.parts, strict=True)
        )


def cut_moves(
    transfer: Transfer, plan: Plan, shares: Sequence[int]
) -> Iterator[tuple[int, int, int, Sequence[View]]]:
    """What some shares move, as pieces that one pattern each can walk, in the order of the moves.

    Each is of a move, from one element up to another; and the views that these are. Ranges that
    follow each other are one.
    """
    ranges = _in_one(part for n in shares for part in plan.shares[n].ranges)
    for move, begin, end in ranges:
        for views in _cut(transfer.moves[move], transfer.axes, begin, end):
            stop = begin + views[0].size
            yield move, begin, stop, views
            begin = stop


def _in_one(ranges: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Ranges of moves in order, those that follow each other as one."""
    found: list[tuple[int, int, int]] = []
    for move, begin, end in sorted(ranges):
        if found and found[-1][0] == move and found[-1][2] == begin:
            begin = found.pop()[1]
        found.append((move, begin, end))
    return found


def _cut(
    views: Sequence[View], axes: Sequence[int], begin: int, end: int
) -> Sequence[tuple[View, ...]]:
    """Elements [begin, end) of the views of a move, as pieces that one pattern each can walk."""
    if axes:
        dst, src = views
        return [rows(dst, src, axes, begin, end)]
    return pieces(views, begin, end)


def addressed(transfer: Transfer) -> bool:
    """Whether tiles or registers address any of a transfer's views."""
    every = (view for views in transfer.moves for view in views)
    return any(view.offsets is not None or view.dynamic for view in every)
