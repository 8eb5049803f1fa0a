"""How calls that return tiles become calls that write them: where a result goes, and its part.

A call's result is a new tile. If the first thing that happens to it is that it is assigned to
elements of another, the call writes there instead; a later use of the result itself makes it a tile
and a copy again, so that what a kernel means does not depend on it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.nki import isa
from nasm.nki.accumulating import AccumulatedBytes
from nasm.nki.errors import refuse, trail
from nasm.nki.names import DType, MemoryRegion
from nasm.nki.neuronxcc.affine import Index
from nasm.nki.neuronxcc.regions import region
from nasm.nki.neuronxcc.resolving import patterns, resolved
from nasm.nki.neuronxcc.running import instance
from nasm.nki.neuronxcc.tensor import Storage, TileTensor, identity, of
from nasm.nki.neuronxcc.walks import Box, all_of
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop, current
from nasm.nki.variables import variable
from nasm.views.view import View

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum


def read(tensor: TileTensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor for a call that reads it."""
    settled(tensor.storage)
    if tensor.storage.zeroed:
        _filled(tensor, box)
    if box is None and tensor.storage.partial:
        return _completed(tensor)
    if tensor.on_chip:
        part = all_of(tensor.shape) if box is None else box
        pieces = patterns(tensor, part)
        if len(pieces) > 1:
            return _gathered(tensor, part, pieces)
    return resolved(tensor, box)


def write(tensor: TileTensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor for a call that writes it."""
    settled(tensor.storage)
    made = resolved(tensor, box)
    if tensor.storage.zeroed:
        tensor.storage.zeroed.pop(made.view_.tensor.index, None)
    return made


def settled(storage: Storage) -> None:
    """From its first use on a result is a tile; one that was written elsewhere is one again."""
    call, moved = storage.fresh, storage.moved
    storage.fresh = storage.moved = None
    if call is None or moved is None:
        return
    elsewhere = call.operands["dst"]
    call.operands["dst"] = storage.tile(()).view_
    trace = current("neuronxcc.nki")
    copy = Call(_copy_row(trace), {"dst": elsewhere, "src": call.operands["dst"]}, "", call.span)
    copy.chain, copy.rounds, copy.parallel = call.chain, call.rounds, call.parallel
    copy.tensors = len(trace.builder.program.tensors)
    body = body_of(trace.made, call)
    assert body is not None
    body.insert(place_of(body, call) + 1, copy)


def _copy_row(trace: CoreTrace) -> Any:
    return isa.FUNCTIONS["tensor_copy"].rows[0]


def body_of(made: list[Made], call: Call) -> list[Made] | None:
    """The calls among which one is."""
    for one in reversed(made):
        if one is call:
            return made
        if isinstance(one, TracedLoop):
            found = body_of(one.body, call)
            if found is not None:
                return found
    return None


def place_of(body: Sequence[Made], call: Call) -> int:
    """The place of a call among others, of which it is one of the last."""
    return next(n for n in range(len(body) - 1, -1, -1) if body[n] is call)


def _completed(tensor: TileTensor) -> NkiTensor:
    """What a mask has left of a tile in a tile of full size, for calls that take no part of it."""
    box = region([tensor], tensor.shape, None)
    if box is None:
        refuse(f"{tensor.name}, of which a mask has left nothing", "give the call the mask, too")
    if box == all_of(tensor.shape):
        return resolved(tensor)
    made = new(tensor.name, tensor.shape, tensor.storage.dtype, tensor.buffer)
    instruct("tensor_copy", dst=resolved(whole_of(made), box), src=resolved(tensor, box))
    return made


def _gathered(tensor: TileTensor, box: Box, pieces: Sequence[Box]) -> NkiTensor:
    """What no single access pattern reads, in a tile of its own."""
    made = new(tensor.name, tuple(hi - lo for lo, hi in box), tensor.storage.dtype)
    for piece in pieces:
        spans = zip(piece, box, strict=True)
        key = tuple(slice(lo - first, hi - first) for (lo, hi), (first, _) in spans)
        instruct("tensor_copy", dst=made[key], src=resolved(tensor, piece))
    return made


def whole_of(made: NkiTensor) -> TileTensor:
    """A tile of today's as a tensor of the dialect."""
    return of(made)


def new(what: str, shape: Sequence[int], dtype: Any, buffer: MemoryRegion = SBUF) -> NkiTensor:
    """A tile for a result, of the name of the variable that it is assigned to."""
    name = variable(trail(sys._getframe(1))) or what
    sizes = tuple(shape) if len(shape) > 1 else (*shape, 1)
    return current(f"neuronxcc.nki: {what}").tensor(sizes, DType(dtype), buffer, name)


def result(
    made: NkiTensor, shape: tuple[int, ...] | None = None, box: Box | None = None
) -> TileTensor:
    """What a call has made, as a tensor: of a shape, of which a mask has left a box."""
    instance("a call")
    tensor = of(made)
    storage = tensor.storage
    calls = current("neuronxcc.nki").open[-1]
    last = calls[-1] if calls else None
    if isinstance(last, Call) and last.operands.get("dst") == made.view_:
        storage.fresh = last if made.view_.is_whole else None
    if shape is None or box is None or box == all_of(shape):
        return tensor
    storage.partial = True
    axes = tuple(
        Index(one.const - lo, shape, one.steps)
        for one, (lo, _) in zip(identity(shape), box, strict=True)
    )
    return TileTensor(storage, axes, shape)


def nothing(shape: tuple[int, ...], dtype: Any) -> TileTensor:
    """The result of a call that a mask has left nothing of."""

    def make(block: tuple[int, ...]) -> NkiTensor:
        refuse("a tile of which a mask has left nothing, used without the mask")

    storage = Storage((1,) * len(shape), 0, DType(dtype), SBUF, make, partial=True)
    return TileTensor(storage, tuple(Index(-1, shape, (0,) * len(shape)) for _ in shape), shape)


def begun_in(view: View) -> AccumulatedBytes:
    """Where matmuls have begun in the tensor of a view."""
    begun = current("neuronxcc.nki").begun
    if view.tensor.index not in begun:
        begun[view.tensor.index] = AccumulatedBytes(view.tensor)
    return begun[view.tensor.index]


def _filled(tensor: TileTensor, box: Box | None) -> None:
    """Before it is read: zeros that matmuls have overwritten everywhere need not be written."""
    view = resolved(tensor, box).view_
    state = tensor.storage.zeroed.pop(view.tensor.index, None)
    if state is None or state.needed or state.fill is None:
        return
    try:
        parts = begun_in(view).parts(View.whole(view.tensor))
    except Refused:
        return
    if all(adds for _, _, adds in parts):
        body = body_of(current("neuronxcc.nki").made, state.fill)
        if body is not None:
            del body[place_of(body, state.fill)]
