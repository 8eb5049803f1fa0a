"""Transfers that tiles address: gathered, scattered, and left out where they are out of bounds.

The entries are read when the instruction starts, for its descriptors are made then. Each share
moves what they say when its turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm import dtypes
from nasm.machine.indirect import Entries, Indirect
from nasm.machine.moves import BoundTransfer
from nasm.machine.places import Access, elements
from nasm.problems import Refused
from nasm.sim.channels import Shipment
from nasm.sim.memory import Array, Mask, Region, meet
from nasm.spec.effects import COPY, ONTO, SUM, Partial, Plan, Transfer
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine

Chosen = dict[View, Entries]
"""The entries of each tile that a transfer uses, as they were when it started."""


class Side:
    """One view of a move: plain, or addressed by a tile."""

    def __init__(self, machine: Machine, view: View) -> None:
        self.view = view
        self.found: Indirect | None = None
        if view.offsets is not None:
            self.found = machine.indirect(view, view.offsets.group)
        else:
            self.access: Access = machine.access(view)
            self.array = elements(view, self.access.store)

    def entries(self, chosen: Chosen) -> Entries:
        """The part of the entries that belongs to this view."""
        assert self.found is not None
        first = self.found.offsets.first
        return chosen[self.found.tile.view][first : first + self.found.positions]

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
            return self.array.copy()
        return self.found.gather(self.inside(chosen))

    def written(self, chosen: Chosen) -> Mask:
        """Which elements were ever written."""
        if self.found is not None:
            return self.found.written(self.inside(chosen))
        if self.access.settled or not self.access.unwritten():
            return np.ones(self.view.shape, np.bool_)
        return np.asarray(self.access.mask.all(axis=-1)).reshape(self.view.shape)

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


class ScatteredPart:
    """A move, or a piece of one, of which tiles address some views."""

    def __init__(self, machine: Machine, views: Sequence[View], move: Transfer) -> None:
        self.machine, self.op, self.axes = machine, move.op, move.axes
        self.dst, *self.srcs = (Side(machine, view) for view in views)
        self.casting = machine.state.castings[-1]

    @property
    def sides(self) -> list[Side]:
        """Where it goes, and where it comes from."""
        return [self.dst, *self.srcs]

    def tangled(self, chosen: Chosen) -> bool:
        """Whether it reads what it writes, but not as it writes it."""
        return any(
            meet(src.footprint(chosen), self.dst.footprint(chosen))
            for src in self.srcs
            if self.axes or src.view != self.dst.view
        )

    def _as_dst(self, array: Any) -> Any:
        """What has the shape of a source in that of the destination."""
        return (array.transpose(self.axes) if self.axes else array).reshape(self.dst.view.shape)

    def take(self, chosen: Chosen) -> tuple[Partial, list[tuple[View, int]]]:
        """What to store, and how much of each source was never written."""
        legal = (self._as_dst(s.legal(chosen)) for s in self.srcs)
        where: Mask = reduce(np.logical_and, legal, self.dst.legal(chosen))
        missing = [
            (s.view, int(np.count_nonzero(where & ~self._as_dst(s.written(chosen)))))
            for s in self.srcs
        ]
        return Partial(self._values(chosen), where), missing

    def _values(self, chosen: Chosen) -> Array:
        want = self.dst.view.dtype
        if self.op != SUM:
            (src,) = self.srcs
            have = src.view.dtype
            return np.asarray(self._as_dst(self.casting.convert(src.take(chosen), have, want)))
        wide = (dtypes.to_float32(s.take(chosen), s.view.dtype) for s in self.srcs)
        total = reduce(np.add, (self._as_dst(values) for values in wide))
        return self.casting.narrower(want)(np.asarray(total, np.float32), want)

    def put(self, chosen: Chosen, part: Partial) -> int:
        """Store it; returns how much of what it adds to was never written."""
        missing = 0
        if self.op == ONTO:
            dtype = self.dst.view.dtype
            missing = int(np.count_nonzero(part.where & ~self.dst.written(chosen)))
            held = dtypes.to_float32(self.dst.take(chosen), dtype)
            total = held + dtypes.to_float32(part.values, dtype)
            part = Partial(self.casting.narrower(dtype)(total, dtype), part.where)
        self.dst.put(chosen, part)
        return missing


class ScatteredTransfer(BoundTransfer):
    """A transfer that reads tiles of entries whenever it starts."""

    def __init__(self, machine: Machine, move: Transfer, transfer: Plan, number: int) -> None:
        self.pieces: dict[int, list[ScatteredPart]] = {}
        self.everything = [ScatteredPart(machine, views, move) for views in move.moves]
        super().__init__(
            machine, Transfer((), move.options), transfer, number
        )  # binds no plain part
        self.move = move

    def _choose(self, queue: int) -> Chosen:
        """Read the tiles; refuses entries out of bounds unless they are skipped."""
        chosen: Chosen = {}
        for part in self.everything:
            for side in part.sides:
                found = side.found
                if found is None:
                    continue
                entries = found.entries(lambda tile: self.machine.hazard_unwritten(queue, tile))
                if not self.move.skips:
                    found.checked(entries)
                known = chosen.get(found.tile.view)
                if known is None or len(known) < len(entries):
                    chosen[found.tile.view] = entries
            if self.move.op != COPY and part.dst.twice(chosen):
                _refuse(part.dst)
        return chosen

    def _moving(self, shares: Sequence[int]) -> list[ScatteredPart]:
        """What some shares move: the whole transfer if they are all that move anything."""
        moving = [n for n in shares if self.transfer.shares[n].ranges]
        if len(moving) == self.full:
            return self.everything
        return [part for n in moving for part in self._piece(n)]

    def _piece(self, number: int) -> list[ScatteredPart]:
        found = self.pieces.get(number)
        if found is None:
            found = self.pieces[number] = [
                ScatteredPart(self.machine, views, self.move)
                for move, begin, end in self.transfer.shares[number].ranges
                for views in self._cut(self.move.moves[move], begin, end)
            ]
        return found

    def start(
        self,
        queue: int,
        pc: int,
        semaphore: int | None,
        key: int,
        landed: Callable[[], None] | None = None,
    ) -> Shipment:
        """One start of the transfer, with the entries as they are now."""
        machine, chosen = self.machine, self._choose(queue)
        self.number = machine.acts.fresh()
        self.reads = tuple(
            region for p in self.everything for s in p.srcs for region in s.footprint(chosen)
        )
        self.writes = tuple(r for p in self.everything for r in p.dst.footprint(chosen))
        self.tangled = any(part.tangled(chosen) for part in self.everything)
        if any(part.dst.twice(chosen) for part in self.everything):
            machine.hazards.crowded(queue, pc)

        def read(shares: Sequence[int], now: int) -> Any:
            taken = []
            for part in self._moving(shares):
                values, missing = part.take(chosen)
                for view, count in missing:
                    if count:
                        machine.hazard_unwritten(queue, view, pc=pc, missing=count)
                taken.append(values)
            return taken

        def land(shares: Sequence[int], payload: Any, now: int) -> None:
            for part, values in zip(self._moving(shares), payload, strict=True):
                missing = part.put(chosen, values)
                if missing:
                    machine.hazard_unwritten(
                        queue, part.dst.view, adding=True, pc=pc, missing=missing
                    )

        return self.shipment((queue, pc), semaphore, key, landed, read, land)


def _refuse(dst: Side) -> None:
    """Entries name a place twice: what adding gives then is not documented."""
    assert dst.found is not None
    raise Refused(
        "E0701",
        f"entries of {dst.found.tile.view.tensor.name} name one place twice: what adding to "
        f"{dst.view.tensor.name} gives then is not documented",
    )
