"""Tensors of NKI 0.1 as access patterns: where they are in a part of their index space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, NoReturn

from nasm.base.records import replace
from nasm.nki.errors import refuse
from nasm.nki.neuronxcc.affine import Index
from nasm.nki.neuronxcc.running import running
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.neuronxcc.walks import KEPT, Box, Steps, all_of, reaches, walk
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
    part = all_of(tensor.shape) if box is None else box
    if storage.round is not None:
        _in_scope(tensor, storage.round)
    spans = reaches(tensor.steps, part)
    _inside(tensor, part, spans)
    block = []
    for const, (low, high) in zip(tensor.consts[: storage.blocks], spans, strict=False):
        if low != high:
            refuse(
                f"{tensor!r} is several blocks: axes before nl.par_dim count tiles",
                "index the block axes by numbers: x[i] of a loop over them",
            )
        block.append(const + low)
    base = storage.tile(tuple(block))
    made = NkiTensor(_pattern(base.view_, tensor, part), base.buffer, storage.dtype)
    return made if tensor.dynamic is None else _addressed(tensor, made, base, part)


FREE_AXES = 4
"""Of an access pattern on chip (Trainium/Inferentia2 architecture guide)."""


def patterns(tensor: TileTensor, box: Box) -> Sequence[Box]:
    """A part of an index space cut into what access patterns can have: a position at a time.

    They walk forwards, and have four free axes on chip. Along partitions of a tile nothing is cut.
    """
    storage = tensor.storage
    return _patterns(tensor.steps, storage.shape, storage.blocks if tensor.on_chip else None, box)


@lru_cache(KEPT)
def _patterns(
    axes: tuple[Steps, ...], sizes: tuple[int, ...], first: int | None, box: Box
) -> tuple[Box, ...]:
    """The same of steps along storage of some sizes; ``first`` is its partition axis, if any."""
    cut = {
        n
        for number, steps in enumerate(axes)
        if number != first
        for n, step in enumerate(steps)
        if step < 0 and box[n][1] - box[n][0] > 1
    }
    if first is not None:
        cut |= _too_many(axes[first + 1 :], sizes[first + 1 :], box, cut)
    places = (
        [(at, at + 1) for at in range(lo, hi)] if n in cut else [(lo, hi)]
        for n, (lo, hi) in enumerate(box)
    )
    return tuple(product(*places))


def _too_many(axes: Sequence[Steps], counts: Sequence[int], box: Box, cut: set[int]) -> set[int]:
    """The shortest axes, without which a pattern has no more free axes than it can have."""
    sizes = {n: hi - lo for n, (lo, hi) in enumerate(box) if n and hi - lo > 1 and n not in cut}
    if len(sizes) <= FREE_AXES:
        return set()
    unit, steps = 1, dict.fromkeys(sizes, 0)
    for one, count in zip(axes[::-1], counts[::-1], strict=True):
        for n in steps:
            steps[n] += unit * one[n]
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


def _inside(tensor: TileTensor, box: Box, spans: Sequence[tuple[int, int]]) -> None:
    """Refuse what reaches past a tensor: its axes reach ``spans`` from their constants on."""
    sizes = tensor.storage.shape
    for axis, (const, (low, high)) in enumerate(zip(tensor.consts, spans, strict=True)):
        if const + low < 0 or const + high >= sizes[axis]:
            _past(tensor, const + low, const + high, f"axis {axis}", sizes[axis])
    for one, count in tensor.checks:
        low, high = one.low(box), one.high(box)
        if low < 0 or high >= count:
            _past(tensor, low, high, "an axis", count)


def _past(tensor: TileTensor, low: int, high: int, axis: str, count: int) -> NoReturn:
    refuse(
        f"an index of {tensor.name} reaches {low} to {high} on {axis}, which has {count}",
        "mask= leaves out what is outside",
        PAST,
    )


def _pattern(view: View, tensor: TileTensor, box: Box) -> View:
    """The access pattern of index expressions in a part of their space."""
    blocks, first = tensor.storage.blocks, view.partitioned
    found = walk(tensor.steps[blocks:], box, view.steps, view.dtype.itemsize, first)
    if found.within:
        refuse(f"axis 0 of an index of {tensor.name} runs along partitions and within them")
    if found.back:
        refuse(
            f"an index of {tensor.name} that runs backwards along partitions",
            "access patterns walk forwards: write the vector with a positive factor",
        )
    partition, offset = view.partition + found.partition, view.offset + found.offset
    consts, weights = tensor.consts[blocks:], found.weights
    if first:
        partition += consts[0] * weights[0]
        consts, weights = consts[1:], weights[1:]
    for const, weight in zip(consts, weights, strict=True):
        offset += const * weight
    return View(
        view.tensor,
        view.dtype,
        partition,
        offset,
        found.shape,
        found.steps,
        view.dynamic,
        view.offsets,
    )


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
