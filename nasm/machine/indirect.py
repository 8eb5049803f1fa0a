"""Views whose addresses a tile decides: gathered when read, scattered when written.

What such a view can reach is a window: the view with one axis that has every position an entry may
choose. The entries are read when the instruction starts; with them the window is an array to index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.machine.places import Access, elements
from nasm.problems import Refused
from nasm.sim.memory import Array, Loan, Mask, Region
from nasm.spec.effects import Partial
from nasm.spec.view import Offsets, View

Entries = NDArray[np.int64]


def window(view: View, offsets: Offsets) -> View:
    """Everything an indirect view can reach, with one axis for what its entries choose."""
    at = int(view.partitioned)
    after = at if offsets.single else at + 1
    shape = (*view.shape[:at], offsets.limit + 1, *view.shape[after:])
    steps = (*view.steps[:at], offsets.step, *view.steps[after:])
    return replace(view, shape=shape, steps=steps, offsets=None)


class Tile:
    """The tile that entries are read from, bound to its memory."""

    __slots__ = ("access", "group", "values", "view")

    def __init__(self, access: Access, group: int) -> None:
        self.access, self.view, self.group = access, access.view, group
        self.values = elements(access.view, access.store)

    def _in_order(self, array: Array) -> Array:
        """What has one element per entry, in the order of the entries."""
        flat = array.reshape(array.shape[0], -1)[: self.group]
        return flat.T.reshape(-1)

    def entries(self, first: int, count: int) -> Entries:
        """Some entries, as the memory has them now."""
        return self._in_order(self.values)[first : first + count].astype(np.int64)

    def written(self, first: int, count: int) -> bool:
        """Whether somebody wrote these entries."""
        if self.access.settled:
            return True
        known = np.asarray(self.access.mask.all(axis=-1))
        return bool(self._in_order(known)[first : first + count].all())


class Indirect:
    """A view whose addresses a tile decides, bound to its memory.

    ``template`` has the shape and dtype of the view; ``region`` is all it could touch, from the
    lowest byte to the highest.
    """

    __slots__ = ("offsets", "reach", "region", "store", "template", "tile", "view", "window")

    def __init__(self, view: View, reach: Access, tile: Tile) -> None:
        assert view.offsets is not None
        self.view, self.offsets, self.tile, self.reach = view, view.offsets, tile, reach
        self.store = reach.store
        self.window = elements(reach.view, reach.store)
        self.template: Array = np.broadcast_to(np.empty((), view.dtype.numpy), view.shape)
        low, high, size = reach.region.low, reach.region.high, view.dtype.itemsize
        self.region = reach.region._replace(start=low, dims=((size, (high - low) // size),))

    @property
    def positions(self) -> int:
        """How many entries it takes."""
        return 1 if self.offsets.single else self.view.shape[int(self.view.partitioned)]

    def entries(self, unwritten: Callable[[View], None]) -> Entries:
        """The entries as they are now; ``unwritten`` is told if nobody wrote them."""
        first, count = self.offsets.first, self.positions
        if not self.tile.written(first, count):
            unwritten(self.tile.view)
        return self.tile.entries(first, count)

    def legal(self, entries: Entries) -> Mask:
        """Which entries stay within the tensor."""
        return (entries >= 0) & (entries <= self.offsets.limit)

    def checked(self, entries: Entries) -> Entries:
        """The entries, all of which must stay within the tensor."""
        legal = self.legal(entries)
        if not legal.all():
            at = int(np.argmin(legal))
            tile, name = self.offsets.tile.tensor.name, self.view.tensor.name
            raise Refused(
                "E0508",
                f"entry {self.offsets.first + at} of {tile} is {entries[at]}: {name} can be "
                f"addressed with 0 to {self.offsets.limit} here",
            )
        return entries

    # -- elements

    def _key(self, entries: Entries) -> tuple[Any, ...]:
        lanes = (slice(None),) if self.view.partitioned else ()
        return (*lanes, int(entries[0]) if self.offsets.single else entries)

    def gather(self, entries: Entries) -> Array:
        """The elements of the view, as an array of their own."""
        return np.array(self.window[self._key(entries)], order="C")

    def written(self, entries: Entries) -> Mask:
        """Which elements of the view were ever written."""
        if self._complete:
            return np.ones(self.view.shape, np.bool_)
        self.store.pay()
        return np.asarray(self._bits()[self._key(entries)].all(axis=-1))

    def scatter(self, entries: Entries, values: Array | Loan | Partial) -> None:
        """Store one value per element; of several for one place the last stays."""
        if isinstance(values, Partial):
            key, stored = self._chosen(entries, values.where), values.values[values.where]
        else:
            key = self._key(entries)
            stored = values.take() if isinstance(values, Loan) else values
        self.store.put_at(self.window, key, stored)
        if not self._complete:
            self._bits()[key] = True

    def strange(self, entries: Entries, strange: bool) -> None:
        """Note that an instruction wrote them that others may, or may not, add to."""
        if strange or self.store.foreign is not None:
            self._strangers()[self._key(entries)] = strange

    def foreign(self, entries: Entries) -> bool:
        """Whether some of the elements may not be added to."""
        known = self.store.foreign is not None
        return known and bool(self._strangers()[self._key(entries)].any())

    def _strangers(self) -> Mask:
        return self.store.strangers(
            self.view.dtype.itemsize, self.reach.start, self.window.shape, self.window.strides
        )

    def _chosen(self, entries: Entries, where: Mask) -> tuple[Any, ...]:
        """The places of the elements under a mask."""
        at = list(np.nonzero(where))
        axis = int(self.view.partitioned)
        if self.offsets.single:
            at.insert(axis, np.full_like(at[0], entries[0]))
        else:
            at[axis] = entries[at[axis]]
        return tuple(at)

    def footprint(self, entries: Entries) -> Region:
        """The bytes that legal entries touch: exact where the memory is linear."""
        if self.view.partitioned:
            return self.region
        one = self.reach.region
        unit = self.offsets.step * self.view.dtype.itemsize
        size = one.high - one.low - self.offsets.limit * unit
        runs: list[tuple[int, int]] = []
        for low in (one.low + np.unique(entries) * unit).tolist():
            if runs and low <= runs[-1][1]:
                runs[-1] = (runs[-1][0], low + size)
            else:
                runs.append((low, low + size))
        return self.region._replace(runs=tuple(runs))

    @property
    def _complete(self) -> bool:
        return self.reach.settled or self.reach.number in self.store.complete

    def _bits(self) -> Mask:
        return self.store.mask(
            self.view.dtype.itemsize, self.reach.start, self.window.shape, self.window.strides
        )
