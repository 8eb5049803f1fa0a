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
        return columns(TYPES, values)


def read_views(body: memoryview, names: Sequence[str], tensors: Sequence[Tensor]) -> list[View]:
    """The views of a section, each within its tensor; raises Refused."""
    table = _Table(read_columns(body, TYPES, NAME), [_dtype(name) for name in names], tensors)
    table.check()
    made = table.views()
    room = {tensor.name: (tensor.bytes, tensor.partitions) for tensor in tensors}
    for view in made:
        if not _inside(view, *room[view.tensor.name]):
            raise damaged(f"a view of {view.tensor.name} reaches past it")
    return made


def _inside(view: View, size: int, partitions: int) -> bool:
    """Whether a view stays within its tensor for every legal value of its registers and tiles."""
    low, high = view.extent
    first = last = view.partition
    if partitions:
        far = view.steps[0] * (view.shape[0] - 1)
        first, last = (first, last + far) if far > 0 else (first + far, last)
    for moved in view.dynamic:
        far = moved.stride * moved.limit
        if partitions and moved.axis == 0:
            first, last = first + min(far, 0), last + max(far, 0)
        else:
            low, high = low + min(far, 0), high + max(far, 0)
    rows = not partitions or (first >= 0 and last < partitions)
    return rows and low >= 0 and high <= size


def _dtype(name: str) -> DType:
    found = dtypes.find(name)
    if found is None or found.name not in DTYPES:
        raise damaged(f"it has a dtype '{name}'")
    return found


class _Table:
    """The columns, checked as a whole before a view is made of them."""

    def __init__(
        self, table: Sequence[Column], kinds: Sequence[DType], tensors: Sequence[Tensor]
    ) -> None:
        (self.tensor, self.dtype, self.axes, self.partition, self.offset, self.sizes, self.steps,
         self.moves, self.moved, self.tile, self.tiles, self.decided) = table  # fmt: skip
        self.kinds, self.tensors = kinds, tensors

    def check(self) -> None:
        """Whether columns are as long as others say, and numbers in range; raises Refused."""
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
