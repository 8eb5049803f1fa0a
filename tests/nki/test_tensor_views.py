"""Views of tensors are NumPy's views of an array of element numbers, on chip and in HBM."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.base.problems import Failure
from nasm.nki import language as nl
from nasm.nki.names import ds
from nasm.nki.tensor import NkiTensor
from tests.nki.kernels import Array, places, tensor, traced
from tests.parts import examples

SIZES = st.lists(st.integers(1, 6), min_size=2, max_size=4).map(tuple)
Pair = tuple[NkiTensor, Array]


def numbered(view: NkiTensor) -> Array:
    """The elements of a new tensor."""
    return np.arange(math.prod(view.shape)).reshape(view.shape)


def index_of(draw: Any, view: NkiTensor) -> tuple[Any, ...]:
    items: list[Any] = []
    for count in view.shape:
        kind = draw(st.sampled_from(("all", "integer", "slice", "window", "negative", "numpy")))
        low = draw(st.integers(0, count - 1))
        high = draw(st.integers(low + 1, count))
        items.append(
            {
                "all": slice(None),
                "integer": low,
                "negative": low - count,
                "numpy": np.int32(low),
                "slice": slice(low, high, draw(st.integers(1, 3))),
                "window": ds(low, high - low),
            }[kind]
        )
    cut = draw(st.integers(0, len(items)))
    if draw(st.booleans()):
        return (*items[:cut], Ellipsis)
    return tuple(items[: max(cut, 1)])


def as_numpy(key: tuple[Any, ...], view: NkiTensor) -> tuple[Any, ...]:
    """An index of NumPy's: on chip axis 0 stays, and with it one free axis; in HBM one axis."""
    full = list(key)
    if Ellipsis in full:
        at = full.index(Ellipsis)
        full[at : at + 1] = [slice(None)] * (view.ndim - len(full) + 1)
    full += [slice(None)] * (view.ndim - len(full))
    made: list[Any] = []
    for item in full:
        made.append(slice(item.start, item.start + item.size) if isinstance(item, ds) else item)
    numbers = [n for n, item in enumerate(made) if not isinstance(item, slice)]
    least = 1
    if view.on_chip:
        least = 2
        if 0 in numbers:
            numbers.remove(0)
            made[0] = slice(made[0] % view.shape[0], made[0] % view.shape[0] + 1)
    while numbers and view.ndim - len(numbers) < least:
        last = numbers.pop()
        made[last] = slice(made[last] % view.shape[last], made[last] % view.shape[last] + 1)
    return tuple(made)


