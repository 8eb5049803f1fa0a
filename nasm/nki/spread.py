"""Tiles that a matmul has spread over the partitions: for a kernel they are in SBUF.

While a kernel is traced such a tile is one tensor, in PSUM, where the matmul puts it. When all
calls are known, each of them gets it where it can have it: who can read PSUM reads it there; the
others read a copy in SBUF, which is made right behind the matmul. The two hold the same as long as
nobody writes the tile: one that is written is in SBUF for all. So is one that PSUM has no room for,
as long as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nasm.nki.engines import Engines
from nasm.nki.signatures import functions
from nasm.nki.tracing import Call, Made, RunTimeLoop, Trace
from nasm.spec.instruction import Row
from nasm.spec.lists import mentioned
from nasm.spec.memory import Tensor
from nasm.spec.view import View

COPY, COPIER = "tensor_copy", "vector"


@dataclass(slots=True)
class Spread:
    """A tile, the matmul that makes it, and the calls that use it, with the operands they do it by.

    ``first`` and ``last`` count the calls and loops of the kernel from the matmul to the last use.
    """

    tensor: Tensor
    maker: Call
    first: int
    last: int
    users: list[tuple[Call, set[str]]] = field(default_factory=list)
    stays: bool = True
    """Whether it may be read in PSUM."""


def settle(trace: Trace, engines: Engines) -> None:
    """Decide of every spread tile who reads it where."""
    if not trace.spread:
        return
    tiles = list(_found(trace).values())
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


def _found(trace: Trace) -> dict[int, Spread]:
    """Every spread tile; the first call that has it is the matmul."""
    found: dict[int, Spread] = {}
    for number, call in _calls(trace.made):
        for name, value in call.operands.items():
            for tensor in set(mentioned(value)):
                if tensor.index not in trace.spread:
                    continue
                tile = found.get(tensor.index)
                if tile is None:
                    found[tensor.index] = Spread(tensor, call, number, number)
                    continue
                if not tile.users or tile.users[-1][0] is not call:
                    tile.users.append((call, set()))
                tile.users[-1][1].add(name)
                tile.last = number
                tile.stays = tile.stays and not _writes(call.row, name)
    return found


def _calls(made: Sequence[Made], number: int | None = None) -> Iterator[tuple[int, Call]]:
    """Every call, with the number of the outermost call or loop that it is in."""
    for count, one in enumerate(made):
        at = count if number is None else number
        if isinstance(one, RunTimeLoop):
            yield from _calls(one.body, at)
        else:
            yield at, one


def _writes(row: Row, name: str) -> bool:
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
        name: value if name in kept else _instead(value, tensor, copy)
        for name, value in call.operands.items()
    }


def _instead(value: Any, tensor: Tensor, copy: Tensor) -> Any:
    if isinstance(value, View):
        offsets = value.offsets
        if offsets is not None:
            offsets = replace(offsets, tile=_instead(offsets.tile, tensor, copy))
        return replace(
            value, tensor=copy if value.tensor is tensor else value.tensor, offsets=offsets
        )
    if isinstance(value, list | tuple):
        return [_instead(item, tensor, copy) for item in value]
    return value


def _copy(trace: Trace, tile: Spread) -> Tensor:
    of = tile.tensor
    name = trace.named(f"{of.name}_sbuf")
    return trace.builder.tensor("sbuf", name, of.dtype, of.shape, core=trace.core, span=of.span)


def _insert(made: list[Made], copies: dict[int, Call]) -> None:
    """Put copies behind the matmuls that they are of."""
    found: list[Made] = []
    for one in made:
        found.append(one)
        if isinstance(one, RunTimeLoop):
            _insert(one.body, copies)
        elif id(one) in copies:
            found.append(copies[id(one)])
    made[:] = found


# -- room


def _make_room(trace: Trace, tiles: list[Spread]) -> None:
    """Where more would be alive in PSUM than it holds, those go to SBUF that are read longest."""
    used = np.zeros(len(trace.made) + 1, np.int64)
    for first, last, tensor in _lives(trace):
        used[first : last + 1] += _takes(tensor)
    size = tiles[0].tensor.memory.size
    for tile in sorted(tiles, key=lambda tile: tile.first - tile.last):
        alive = used[tile.first + 1 : tile.last + 1]
        if not tile.stays or (alive > size).any():
            tile.stays = False
            alive -= _takes(tile.tensor)


def _lives(trace: Trace) -> list[tuple[int, int, Tensor]]:
    """From where to where tensors in PSUM are mentioned: calls and loops of the kernel."""
    found: dict[int, tuple[int, int, Tensor]] = {}
    for number, call in _calls(trace.made):
        for value in call.operands.values():
            for tensor in mentioned(value):
                if tensor.memory.bank:
                    first = found.get(tensor.index, (number,))[0]
                    found[tensor.index] = first, number, tensor
    return list(found.values())


def _takes(tensor: Tensor) -> int:
    """Bytes of a partition that it takes: as many of a size stand in a bank as have room there."""
    bank = tensor.memory.bank
    return (
        bank // (bank // tensor.bytes) if tensor.bytes <= bank else -(-tensor.bytes // bank) * bank
    )
