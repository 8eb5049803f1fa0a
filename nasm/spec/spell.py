"""A view written in the language: slices and methods where they say it, ``.ap(…)`` otherwise.

Whatever may be the text of a view is tried by making that view, as the assembler would: a text is
given only if it makes the same one, with the same steps of axes of 1 and the same limits of
registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import ParamSpec

from nasm.problems import Refused
from nasm.spec.memory import Tensor
from nasm.spec.view import ALL, METHODS, Dynamic, Offsets, Reg, View, Window

P = ParamSpec("P")

Item = int | slice | Window

NO_TEXT = "E0306"


@dataclass(frozen=True, slots=True)
class Said:
    """A text and the view that it makes."""

    text: str
    view: View

    def index(self, items: Sequence[Item]) -> Said:
        """Sliced, if anything is left out or moved; raises Refused."""
        if all(item == ALL for item in items):
            return self
        return Said(f"{self.text}[{', '.join(map(_item, items))}]", self.view.index(items))

    def method(self, name: str, *given: object, **named: object) -> Said:
        """What a method of the language makes of it; raises Refused."""
        said = [*map(_given, given), *(f"{n}={_given(v)}" for n, v in named.items())]
        made = METHODS[name](self.view, *given, **named)
        return Said(f"{self.text}.{name}({', '.join(said)})", made)

    def typed(self, view: View) -> Said:
        """Seen as the dtype of a view."""
        same = self.view.dtype is view.dtype
        return self if same else self.method("view", view.dtype.name)


def spell(view: View) -> str:
    """Text that assembles to the same view, or where there is none to one much like it."""
    return spelled(view) or _pattern_text(view)


def spelled(view: View) -> str:
    """Text that assembles to the same view; empty if there is none."""
    said = _said(view)
    return said.text if said is not None else ""


@lru_cache(maxsize=4096)
def _said(view: View) -> Said | None:
    for way in _WAYS:
        with suppress(Refused):
            for said in way(view):
                if said.view == view:
                    return said
    return None


def _whole(tensor: Tensor) -> Said:
    return Said(tensor.name, View.whole(tensor))


def _tried(make: Callable[P, Said], *given: P.args, **named: P.kwargs) -> Iterator[Said]:
    """What is made, unless that is refused."""
    with suppress(Refused):
        yield make(*given, **named)


# ---------------------------------------------------------------- slices and methods


def _named(view: View) -> Iterator[Said]:
    """``t``, and what slices and indices make of it."""
    whole = _whole(view.tensor)
    yield whole
    if view.dtype is whole.view.dtype:
        yield from _picked(whole, view)


def _viewed(view: View) -> Iterator[Said]:
    """``t.view(u8)[…]`` and ``t[…].view(u8)``."""
    whole = _whole(view.tensor)
    if view.dtype is whole.view.dtype:
        return
    for typed in _tried(whole.typed, view):
        yield typed
        yield from _picked(typed, view)
    before = _retyped(view, whole.view)
    for said in _picked(whole, before):
        if said.view == before:
            yield from _tried(said.typed, view)


def _reshaped(view: View) -> Iterator[Said]:
    """``t.reshape(…)[…].permute(…).broadcast(…)``, of the tensor seen as the view's dtype."""
    whole = _whole(view.tensor)
    for typed in _tried(whole.typed, view):
        yield from _rearranged(typed, view)
    if view.dtype is not whole.view.dtype:
        before = _retyped(view, whole.view)
        for said in _rearranged(whole, before):
            if said.view == before:
                yield from _tried(said.typed, view)


def _retyped(view: View, as_in: View) -> View:
    return METHODS["view"](view, as_in.dtype)


def _picked(base: Said, view: View) -> Iterator[Said]:
    """Slices of a whole tensor, single indices where it has more axes, and axes repeated."""
    count = len(base.view.shape)
    fixed = int(view.partitioned)
    for out in combinations(range(fixed, count), max(0, count - len(view.shape))):
        items = _items(base.view, view, [n for n in range(count) if n not in out])
        if items is not None:
            yield from _tried(_cut, base, items, view)


