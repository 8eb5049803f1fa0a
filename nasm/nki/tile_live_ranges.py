"""How long tiles will be alive, while calls are not instructions yet.

It is never shorter than what the placement finds: a tensor that a round of a loop does not begin
with writing all of it is taken to be alive for all of the outermost loop.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nasm.base.records import dataclass
from nasm.isa.list_kinds import mentioned
from nasm.nki.tracing import Call, Made, TracedLoop
from nasm.sync.fixed_places import Living
from nasm.sync.live_ranges import Life
from nasm.sync.placement import fits
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View


@dataclass(slots=True)
class TileLife:
    """From the first to the last call of a life; it is ``made`` by the one that mentions it first.

    Calls are counted as they are written, those of loops once.
    """

    tensor: Tensor
    made: int
    first: int
    last: int


@dataclass(slots=True)
class _Open:
    """A loop, from its first call to its last one."""

    first: int
    last: int = 0


Loops = tuple[_Open, ...]


@dataclass(slots=True)
class _Mentioned:
    """The first and the last call that mention a tensor, and the loops around them.

    ``home`` are those around all that do; the first one writes it ``whole``.
    """

    tensor: Tensor
    first: int
    opened: Loops
    whole: bool
    last: int
    closed: Loops
    home: Loops


def tile_live_ranges(made: Sequence[Made], memory: Memory) -> dict[int, TileLife]:
    """The lives of the tensors in a memory that calls mention, by the index of the tensor."""
    found: dict[int, _Mentioned] = {}
    _read(made, 0, (), found, memory)
    return {index: _life(one) for index, one in found.items()}


def placeable(made: Sequence[Made], memory: Memory) -> bool:
    """Whether all tensors in a memory that calls mention find places there."""
    lives = tile_live_ranges(made, memory).values()
    return fits(
        [Living(one.tensor, Life(one.first, one.last, one.made, one.last)) for one in lives]
    )


def _life(one: _Mentioned) -> TileLife:
    home = one.home if one.whole and one.home == one.opened else ()
    depth, first, last = len(home), one.first, one.last
    if len(one.opened) > depth:
        first = one.opened[depth].first
    if len(one.closed) > depth:
        last = one.closed[depth].last
    return TileLife(one.tensor, one.first, first, last)


def _read(
    made: Sequence[Made], at: int, around: Loops, found: dict[int, _Mentioned], memory: Memory
) -> int:
    """Read calls from a number on; returns the next one."""
    for one in made:
        if isinstance(one, TracedLoop):
            loop = _Open(at)
            at = _read(one.body, at, (*around, loop), found, memory)
            loop.last = max(at - 1, loop.first)
            continue
        for tensor in tensors_of(one):
            if tensor.memory is memory:
                _mention(one, tensor, at, around, found)
        at += 1
    return at


def tensors_of(call: Call) -> list[Tensor]:
    """The tensors that the operands of a call name, one after the other."""
    found: list[Tensor] = []
    for value in call.operands.values():
        if type(value) is View and value.offsets is None:
            found.append(value.tensor)
        elif type(value) not in _UNNAMED:
            found += mentioned(value)
    return found


_UNNAMED = frozenset({str, int, float, bool, type(None)})
"""Operands that name no tensor."""


class CallTensors:
    """The tensors of a memory that calls mention, which are in no loop: do they find places?"""

    def __init__(self, calls: Sequence[Call], memory: Memory) -> None:
        found: dict[int, tuple[Tensor, list[int]]] = {}
        for number, call in enumerate(calls):
            for tensor in tensors_of(call):
                if tensor.memory is memory:
                    found.setdefault(tensor.index, (tensor, []))[1].append(number)
        self.tensors = [tensor for tensor, _ in found.values()]
        numbers = [mentions for _, mentions in found.values()]
        self.begins = np.cumsum([0, *map(len, numbers)], dtype=np.int64)[:-1]
        self.numbers = np.array([n for each in numbers for n in each], np.int64)

    def placeable(self, order: Sequence[int]) -> bool:
        """Whether all find places if the calls are executed in another order."""
        if not self.tensors:
            return True
        places = np.empty(len(order), np.int64)
        places[np.array(order, np.int64)] = np.arange(len(order))
        at = places[self.numbers]
        firsts = np.minimum.reduceat(at, self.begins).tolist()
        lasts = np.maximum.reduceat(at, self.begins).tolist()
        lives = zip(self.tensors, firsts, lasts, strict=True)
        return fits([Living(one, Life(first, last, first, last)) for one, first, last in lives])


def _mention(
    call: Call, tensor: Tensor, at: int, around: Loops, found: dict[int, _Mentioned]
) -> None:
    one = found.get(tensor.index)
    if one is None:
        whole = writes_whole(call, tensor)
        found[tensor.index] = _Mentioned(tensor, at, around, whole, at, around, around)
        return
    if one.home:
        shared = sum(1 for mine, theirs in zip(one.home, around, strict=False) if mine is theirs)
        one.home = one.home[:shared]
    one.last, one.closed = at, around


def writes_whole(call: Call, tensor: Tensor) -> bool:
    """Whether a call writes all of a tensor, and reads nothing of it."""
    for operand in call.row.operands:
        value = call.operands.get(operand.name)
        if value is None or not any(one is tensor for one in mentioned(value)):
            continue
        adds = operand.adds and call.operands.get(operand.adds)
        whole = type(value) is View and value.tensor is tensor and value.is_whole
        if operand.access != "w" or operand.partial or adds or not whole:
            return False
    return True