def factors(draw: Any, count: int) -> tuple[int, ...]:
    first = draw(st.sampled_from([n for n in range(1, count + 1) if count % n == 0]))
    return (first, count // first)


def step(draw: Any, view: NkiTensor, array: Array, ap: bool = True) -> Pair:
    """One more view of both; the same tensor where NumPy would copy, or partitions would change."""
    first = int(view.on_chip)
    axis = draw(st.integers(first, view.ndim - 1))
    count = view.shape[axis]
    match draw(
        st.sampled_from(
            ("index", "slice", "select", "permute", "broadcast", "expand", "squeeze", "split",
             "flatten", "reshape", "rearrange", "ap")
        )
    ):  # fmt: skip
        case "index":
            key = index_of(draw, view)
            return view[key], array[as_numpy(key, view)]
        case "slice":
            low = draw(st.integers(0, count - 1))
            high = draw(st.integers(low + 1, count))
            by = draw(st.integers(1, 2))
            cut = (*[slice(None)] * axis, slice(low, high, by))
            return view.slice(axis, low, high, by), array[cut]
        case "select":
            at = draw(st.integers(0, count - 1))
            key = (*[slice(None)] * axis, at)
            return view.select(axis, at), array[as_numpy(key, view)]
        case "permute":
            order = draw(st.permutations(range(first, view.ndim)))
            full = (*range(first), *order)
            return view.permute(full), array.transpose(full)
        case "broadcast" if count == 1:
            wide = (*array.shape[:axis], 3, *array.shape[axis + 1 :])
            return view.broadcast(axis, 3), np.broadcast_to(array, wide)
        case "expand" if view.ndim < 5:
            return view.expand_dim(axis), np.expand_dims(array, axis)
        case "squeeze" if count == 1 and view.ndim > 1 + first:
            return view.squeeze_dim(axis), array.squeeze(axis)
        case "split" if view.ndim < 5:
            sizes = factors(draw, count)
            wide = (*array.shape[:axis], *sizes, *array.shape[axis + 1 :])
            named = (sizes[0], -1) if draw(st.booleans()) else sizes
            return view.reshape_dim(axis, named), array.reshape(wide)
        case "flatten":
            last = draw(st.integers(axis, view.ndim - 1))
            size = math.prod(array.shape[axis : last + 1])
            return reshaped(view, array, (*array.shape[:axis], size, *array.shape[last + 1 :]),
                            lambda: view.flatten_dims(axis, last))  # fmt: skip
        case "reshape":
            free = factors(draw, math.prod(array.shape[first:]))
            shape = (*array.shape[:first], *free)
            return reshaped(view, array, shape, lambda: view.reshape(shape))
        case "rearrange" if view.ndim < 5:
            names = [f"a{n}" for n in range(view.ndim)]
            split = (*names[:axis], ("x", "y"), *names[axis + 1 :])
            order = draw(st.permutations([*names[first:axis], "x", "y", *names[axis + 1 :]]))
            sizes = factors(draw, count)
            wide = array.reshape((*array.shape[:axis], *sizes, *array.shape[axis + 1 :]))
            before = [*names[:axis], "x", "y", *names[axis + 1 :]]
            full = [*names[:first], *order]
            made = view.rearrange(split, tuple(full), {"x": sizes[0]})
            return made, wide.transpose([before.index(name) for name in full])
        case "ap" if ap:
            return view.ap(view.get_pattern()), array
    return view, array


@settings(max_examples=examples(100, 12), deadline=None)
@given(st.data(), SIZES, st.booleans())
def test_what_a_register_moves_stays_through_other_views(
    data: Any, shape: tuple[int, ...], on_chip: bool
) -> None:
    with traced() as trace:
        view = tensor(trace, shape, nl.sbuf if on_chip else nl.shared_hbm)
        array = numbered(view)
        first = int(on_chip)
        axis = data.draw(st.integers(first, view.ndim - 1))
        size = data.draw(st.integers(1, view.shape[axis]))
        key = (*[slice(None)] * axis, ds(trace.register(), size))
        view, array = view[key], array[(*[slice(None)] * axis, slice(0, size))]
        wanted = view.view_.steps[axis] * view.dtype.itemsize
        for _ in range(data.draw(st.integers(1, 5))):
            view, array = step(data.draw, view, array, ap=False)
            assert np.array_equal(places(view), array)
            (dynamic,) = view.view_.dynamic
            assert dynamic.stride == wanted
            assert first <= dynamic.axis < view.ndim


def reshaped(view: NkiTensor, array: Array, shape: tuple[int, ...], make: Any) -> Pair:
    """Refused exactly where NumPy would have to copy."""
    wanted = array.reshape(shape)
    if math.prod(shape) > 1 and not np.shares_memory(wanted, array):
        with pytest.raises(Failure):
            make()
        return view, array
    return make(), wanted


@settings(max_examples=examples(150, 18), deadline=None)
@given(st.data(), SIZES, st.booleans())
def test_chains_of_views_are_numpys(data: Any, shape: tuple[int, ...], on_chip: bool) -> None:
    with traced() as trace:
        view = tensor(trace, shape, nl.sbuf if on_chip else nl.shared_hbm)
        array = numbered(view)
        storage = array
        for _ in range(data.draw(st.integers(1, 5))):
            view, array = step(data.draw, view, array)
            assert view.shape == array.shape
            assert np.array_equal(places(view), array)
        assert (view.size, view.ndim) == (array.size, array.ndim)
        first = int(on_chip)
        dense = np.ascontiguousarray(array[0] if first else array)
        strides = [
            s for s, n in zip(view.strides[first:], view.shape[first:], strict=True) if n > 1
        ]
        plain = [s // 8 for s, n in zip(dense.strides, dense.shape, strict=True) if n > 1]
        assert view.is_contiguous() == (strides == plain)
        whole = view.ap([[storage.size // shape[0], shape[0]], [1, storage.size // shape[0]]], 0)
        assert np.array_equal(places(whole).ravel(), storage.ravel())
