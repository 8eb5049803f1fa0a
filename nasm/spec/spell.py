"""A view written in the language: as slices where they say it, as ``.ap(…)`` otherwise."""

from __future__ import annotations

from nasm.spec.view import View


def spell(view: View) -> str:
    """Text that assembles to the same view."""
    if view == View.whole(view.tensor):
        return view.tensor.name
    return _sliced(view) or _pattern(view)


def _sliced(view: View) -> str:
    """``t[0:64, 128:256]``, if plain slices of the whole tensor give the view."""
    whole = View.whole(view.tensor)
    if view.dtype is not whole.dtype or len(view.shape) != len(whole.shape):
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
        register = next((d.register for d in view.dynamic if d.axis == axis), None)
        items.append(_item(start, view.shape[axis], view.steps[axis] // step, count, register))
    if rest or "" in items:
        return ""
    return f"{view.tensor.name}[{', '.join(items)}]"


def _item(start: int, length: int, step: int, count: int, register: int | None) -> str:
    if register is not None:
        return f"%r{register} : +{length}" if step == 1 and start == 0 else ""
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
    typed = "" if view.dtype is tensor.dtype else f".view({view.dtype.name})"
    regs = "".join(f" + %r{d.register}" for d in view.dynamic)
    return f"{tensor.name}{typed}.ap([{pairs}], offset={offset}){regs}"
