"""Assignments of NKI 0.1: a result is written where it goes, a product added to what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nasm.base.records import replace
from nasm.nki.engines import function
from nasm.nki.errors import refuse
from nasm.nki.names import MemoryRegion
from nasm.nki.neuronxcc.affine import Index, Predicate
from nasm.nki.neuronxcc.regions import region, regions
from nasm.nki.neuronxcc.resolving import patterns, plain_steps, resolved
from nasm.nki.neuronxcc.results import new, place_of, read, settled, write
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.neuronxcc.walks import Box, all_of
from nasm.nki.tensor import NkiTensor
from nasm.nki.tile_live_ranges import tensors_of
from nasm.nki.tiles import instruct, number
from nasm.nki.tracing import Call, CoreTrace, current
from nasm.views.methods import restepped
from nasm.views.view import View

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum


def assign(target: TileTensor, value: Any, mask: Predicate | None = None) -> None:
    """Write a tile, or a number, into elements of a tensor."""
    if not isinstance(value, TileTensor):
        if not number(value):
            refuse(f"{value!r} assigned to elements of {target.name}: wanted a tile or a number")
        _fill(target, value)
        return
    if not target.on_chip or not value.on_chip:
        _transfer(target, value, mask)
        return
    if same(target, value):
        return
    if value.storage.moved is not None and same(target, value.storage.moved):
        return
    if value.shape == target.shape or value.size == target.size:
        _one_to_one(target, value, mask)
        return
    box = region([value], value.shape, mask)
    if box is not None:
        _copied(target, value, box, box)


def _one_to_one(target: TileTensor, value: TileTensor, mask: Predicate | None) -> None:
    box = region([value], value.shape, mask)
    if box is None:
        return
    pieces = patterns(target, box) if target.shape == value.shape else [box]
    if len(pieces) == 1 and value.storage.fresh is not None and _redirected(target, value, box):
        return
    for piece in pieces:
        _copied(target, value, piece, piece)


def _copied(target: TileTensor, value: TileTensor, into: Box, box: Box) -> None:
    source = read(value, box)
    wanted = box_of(target, value, into)
    dst = write(target, wanted)
    source = spread(source, dst.shape)
    if not aligned(dst):
        if source.buffer is PSUM or source.dtype != dst.dtype:
            between = new("aligned", dst.shape, dst.dtype)
            instruct("tensor_copy", dst=between, src=source)
            source = between
        instruct("dma_copy", dst=dst, src=source)
        return
    instruct("tensor_copy", dst=dst, src=source)


def aligned(tile: NkiTensor) -> bool:
    """Whether engines reach where a tile begins: partition 0, 32, 64 or 96, with room for it."""
    view = tile.view_
    first = view.partition + (view.tensor.partition or 0)
    count = view.shape[0]
    return first == 0 or (
        first % 32 == 0 and count <= {0: 128, 32: 32, 64: 64, 96: 32}[first % 128]
    )


def box_of(target: TileTensor, value: TileTensor, box: Box) -> Box | None:
    """The part of a target that a part of a value goes to."""
    if box == all_of(value.shape):
        return None
    if target.shape == value.shape:
        return box
    if len(value.shape) != len(box):
        refuse(f"a tile of {list(value.shape)} for {list(target.shape)}")
    sizes = iter((lo, hi) for n, (lo, hi) in zip(value.shape, box, strict=True) if n > 1)
    return tuple((0, 1) if n == 1 else next(sizes, (0, n)) for n in target.shape)


def spread(source: NkiTensor, shape: tuple[int, ...]) -> NkiTensor:
    """A tile in another shape: axes of 1 added or left out, or repeated."""
    fitted = refit(source.view_, shape)
    if fitted is not None:
        return NkiTensor(fitted, source.buffer, source.dtype)
    if source.ndim == len(shape):
        for axis, size in enumerate(shape):
            if axis and source.shape[axis] == 1 and size > 1:
                source = source.broadcast(axis, size)
        if source.shape == shape:
            return source
    if source.size == _size(shape):
        return source.reshape(shape)
    if source.size != source.shape[0] or source.shape[0] != shape[0]:
        refuse(f"a tile of {list(source.shape)} for {list(shape)}", "wanted as many elements")
    return spread(source.reshape((source.shape[0], *(1,) * (len(shape) - 1))), shape)


def _size(shape: Sequence[int]) -> int:
    made = 1
    for n in shape:
        made *= n
    return made


def refit(view: View, shape: tuple[int, ...]) -> View | None:
    """A view with other axes of 1, or with axes split or merged where its steps allow."""
    if view.shape == shape:
        return view
    if view.offsets is not None or view.dynamic or _size(view.shape) != _size(shape):
        return None
    first = int(view.partitioned)
    if first and view.shape[0] != shape[0]:
        return None
    steps = restepped(view.shape[first:], view.steps[first:], shape[first:])
    if steps is None:
        return None
    return replace(view, shape=shape, steps=(*view.steps[:first], *steps))


def same(one: TileTensor, other: TileTensor) -> bool:
    """Whether two views are of the same elements in the same order."""
    return (
        one.storage is other.storage
        and one.shape == other.shape
        and (one.consts, one.steps) == (other.consts, other.steps)
        and one.dynamic is None is other.dynamic
    )


def _redirected(target: TileTensor, value: TileTensor, box: Box) -> bool:
    """Have the call that made a value write it where it is assigned to, if it can."""
    call = value.storage.fresh
    trace = current("neuronxcc.nki")
    if call is None or trace.open[-1][-1] is not call or target.dynamic is not None:
        return False
    mine, theirs = value.storage.dtype, target.storage.dtype
    if mine != theirs and (call.row.posts or str(mine) != "float32" or theirs.stored.is_int):
        return False
    if target.buffer is not value.buffer or _touched(trace, call):
        return False
    made = call.operands["dst"]
    whole = refit(resolved(value, box).view_, made.shape)
    if whole is None or plain_steps(whole) != plain_steps(made):
        return False
    dst = before(trace, call, lambda: resolved(target, box_of(target, value, box)))
    fitted = refit(dst.view_, made.shape)
    if fitted is None or not (aligned(dst) or call.row.posts) or _meets(call, fitted):
        return False
    settled(target.storage)
    target.storage.zeroed.pop(fitted.tensor.index, None)
    call.operands["dst"] = fitted
    value.storage.moved = target
    return True


def before(trace: CoreTrace, call: Call, use: Callable[[], NkiTensor]) -> NkiTensor:
    """What a call writes elsewhere: a tile that this makes is filled before the call."""
    body = trace.open[-1]
    made = use()
    if body[-1] is not call:
        del body[place_of(body, call)]
        body.append(call)
    return made


ALIKE = ("tensor_tensor", "tensor_scalar", "activation", "tensor_copy", "reciprocal")
"""Functions that write each element where they read it."""


def _meets(call: Call, dst: View) -> bool:
    """Whether a call reads other elements of a tensor than those it would write there."""
    used = [v for name, v in call.operands.items() if name != "dst" and isinstance(v, View)]
    alike = function(call.row) in ALIKE
    return any(v.tensor is dst.tensor and not (alike and v == dst) for v in used)


def _touched(trace: CoreTrace, call: Call) -> bool:
    """Whether the result is made by more calls than the last one."""
    mine = call.operands["dst"].tensor
    for one in trace.open[-1][-2:-RECENT:-1]:
        if isinstance(one, Call):
            if one.tensors <= mine.index:
                return False
            if any([tensor is mine for tensor in tensors_of(one)]):
                return True
    return False


RECENT = 32
"""Calls that one function makes at most, where its result is the last one's."""


