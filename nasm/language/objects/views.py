"""Views as columns of numbers, each view once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DTYPES, DType
from nasm.language.objects.bodies import I32, I64, U8, U32, Column, columns, read_columns
from nasm.language.objects.sections import damaged
from nasm.views.tensor import MOST_AXES, Tensor
from nasm.views.view import Dynamic, Offsets, View

NAME = "views"

TYPES = (U32, U32, U8, I64, I64, I64, I64, U8, I64, I32, U32, I64)
"""Of each view its tensor, its dtype, its axes, its partition and its offset in bytes; the sizes of
all axes; their steps; of each view how many registers move it; four numbers of each of these; of
each view the number of what a tile decides of it, or -1; of each of these the view of the tile; and
six numbers of each of these."""

MOVED, DECIDED = 4, 6

LARGEST = 1 << 40
"""More than any number of a view."""


class Views:
    """Numbers views as they come."""

    def __init__(self) -> None:
        self.known: dict[View, int] = {}
        self.made: list[View] = []
        self._dtypes: dict[str, int] = {}
        self._tiles: list[tuple[int, Offsets]] = []
        self._decided: list[int] = []

    def number(self, view: View) -> int:
        """The number of a view, whose tile of entries comes before it."""
        found = self.known.get(view)
        if found is None:
            tile = -1
            if view.offsets is not None:
                tile = len(self._tiles)
                self._tiles.append((self.number(view.offsets.tile), view.offsets))
            found = self.known[view] = len(self.made)
            self.made.append(view)
            self._decided.append(tile)
            self._dtypes.setdefault(view.dtype.name, len(self._dtypes))
        return found

    @property
    def dtypes(self) -> list[str]:
        """The names of the dtypes, by number."""
        return list(self._dtypes)

    def body(self) -> bytes:
        """The section."""
        made = self.made
        moved = [(d.register, d.axis, d.stride, d.limit) for v in made for d in v.dynamic]
        decided = [(o.step, o.limit, o.group, o.first, o.single, o.dim) for _, o in self._tiles]
        values = (
            [v.tensor.index for v in made],
            [self._dtypes[v.dtype.name] for v in made],
            [len(v.shape) for v in made],
            [v.partition for v in made],
            [v.offset for v in made],
            [n for v in made for n in v.shape],
            [n for v in made for n in v.steps],
            [len(v.dynamic) for v in made],
            [n for row in moved for n in row],
            self._decided,
            [tile for tile, _ in self._tiles],
            [n for row in decided for n in row],
        )
        return columns(*zip(TYPES, values, strict=True))


def read_views(body: memoryview, names: Sequence[str], tensors: Sequence[Tensor]) -> list[View]:
    """The views of a section, each within its tensor; raises Refused."""
    table = _Table(read_columns(body, TYPES, NAME), [_dtype(name) for name in names], tensors)
    table.check()
    return table.views()


def _dtype(name: str) -> DType:
    found = dtypes.find(name)
    if found is None or found.name not in DTYPES:
        raise damaged(f"it has a dtype '{name}'")
    return found


class _Table:
    """The columns, looked at as a whole before a view is made of them."""

    def __init__(
        self, table: Sequence[Column], kinds: Sequence[DType], tensors: Sequence[Tensor]
    ) -> None:
        (self.tensor, self.dtype, self.axes, self.partition, self.offset, self.sizes, self.steps,
         self.moves, self.moved, self.tile, self.tiles, self.decided) = table  # fmt: skip
        self.kinds, self.tensors = kinds, tensors

    def check(self) -> None:
        """Whether all of them can be views; raises Refused."""
        self._fit()
        of_view = np.repeat(np.arange(len(self.axes)), self.axes)
        ends = np.cumsum(self.axes)
        axis = np.arange(len(self.sizes)) - np.repeat(ends - self.axes, self.axes)
        places = np.array([bool(t.partitions) for t in self.tensors], bool)
        widths = np.array([k.itemsize for k in self.kinds], float)
        lanes = (axis == 0) & places[self.tensor][of_view]
        first = places[self.tensor].astype(int)
        jumping = self._jumping()[of_view] & (axis == first[of_view])
        reach = self.steps.astype(float) * (self.sizes - 1.0)
        reach[jumping] = 0
        reach[~lanes] *= widths[self.dtype][of_view][~lanes]
        low, high = self._ends(of_view, lanes, reach, widths)
        room = np.array([t.bytes for t in self.tensors], float)[self.tensor]
        rows = np.array([t.partitions for t in self.tensors], float)[self.tensor]
        within = (low[0] >= 0) & (high[0] <= room)
        on_chip = (low[1] >= 0) & (high[1] < rows) & (self.partition >= 0)
        wrong = np.flatnonzero(~(within & np.where(places[self.tensor], on_chip, True)))
        if wrong.size:
            name = self.tensors[int(self.tensor[wrong[0]])].name
            raise damaged(f"a view of {name} reaches past it")

    def _fit(self) -> None:
        """Whether columns are as long as others say, and numbers in range."""
        count, axes, moves = len(self.axes), int(self.axes.sum()), int(self.moves.sum())
        tiles = len(self.tiles)
        lengths = (
            *((column, count) for column in (self.tensor, self.dtype, self.partition, self.offset,
                                             self.moves, self.tile)),
            (self.sizes, axes), (self.steps, axes), (self.moved, moves * MOVED),
            (self.decided, tiles * DECIDED),
        )  # fmt: skip
        if any(len(column) != wanted for column, wanted in lengths):
            raise damaged("its views have columns of other lengths")
        decided = np.flatnonzero(self.tile >= 0)
        good = (
            not count or int(self.tensor.max()) < len(self.tensors),
            not count or int(self.dtype.max()) < len(self.kinds),
            not count or (int(self.axes.min()) >= 1 and int(self.axes.max()) <= MOST_AXES),
            not axes or int(self.sizes.min()) >= 1,
            np.array_equal(self.tile[decided], np.arange(tiles)),
            bool((self.tile >= -1).all()),
            all(bool((np.abs(c.astype(float)) < LARGEST).all()) for c in
                (self.partition, self.offset, self.sizes, self.steps, self.moved, self.decided)),
            bool((self.tiles < decided).all()) if len(decided) == tiles else False,
        )  # fmt: skip
        if not all(good):
            raise damaged("its views name what there is not")
        moved, decided_by = self.moved.reshape(-1, MOVED), self.decided.reshape(-1, DECIDED)
        fits = (moved[:, (0, 1, 3)] >= 0).all() and (moved[:, 1] <= MOST_AXES).all()
        flags = np.isin(decided_by[:, 4], (0, 1)).all() and (decided_by >= 0).all()
        if not (fits and flags and (decided_by[:, 0] >= 1).all()):
            raise damaged("its views are moved by what there is not")

    def _jumping(self) -> Column:
        """Which of them have positions that a tile decides."""
        jumping = np.zeros(len(self.axes), bool)
        single = self.decided.reshape(-1, DECIDED)[:, 4]
        jumping[np.flatnonzero(self.tile >= 0)] = single == 0
        return jumping

    def _ends(
        self, of_view: Column, lanes: Column, reach: Column, widths: Column
    ) -> tuple[tuple[Column, Column], tuple[Column, Column]]:
        """The least and the largest of bytes and of partitions that each may touch."""
        count = len(self.axes)
        width = widths[self.dtype]
        low = [self.offset.astype(float), self.partition.astype(float)]
        high = [self.offset + width, self.partition.astype(float)]
        for at, chosen in enumerate((~lanes, lanes)):
            for ends, part in ((low, np.minimum(reach, 0)), (high, np.maximum(reach, 0))):
                ends[at] = ends[at] + np.bincount(of_view[chosen], part[chosen], count)
        moved = self.moved.reshape(-1, MOVED).astype(float)
        by = np.repeat(np.arange(count), self.moves)
        places = np.array([bool(t.partitions) for t in self.tensors], bool)
        rows = (moved[:, 1] == 0) & places[self.tensor][by]
        far = moved[:, 2] * moved[:, 3]
        for at, chosen in enumerate((~rows, rows)):
            for ends, part in ((low, np.minimum(far, 0)), (high, np.maximum(far, 0))):
                ends[at] = ends[at] + np.bincount(by[chosen], part[chosen], count)
        decided = self.decided.reshape(-1, DECIDED).astype(float)
        by = np.flatnonzero(self.tile >= 0)
        high[0] = high[0] + np.bincount(by, decided[:, 0] * decided[:, 1] * width[by], count)
        return (low[0], low[1]), (high[0], high[1])

    def views(self) -> list[View]:
        """A view for each row."""
        made: list[View] = []
        sizes, steps = self.sizes.tolist(), self.steps.tolist()
        moved = [Dynamic(*row) for row in self.moved.reshape(-1, MOVED).tolist()]
        decided = self.decided.reshape(-1, DECIDED).tolist()
        tiles = self.tiles.tolist()
        axes = [0, *np.cumsum(self.axes).tolist()]
        moves = [0, *np.cumsum(self.moves).tolist()]
        rows = zip(
            [self.tensors[n] for n in self.tensor.tolist()],
            [self.kinds[n] for n in self.dtype.tolist()],
            self.partition.tolist(), self.offset.tolist(), pairwise(axes), pairwise(moves),
            self.tile.tolist(), strict=True,
        )  # fmt: skip
        for tensor, dtype, partition, offset, (a, b), (c, d), tile in rows:
            offsets = None
            if tile >= 0:
                step, limit, group, first, single, dim = decided[tile]
                offsets = Offsets(made[tiles[tile]], step, limit, group, first, bool(single), dim)
            made.append(
                View(tensor, dtype, partition, offset, tuple(sizes[a:b]), tuple(steps[a:b]),
                     tuple(moved[c:d]), offsets)
            )  # fmt: skip
        return made
