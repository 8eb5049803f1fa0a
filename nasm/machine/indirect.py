"""Views whose addresses a tile decides: gathered when read, scattered when written.

What such a view can reach is a window: the view with one axis that has every position an entry may
choose. The entries are read when the instruction starts; with them the window is an array to index.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.dtypes import Casting
from nasm.base.problems import Refused
from nasm.isa.effects import Partial
from nasm.machine.access import Access, added
from nasm.machine.addresses import Addresses
from nasm.program.footprint.reach import range_of, window
from nasm.sim.memory import Array, CopyOnWrite, Mask
from nasm.views.regions import Region
from nasm.views.view import View

Entries = NDArray[np.int64]


class EntryTile:
    """The tile that entries are read from, bound to its memory."""

    __slots__ = ("access", "group", "values", "view")

    def __init__(self, view: View, access: Access, group: int) -> None:
        self.view, self.access, self.group = view, access, group
        self.values = access.elements

    @property
    def name(self) -> str:
        """The tile's tensor."""
        return self.view.tensor.name

    def _in_order(self, array: Array) -> Array:
        """What has one element per entry, in the order of the entries."""
        flat = array.reshape(array.shape[0], -1)[: self.group]
        return flat.T.reshape(-1)

    def entries(self, first: int, count: int) -> Entries:
        """Some entries, as the memory has them now."""
        return self._in_order(self.values)[first : first + count].astype(np.int64)

    def known(self, first: int, count: int) -> bool:
        """Whether these entries are initialised."""
        if self.access.place.initialised:
            return True
        known = np.asarray(self.access.mask.all(axis=-1))
        return bool(self._in_order(known)[first : first + count].all())


class Indirect:
    """A view whose addresses a tile decides, bound to its memory.

    ``template`` has the shape and dtype of the view; ``region`` is all it could touch, from the
    lowest byte to the highest, and ``part`` what it touches at position 0.
    """

    __slots__ = ("index", "offsets", "part", "reach", "region", "template", "view", "window")

    def __init__(self, view: View, reach: Access, part: Region, index: EntryTile) -> None:
        assert view.offsets is not None
        self.view, self.offsets, self.index, self.reach = view, view.offsets, index, reach
        self.window = reach.elements
        self.template: Array = np.broadcast_to(np.empty((), view.dtype.numpy), view.shape)
        self.region, self.part = range_of(reach.region), part

    @staticmethod
    def bound(addresses: Addresses, view: View, group: int) -> Indirect:
        """Bind a view; ``group`` is how many entries one column of the tile holds."""
        offsets = view.offsets
        assert offsets is not None
        index = EntryTile(offsets.tile, addresses.access(offsets.tile), group)
        reach, part = addresses.access(window(view, offsets)), window(view, offsets, 1)
        return Indirect(view, reach, addresses.region(part), index)

    @property
    def positions(self) -> int:
        """How many entries it takes."""
        return 1 if self.offsets.single else self.view.shape[int(self.view.partitioned)]

    def entries(self) -> Entries:
        """The entries as they are now."""
        return self.index.entries(self.offsets.first, self.positions)

    @property
    def known(self) -> bool:
        """Whether the entries are initialised."""
        return self.index.known(self.offsets.first, self.positions)

    def legal(self, entries: Entries) -> Mask:
        """Which entries stay within the tensor."""
        return (entries >= 0) & (entries <= self.offsets.limit)

    def checked(self, entries: Entries) -> Entries:
        """The entries, all of which must stay within the tensor."""
        legal = self.legal(entries)
        if not legal.all():
            at = int(np.argmin(legal))
            raise Refused(
                "E0508",
                f"entry {self.offsets.first + at} of {self.index.name} is {entries[at]}: "
                f"{self.view.tensor.name} can be addressed with 0 to {self.offsets.limit} here",
            )
        return entries

    def distinct(self, entries: Entries) -> Entries:
        """The entries, no two of which may be equal."""
        if len(np.unique(entries)) < len(entries):
            raise self.twice()
        return entries

    def twice(self) -> Refused:
        """Entries name a place twice: what adding gives then is not documented."""
        return Refused(
            "E0701",
            f"entries of {self.index.name} name one place twice: what adding to "
            f"{self.view.tensor.name} gives then is not documented",
        )

    # -- elements

    def _key(self, entries: Entries) -> tuple[Any, ...]:
        lanes = (slice(None),) if self.view.partitioned else ()
        return (*lanes, int(entries[0]) if self.offsets.single else entries)

    def gather(self, entries: Entries) -> Array:
        """The elements of the view, as an array of their own."""
        return np.array(self.window[self._key(entries)], order="C")

    def written(self, entries: Entries) -> Mask:
        """Which elements of the view are initialised."""
        if self.reach.complete:
            return np.ones(self.view.shape, np.bool_)
        return np.asarray(self.reach.bits(self.window)[self._key(entries)].all(axis=-1))

    def scatter(self, entries: Entries, values: Array | CopyOnWrite | Partial) -> None:
        """Store one value per element; of several for one place the last stays."""
        if isinstance(values, Partial):
            key, stored = self._chosen(entries, values.where), values.values[values.where]
        else:
            key = self._key(entries)
            stored = values.take() if isinstance(values, CopyOnWrite) else values
        self.reach.put_at(self.window, key, stored)

    def add(self, entries: Entries, values: Array, casting: Casting, where: Any = None) -> None:
        """Add values, rounded to float32, to what it holds: all, or those that are chosen."""
        total = added(self.gather(entries), values, self.view.dtype, casting)
        self.scatter(entries, total if where is None else Partial(total, where))

    def note_writer(self, entries: Entries, accumulable: bool) -> None:
        """Remember whether instructions may accumulate onto what was just written."""
        self.reach.note_writer(accumulable, self._key(entries), self.window)

    def accumulable(self, entries: Entries) -> bool:
        """Whether instructions may accumulate onto all of the elements."""
        return self.reach.accumulable(self._key(entries), self.window)

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
        part, unit = self.part, self.offsets.step * self.view.dtype.itemsize
        if self.offsets.single:
            by = int(entries[0]) * unit
            return part._replace(low=part.low + by, high=part.high + by, start=part.start + by)
        spans = [(part.low, part.high)] if part.dense else part.spans().tolist()
        runs: list[tuple[int, int]] = []
        for by in (np.unique(entries) * unit).tolist():
            runs += [(low + by, high + by) for low, high in spans]
        each = sum(high - low for low, high in spans)
        return self.region._replace(runs=_merged(runs), moved=each * len(entries))


def _merged(runs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Runs of bytes in order, those that meet made one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(runs):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)
