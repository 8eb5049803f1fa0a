"""Tiles that SBUF has no room for: saved to HBM, and loaded again before they are used next.

The compiler of NKI 0.1 did this; that of today's NKI refuses such a kernel. Where not all tiles
that are alive have room, the one that is used again last gives up its place (Belady); tiles smaller
than what a descriptor moves efficiently, and those not written everywhere, do so only if no others
are left. What a tile holds is saved right after the call that wrote it last, by the engine that
starts stores. It is loaded right before its next use, into a new tile, by the engine that starts
loads: its queue runs ahead of the calls, so that it loads as soon as there is room. What was loaded
from an argument that the kernel does not write is not saved: its load is repeated.

Of SBUF an eighth is left for calls that overlap, or more until the placement finds places for all
tiles; all of it is taken if nothing else will do. Calls in a loop of
the machine are one call here. A kernel whose tiles fit is not changed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from heapq import heappop, heappush

from nasm.base.records import dataclass, field, replace
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import mentioned
from nasm.nki.accumulating import AccumulatedBytes
from nasm.nki.broadcast_tiles import calls, replaced
from nasm.nki.call_values import changed_views, transferred
from nasm.nki.signatures import functions
from nasm.nki.tile_live_ranges import placeable, tensors_of, writes_whole
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop
from nasm.program.program import SpilledBytes
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

Order = tuple[bool, int, int]

SHARES = (14, 13, 12, 10, 8, 16)
"""Sixteenths of SBUF that tiles may take at once, each tried if with those before not all have
places. What is left is for tiles that live longer since calls overlap."""

EFFICIENT = 512
"""Bytes of a partition from which on descriptors move them efficiently, as AWS documents."""


@dataclass(slots=True, eq=False)
class _Tile:
    """A tile of the kernel while its calls are gone through.

    ``uses`` are the calls that mention it, the last one first. ``here`` is the tile of SBUF that
    holds it, if one does; ``home`` is the tensor in HBM that it was saved to. ``written`` are the
    parts that have been written, so many elements in all; ``writer`` is the call that wrote last,
    None if that is saved. ``load`` fills it with an argument, if that is what it holds. One that is
    ``pinned`` has parts that the run decides; one that has ``left`` was in SBUF before.
    """

    tensor: Tensor
    uses: list[int] = field(default_factory=list)
    here: Tensor | None = None
    home: Tensor | None = None
    written: dict[View, None] = field(default_factory=dict)
    elements: int = 0
    writer: int | None = None
    load: Call | None = None
    pinned: bool = False
    left: bool = False

    @property
    def order(self) -> Order:
        """Of two tiles the lower one gives up its place first."""
        tensor = self.tensor
        kept = tensor.bytes < EFFICIENT or self.elements < tensor.elements * tensor.partitions
        return kept, -self.uses[-1], tensor.index

    def write(self, part: View, number: int, decided: bool) -> None:
        """A call writes a part; the run has ``decided`` which one."""
        self.writer, self.load = number, None
        self.pinned = self.pinned or decided
        if part not in self.written:
            self.written[part] = None
            self.elements += part.size

    def parts(self) -> Sequence[View]:
        """What of it has been written: all of it, or each part."""
        whole = View.whole(self.tensor)
        if whole in self.written or AccumulatedBytes(self.tensor, self.written).complete:
            return [whole]
        return list(self.written)


def spill(trace: CoreTrace, loads: str, stores: str) -> SpilledBytes:
    """Change a trace so that all tiles find places in SBUF, if they do not.

    ``loads`` and ``stores`` are the engines that start transfers. Where there is no way the trace
    stays as it is, for the placement to refuse.
    """
    memory = trace.builder.generation.memories["sbuf"]
    if placeable(trace.made, memory):
        return SpilledBytes()
    for share in SHARES:
        walk = _Walk(trace, share, loads, stores)
        if walk.walk():
            made = walk.calls()
            if placeable(made, memory):
                trace.made[:] = walk.declared(made)
                return SpilledBytes(walk.saved, walk.reloaded)
    return SpilledBytes()


class _Walk:
    """A walk through the calls of a trace, with so many sixteenths of SBUF for their tiles.

    ``before`` and ``after`` are the transfers around a call, by its number. The tensors ``made``
    are declared if it is the walk that counts.
    """

    def __init__(self, trace: CoreTrace, share: int, loads: str, stores: str) -> None:
        self.trace, self.loads, self.stores = trace, loads, stores
        self.copy: Row = functions(trace.builder.target.isa)["dma_copy"][0]
        memories = trace.builder.generation.memories
        self.memory, self.hbm = memories["sbuf"], memories["hbm"]
        self.tiles: dict[int, _Tile] = {}
        self.free = (self.memory.size - self._read()) * share // 16
        self.made: list[Tensor] = []
        self.queue: list[Order] = []
        self.names: dict[int, Tensor] = {}
        self.before: defaultdict[int, list[Call]] = defaultdict(list)
        self.after: defaultdict[int, list[Call]] = defaultdict(list)
        self.kept: list[Made] = []
        self.saved = self.reloaded = 0

    def _read(self) -> int:
        """Find the tiles that have no places, and their uses; up to which byte others are."""
        taken = 0
        for number, one in enumerate(self.trace.made):
            for tensor in _mentioned(one):
                if tensor.memory is not self.memory:
                    continue
                if tensor.offset is not None:
                    taken = max(taken, tensor.offset + tensor.bytes)
                    continue
                if tensor.index not in self.tiles:
                    self.tiles[tensor.index] = _Tile(tensor)
                self.tiles[tensor.index].uses.append(number)
        for tile in self.tiles.values():
            tile.uses.reverse()
        return taken

    # -- through the calls

    def walk(self) -> bool:
        """All calls in order; returns whether each had room for its tiles."""
        for number, one in enumerate(self.trace.made):
            wanted = [self.tiles[t.index] for t in _mentioned(one) if t.index in self.tiles]
            missing = [tile for tile in wanted if tile.here is None]
            if not self._make_room(sum(tile.tensor.bytes for tile in missing), number):
                return False
            for tile in missing:
                self._bring(tile, number, one)
            self.kept.append(_renamed(one, self.names))
            for call in calls([one]):
                self._written(call, number)
            for tile in wanted:
                tile.uses.pop()
                if tile.uses:
                    heappush(self.queue, tile.order)
                else:
                    self._leave(tile)
        return True

    def _make_room(self, size: int, number: int) -> bool:
        """Have tiles that a call does not use leave until so many bytes are free."""
        passed = []
        while self.free < size and self.queue:
            entry = heappop(self.queue)
            tile = self.tiles[entry[-1]]
            if tile.here is None or tile.pinned or tile.order != entry:
                continue
            if tile.uses[-1] == number:
                passed.append(entry)
                continue
            self._save(tile)
            self._leave(tile)
        for entry in passed:
            heappush(self.queue, entry)
        return self.free >= size

    def _leave(self, tile: _Tile) -> None:
        self.free += tile.tensor.bytes
        tile.here, tile.left = None, True

    def _save(self, tile: _Tile) -> None:
        """Save what a tile holds, unless it is in HBM already."""
        if tile.writer is None or tile.load is not None:
            return
        assert tile.here is not None
        tile.home = tile.home or self._tensor(tile, "spilled", self.hbm)
        for part in tile.parts():
            held = replace(part, tensor=tile.here)
            self.after[tile.writer].append(
                self._move(tile.writer, _at_home(part, tile.home), held, self.stores)
            )
            self.saved += _size(part)
        tile.writer = None

    def _bring(self, tile: _Tile, number: int, one: Made) -> None:
        """Give a tile a place, with what it held when it left."""
        self.free -= tile.tensor.bytes
        if not tile.left:
            tile.here = tile.tensor
            return
        here = self._tensor(tile, "reloaded", self.memory)
        tile.here = self.names[tile.tensor.index] = here
        if isinstance(one, Call) and _overwrites(one, tile.tensor):
            return
        if tile.load is not None:
            self.before[number].append(_call(tile.load, {tile.tensor.index: here}))
        elif tile.home is not None:
            for part in tile.parts():
                into = replace(part, tensor=here)
                self.before[number].append(
                    self._move(number, into, _at_home(part, tile.home), self.loads)
                )
                self.reloaded += _size(part)

    def _move(self, number: int, dst: View, src: View, engine: str) -> Call:
        of = self.trace.made[number]
        return Call(self.copy, {"dst": dst, "src": src}, engine, of.span, of.chain)

    def _written(self, call: Call, number: int) -> None:
        """Note what a call writes."""
        meets = call.row.effect is not None and not call.row.posts
        for view in changed_views(call):
            tile = self.tiles.get(view.tensor.index)
            if tile is not None:
                decided = meets or bool(view.dynamic) or view.offsets is not None
                tile.write(view, number, decided)
                if self.trace.made[number] is call and _loads(call, view):
                    tile.load = call

    # -- the result

    def _tensor(self, tile: _Tile, what: str, memory: Memory) -> Tensor:
        """A tensor like a tile, as it will be declared."""
        made = copy(tile.tensor)
        made.name, made.memory = f"{made.name}_{what}", memory
        made.index = len(self.trace.builder.program.tensors) + len(self.made)
        self.made.append(made)
        return made

    def calls(self) -> list[Made]:
        """The calls, with the transfers around them."""
        found: list[Made] = []
        for number, one in enumerate(self.kept):
            found += [*self.before[number], one, *self.after[number]]
        return found

    def declared(self, made: Sequence[Made]) -> list[Made]:
        """Calls with tensors that are declared."""
        builder, names = self.trace.builder, {}
        for tensor in self.made:
            name, core = self.trace.named(tensor.name), self.trace.core
            of = tensor.memory.name, name, tensor.dtype, tensor.shape
            names[tensor.index] = builder.tensor(*of, core=core, span=tensor.span)
        return [_renamed(one, names) for one in made]


def _mentioned(one: Made) -> list[Tensor]:
    """The tensors that a call, or a loop, mentions, each once."""
    if isinstance(one, Call):
        return list(dict.fromkeys(tensors_of(one)))
    return list(dict.fromkeys(tensor for call in calls([one]) for tensor in tensors_of(call)))


def _renamed(one: Made, names: Mapping[int, Tensor]) -> Made:
    """A call with other tensors in the place of some."""
    if isinstance(one, TracedLoop):
        return replace(one, body=[_renamed(each, names) for each in one.body])
    if not any(tensor.index in names for tensor in tensors_of(one)):
        return one
    return _call(one, names)


def _call(one: Call, names: Mapping[int, Tensor]) -> Call:
    operands = {name: replaced(value, names) for name, value in one.operands.items()}
    return replace(one, operands=operands)


def _overwrites(call: Call, tensor: Tensor) -> bool:
    """Whether a call writes all of a tile, and reads nothing of it."""
    if not call.row.posts:
        return writes_whole(call, tensor)
    if any(tensor in mentioned(value) for name, value in call.operands.items() if name != "dst"):
        return False
    return transferred(call).get("dst") == View.whole(tensor)


def _loads(call: Call, dst: View) -> bool:
    """Whether a call fills all of a tile with a part of an argument, which stays as it is."""
    src = call.operands.get("src")
    if not isinstance(src, View) or src.tensor.role != "input" or src.dynamic or src.offsets:
        return False
    if not call.row.posts or dst != View.whole(dst.tensor):
        return False
    return transferred(call).get("dst") == dst


def _at_home(part: View, home: Tensor) -> View:
    """The part of a tensor in HBM that a part of a tile is saved to."""
    row = math.prod(home.shape[1:]) * home.dtype.itemsize
    steps = part.steps[0] * (row // part.dtype.itemsize), *part.steps[1:]
    return replace(
        part, tensor=home, partition=0, offset=part.partition * row + part.offset, steps=steps
    )


def _size(part: View) -> int:
    return part.size * part.dtype.itemsize
