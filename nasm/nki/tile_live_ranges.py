"""How long tiles will be alive, while calls are not instructions yet.

It is never shorter than what the placement finds: a tensor that a round of a loop does not begin
with writing all of it is taken to be alive for all of the outermost loop.
"""

from __future__ import annotations

from collections.abc import Sequence

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
        for value in one.operands.values():
            if type(value) is View and value.offsets is None:
                if value.tensor.memory is memory:
                    _mention(one, value.tensor, at, around, found)
            elif not isinstance(value, _UNNAMED):
                for tensor in mentioned(value):
                    if tensor.memory is memory:
                        _mention(one, tensor, at, around, found)
        at += 1
    return at


_UNNAMED = str, int, float, type(None)
"""Operands that name no tensor."""


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