def _fill(target: TileTensor, value: Any) -> None:
    dst = write(target)
    if dst.on_chip and aligned(dst):
        _memset(dst, value)
        return
    scratch = new("filled", (dst.shape[0] if dst.on_chip else 1, *dst.shape[1:]), dst.dtype)
    _memset(scratch, value)
    instruct("dma_copy", dst=dst, src=scratch)


def _memset(dst: NkiTensor, value: Any) -> None:
    whole_number = dst.view_.dtype.is_int and float(value).is_integer()
    instruct("memset", dst=dst, value=int(value) if whole_number else float(value))


def _transfer(target: TileTensor, value: TileTensor, mask: Predicate | None) -> None:
    """Write between HBM and a tile, or within HBM, by DMA; a box of the mask at a time."""
    shape = value.shape if _size(value.shape) >= _size(target.shape) else target.shape
    if value.shape != target.shape and mask is not None:
        value = fitting(value, target.shape)
        shape = target.shape
    found = regions([v for v in (value,) if v.shape == shape], shape, mask)
    for one in (value, target):
        if one.shape == shape:
            found = [piece for box in found for piece in patterns(one, box)]
    for box in found:
        part = None if box == all_of(shape) else box
        source = read(value, part or (None if not value.storage.partial else box))
        if source.buffer is PSUM:
            tile = new(source.name, source.shape, source.dtype)
            instruct("tensor_copy", dst=tile, src=source)
            source = tile
        dst = write(target, box_of(target, value, box))
        instruct("dma_copy", dst=dst, src=_dma_shape(source, dst))


def fitting(value: TileTensor, shape: tuple[int, ...]) -> TileTensor:
    """A tensor with axes of 1 added or left out."""
    kept = [n for n, size in enumerate(value.shape) if size > 1]
    if [value.shape[n] for n in kept] != [n for n in shape if n > 1]:
        refuse(f"a tile of {list(value.shape)} for {list(shape)}")
    places = iter(kept)
    order = [next(places) if size > 1 else -1 for size in shape]
    axes = tuple(
        Index(one.const, shape, tuple(one.steps[n] if n >= 0 else 0 for n in order))
        for one in value.axes
    )
    return TileTensor(value.storage, axes, shape)


def _dma_shape(source: NkiTensor, dst: NkiTensor) -> NkiTensor:
    if source.shape == dst.shape:
        return source
    fitted = refit(source.view_, dst.shape) if source.on_chip == dst.on_chip else None
    if fitted is not None:
        return NkiTensor(fitted, source.buffer, source.dtype)
    if source.size != dst.size:
        refuse(f"a tile of {list(source.shape)} stored into {list(dst.shape)}")
    return source
