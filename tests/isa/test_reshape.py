"""View methods: what they take, and the steps of a reshape."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest

import nasm
from nasm.views import methods
from nasm.views.methods import SPELLINGS, restepped
from nasm.views.view import View
from tests.tables import each


def views(draws: int) -> list[np.ndarray]:
    """Arrays that walk a buffer in all sorts of ways, each element another number."""
    rng = random.Random(2024)
    made = []
    for _ in range(draws):
        array = np.arange(720, dtype=np.int64).reshape(rng.choice([(720,), (6, 120), (2, 5, 72)]))
        for _ in range(rng.randrange(4)):
            axis = rng.randrange(array.ndim)
            match rng.randrange(4):
                case 0:
                    array = array.transpose(rng.sample(range(array.ndim), array.ndim))
                case 1:
                    array = np.moveaxis(np.moveaxis(array, axis, 0)[:: rng.randint(1, 3)], 0, axis)
                case 2:
                    array = np.expand_dims(array, axis)
                    array = np.repeat(array, 1, axis) if rng.random() < 0.5 else array
                case _:
                    array = np.flip(array, axis)
        if rng.random() < 0.2:
            array = np.broadcast_to(array[..., None], (*array.shape, rng.randint(1, 3)))
        made.append(array)
    return made


def sizes_for(count: int, rng: random.Random) -> tuple[int, ...]:
    sizes = []
    while count > 1 and len(sizes) < 5:
        n = rng.choice([n for n in range(1, count + 1) if count % n == 0])
        sizes.append(n)
        count //= n
    sizes += [count] if count > 1 or not sizes else []
    for _ in range(rng.randrange(3)):
        sizes.insert(rng.randrange(len(sizes) + 1), 1)
    return tuple(sizes)


def test_the_steps_of_a_reshape_are_those_of_numpy() -> None:
    rng, refused = random.Random(7), 0
    for array in views(1500):
        sizes = sizes_for(array.size, rng)
        steps = tuple(s // 8 for s in array.strides)
        ours = restepped(array.shape, steps, sizes)
        theirs = array.reshape(sizes)
        if not np.shares_memory(array, theirs):  # NumPy had to copy
            assert ours is None, (array.shape, steps, sizes)
            refused += 1
            continue
        assert ours is not None, (array.shape, steps, sizes)
        seen = np.lib.stride_tricks.as_strided(array, sizes, [s * 8 for s in ours])
        assert seen.tolist() == theirs.tolist()
        wanted = [s // 8 for s in theirs.strides]
        assert prod(sizes) == 1 or list(ours) == wanted, (array.shape, steps, sizes)
    assert 100 < refused < 1400


def test_the_numpy_that_is_declared_is_enough_for_a_reshape(monkeypatch) -> None:
    """``np.reshape(copy=)`` is of NumPy 2.1."""
    monkeypatch.setattr(np, "reshape", None)
    assert tensor().reshape(2, 2, 6).shape == (2, 2, 6)


def tensor() -> View:
    return View.whole(nasm.assemble(".target trn2\n.sbuf a f32[2, 12]\n").tensors["a"])


@pytest.mark.parametrize("method", sorted(SPELLINGS))
def test_an_error_inside_a_view_method_is_not_the_users(monkeypatch, method) -> None:
    monkeypatch.setattr(methods, "_sizes", broken)
    monkeypatch.setattr(methods, "dtype_named", broken)
    monkeypatch.setattr(methods, "value_text", broken)
    written = {
        "view": ".view(f32)",
        "ap": ".ap([[12, 2]], offset=1.5)",
        "T": ".T",
        "indirect": ".indirect(i, num_elem=1.5)",
    }.get(method, f".{method}(2, 12)")
    monkeypatch.setattr("nasm.views.offsets.value_text", broken)
    text = ".target trn2\n.sbuf a f32[2, 12]\n.sbuf i i32[2, 3]\n@vector Memset a{}, 0\n"
    with pytest.raises(TypeError, match="of our own"):
        nasm.assemble(text.format(written))


def broken(*_: object) -> None:
    raise TypeError("of our own")


@each("arguments", ["()", "(1, 2, 3, 4, 5, 6)", "(f32, other=1)", "(view=a)", "(f32, view=a)"])
@each("method", ["view", "ap", "indirect"])
def test_arguments_that_a_view_method_does_not_take_are_refused(method, arguments) -> None:
    start = ".target trn2\n.const f32 = 1\n.sbuf a f32[2, 12]\n"
    text = f"{start}@vector Memset a.{method}{arguments}, 0\n"
    with pytest.raises(nasm.Failure) as caught:
        nasm.assemble(text)
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == ("E0306", f"these are not the arguments of .{method}")
    assert SPELLINGS[method] in problem.hint


def test_the_same_from_python() -> None:
    with pytest.raises(nasm.Failure) as caught:
        tensor().ap([[12, 2]], other=3)
    assert caught.value.problems[0].code == "E0306"


@pytest.mark.parametrize("value", ["5", "%r1", "true", "1.5", "[1]", "inf"])
def test_a_dtype_that_is_no_name_is_refused(value) -> None:
    with pytest.raises(nasm.Failure) as caught:
        nasm.assemble(f".target trn2\n.sbuf a f32[2, 12]\n@vector Memset a.view({value}), 0\n")
    assert [p.code for p in caught.value.problems] == ["E0205"]


def test_an_error_inside_a_function_is_not_the_users(monkeypatch) -> None:
    monkeypatch.setattr("nasm.language.expanding.functions.integer_of", broken)
    with pytest.raises(TypeError, match="of our own"):
        nasm.assemble(".target trn2\n.const n = ceil_div(1, 2)\n")
