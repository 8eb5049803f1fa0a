"""Tiles that a matmul has spread over the partitions: for a kernel they are in SBUF.

While a kernel is traced such a tile is one tensor, in PSUM, where the matmul puts it. When all
calls are known, each of them gets it where it can have it: instructions that can read PSUM read it
there; the others read a copy in SBUF, which is made right after the matmul. The two hold the same
as long as nothing writes the tile: one that is written is in SBUF for all. So is one that PSUM has
no room for, as long as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base.records import dataclass, field, replace
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import mentioned
from nasm.nki.engines import Engines
from nasm.nki.signatures import functions
from nasm.nki.tile_live_ranges import tile_live_ranges
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop
from nasm.views.tensor import Tensor
from nasm.views.view import View

COPY, COPIER = "tensor_copy", "vector"


@dataclass(slots=True)
class Spread:
    """A tile, the matmul that makes it, and the calls that use it, each with its operands."""

    tensor: Tensor
    maker: Call
    users: list[tuple[Call, set[str]]] = field(default_factory=list)
    stays: bool = True
    """Whether it may be read in PSUM."""


def settle(trace: CoreTrace, engines: Engines) -> None:
    """Decide of every spread tile who reads it where."""
    if not trace.spread:
        return
    tiles = list(_spread_tiles(trace).values())
    _make_room(trace, tiles)
    copies: dict[int, Call] = {}
    for tile in tiles:
        users = [(call, names, _in_psum(engines, tile, call, names)) for call, names in tile.users]
        if all(names == kept for _, names, kept in users):
            continue
        copy = _copy(trace, tile)
        copies[id(tile.maker)] = Call(
            functions(trace.builder.target.isa)[COPY][0],
            {"dst": View.whole(copy), "src": View.whole(tile.tensor)},
            COPIER,
            tile.maker.span,
            tile.maker.chain,
        )
        for call, _, kept in users:
            call.operands = _with(call, tile.tensor, copy, kept)
    if copies:
        _insert(trace.made, copies)


def _spread_tiles(trace: CoreTrace) -> dict[int, Spread]:
    """Every spread tile; the first call that has it is the matmul."""
    found: dict[int, Spread] = {}
    for call in calls(trace.made):
        for name, value in call.operands.items():
            for tensor in set(mentioned(value)):
                if tensor.index not in trace.spread:
                    continue
                tile = found.get(tensor.index)
                if tile is None:
                    found[tensor.index] = Spread(tensor, call)
                    continue
                if not tile.users or tile.users[-1][0] is not call:
                    tile.users.append((call, set()))
                tile.users[-1][1].add(name)
                tile.stays = tile.stays and not writes(call.row, name)
    return found


def calls(made: Sequence[Made]) -> Iterator[Call]:
    """Every call once."""
    for one in made:
        if isinstance(one, TracedLoop):
            yield from calls(one.body)
        else:
            yield one


def writes(row: Row, name: str) -> bool:
    """Whether an operand may be written; the one that a transfer fills is called dst."""
    access = row.operand(name).access
    return "w" in access or (access != "r" and name == "dst")


# -- who reads it in PSUM


def _in_psum(engines: Engines, tile: Spread, call: Call, names: set[str]) -> set[str]:
    """The operands by which a call can read a tile in PSUM: on the engine that it would have."""
    kept: set[str] = set()
    if not tile.stays or call.row.posts:
        return kept
    copied = replace(tile.tensor, memory=engines.generation.memories["sbuf"])
    best = engines.best(call.row, _with(call, tile.tensor, copied, kept), call.engine)
    for name in call.operands:
        value = call.operands[name]
        if name not in names or not isinstance(value, View) or value.tensor is not tile.tensor:
            continue
        if value.offsets is not None or call.row.operand(name).access != "r":
            continue
        tried = _with(call, tile.tensor, copied, kept | {name})
        if best is not None and engines.best(call.row, tried, call.engine) == best:
            kept.add(name)
    return kept


def _with(call: Call, tensor: Tensor, copy: Tensor, kept: set[str]) -> dict[str, Any]:
    """The operands of a call with a copy in the place of a tensor, but for those that are kept."""
    return {
        name: value if name in kept else replaced(value, {tensor.index: copy})
        for name, value in call.operands.items()
    }


def replaced(value: Any, others: Mapping[int, Tensor]) -> Any:
    """An operand with other tensors in the place of some, by the index of the one replaced."""
    if isinstance(value, View):
        offsets, tensor = value.offsets, value.tensor
        if offsets is not None:
            offsets = replace(offsets, tile=replaced(offsets.tile, others))
        return replace(value, tensor=others.get(tensor.index, tensor), offsets=offsets)
    if isinstance(value, list | tuple):
        return [replaced(item, others) for item in value]
    return value


def _copy(trace: CoreTrace, tile: Spread) -> Tensor:
    of = tile.tensor
    name = trace.named(f"{of.name}_sbuf")
    return trace.builder.tensor("sbuf", name, of.dtype, of.shape, core=trace.core, span=of.span)


def _insert(made: list[Made], copies: dict[int, Call]) -> None:
    """Put copies after the matmuls whose results they copy."""
    found: list[Made] = []
    for one in made:
        found.append(one)
        if isinstance(one, TracedLoop):
            _insert(one.body, copies)
        elif id(one) in copies:
            found.append(copies[id(one)])
    made[:] = found


# -- room


def _make_room(trace: CoreTrace, tiles: list[Spread]) -> None:
    """Where more would be alive in PSUM than it holds, those go to SBUF that are read longest."""
    memory = tiles[0].tensor.memory
    lives = tile_live_ranges(trace.made, memory)
    used = np.zeros(max((life.last for life in lives.values()), default=0) + 1, np.int64)
    for life in lives.values():
        used[life.first : life.last + 1] += _takes(life.tensor)

    def read_in(tile: Spread) -> tuple[int, int]:
        life = lives[tile.tensor.index]
        return life.made + 1, life.last + 1

    for tile in sorted(tiles, key=lambda tile: read_in(tile)[0] - read_in(tile)[1]):
        begin, end = read_in(tile)
        if not tile.stays or (used[begin:end] > memory.size).any():
            tile.stays = False
            used[begin:end] -= _takes(tile.tensor)


def _takes(tensor: Tensor) -> int:
    """Bytes of a partition that it takes: a bank holds as many of a size as fit."""
    bank = tensor.memory.bank
    return (
        bank // (bank // tensor.bytes) if tensor.bytes <= bank else -(-tensor.bytes // bank) * bank
    )