def _items(base: View, view: View, kept: Sequence[int]) -> list[Item] | None:
    """The item of each axis of a contiguous base, if the view keeps these axes of it."""
    if len(kept) != len(view.shape):
        return None
    rest, size = view.offset, view.dtype.itemsize
    items: list[Item] = []
    for axis, (count, step) in enumerate(zip(base.shape, base.steps, strict=True)):
        if axis == 0 and view.partitioned:
            start = view.partition
        else:
            start, rest = divmod(rest, step * size)
        if axis not in kept:
            items.append(start)
            continue
        at = kept.index(axis)
        item = _axis_item(start, view.shape[at], view.steps[at], count, step)
        moving = [d for d in view.dynamic if d.axis == axis]
        if moving:
            item = Window(Reg(moving[0].register), view.shape[at]) if start == 0 else None
        if item is None:
            return None
        items.append(item)
    return items if rest == 0 else None


def _axis_item(start: int, length: int, step: int, count: int, unit: int) -> Item | None:
    """A slice of an axis that has so many elements ``unit`` apart."""
    if step == 0 and length > 1:  # it is repeated later on
        length, step = 1, unit
    if step % unit or step == 0:
        return None
    stride = step // unit
    last = start + (length - 1) * stride
    if not (0 <= start < count and 0 <= last < count):
        return None
    if (start, length, stride) == (0, count, 1):
        return ALL
    if stride == 1:
        return slice(start, start + length)
    stop = last + (1 if stride > 0 else -1)
    return slice(start, stop if stop >= 0 else None, stride)


def _cut(base: Said, items: Sequence[Item], view: View) -> Said:
    return _repeated(base.index(items), view)


def _repeated(said: Said, view: View) -> Said:
    return said if said.view.shape == view.shape else said.method("broadcast", *view.shape)


