"""How calls that return tiles become calls that write them: where a result goes, and its part.

A call's result is a new tile. If the first thing that happens to it is that it is assigned to
elements of another, the call writes there instead; a later use of the result itself makes it a tile
and a copy again, so that what a kernel means does not depend on it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.list_kinds import mentioned
from nasm.nki import isa
from nasm.nki.accumulating import AccumulatedBytes
from nasm.nki.engines import function
from nasm.nki.errors import refuse, trail
from nasm.nki.names import DType, MemoryRegion
from nasm.nki.neuronxcc.affine import Box, Index, Predicate
from nasm.nki.neuronxcc.conjunctions import lost
from nasm.nki.neuronxcc.running import instance
from nasm.nki.neuronxcc.tensor import Storage, Tensor, Zeroed, identity, of, resolved, there
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct, number
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop, current
from nasm.nki.variables import variable
from nasm.views.methods import restepped
from nasm.views.view import View

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum


# ---------------------------------------------------------------- using a tensor


def read(tensor: Tensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor for a call that reads it."""
    _settled(tensor.storage)
    if tensor.storage.zeroed:
        _filled(tensor, box)
    if box is None and tensor.storage.partial:
        return _completed(tensor)
    return resolved(tensor, box)


def write(tensor: Tensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor for a call that writes it."""
    _settled(tensor.storage)
    made = resolved(tensor, box)
    if tensor.storage.zeroed:
        tensor.storage.zeroed.pop(made.view_.tensor.index, None)
    return made


def _settled(storage: Storage) -> None:
    """From its first use on a result is a tile; one that was written elsewhere is one again."""
    call, moved = storage.fresh, storage.moved
    storage.fresh = storage.moved = None
    if call is None or moved is None:
        return
    elsewhere = call.operands["dst"]
    call.operands["dst"] = storage.tile(()).view_
    trace = current("neuronxcc.nki")
    copy = Call(_copy_row(trace), {"dst": elsewhere, "src": call.operands["dst"]}, "", call.span)
    copy.chain = call.chain
    body = _body_of(trace.made, call)
    assert body is not None
    body.insert(next(n for n, made in enumerate(body) if made is call) + 1, copy)


def _copy_row(trace: CoreTrace) -> Any:
    return isa.FUNCTIONS["tensor_copy"].rows[0]


def _body_of(made: list[Made], call: Call) -> list[Made] | None:
    """The calls among which one is."""
    for one in reversed(made):
        if one is call:
            return made
        if isinstance(one, TracedLoop):
            found = _body_of(one.body, call)
            if found is not None:
                return found
    return None


def _completed(tensor: Tensor) -> NkiTensor:
    """What a mask has left of a tile in a tile of full size, for calls that take no part of it."""
    box = region([tensor], tensor.shape, None)
    if box is None:
        refuse(f"{tensor.name}, of which a mask has left nothing", "give the call the mask, too")
    if box == _all(tensor.shape):
        return resolved(tensor)
    made = new(tensor.name, tensor.shape, tensor.storage.dtype, tensor.buffer)
    instruct("tensor_copy", dst=resolved(whole_of(made), box), src=resolved(tensor, box))
    return made


def whole_of(made: NkiTensor) -> Tensor:
    """A tile of today's as a tensor of the dialect."""
    return of(made)


# ---------------------------------------------------------------- masks


def _all(shape: Sequence[int]) -> Box:
    return tuple((0, n) for n in shape)


def region(tensors: Sequence[Tensor], shape: tuple[int, ...], mask: Predicate | None) -> Box | None:
    """The part of an index space in which a mask holds and tensors have elements; None if nowhere.

    Refuses what is no box.
    """
    found = regions(tensors, shape, mask)
    if len(found) > 1:
        refuse(
            "a mask that is no box: it relates two axes of a tile to each other",
            "nisa.affine_select chooses by such a condition; loads and stores take such masks",
        )
    return found[0] if found else None


def regions(tensors: Sequence[Tensor], shape: tuple[int, ...], mask: Predicate | None) -> list[Box]:
    """The boxes in which a mask holds and tensors have elements."""
    least: list[Index] = list(_predicate(mask).least)
    for tensor in tensors:
        for bound in there(tensor):
            fitted = Index(bound.const, tensor.shape, bound.steps)
            least.append(_like(fitted, shape))
        if tensor.mask is not None:
            least += [_like(one.over(tensor.shape), shape) for one in tensor.mask.least]
    return Predicate(tuple(least)).boxes(shape)


def _predicate(mask: Any) -> Predicate:
    lost(lambda: refuse("a mask of which 'and' has lost a part", "join masks by &"))
    if mask is None:
        return Predicate(())
    if isinstance(mask, bool):
        return Predicate(() if mask else (Index(-1),))
    if not isinstance(mask, Predicate):
        refuse(f"mask={mask!r}: wanted comparisons of index expressions, joined by &")
    return mask


def _like(one: Index, shape: tuple[int, ...]) -> Index:
    """A bound in a space of more axes, new ones after the first."""
    more = len(shape) - len(one.shape)
    if more <= 0:
        return one
    return Index(
        one.const,
        (one.shape[0], *(1,) * more, *one.shape[1:]),
        (one.steps[0], *(0,) * more, *one.steps[1:]),
    )


def narrowed(tensor: Tensor, box: Box) -> Box:
    """A part of an index space as a part of a tensor that is repeated along it."""
    return tuple(
        (lo, hi) if n > 1 else (0, 1) for n, (lo, hi) in zip(tensor.shape, box, strict=True)
    )


# ---------------------------------------------------------------- results


def new(what: str, shape: Sequence[int], dtype: Any, buffer: MemoryRegion = SBUF) -> NkiTensor:
    """A tile for a result, of the name of the variable that it is assigned to."""
    name = variable(trail(sys._getframe(1))) or what
    sizes = tuple(shape) if len(shape) > 1 else (*shape, 1)
    return current(f"neuronxcc.nki: {what}").tensor(sizes, DType(dtype), buffer, name)


def result(made: NkiTensor, shape: tuple[int, ...] | None = None, box: Box | None = None) -> Tensor:
    """What a call has made, as a tensor: of a shape, of which a mask has left a box."""
    instance("a call")
    tensor = of(made)
    storage = tensor.storage
    calls = current("neuronxcc.nki").open[-1]
    last = calls[-1] if calls else None
    if isinstance(last, Call) and last.operands.get("dst") == made.view_:
        storage.fresh = last if made.view_ == View.whole(made.view_.tensor) else None
    if shape is None or box is None or box == _all(shape):
        return tensor
    storage.partial = True
    axes = tuple(
        Index(one.const - lo, shape, one.steps)
        for one, (lo, _) in zip(identity(shape), box, strict=True)
    )
    return Tensor(storage, axes, shape)


def nothing(shape: tuple[int, ...], dtype: Any) -> Tensor:
    """The result of a call that a mask has left nothing of."""

    def make(block: tuple[int, ...]) -> NkiTensor:
        refuse("a tile of which a mask has left nothing, used without the mask")

    storage = Storage((1,) * len(shape), 0, DType(dtype), SBUF, make, partial=True)
    return Tensor(storage, tuple(Index(-1, shape, (0,) * len(shape)) for _ in shape), shape)


# ---------------------------------------------------------------- assignments


def assign(target: Tensor, value: Any, mask: Predicate | None = None) -> None:
    """Write a tile, or a number, into elements of a tensor."""
    if not isinstance(value, Tensor):
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


def _one_to_one(target: Tensor, value: Tensor, mask: Predicate | None) -> None:
    box = region([value], value.shape, mask)
    if box is None:
        return
    if value.storage.fresh is not None and _redirected(target, value, box):
        return
    _copied(target, value, box, box)


def _copied(target: Tensor, value: Tensor, into: Box, box: Box) -> None:
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


def box_of(target: Tensor, value: Tensor, box: Box) -> Box | None:
    """The part of a target that a part of a value goes to."""
    if box == _all(value.shape):
        return None
    if target.shape == value.shape:
        return box
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


def same(one: Tensor, other: Tensor) -> bool:
    """Whether two views are of the same elements in the same order."""
    return (
        one.storage is other.storage
        and one.shape == other.shape
        and all(a.same(b) for a, b in zip(one.axes, other.axes, strict=True))
        and one.dynamic is None is other.dynamic
    )


def _redirected(target: Tensor, value: Tensor, box: Box) -> bool:
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
    if refit(resolved(value, box).view_, call.operands["dst"].shape) != call.operands["dst"]:
        return False
    dst = _before(trace, call, lambda: resolved(target, box_of(target, value, box)))
    fitted = refit(dst.view_, call.operands["dst"].shape)
    if fitted is None or not (aligned(dst) or call.row.posts) or _meets(call, fitted):
        return False
    _settled(target.storage)
    target.storage.zeroed.pop(fitted.tensor.index, None)
    call.operands["dst"] = fitted
    value.storage.moved = target
    return True


def _before(trace: CoreTrace, call: Call, use: Callable[[], NkiTensor]) -> NkiTensor:
    """What a call writes elsewhere: a tile that this makes is filled before the call."""
    body = trace.open[-1]
    made = use()
    if body[-1] is not call:
        body[:] = [*(one for one in body if one is not call), call]
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
        if isinstance(one, Call) and any(
            mine in mentioned(value) for value in one.operands.values()
        ):
            return True
    return False


RECENT = 32
"""Calls that one function makes at most, where its result is the last one's."""


def _fill(target: Tensor, value: Any) -> None:
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


def _transfer(target: Tensor, value: Tensor, mask: Predicate | None) -> None:
    """Write between HBM and a tile, or within HBM, by DMA; a box of the mask at a time."""
    shape = value.shape if _size(value.shape) >= _size(target.shape) else target.shape
    if value.shape != target.shape and mask is not None:
        value = fitting(value, target.shape)
        shape = target.shape
    for box in regions([v for v in (value,) if v.shape == shape], shape, mask):
        part = None if box == _all(shape) else box
        source = read(value, part or (None if not value.storage.partial else box))
        if source.buffer is PSUM:
            tile = new(source.name, source.shape, source.dtype)
            instruct("tensor_copy", dst=tile, src=source)
            source = tile
        dst = write(target, box_of(target, value, box))
        instruct("dma_copy", dst=dst, src=_dma_shape(source, dst))


def fitting(value: Tensor, shape: tuple[int, ...]) -> Tensor:
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
    return Tensor(value.storage, axes, shape)


def _dma_shape(source: NkiTensor, dst: NkiTensor) -> NkiTensor:
    if source.shape == dst.shape:
        return source
    fitted = refit(source.view_, dst.shape) if source.on_chip == dst.on_chip else None
    if fitted is not None:
        return NkiTensor(fitted, source.buffer, source.dtype)
    if source.size != dst.size:
        refuse(f"a tile of {list(source.shape)} stored into {list(dst.shape)}")
    return source


# ---------------------------------------------------------------- sums in PSUM


def _begun(view: View) -> AccumulatedBytes:
    begun = current("neuronxcc.nki").begun
    if view.tensor.index not in begun:
        begun[view.tensor.index] = AccumulatedBytes(view.tensor)
    return begun[view.tensor.index]


def _filled(tensor: Tensor, box: Box | None) -> None:
    """Before it is read: zeros that matmuls have overwritten everywhere need not be written."""
    view = resolved(tensor, box).view_
    state = tensor.storage.zeroed.pop(view.tensor.index, None)
    if state is None or state.needed or state.fill is None:
        return
    try:
        parts = _begun(view).parts(View.whole(view.tensor))
    except Refused:
        return
    if all(adds for _, _, adds in parts):
        body = _body_of(current("neuronxcc.nki").made, state.fill)
        if body is not None:
            body[:] = [one for one in body if one is not state.fill]


def add_to(target: Tensor, value: Any) -> None:
    """``target += value``: products of matmuls accumulate in PSUM, all else is an addition."""
    if isinstance(value, Tensor) and target.buffer is PSUM and _accumulated(target, value):
        return
    apply: Callable[..., Tensor] = _ADD["add"]
    assign(target, apply(target, value, dtype=target.dtype))


_ADD: dict[str, Callable[..., Tensor]] = {}


def adding_by(add: Callable[..., Tensor]) -> None:
    """Enter the addition of two tiles."""
    _ADD["add"] = add


def _accumulated(target: Tensor, value: Tensor) -> bool:
    """Have a matmul add to what is in its place, instead of making a tile."""
    call, trace = value.storage.fresh, current("neuronxcc.nki")
    if call is None or "accumulate" not in call.row.position or trace.open[-1][-1] is not call:
        return False
    if target.storage.dtype != value.storage.dtype or call.operands.get("is_transpose"):
        return False
    dst = _before(trace, call, lambda: resolved(target))
    fitted = refit(dst.view_, call.operands["dst"].shape)
    if fitted is None:
        return False
    _settled(target.storage)
    state = target.storage.zeroed.get(fitted.tensor.index)
    call.operands["dst"], call.operands["accumulate"] = fitted, _adds(state, fitted)
    value.storage.moved = target
    return True


def _adds(state: Zeroed | None, dst: View) -> bool:
    """Whether a matmul adds: the first into a place that was filled with 0 need not."""
    if state is None:
        return True
    try:
        parts = _begun(dst).parts(dst)
    except Refused:
        parts = []
    state.needed = state.needed or len(parts) != 1
    return parts[0][2] if len(parts) == 1 else True
