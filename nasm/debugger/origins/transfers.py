"""What a transfer moves: which elements become which, and where entries decide that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.debugger.origins.elements import (
    Numbers,
    TensorElements,
    elements,
    entry_elements,
    entry_numbers,
    touched_elements,
)
from nasm.debugger.origins.origins import ENTRIES, Answer, Origin, joined, values
from nasm.isa.effects import ONTO, Transfer
from nasm.machine import Machine
from nasm.machine.indirect_transfers import Chosen
from nasm.machine.transfers import TransferBytes
from nasm.sim.channels import Group
from nasm.views.view import View

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class MovedShares:
    """What some shares of a transfer are about to move.

    ``taken`` are the values of the sources, by move and source, as they were then.
    """

    transfer: Transfer
    chosen: Chosen
    within: Callable[[int, Numbers], Array]
    taken: dict[tuple[int, int], Array]

    def written(self, wanted: TensorElements) -> Answer | None:
        """The move that delivers some elements, which of its elements, and for which of those."""
        return self._delivered(wanted, skipped=False)

    def skipped(self, wanted: TensorElements) -> Answer | None:
        """The same of what it leaves out because entries are out of bounds."""
        return self._delivered(wanted, skipped=True)

    def touches(self, wanted: TensorElements) -> bool:
        """Whether it delivers any of some elements, or leaves any out."""
        return self.written(wanted) is not None or self.skipped(wanted) is not None

    def _delivered(self, wanted: TensorElements, skipped: bool) -> Answer | None:
        answer = None
        for number, (dst, *_) in enumerate(self.transfer.moves):
            mine, which = touched_elements(dst, wanted, _chosen(dst, self.chosen))
            inside = self.within(number, mine) & (self.legal(number, mine) != skipped)
            if inside.any():
                answer = number, mine[inside], which[inside]
        return answer

    def legal(self, number: int, numbers: Numbers) -> Array:
        """Which elements of a move are moved: not those whose entries are out of bounds."""
        dst, *srcs = self.transfer.moves[number]
        legal = np.ones(len(numbers), np.bool_)
        for view, mine in ((dst, numbers), *((s, self._of(s, dst, numbers)) for s in srcs)):
            entries = _chosen(view, self.chosen)
            if entries is None or view.offsets is None:
                continue
            axis = int(view.partitioned)
            at = np.zeros(len(mine), np.int64)
            if not view.offsets.single:
                at = np.asarray(np.unravel_index(mine, view.shape)[axis], np.int64)
            legal &= (entries[at] >= 0) & (entries[at] <= view.offsets.limit)
        return legal

    def _of(self, src: View, dst: View, numbers: Numbers) -> Numbers:
        """Which elements of a source become some of the destination."""
        axes = self.transfer.axes
        if not axes:
            return numbers
        shape = tuple(src.shape[axis] for axis in axes)
        at = np.unravel_index(numbers, shape)
        index = [at[axes.index(axis)] for axis in range(len(axes))]
        return np.asarray(np.ravel_multi_index(index, src.shape), np.int64)

    def origins(self, number: int, numbers: Numbers) -> list[Origin]:
        """What some elements of a move's destination were made of."""
        dst, *srcs = self.transfer.moves[number]
        answer: list[Origin] = []
        for n, src in enumerate(srcs):
            mine = self._of(src, dst, numbers)
            place = elements(src, mine, _chosen(src, self.chosen))
            role = "src" if len(srcs) == 1 else f"srcs[{n}]"
            answer.append(Origin(role, place, self.taken[number, n][mine]))
        return answer + self.entries(number, numbers)

    def entries(self, number: int, numbers: Numbers) -> list[Origin]:
        """The entries that address some elements of a move."""
        dst, *srcs = self.transfer.moves[number]
        answer = [o for src in srcs for o in self._entries(src, self._of(src, dst, numbers))]
        return joined([*answer, *self._entries(dst, numbers)])

    @property
    def adds(self) -> bool:
        """Whether it adds to what the destination holds."""
        return self.transfer.op == ONTO

    def _entries(self, view: View, numbers: Numbers) -> list[Origin]:
        if view.offsets is None:
            return []
        place, tile = entry_elements(view, numbers, view.offsets.group), view.offsets.tile
        read = self.chosen[tile][entry_numbers(view, numbers)]
        return [Origin(ENTRIES, place, read.astype(tile.dtype.numpy))]


def _chosen(view: View, chosen: Chosen) -> Numbers | None:
    """The entries that address a view, if a tile does."""
    offsets = view.offsets
    if offsets is None:
        return None
    return chosen[offsets.tile][offsets.first :]


def moved(machine: Machine, group: Group, reads: bool = False) -> MovedShares | None:
    """What shares are about to read, with its values now, or what they are about to deliver."""
    cargo = group.flight.cargo
    if not isinstance(cargo, TransferBytes):
        return None
    shares = [cargo.bound.plan.shares[n] for n in group.shares]
    ranges = [r for share in shares for r in share.ranges]

    def within(number: int, numbers: Numbers) -> Array:
        inside = np.zeros(len(numbers), np.bool_)
        for move, begin, end in ranges:
            if move == number:
                inside |= (numbers >= begin) & (numbers < end)
        return inside

    made = MovedShares(cargo.bound.transfer, cargo.chosen, within, {})
    for number, (_, *srcs) in enumerate(made.transfer.moves if reads else ()):
        for n, src in enumerate(srcs):
            made.taken[number, n] = _taken(machine, src, made.chosen)
    return made


def _taken(machine: Machine, view: View, chosen: Chosen) -> Array:
    """All that a view holds now, in row-major order; anything where entries are out of bounds."""
    entries = _chosen(view, chosen)
    if entries is None or view.offsets is None:
        return np.array(machine.addresses.access(view).elements).reshape(-1)
    inside = np.clip(entries, 0, view.offsets.limit)
    return values(machine, elements(view, np.arange(view.size, dtype=np.int64), inside))