def _rearranged(base: Said, view: View) -> Iterator[Said]:
    """Axes of other sizes, slices of them, in another order.

    The sizes are what lies between the steps of the view, which must divide each other.
    """
    first = int(view.partitioned)
    axes = [n for n in range(first, len(view.shape)) if view.shape[n] > 1 and view.steps[n]]
    axes.sort(key=lambda n: -view.steps[n])
    inner = view.steps[axes[-1]] if axes else 1
    steps = [base.view.elements, *(view.steps[n] for n in axes)]
    if view.dynamic or inner < 1:
        return
    if any(large % small for large, small in pairwise(steps)):
        return
    sizes = [large // small for large, small in pairwise(steps)]
    yield from _tried(_ordered, base, view, axes, sizes, [inner] if inner > 1 else [])


def _ordered(base: Said, view: View, axes: list[int], sizes: list[int], tail: list[int]) -> Said:
    """A base whose free axes get these sizes, cut and turned: they become these axes of the view.

    Of the axis ``tail``, if there is one, a single index is taken.
    """
    first = int(view.partitioned)
    placed, shape = [*range(first), *axes], [*view.tensor.shape[:first], *sizes]
    for one in (n for n in range(first, len(view.shape)) if n not in axes):
        at = one if axes == sorted(axes) else len(placed)
        placed.insert(at, one)
        shape.insert(at, 1)
    shape += tail or [1] * (len(shape) == first)
    said = base if base.view.shape == tuple(shape) else base.method("reshape", *shape)
    seen = [(view.shape[n], view.steps[n]) for n in placed]
    for at, n in enumerate(placed):
        if n >= first and n not in axes:
            seen[at] = 1, said.view.steps[at]
    counts, steps = (tuple(each) for each in zip(*seen, strict=True))
    items = _items(said.view, replace(view, shape=counts, steps=steps), range(len(placed)))
    if items is None:
        raise Refused(NO_TEXT, f"no slice of {said.text} is wanted")
    said = said.index(items)
    if placed != sorted(placed):
        said = said.method("permute", *(placed.index(n) for n in range(len(placed))))
    return _repeated(said, view)


# ---------------------------------------------------------------- access patterns


def _pattern(view: View) -> Iterator[Said]:
    """``t.ap([[step, count], …], offset=n)``."""
    if view.dynamic or view.offsets is not None:
        return
    for base in _bases(view):
        yield from _tried(_ap, base, view)
    yield from _tried(_anchored, view)


def _ap(base: Said, view: View, **moving: object) -> Said:
    """The access pattern of a view, in elements of the whole tensor."""
    return base.method("ap", _pairs(view), offset=_start(view), **moving)


def _pairs(view: View) -> list[list[int]]:
    steps = list(view.steps)
    if view.partitioned:
        steps[0] *= _row(view)
    return [list(pair) for pair in zip(steps, view.shape, strict=True)]


def _start(view: View) -> int:
    return view.partition * _row(view) + view.offset // view.dtype.itemsize


def _row(view: View) -> int:
    return view.tensor.bytes // view.dtype.itemsize


def _bases(view: View) -> Iterator[Said]:
    """The whole tensor seen as the dtype of a view, in its shape and with one free axis."""
    whole = _whole(view.tensor)
    yield from _tried(whole.typed, view)
    yield from _tried(_flat_typed, view)


def _flat(tensor: Tensor, ones: int = 0) -> Said:
    """A whole tensor with one free axis, and axes of 1 before that."""
    front = tensor.shape[:1] if tensor.partitions else ()
    return _whole(tensor).method("reshape", *front, *[1] * ones, tensor.elements)


def _flat_typed(view: View, ones: int = 0) -> Said:
    return _flat(view.tensor, ones).typed(view)


def _anchored(view: View) -> Said:
    """The pattern of a small view at its start: for rows that are no whole number of elements."""
    tensor, size = view.tensor, view.dtype.itemsize
    width = tensor.dtype.itemsize
    start = view.offset // width
    items: list[Item] = [slice(start, start + max(1, size // width))]
    if view.partitioned:
        items.insert(0, slice(view.partition, view.partition + 1))
    return _flat(tensor).index(items).typed(view).method("ap", _pairs(view))


# ---------------------------------------------------------------- moved by registers


def _moved(view: View) -> Iterator[Said]:
    """A window that starts at the last of its registers, of a view that has the others."""
    if not view.dynamic:
        return
    *others, last = view.dynamic
    lanes = last.axis == 0 and view.partitioned
    unit = 1 if lanes else view.dtype.itemsize
    before = replace(view, dynamic=tuple(others))
    if last.axis < len(view.shape):
        yield from _window(before, last, unit)
    if not lanes and last.stride % unit == 0:
        yield from _inserted(before, last, last.stride // unit)


def _window(before: View, last: Dynamic, unit: int) -> Iterator[Said]:
    """``t[:, %r1 : +n]``; along partitions it may leave some out: ``t[%r1 : +n][::2]``."""
    axis, shape, steps = last.axis, list(before.shape), list(before.steps)
    every = 1
    if steps[axis] * unit != last.stride:
        if axis or not before.partitioned or not last.stride or steps[0] % last.stride:
            return
        every = steps[0] // last.stride
    if every < 1:
        return
    length = (shape[axis] - 1) * every + 1
    shape[axis], steps[axis] = length + last.limit, last.stride // unit
    said = _said(replace(before, shape=tuple(shape), steps=tuple(steps)))
    if said is not None:
        window = Window(Reg(last.register), length)
        items: list[Item] = [ALL] * len(shape)
        items[axis] = window
        said = said.index(items)
        yield said if every == 1 else said.index([slice(None, None, every)])


def _inserted(before: View, last: Dynamic, step: int) -> Iterator[Said]:
    """``t.ap(…)[:, %r1 : +1, :][:, 0, :]``: an axis of all starts, of which one is taken."""
    shape, steps = list(before.shape), list(before.steps)
    padding = max(0, last.axis - len(shape))
    at = last.axis - padding
    shape[at:at] = [*[1] * padding, last.limit + 1]
    steps[at:at] = [*[1] * padding, step]
    said = _said(replace(before, shape=tuple(shape), steps=tuple(steps)))
    if said is not None:
        items: list[Item] = [ALL] * len(shape)
        items[last.axis] = Window(Reg(last.register), 1)
        out: list[Item] = [ALL] * len(shape)
        out[at : last.axis + 1] = [0] * (padding + 1)
        yield said.index(items).index(out)


def _shifted(view: View) -> Iterator[Said]:
    """``t.ap(…, scalar_offset=%r1, indirect_dim=1)``: moved by steps of what it is called on."""
    if len(view.dynamic) != 1:
        return
    (one,) = view.dynamic
    lanes = one.axis == 0 and view.partitioned
    step, part = divmod(one.stride, 1 if lanes else view.dtype.itemsize)
    for base in _stepping(view, one.axis, step) if not part else ():
        moving: dict[str, object] = {"scalar_offset": Reg(one.register), "indirect_dim": one.axis}
        yield from _tried(_ap, base, view, **moving)


def _stepping(view: View, axis: int, step: int) -> Iterator[Said]:
    """The tensor seen as the dtype of a view, so that an axis has this step."""
    if step < 1:
        return
    for base in _bases(view):
        if axis < len(base.view.shape):
            every, part = divmod(step, base.view.steps[axis])
            if not part:
                yield _every(base, axis, every)
    ones = axis - int(view.partitioned)
    if ones > 0:
        for flat in _tried(_flat_typed, view, ones):
            yield _every(flat, axis, step)


def _every(base: Said, axis: int, every: int) -> Said:
    return base if every == 1 else base.index([*[ALL] * axis, slice(None, None, every)])


# ---------------------------------------------------------------- decided by tiles


def _decided(view: View) -> Iterator[Said]:
    """``.indirect(tile)``, and patterns moved by what a tile holds."""
    offsets = view.offsets
    if offsets is None or view.dynamic:
        return
    tile = _said(offsets.tile)
    if tile is None:
        return
    if offsets.columns:
        yield from _columns(view, offsets)
        return
    which = "scalar_offset" if offsets.single else "vector_offset"
    named: dict[str, object] = {which: offsets.tile}
    if offsets.single or offsets.dim:
        named["indirect_dim"] = offsets.dim
    for base in _stepping(view, offsets.dim, offsets.step):
        yield from _tried(_ap, base, view, **named)


def _columns(view: View, offsets: Offsets) -> Iterator[Said]:
    """``t[…].indirect(tile, num_elem=n)``, of which some partitions may be taken."""
    whole = replace(view.with_free((offsets.limit + 1,), (1,)), offsets=None)
    more = offsets.tile.partitions - view.partitions
    for skipped in range(more + 1):
        shape = (offsets.tile.partitions, *whole.shape[1:])
        first = view.partition - skipped * view.steps[0]
        said = _said(replace(whole, shape=shape, partition=first))
        if said is None:
            continue
        named = {} if offsets.tile.size == view.elements else {"num_elem": view.elements}
        picked = said.method("indirect", offsets.tile, **named)
        yield picked.index([slice(skipped, skipped + view.partitions)]) if more else picked
        return


_WAYS: tuple[Callable[[View], Iterator[Said]], ...] = (
    _named,
    _viewed,
    _reshaped,
    _moved,
    _shifted,
    _decided,
    _pattern,
)
"""Ways to write a view, what reads best first."""


# ---------------------------------------------------------------- as text


def _item(item: Item) -> str:
    """What stands between brackets for an axis."""
    if isinstance(item, Window):
        return f"{item.start} : +{item.length}"
    if isinstance(item, int):
        return str(item)
    start, stop, step = ("" if n is None else str(n) for n in (item.start, item.stop, item.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _given(value: object) -> str:
    """An argument of a method."""
    return spell(value) if isinstance(value, View) else str(value)


def _pattern_text(view: View) -> str:
    """A view that no text makes, as what it addresses: for people."""
    name = view.tensor.name
    typed = name if view.dtype is view.tensor.dtype else f"{name}.view({view.dtype.name})"
    moving = "".join(f", {Reg(d.register)} * {d.stride}" for d in view.dynamic)
    if view.offsets is not None:
        moving += f", {spell(view.offsets.tile)} * {view.offsets.step}"
    return f"{typed}.ap({_pairs(view)}, offset={_start(view)}{moving})"
