"""Other views of a view, as NKI's tensors have them; each refuses at the kernel's line.

What a register moves, and what a tile of entries decides, stays with a view through every change
that leaves its axis alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nasm.base.problems import Failure, Refused
from nasm.base.records import replace
from nasm.nki.errors import refuse
from nasm.views.view import Dynamic, View


def cut(view: View, items: Sequence[Any]) -> View:
    """Slice it; an axis never goes."""
    try:
        return kept(view.index(items))
    except Refused as refused:
        refuse(refused.message, refused.hint, refused.code)


def changed(view: View, method: str, *given: Any, **named: Any) -> View:
    """One of the view methods of the language, also of a view that the run addresses."""
    offsets = view.offsets
    if offsets is None:
        return kept(_called(view, method, *given, **named))
    entries = offsets.tile.tensor.name
    if offsets.columns:
        refuse(
            f".{method} of {view.tensor.name}, whose columns {entries} names",
            "make the view first, and .indirect(tile) last",
        )
    made = _called(replace(view, offsets=None), method, *given, **named)
    if not offsets.single and made.shape[:1] != view.shape[:1]:
        refuse(
            f".{method} of {view.tensor.name} would change axis 0, whose {view.shape[0]} "
            f"positions {entries} decides"
        )
    return replace(kept(made), offsets=offsets)


def _called(view: View, method: str, *given: Any, **named: Any) -> View:
    try:
        made: View = getattr(view, method)(*given, **named)
        return made
    except Failure as failure:
        problem = failure.problems[0]
        refuse(problem.message, problem.hint, problem.code)


def kept(view: View) -> View:
    """The view, with every register on an axis that it has; partitions stay partitions."""
    if not view.dynamic:
        return view
    first, last = int(view.partitioned), len(view.shape) - 1

    def on(moving: Dynamic) -> Dynamic:
        if view.partitioned and moving.axis == 0:
            return moving
        return replace(moving, axis=min(max(moving.axis, first), last))

    return replace(view, dynamic=tuple(map(on, view.dynamic)))


def without(view: View, axes: Sequence[int]) -> View:
    """Without some axes of 1."""
    keep = [n for n in range(len(view.shape)) if n not in axes]
    made = replace(
        view, shape=tuple(view.shape[n] for n in keep), steps=tuple(view.steps[n] for n in keep)
    )
    for axis in sorted(axes, reverse=True):
        made = _shifted(made, axis, -1)
    return kept(made)


def within(view: View, dim: int) -> View:
    """With a new axis of 1."""
    shape = (*view.shape[:dim], 1, *view.shape[dim:])
    steps = (*view.steps[:dim], math.prod(shape[dim:]), *view.steps[dim:])
    if dim < len(view.shape):
        steps = (*view.steps[:dim], view.shape[dim] * view.steps[dim], *view.steps[dim:])
    return _shifted(replace(view, shape=shape, steps=steps), dim, 1)


def _shifted(view: View, axis: int, by: int) -> View:
    """What registers move, with the axes from one on counted again."""
    moved = (
        replace(d, axis=d.axis + by) if d.axis > axis or (by > 0 and d.axis == axis) else d
        for d in view.dynamic
    )
    return replace(view, dynamic=tuple(moved))


def retyped(view: View, stored: Any) -> View:
    """The storage as another dtype, whatever the view of it: its start and strides stay in bytes.

    An axis whose stride is no whole number of the new elements has the step 0, along which nothing
    can be moved.
    """
    old, new = view.dtype.itemsize, stored.itemsize
    if view.offset % new:
        refuse(
            f"{view.tensor.name} seen as {stored.name} from byte {view.offset} on; "
            f"wanted a multiple of {new}"
        )
    first = int(view.partitioned)
    free = (step * old // new if step * old % new == 0 else 0 for step in view.steps[first:])
    return replace(view, dtype=stored, steps=(*view.steps[:first], *free))
