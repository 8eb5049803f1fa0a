"""A view written in the language: as slices where they say it, as ``.ap(…)`` otherwise."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from nasm.problems import Refused
from nasm.spec.view import METHODS, Dynamic, View


def spell(view: View) -> str:
    """Text that assembles to the same view."""
    if view == View.whole(view.tensor):
        return view.tensor.name
    offsets = view.offsets
    if offsets is None:
        whole = View.whole(view.tensor)
        return (
            _sliced(view, whole, whole.tensor.name)
            or _indexed(view, whole)
            or _moved_twice(view)
            or _pattern(view)
        )
    if not offsets.columns:
        return _pattern(view)
    picked = replace(view.with_free((offsets.limit + 1,), (1,)), offsets=None)
    return f"{spell(picked)}.indirect({spell(offsets.tile)}, num_elem={view.elements})"


def _moved_twice(view: View) -> str:
    """A view that several registers move, which no ``.ap`` says, as slices seen as its dtype."""
    if len(view.dynamic) < 2:
        return ""
    whole, retyped = View.whole(view.tensor), METHODS["view"]
    with suppress(Refused):
        before = _sliced(view, retyped(whole, view.dtype), _typed(view))
        if before:
            return before
    with suppress(Refused):
        behind = _sliced(retyped(view, whole.dtype), whole, whole.tensor.name)
        return behind and f"{behind}.view({view.dtype.name})"
    return ""


def _sliced(view: View, whole: View, name: str) -> str:
    """``t[0:64, 128:256]``, if plain slices of a whole tensor, called so, give the view."""
    if view.dtype is not whole.dtype or len(view.shape) != len(whole.shape):
        return ""
    if any(d.axis >= len(whole.shape) for d in view.dynamic):
        return ""
    rest, size = view.offset, view.dtype.itemsize
    items = []
    for axis, (count, step) in enumerate(zip(whole.shape, whole.steps, strict=True)):
        if step == 0 or view.steps[axis] % step:
            return ""
        if axis == 0 and view.partitioned:
            start = view.partition
        else:
            start, rest = divmod(rest, step * size)
        moving = [d for d in view.dynamic if d.axis == axis]
        length = view.shape[axis]
        if moving:
            unit = step if axis == 0 and view.partitioned else step * size
            items.append(_window(moving, unit, count - length, length))
            if start or view.steps[axis] != step:
                return ""
        else:
            items.append(_item(start, length, view.steps[axis] // step, count))
    if rest or "" in items:
        return ""
    return f"{name}[{', '.join(items)}]"


def _indexed(view: View, whole: View) -> str:
    """``t[:, 2, 0:8]``, if single indices and plain slices of the whole tensor give the view."""
    left_out = len(whole.shape) - len(view.shape)
    if view.dtype is not whole.dtype or left_out <= 0 or view.dynamic:
        return ""
    for axes in combinations(range(int(view.partitioned), len(whole.shape)), left_out):
        shape, steps = list(view.shape), list(view.steps)
        for axis in axes:  # as if a slice of one had been taken
            shape.insert(axis, 1)
            steps.insert(axis, whole.steps[axis])
        kept = _sliced(replace(view, shape=tuple(shape), steps=tuple(steps)), whole, "")
        if kept:
            items = kept[1:-1].split(", ")
            items = [i.split(":")[0] or "0" if n in axes else i for n, i in enumerate(items)]
            return f"{whole.tensor.name}[{', '.join(items)}]"
    return ""


def _window(moving: list[Dynamic], unit: int, limit: int, length: int) -> str:
    """``%r3 : +512``, if that is how far one register moves the axis."""
    (first, *more) = moving
    if more or (first.stride, first.limit) != (unit, limit):
        return ""
    return f"%r{first.register} : +{length}"


def _item(start: int, length: int, step: int, count: int) -> str:
    if (start, length, step) == (0, count, 1):
        return ":"
    last = start + (length - 1) * step
    if step == 0 or not (0 <= start < count and 0 <= last < count):
        return ""
    if step == 1:
        return f"{start}:{start + length}"
    stop = last + (1 if step > 0 else -1)
    return f"{start}:{stop if stop >= 0 else ''}:{step}"


def _pattern(view: View) -> str:
    """``t.ap([[step, count], …], offset=n)``, in elements of the whole tensor."""
    tensor, size = view.tensor, view.dtype.itemsize
    row = tensor.bytes // size
    steps = list(view.steps)
    offset = view.offset // size
    if view.partitioned:
        steps[0] *= row
        offset += view.partition * row
    pairs = ", ".join(f"[{s}, {n}]" for s, n in zip(steps, view.shape, strict=True))
    name, moving = _at_run_time(view)
    return f"{name}.ap([{pairs}], offset={offset}{moving})"


def _at_run_time(view: View) -> tuple[str, str]:
    """What ``.ap`` is called on, and its arguments that move the pattern."""
    offsets = view.offsets
    if offsets is not None:
        which = "scalar_offset" if offsets.single else "vector_offset"
        name = _stepping(view, offsets.dim, offsets.step)
        return name, f", {which}={spell(offsets.tile)}, indirect_dim={offsets.dim}"
    if not view.dynamic:
        return _typed(view), ""
    (one, *more) = view.dynamic
    lanes = one.axis == 0 and view.partitioned
    name = _stepping(view, one.axis, one.stride // (1 if lanes else view.dtype.itemsize))
    moving = f", scalar_offset=%r{one.register}, indirect_dim={one.axis}"
    # Nothing in the language moves a pattern twice: what is left is said, and is no program.
    return name, moving + "".join(f", %r{d.register} * {d.stride} bytes" for d in more)


def _typed(view: View) -> str:
    """The whole tensor, seen as the dtype of a view."""
    name = view.tensor.name
    return name if view.dtype is view.tensor.dtype else f"{name}.view({view.dtype.name})"


def _stepping(view: View, axis: int, step: int) -> str:
    """The whole tensor, seen so that an axis of it has this step."""
    tensor, typed = view.tensor, _typed(view)
    lanes = axis == 0 and view.partitioned
    steps = [s * tensor.dtype.itemsize / view.dtype.itemsize for s in View.whole(tensor).steps]
    steps[-1] = 1
    if lanes:
        return typed if step == 1 else f"{typed}[::{step}]"
    if axis < len(steps) and steps[axis] == step:
        return typed
    front = [tensor.partitions] if view.partitioned else []
    sizes = [*front, *[1] * (axis - len(front)), tensor.bytes // view.dtype.itemsize]
    flat = f"{typed}.reshape({', '.join(map(str, sizes))})"
    return flat if step == 1 else f"{flat}[{', '.join([':'] * axis + [f'::{step}'])}]"
