"""Views that do not move, written in the language: slices and methods, ``.ap(…)`` otherwise.

Whatever may be the text of a view is tried by making that view, as the assembler would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations, pairwise
from typing import ParamSpec

from nasm.base.problems import Refused
from nasm.base.records import dataclass, replace
from nasm.views.tensor import Tensor
from nasm.views.view import ALL, METHODS, Reg, View, Window

P = ParamSpec("P")

Item = int | slice | Window

NO_TEXT = "E0306"


@dataclass(frozen=True, slots=True)
class ViewText:
    """A text and the view that it makes."""

    text: str
    view: View

    def index(self, items: Sequence[Item]) -> ViewText:
        """Sliced, if anything is left out or moved; raises Refused."""
        if all(item == ALL for item in items):
            return self
        return ViewText(f"{self.text}[{', '.join(map(_item, items))}]", self.view.index(items))

    def method(self, name: str, *given: object, **named: object) -> ViewText:
        """What a method of the language makes of it; raises Refused."""
        text = [*map(_given, given), *(f"{n}={_given(v)}" for n, v in named.items())]
        made = METHODS[name](self.view, *given, **named)
        return ViewText(f"{self.text}.{name}({', '.join(text)})", made)

    def typed(self, view: View) -> ViewText:
        """Seen as the dtype of a view."""
        same = self.view.dtype is view.dtype
        return self if same else self.method("view", view.dtype.name)


def whole_of(tensor: Tensor) -> ViewText:
    """A whole tensor by its name."""
    return ViewText(tensor.name, View.whole(tensor))


def tried(make: Callable[P, ViewText], *given: P.args, **named: P.kwargs) -> Iterator[ViewText]:
    """What is made, unless that is refused."""
    with suppress(Refused):
        yield make(*given, **named)


# ---------------------------------------------------------------- slices and methods


def named(view: View) -> Iterator[ViewText]:
    """``t``, and what slices and indices make of it."""
    whole = whole_of(view.tensor)
    yield whole
    if view.dtype is whole.view.dtype:
        yield from _picked(whole, view)


def viewed(view: View) -> Iterator[ViewText]:
    """``t.view(u8)[…]`` and ``t[…].view(u8)``."""
    whole = whole_of(view.tensor)
    if view.dtype is whole.view.dtype:
        return
    for typed in tried(whole.typed, view):
        yield typed
        yield from _picked(typed, view)
    before = _retyped(view, whole.view)
    for text in _picked(whole, before):
        if text.view == before:
            yield from tried(text.typed, view)


def reshaped(view: View) -> Iterator[ViewText]:
    """``t.reshape(…)[…].permute(…).broadcast(…)``, of the tensor seen as the view's dtype."""
    whole = whole_of(view.tensor)
    for typed in tried(whole.typed, view):
        yield from _rearranged(typed, view)
    if view.dtype is not whole.view.dtype:
        before = _retyped(view, whole.view)
        for text in _rearranged(whole, before):
            if text.view == before:
                yield from tried(text.typed, view)


def _retyped(view: View, as_in: View) -> View:
    return METHODS["view"](view, as_in.dtype)


def _picked(base: ViewText, view: View) -> Iterator[ViewText]:
    """Slices of a whole tensor, single indices where it has more axes, and axes repeated."""
    count = len(base.view.shape)
    fixed = int(view.partitioned)
    for out in combinations(range(fixed, count), max(0, count - len(view.shape))):
        items = _items(base.view, view, [n for n in range(count) if n not in out])
        if items is not None:
            yield from tried(_cut, base, items, out, view)


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
        moving = [d for d in view.dynamic if d.axis == axis]
        if axis not in kept:
            if moving and start:
                return None
            items.append(Window(Reg(moving[0].register), 1) if moving else start)
            continue
        at = kept.index(axis)
        item = axis_item(start, view.shape[at], view.steps[at], count, step)
        if moving:
            item = Window(Reg(moving[0].register), view.shape[at]) if start == 0 else None
        if item is None:
            return None
        items.append(item)
    return items if rest == 0 else None


def axis_item(start: int, length: int, step: int, count: int, unit: int) -> Item | None:
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
    return _slice(start, length, stride)


def _slice(start: int, length: int, stride: int) -> slice:
    if stride == 1:
        return slice(start, start + length)
    stop = start + (length - 1) * stride + (1 if stride > 0 else -1)
    return slice(start, stop if stop >= 0 else None, stride)


def _cut(base: ViewText, items: Sequence[Item], out: Sequence[int], view: View) -> ViewText:
    """Sliced; of windows on axes that go, the one place is taken after that."""
    left = [(n, item) for n, item in enumerate(items) if not isinstance(item, int)]
    single = [0 if isinstance(item, Window) and n in out else ALL for n, item in left]
    return _repeated(base.index(items).index(single), view)


