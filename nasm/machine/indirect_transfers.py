"""Transfers that tiles address: gathered, scattered, and left out where they are out of bounds.

The entries are read when the instruction starts, for its descriptors are made then. Each share
moves what they say when its turn comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Casting
from nasm.isa.effects import COPY, ONTO, SUM, Partial, Transfer
from nasm.machine.access import Access, added
from nasm.machine.addresses import Addresses
from nasm.machine.findings import Findings
from nasm.machine.indirect import Entries, Indirect
from nasm.sim.channels import TouchedRegions
from nasm.sim.counters import Who
from nasm.sim.memory import Array, Mask
from nasm.views.regions import Region, intersect
from nasm.views.view import View

Chosen = dict[View, Entries]
"""The entries of each tile that a transfer uses, as they were when it started."""


class TransferStart(NamedTuple):
    """What is decided when a transfer starts: entries, regions, and whether it is tangled.

    ``number`` is the same for all starts that touch the same regions; one that ``adds`` adds to
    what it writes.
    """

    chosen: Chosen
    touched: TouchedRegions
    number: int
    tangled: bool
    adds: bool


class MoveSide:
    """One view of a move: plain, or addressed by a tile."""

    def __init__(self, addresses: Addresses, view: View) -> None:
        self.view = view
        self.found: Indirect | None = None
        if view.offsets is not None:
            self.found = Indirect.bound(addresses, view, view.offsets.group)
        else:
            self.access: Access = addresses.access(view)

    def entries(self, chosen: Chosen) -> Entries:
        """The part of the entries that belongs to this view."""
        assert self.found is not None
        first = self.found.offsets.first
        return chosen[self.found.index.view][first : first + self.found.positions]

    def legal(self, chosen: Chosen) -> Mask:
        """Which elements are within bounds; broadcasts to the shape of the view."""
        if self.found is None:
            return np.ones(self.view.shape, np.bool_)
        legal = self.found.legal(self.entries(chosen))
        shape = [1] * len(self.view.shape)
        shape[int(self.view.partitioned)] = len(legal)
        return np.broadcast_to(legal.reshape(shape), self.view.shape)

    def take(self, chosen: Chosen) -> Array:
        """The elements as they are now; anything where they are out of bounds."""
        if self.found is None:
            self.access.look()
            return self.access.elements.copy()
        self.found.reach.look()
        return self.found.gather(self.inside(chosen))

    def written(self, chosen: Chosen) -> Mask:
        """Which elements are initialised."""
        if self.found is not None:
            return self.found.written(self.inside(chosen))
        if self.access.place.initialised or not self.access.uninitialised:
            return np.ones(self.view.shape, np.bool_)
        return self.access.known()

    def inside(self, chosen: Chosen) -> Entries:
        """The entries, those out of bounds replaced by legal ones."""
        assert self.found is not None
        return np.clip(self.entries(chosen), 0, self.found.offsets.limit)

    def put(self, chosen: Chosen, part: Partial) -> None:
        """Store the chosen ones of some values."""
        if self.found is not None:
            self.found.scatter(self.entries(chosen), part)
        else:
            shape = self.access.array.shape
            self.access.put_partial(Partial(part.values.reshape(shape), part.where.reshape(shape)))

    def twice(self, chosen: Chosen) -> bool:
        """Whether two entries name one place."""
        if self.found is None or self.found.offsets.single:
            return False
        entries = self.entries(chosen)
        entries = entries[self.found.legal(entries)]
        return len(np.unique(entries)) < len(entries)

    def footprint(self, chosen: Chosen) -> tuple[Region, ...]:
        """The bytes it touches."""
        if self.found is None:
            return (self.access.region,)
        entries = self.entries(chosen)
        entries = entries[self.found.legal(entries)]
        return (self.found.footprint(entries),) if len(entries) else ()


class IndirectMove:
    """A destination and its sources, or a piece of them, of which tiles address some."""

    def __init__(
        self, addresses: Addresses, casting: Casting, views: Sequence[View], transfer: Transfer
    ) -> None:
        self.op, self.axes, self.casting = transfer.op, transfer.axes, casting
        self.dst, *self.srcs = (MoveSide(addresses, view) for view in views)

    @property
    def shape(self) -> tuple[int, ...]:
        """What is taken has the shape of the destination."""
        return self.dst.view.shape

    @property
    def sides(self) -> list[MoveSide]:
        """Where it goes, and where it comes from."""
        return [self.dst, *self.srcs]

    def touches(self, chosen: Chosen) -> tuple[Region, ...]:
        """All that it reads and writes."""
        return tuple(region for side in self.sides for region in side.footprint(chosen))

    def tangled(self, chosen: Chosen) -> bool:
        """Whether it reads what it writes, but not as it writes it."""
        return any(
            intersect(src.footprint(chosen), self.dst.footprint(chosen))
            for src in self.srcs
            if self.axes or src.view != self.dst.view
        )

    def _as_dst(self, array: Any) -> Any:
        """What has the shape of a source in that of the destination."""
        return (array.transpose(self.axes) if self.axes else array).reshape(self.dst.view.shape)

    def take(self, chosen: Chosen, findings: Findings) -> Partial:
        """What to store where, as it is now."""
        legal = (self._as_dst(s.legal(chosen)) for s in self.srcs)
        where: Mask = reduce(np.logical_and, legal, self.dst.legal(chosen))
        for src in self.srcs:
            missing = int(np.count_nonzero(where & ~self._as_dst(src.written(chosen))))
            if missing:
                findings.uninitialised(src.view, missing)
        return Partial(self._values(chosen), where)

    def _values(self, chosen: Chosen) -> Array:
        want = self.dst.view.dtype
        if self.op != SUM:
            (src,) = self.srcs
            have = src.view.dtype
            return np.asarray(self._as_dst(self.casting.convert(src.take(chosen), have, want)))
        wide = (dtypes.to_float32(s.take(chosen), s.view.dtype) for s in self.srcs)
        total = reduce(np.add, (self._as_dst(values) for values in wide))
        return self.casting.narrower(want)(np.asarray(total, np.float32), want)

    def put(self, chosen: Chosen, part: Partial, findings: Findings) -> None:
        """Store what was taken, or add it to what is there."""
        missing = 0
        if self.op == ONTO:
            dtype = self.dst.view.dtype
            missing = int(np.count_nonzero(part.where & ~self.dst.written(chosen)))
            more = dtypes.to_float32(part.values, dtype)
            part = Partial(added(self.dst.take(chosen), more, dtype, self.casting), part.where)
        self.dst.put(chosen, part)
        if missing:
            findings.uninitialised(self.dst.view, missing, adding=True)


def chosen_start(
    moves: Sequence[IndirectMove], transfer: Transfer, findings: Findings, who: Who, number: int
) -> TransferStart:
    """Read the tiles; refuses entries out of bounds unless they are skipped."""
    chosen: Chosen = {}
    for move in moves:
        for side in move.sides:
            found = side.found
            if found is None:
                continue
            index = found.index
            if not found.known:
                findings.uninitialised(index.view, index.access.missing, who=who)
            index.access.look()
            entries = found.entries()
            if not transfer.skips:
                found.checked(entries)
            known = chosen.get(index.view)
            if known is None or len(known) < len(entries):
                chosen[index.view] = entries
        found = move.dst.found
        if found is not None and transfer.op != COPY and move.dst.twice(chosen):
            raise found.twice()
    if any(move.dst.twice(chosen) for move in moves):
        findings.writes_twice(who)
    reads = tuple(r for move in moves for src in move.srcs for r in src.footprint(chosen))
    writes = tuple(r for move in moves for r in move.dst.footprint(chosen))
    return TransferStart(
        chosen,
        TouchedRegions(lambda: (reads, writes)),
        number,
        any(move.tangled(chosen) for move in moves),
        transfer.op == ONTO,
    )
