"""Tensors of NKI 0.1 as access patterns: where they are in a part of their index space."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

from nasm.base.records import replace
from nasm.nki.errors import refuse
from nasm.nki.neuronxcc.affine import Box, Index
from nasm.nki.neuronxcc.running import running
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.tensor import PAST, NkiTensor
from nasm.nki.tracing import LoopRound
from nasm.views.view import View


def there(tensor: TileTensor) -> tuple[Index, ...]:
    """What is 0 or more where a tensor that a mask has left incomplete has elements."""
    if not tensor.storage.partial:
        return ()
    last = zip(tensor.axes, tensor.storage.shape, strict=True)
    return tuple(bound for one, count in last for bound in (one, (count - 1) - one))


def resolved(tensor: TileTensor, box: Box | None = None) -> NkiTensor:
    """A part of a tensor as one of today's; refuses what reaches past it."""
    storage = tensor.storage
    part = tuple((0, n) for n in tensor.shape) if box is None else box
    if storage.round is not None:
        _in_scope(tensor, storage.round)
    _inside(tensor, part)
    block = []
    for axis in tensor.axes[: storage.blocks]:
        low = axis.low(part)
        if low != axis.high(part):
            refuse(
                f"{tensor!r} is several blocks: axes before nl.par_dim count tiles",
                "index the block axes by numbers: x[i] of a loop over them",
            )
        block.append(low)
    base = storage.tile(tuple(block))
    view = _pattern(base.view_, tensor, part)
    made = NkiTensor(view, base.buffer, storage.dtype)
    return made if tensor.dynamic is None else _addressed(tensor, made, base, part)


FREE_AXES = 4
"""Of an access pattern on chip (Trainium/Inferentia2 architecture guide)."""


def patterns(tensor: TileTensor, box: Box) -> list[Box]:
    """A part of an index space cut into what access patterns can have: a position at a time.

    They walk forwards, and have four free axes on chip. Along partitions of a tile nothing is cut.
    """
    first = tensor.storage.blocks if tensor.on_chip else len(tensor.axes)
    cut = {
        n
        for number, one in enumerate(tensor.axes)
        if number != first
        for n, step in enumerate(one.steps)
        if step < 0 and box[n][1] - box[n][0] > 1
    }
    if tensor.on_chip:
        cut |= _too_many(tensor, box, cut)
    places = (
        [(at, at + 1) for at in range(lo, hi)] if n in cut else [(lo, hi)]
        for n, (lo, hi) in enumerate(box)
    )
    return list(product(*places))


def _too_many(tensor: TileTensor, box: Box, cut: set[int]) -> set[int]:
    """The shortest axes, without which a pattern has no more free axes than it can have."""
    sizes = {n: hi - lo for n, (lo, hi) in enumerate(box) if n and hi - lo > 1 and n not in cut}
    if len(sizes) <= FREE_AXES:
        return set()
    unit, steps = 1, dict.fromkeys(sizes, 0)
    for one, count in list(zip(tensor.axes, tensor.storage.shape, strict=True))[
        : tensor.storage.blocks : -1
    ]:
        for n in steps:
            steps[n] += unit * one.steps[n]
        unit *= count
    found = set[int]()
    while len(_apart(sizes, steps)) > FREE_AXES:
        shortest = min(_apart(sizes, steps), key=lambda n: sizes[n])
        found.add(shortest)
        del sizes[shortest]
    return found


def _apart(sizes: dict[int, int], steps: dict[int, int]) -> list[int]:
    """Axes whose next position is not where the one inside of them ends."""
    axes = list(sizes)
    joined = {n for n, inner in pairwise(axes) if steps[n] == steps[inner] * sizes[inner]}
    return [n for n in axes if n not in joined]


def _in_scope(tensor: TileTensor, made: LoopRound) -> None:
    now = running()
    if now is None or not any(made is one for one in now.rounds):
        refuse(
            f"{tensor.name} was made in {made}, which is over",
            "declare it before the loop, with nl.ndarray or nl.zeros, and assign to its elements",
        )


def _inside(tensor: TileTensor, box: Box) -> None:
    limits = zip(tensor.axes, tensor.storage.shape, strict=True)
    for number, (one, count) in enumerate([*limits, *tensor.checks]):
        low, high = one.low(box), one.high(box)
        if low < 0 or high >= count:
            axis = f"axis {number}" if number < len(tensor.axes) else "an axis"
            refuse(
                f"an index of {tensor.name} reaches {low} to {high} on {axis}, which has {count}",
                "mask= leaves out what is outside",
                PAST,
            )


def _pattern(view: View, tensor: TileTensor, box: Box) -> View:
    """The access pattern of index expressions in a part of their space."""
    axes = tensor.axes[tensor.storage.blocks :]
    first = int(view.partitioned)
    shape = tuple(hi - lo for lo, hi in box)
    steps = [0] * len(box)
    offset, partition = view.offset, view.partition
    for axis, one in enumerate(axes):
        if axis < first:
            partition += one.at(box) * view.steps[0]
            continue
        offset += one.at(box) * view.steps[axis] * view.dtype.itemsize
        for n, step in enumerate(one.steps):
            steps[n] += step * view.steps[axis] if shape[n] > 1 else 0
    if first:
        if shape[0] > 1 and steps[0]:
            refuse(f"axis 0 of an index of {tensor.name} runs along partitions and within them")
        steps[0] = axes[0].steps[0] * view.steps[0] if shape[0] > 1 else 1
    if any(step < 0 for step in steps):
        refuse(
            f"an index of {tensor.name} that runs backwards along partitions",
            "access patterns walk forwards: write the vector with a positive factor",
        )
    return replace(view, offset=offset, partition=partition, shape=shape, steps=tuple(steps))


def plain_steps(view: View) -> View:
    """The same view of the same elements: along an axis of 1 no step counts."""
    if 1 not in view.shape:
        return view
    pairs = zip(view.shape, view.steps, strict=True)
    return replace(view, steps=tuple([step if size > 1 else 0 for size, step in pairs]))


def _addressed(tensor: TileTensor, made: NkiTensor, base: NkiTensor, part: Box) -> NkiTensor:
    """A pattern of which a tile decides one axis: in each partition its own entry."""
    assert tensor.dynamic is not None
    axis, by = tensor.dynamic
    same = by.shape[0] == tensor.shape[0]
    tile = resolved(by, (part[0], *((0, n) for n in by.shape[1:])) if same else None)
    axis -= tensor.storage.blocks
    if tile.size == 1:
        return made_at(base, made, scalar_offset=tile, indirect_dim=axis)
    if tile.shape[0] != made.shape[0] or tile.size != tile.shape[0]:
        refuse(
            f"{tensor.name} indexed by a tile of {list(tile.shape)}",
            "wanted one number, or one for each partition: a tile of (n, 1)",
        )
    if axis and not base.on_chip:  # the axes before it are at one place each: the step is the same
        rows = math.prod(base.shape[: axis + 1])
        base, axis = base.reshape((rows, *base.shape[axis + 1 :])), 0
    return made_at(base, made, vector_offset=tile, indirect_dim=axis)


def made_at(base: NkiTensor, made: NkiTensor, **more: Any) -> NkiTensor:
    """The pattern of a view, called on a whole tensor, with what moves it."""
    return base.ap(made.get_pattern(), made.offset, **more)
