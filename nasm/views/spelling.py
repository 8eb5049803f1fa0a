"""A view written in the language: slices and methods where they say it, ``.ap(…)`` otherwise.

A text is given only if it makes the same view, with the same steps of axes of 1 and the same limits
of registers. A view that registers or tiles move is written by what moves it last, after the view
without that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from nasm.base.records import replace
from nasm.views.slices import (
    WAYS,
    Item,
    ViewText,
    ap,
    axis_item,
    bases,
    first_text,
    flat_typed,
    pairs_of,
    start_of,
    tried,
)
from nasm.views.view import ALL, Dynamic, Offsets, Reg, View, Window


def spell(view: View) -> str:
    """Text that assembles to the same view, or where there is none to one much like it."""
    return spelled(view) or _pattern_text(view)


def spelled(view: View) -> str:
    """Text that assembles to the same view; empty if there is none."""
    text = _view_text(view)
    return text.text if text is not None else ""


@lru_cache(maxsize=4096)
def _view_text(view: View) -> ViewText | None:
    return first_text((*WAYS, _windowed, _shifted, _inserted, _cut_after, _decided), view)


def _pattern_text(view: View) -> str:
    """A view that no text makes, as what it addresses: for people."""
    name = view.tensor.name
    typed = name if view.dtype is view.tensor.dtype else f"{name}.view({view.dtype.name})"
    moving = "".join(f", {Reg(d.register)} * {d.stride}" for d in view.dynamic)
    if view.offsets is not None:
        moving += f", {spell(view.offsets.tile)} * {view.offsets.step}"
    return f"{typed}.ap({pairs_of(view)}, offset={start_of(view)}{moving})"


# ---------------------------------------------------------------- moved by registers


def _windowed(view: View) -> Iterator[ViewText]:
    """A window that starts at the last of its registers, of a view that has the others."""
    if view.dynamic and view.dynamic[-1].axis < len(view.shape):
        last = view.dynamic[-1]
        yield from _window(replace(view, dynamic=view.dynamic[:-1]), last, _unit(view, last))


def _inserted(view: View) -> Iterator[ViewText]:
    """An axis of all places that the last of its registers may move it to: one is taken."""
    if not view.dynamic:
        return
    last = view.dynamic[-1]
    unit = _unit(view, last)
    if (last.axis or not view.partitioned) and last.stride % unit == 0:
        yield from _picked(replace(view, dynamic=view.dynamic[:-1]), last, last.stride // unit)


def _unit(view: View, moving: Dynamic) -> int:
    """What the stride of a register counts: partitions, or bytes of an element."""
    return 1 if moving.axis == 0 and view.partitioned else view.dtype.itemsize


def _window(before: View, last: Dynamic, unit: int) -> Iterator[ViewText]:
    """``t[:, %r1 : +n]``; along partitions some may be left out after it: ``t[%r1 : +n][::2]``."""
    axis, shape, steps = last.axis, list(before.shape), list(before.steps)
    every, step = 1, steps[axis]
    if step * unit != last.stride:
        if axis or not before.partitioned or not last.stride or step % last.stride:
            return
        every = step // last.stride
    count = shape[axis]
    length = (count - 1) * abs(every) + 1
    shape[axis], steps[axis] = length + last.limit, last.stride // unit
    first = before.partition - (length - 1) * last.stride * (every < 0)
    text = _view_text(replace(before, partition=first, shape=tuple(shape), steps=tuple(steps)))
    if text is not None:
        items: list[Item] = [ALL] * len(shape)
        items[axis] = Window(Reg(last.register), length)
        text = text.index(items)
        yield text if every == 1 else text.index([slice(None, None, every or None)])
        if not every:
            yield text.method("broadcast", count, *shape[1:])


def _picked(before: View, last: Dynamic, step: int) -> Iterator[ViewText]:
    """``t.ap(…)[:, %r1 : +1, :][:, 0, :]``: an axis of all starts, of which one is taken."""
    shape, steps = list(before.shape), list(before.steps)
    padding = max(0, last.axis - len(shape))
    at = last.axis - padding
    shape[at:at] = [*[1] * padding, last.limit + 1]
    steps[at:at] = [*[1] * padding, step]
    text = _view_text(replace(before, shape=tuple(shape), steps=tuple(steps)))
    if text is not None:
        items: list[Item] = [ALL] * len(shape)
        items[last.axis] = Window(Reg(last.register), 1)
        out: list[Item] = [ALL] * len(shape)
        out[at : last.axis + 1] = [0] * (padding + 1)
        yield text.index(items).index(out)


def _shifted(view: View) -> Iterator[ViewText]:
    """``t.ap(…, scalar_offset=%r1, indirect_dim=1)``: moved by steps of what it is called on."""
    if len(view.dynamic) != 1:
        return
    (one,) = view.dynamic
    lanes = one.axis == 0 and view.partitioned
    step, part = divmod(one.stride, 1 if lanes else view.dtype.itemsize)
    for base in _stepping(view, one.axis, step) if not part else ():
        moving: dict[str, object] = {"scalar_offset": Reg(one.register), "indirect_dim": one.axis}
        yield from tried(ap, base, view, **moving)


def _cut_after(view: View) -> Iterator[ViewText]:
    """``t.ap(…, scalar_offset=%r1)[2:5]``: partitions of a longer pattern with the same limit."""
    if len(view.dynamic) != 1 or view.dynamic[0].axis or not view.partitioned:
        return
    (one,), step, count = view.dynamic, view.steps[0], view.shape[0]
    if one.stride < 1:
        return
    first, most = view.partition, view.tensor.partitions
    last = first + (count - 1) * step
    for more in range(1, most // abs(step) if step else 0):
        ends = (first, last + more * step) if step > 0 else (first - more * step, last)
        if max(ends) >= most:
            return
        if (most - 1 - max(ends)) // one.stride != one.limit:
            continue
        longer = replace(view, partition=ends[0], shape=(count + more, *view.shape[1:]))
        skipped = more if step < 0 else 0
        for text in _shifted(longer):
            if text.view == longer:
                yield text.index([slice(skipped, skipped + count)])


def _stepping(view: View, axis: int, step: int) -> Iterator[ViewText]:
    """The tensor seen as the dtype of a view, so that an axis has this step."""
    if step < 1:
        return
    for base in bases(view):
        if axis < len(base.view.shape):
            every, part = divmod(step, base.view.steps[axis])
            if not part:
                yield _every(base, axis, every)
    ones = axis - int(view.partitioned)
    if ones > 0:
        for flat in tried(flat_typed, view, ones):
            yield _every(flat, axis, step)


def _every(base: ViewText, axis: int, every: int) -> ViewText:
    return base if every == 1 else base.index([*[ALL] * axis, slice(None, None, every)])


# ---------------------------------------------------------------- decided by tiles


def _decided(view: View) -> Iterator[ViewText]:
    """``.indirect(tile)``, and patterns moved by what a tile holds."""
    offsets = view.offsets
    if offsets is None or view.dynamic:
        return
    tile = _view_text(offsets.tile)
    if tile is None:
        return
    if offsets.columns:
        yield from _columns(view, offsets)
        return
    which = "scalar_offset" if offsets.single else "vector_offset"
    named: dict[str, object] = {which: offsets.tile, "indirect_dim": offsets.dim}
    for base in _stepping(view, offsets.dim, offsets.step):
        yield from tried(ap, base, view, **named)


def _columns(view: View, offsets: Offsets) -> Iterator[ViewText]:
    """``t[…].indirect(tile, num_elem=n)``, of which some partitions may be taken."""
    count, most = offsets.tile.partitions, view.tensor.partitions
    step = view.steps[0]
    before = replace(view.with_free((offsets.limit + 1,), (1,)), offsets=None)
    units = (n for n in range(-abs(step), abs(step) + 1) if n and not step % n)
    for unit in dict.fromkeys((step, *units)):
        every = step // unit if unit else 1
        for skipped in range(count):
            first, last = view.partition - skipped * unit, skipped + (view.partitions - 1) * every
            ends = first, first + (count - 1) * unit
            if not (0 <= last < count and min(ends) >= 0 and max(ends) < most):
                continue
            shape, steps = (count, *before.shape[1:]), (unit, *before.steps[1:])
            text = _view_text(replace(before, partition=first, shape=shape, steps=steps))
            if text is not None:
                named = {} if offsets.tile.size == view.elements else {"num_elem": view.elements}
                text = text.method("indirect", offsets.tile, **named)
                taken = axis_item(skipped, view.partitions, every, count, 1)
                yield text if taken is None else text.index([taken])