def _repeated(text: ViewText, view: View) -> ViewText:
    return text if text.view.shape == view.shape else text.method("broadcast", *view.shape)


def _rearranged(base: ViewText, view: View) -> Iterator[ViewText]:
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
    yield from tried(_ordered, base, view, axes, sizes, [inner] if inner > 1 else [])


def _ordered(
    base: ViewText, view: View, axes: list[int], sizes: list[int], tail: list[int]
) -> ViewText:
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
    text = base if base.view.shape == tuple(shape) else base.method("reshape", *shape)
    seen = [(view.shape[n], view.steps[n]) for n in placed]
    for at, n in enumerate(placed):
        if n >= first and n not in axes:
            seen[at] = 1, text.view.steps[at]
    counts, steps = (tuple(each) for each in zip(*seen, strict=True))
    items = _items(text.view, replace(view, shape=counts, steps=steps), range(len(placed)))
    if items is None:
        raise Refused(NO_TEXT, f"no slice of {text.text} is wanted")
    text = text.index(items)
    if placed != sorted(placed):
        text = text.method("permute", *(placed.index(n) for n in range(len(placed))))
    return _repeated(text, view)


# ---------------------------------------------------------------- access patterns


def pattern(view: View) -> Iterator[ViewText]:
    """``t.ap([[step, count], …], offset=n)``."""
    if view.dynamic or view.offsets is not None:
        return
    for base in bases(view):
        yield from tried(ap, base, view)
    yield from tried(_anchored, view)


def ap(base: ViewText, view: View, **moving: object) -> ViewText:
    """The access pattern of a view, in elements of the whole tensor."""
    return base.method("ap", pairs_of(view), offset=start_of(view), **moving)


def pairs_of(view: View) -> list[list[int]]:
    """The pattern that ``.ap`` takes for a view: pairs of step and count."""
    steps = list(view.steps)
    if view.partitioned:
        steps[0] *= _row(view)
    return [list(pair) for pair in zip(steps, view.shape, strict=True)]


def start_of(view: View) -> int:
    """The offset that ``.ap`` takes for it, in elements from the start of the tensor."""
    return view.partition * _row(view) + view.offset // view.dtype.itemsize


def _row(view: View) -> int:
    return view.tensor.bytes // view.dtype.itemsize


def bases(view: View) -> Iterator[ViewText]:
    """The whole tensor seen as the dtype of a view, in its shape and with one free axis."""
    whole = whole_of(view.tensor)
    yield from tried(whole.typed, view)
    yield from tried(flat_typed, view)


def _flat(tensor: Tensor, ones: int = 0) -> ViewText:
    """A whole tensor with one free axis, and axes of 1 before that."""
    front = tensor.shape[:1] if tensor.partitions else ()
    return whole_of(tensor).method("reshape", *front, *[1] * ones, tensor.elements)


def flat_typed(view: View, ones: int = 0) -> ViewText:
    """A whole tensor with one free axis, seen as the dtype of a view."""
    return _flat(view.tensor, ones).typed(view)


def _anchored(view: View) -> ViewText:
    """The pattern of a small view at its start: for rows that are no whole number of elements."""
    tensor, size = view.tensor, view.dtype.itemsize
    width = tensor.dtype.itemsize
    start = view.offset // width
    items: list[Item] = [slice(start, start + max(1, size // width))]
    if view.partitioned:
        items.insert(0, slice(view.partition, view.partition + 1))
    return _flat(tensor).index(items).typed(view).method("ap", pairs_of(view))


WAYS: tuple[Callable[[View], Iterator[ViewText]], ...] = (named, viewed, reshaped, pattern)
"""Ways to write a view, what reads best first."""


def still(view: View) -> ViewText | None:
    """How to write a view; None if this cannot be done, or if something moves it at run time."""
    return first_text(WAYS, view)


def first_text(ways: Iterable[Callable[[View], Iterator[ViewText]]], view: View) -> ViewText | None:
    """The first thing that some ways say of a view and that makes it."""
    for way in ways:
        with suppress(Refused):
            for text in way(view):
                if text.view == view:
                    return text
    return None


# ---------------------------------------------------------------- as text


def _item(item: Item) -> str:
    """The text between brackets for an axis."""
    if isinstance(item, Window):
        return f"{item.start} : +{item.length}"
    if isinstance(item, int):
        return str(item)
    start, stop, step = ("" if n is None else str(n) for n in (item.start, item.stop, item.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _given(value: object) -> str:
    """An argument of a method."""
    if not isinstance(value, View):
        return str(value)
    text = still(value)
    if text is None:
        raise Refused(NO_TEXT, f"no text gives this view of {value.tensor.name}")
    return text.text
