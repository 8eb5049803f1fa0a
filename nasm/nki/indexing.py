"""What is in the brackets after a tensor."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from nasm.nki.errors import refuse
from nasm.nki.names import VirtualRegister, ds
from nasm.nki.views import cut, without
from nasm.views.value_text import value_text
from nasm.views.view import ALL, Reg, View, Window

Item = int | slice | Window


def indexed(view: View, key: Any, text: str) -> View:
    """Slice it: on chip at least two axes stay, and the partition axis does; in HBM one stays."""
    made, dropped = _items(view, key, text)
    whole = cut(view, made)
    return without(whole, dropped) if dropped else whole


def quickly(view: View, key: Any) -> View | None:
    """What numbers, slices and windows within bounds select; None if there is more to it."""
    items = key if type(key) is tuple else (key,)
    rest = len(view.shape) - len(items)
    if view.dynamic or view.offsets is not None or rest < 0:
        return None
    lanes, size = view.partitioned, view.dtype.itemsize
    partition, offset = view.partition, view.offset
    shape: list[int] = []
    steps: list[int] = []
    first = lanes
    for item, count, step in zip(items, view.shape, view.steps, strict=False):
        kind, stride = type(item), None
        if kind is int:
            if not 0 <= item < count:
                return None
            if not first:
                offset += item * step * size
                continue
            start, stop = item, item + 1
        elif kind is slice:
            start, stop, stride = item.start, item.stop, item.step
            start = 0 if start is None else start
            stop = count if stop is None else stop
        elif kind is ds:
            start = item.start
            stop = start + item.size if type(start) is type(item.size) is int else None
        else:
            return None
        if not (type(start) is type(stop) is int and 0 <= start < stop <= count):
            return None
        if first:
            partition += start * step
            first = False
        else:
            offset += start * step * size
        if stride is None:
            shape.append(stop - start)
            steps.append(step)
        elif type(stride) is int and stride > 0:
            shape.append((stop - start + stride - 1) // stride)
            steps.append(step * stride)
        else:
            return None
    if len(shape) + rest < 1 + lanes:
        return None
    if rest:
        shape += view.shape[-rest:]
        steps += view.steps[-rest:]
    return View(view.tensor, view.dtype, partition, offset, tuple(shape), tuple(steps))


def emptied(view: View, key: Any, text: str) -> tuple[int, ...] | None:
    """The shape that is left where an index selects nothing, and is not wrong; else None."""
    made, dropped = _items(view, key, text)
    shape: list[int] = []
    for axis, (item, count) in enumerate(zip(made, view.shape, strict=True)):
        if isinstance(item, slice):
            bounds = (item.start, item.stop)
            if any(bound is not None and not -count <= bound <= count for bound in bounds):
                return None
            size = len(range(*item.indices(count)))
        else:
            size = item.length if isinstance(item, Window) else 1
        if axis not in dropped:
            shape.append(size)
    return tuple(shape) if 0 in shape else None


def _items(view: View, key: Any, text: str) -> tuple[list[Item], list[int]]:
    """An item for each axis, and the axes that go."""
    found = _all(list(key) if isinstance(key, tuple) else [key], len(view.shape), text)
    made: list[Item] = []
    dropped: list[int] = []
    for axis, item in enumerate(found):
        one, drops = _item(item, view.shape[axis], f"axis {axis} of {text}")
        made.append(one)
        if drops and (axis or not view.partitioned):
            dropped.append(axis)
    while dropped and len(found) - len(dropped) < 1 + view.partitioned:
        dropped.pop()
    return made, dropped


def _all(items: list[Any], axes: int, text: str) -> list[Any]:
    """An item for each axis: what is left out, and ``...``, is all of an axis."""
    places = [n for n, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        refuse(f"{len(places)} times ... in an index of {text}; wanted one")
    count = len(items) - len(places)
    if count > axes:
        refuse(f"{count} indices of {text}, which has {axes} axes")
    at = places[0] if places else len(items)
    items[at : at + len(places)] = [ALL] * (axes - count)
    return items


def _item(item: Any, count: int, where: str) -> tuple[Item, bool]:
    """An index as one of a view, and whether the axis goes."""
    if item is ALL:
        return ALL, False
    if isinstance(item, slice):
        return _slice(item, count, where), False
    if isinstance(item, ds):
        return _window(item, count, where), False
    if isinstance(item, VirtualRegister):
        return Window(item.named, 1), True
    number = _integer(item, f"an index of {where}")
    if not -count <= number < count:
        refuse(f"index {number} is outside {where}, which has {count}")
    return slice(number % count, number % count + 1), True


def _slice(item: slice, count: int, where: str) -> slice:
    parts = (item.start, item.stop, item.step)
    if any(isinstance(part, VirtualRegister) for part in parts):
        refuse(
            f"a slice of {where} whose bounds are in a register",
            "write nl.ds(register, size): the size is known while tracing",
        )
    numbers = [None if p is None else _integer(p, f"a bound of a slice of {where}") for p in parts]
    step = numbers[2]
    if step is not None and step < 1:
        refuse(f"a slice of {where} with step {step}; wanted at least 1")
    made = slice(*numbers)
    return ALL if made == ALL else made


def _window(item: ds, count: int, where: str) -> Item:
    size = _integer(item.size, f"the size of a window of {where}")
    if isinstance(item.start, VirtualRegister):
        start: int | Reg = item.start.named
        if not 1 <= size <= count:
            refuse(f"a window of {size} on {where}, which has {count}")
        return Window(start, size)
    first = _integer(item.start, f"the start of a window of {where}")
    if first < 0 or size < 0 or first + size > count:
        refuse(f"nl.ds({first}, {size}) is outside {where}, which has {count}")
    return slice(first, first + size)


def _integer(item: Any, what: str) -> int:
    """A Python integer, or NumPy's."""
    if type(item) is int:
        return item
    if item is None:
        refuse(f"None as {what}", "a new axis is .expand_dim(axis)")
    if hasattr(item, "view_"):
        refuse(
            f"a tensor as {what}: what it holds is known when the program runs",
            "write .select(axis, tile), or .ap(…, scalar_offset=tile) or vector_offset=tile",
        )
    try:
        return index(_no_bool(item))
    except TypeError:
        refuse(f"{item!r} as {what}: wanted a number, a slice or nl.ds(start, size)")


def _no_bool(item: Any) -> Any:
    if isinstance(item, bool):
        raise TypeError
    return item


def items(value: Any, what: str) -> list[Any]:
    """The items of a list or tuple."""
    if isinstance(value, str | dict) or not hasattr(value, "__len__"):
        refuse(f"{what} is {value_text(value)}; wanted a list")
    return list(value)


def flag(value: Any, what: str) -> bool:
    """True or False, or their equivalents."""
    if isinstance(value, np.ndarray):
        refuse(f"{what} is an array; wanted True or False")
    return bool(value)


def whole_number(item: Any, what: str) -> int:
    """A number that is known while tracing."""
    if type(item) is int:
        return item
    if isinstance(item, VirtualRegister):
        refuse(f"{what} is a register; wanted a number that is known while tracing")
    return _integer(item, what)
