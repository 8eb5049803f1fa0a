"""Views in expectations: names that a text gives parts of tensors, read after the run."""

from __future__ import annotations

import numpy as np

from nasm.base.dtypes import Array
from nasm.base.problems import Refused
from nasm.views.value_text import value_text
from nasm.views.view import View


def readable(view: View) -> None:
    """Refuse a view whose place only an instruction knows."""
    if view.dynamic or view.offsets is not None:
        message = f"{value_text(view)} has no place of its own: a register or a tile moves it"
        raise Refused("E0210", message, "compare the tensor that it is a view of")


def viewed(array: Array, view: View) -> Array:
    """The elements of a view, of an array that holds its tensor in row-major order."""
    tensor, size = view.tensor, view.dtype.itemsize
    lanes = tensor.shape[0] if view.partitioned else 1
    held = np.ascontiguousarray(array).view(np.uint8).reshape(lanes, -1)
    first = 1 if view.partitioned else 0
    rows = np.arange(view.partitions) * (view.steps[0] if first else 0) + view.partition
    places = np.full((1,) * len(view.free), view.offset)
    for axis, (count, step) in enumerate(zip(view.free, view.steps[first:], strict=True)):
        along = [1] * len(view.free)
        along[axis] = count
        places = places + (np.arange(count) * (step * size)).reshape(along)
    spread = places[..., None] + np.arange(size)
    rows = rows.reshape(-1, *[1] * spread.ndim)
    found = np.ascontiguousarray(held[rows, spread[None]]).view(view.dtype.numpy)
    return np.asarray(found.reshape(view.shape))


def sliced(view: View) -> str:
    """A view as slices of its tensor, one for each axis; raises Refused if it is something else."""
    tensor, whole = view.tensor, View.whole(view.tensor)
    if view == whole:
        return tensor.name
    items: list[str] = []
    left, size = view.offset, view.dtype.itemsize
    good = view.dtype is tensor.dtype and len(view.shape) == len(whole.shape)
    axes = zip(view.shape, view.steps, whole.shape, whole.steps, strict=False)
    for axis, (count, step, most, apart) in enumerate(axes):
        if not good:
            break
        if axis == 0 and view.partitioned:
            start = view.partition
        else:
            start, left = divmod(left, apart * size)
        jump = step // apart if count > 1 else 1
        good = jump > 0 and (count == 1 or step % apart == 0) and start + (count - 1) * jump < most
        end = start + (count - 1) * jump + 1
        plain = ":" if (start, end) == (0, most) else f"{start}:{end}"
        items.append(plain if jump == 1 else f"{start}:{end}:{jump}")
    if not good or left:
        raise Refused("E0840", f"an expectation cannot write this view: {value_text(view)}")
    return f"{tensor.name}[{', '.join(items)}]"
