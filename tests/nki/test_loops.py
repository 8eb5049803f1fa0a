"""Loops of the machine in kernels: values are those of the loop in NumPy, and all is in order."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure, Problem
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel_run import run
from tests.nki.kernels import Array, refused

P, W = 8, 16


def given(kernel: Any, *arrays: Any) -> Array:
    """What a kernel returns; nothing is said of its run."""
    result = run(kernel, *arrays)
    assert result.ok, str(result.report)
    return np.asarray(result.outputs)


def number(value: int) -> Array:
    return np.array([[value]], np.int32)


def loaded(array: Any) -> Any:
    """A register that holds the one element of an array."""
    tile = nl.ndarray((1, 1), nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=array)
    register = nisa.register_alloc()
    nisa.register_load(register, tile)
    return register


def rows(x: Any) -> Any:
    """It by tiles of P rows."""
    return x.reshape((x.shape[0] // P, P, W))


def numbers(count: int) -> Array:
    return np.arange(count * P * W, dtype=np.float32).reshape(count * P, W)


def prefix(x: Any, n: Any) -> Any:
    """Sums of tiles so far, for as many tiles as asked; x doubled everywhere else."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for tile in range(x.shape[0] // P):
        nl.store(rows(out)[tile], nl.multiply(nl.load(rows(x)[tile]), 2.0))
    total = nl.zeros((P, W), nl.float32)

    def body(i: Any) -> None:
        tile = nl.ndarray((P, W), nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=rows(x).select(0, i))
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.activation(dst=tile, op=nl.relu, data=total)
        nisa.dma_copy(dst=rows(out).select(0, i), src=tile)

    nl.fori_loop(0, loaded(n), body)
    return out


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_a_loop_up_to_a_register_runs_so_often(count: int) -> None:
    x = numbers(4)
    wanted = 2 * x
    for i in range(count):
        part = x.reshape(4, P, W)[: i + 1].sum(0)
        wanted[i * P : (i + 1) * P] = np.maximum(part, 0)
    np.testing.assert_array_equal(given(prefix, x, number(count)), wanted)


def stepping(x: Any, lower: Any) -> Any:
    """x, but tiles from one on, each second of them, are negated."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for i in nl.dynamic_range(loaded(lower), 5, 2):
        tile = nl.ndarray((P, W), nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=rows(x).select(0, i))
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-1.0)
        nisa.dma_copy(dst=rows(out).select(0, i), src=tile)
    return out


@pytest.mark.parametrize("lower", [0, 1, 4, 5, 9])
def test_a_loop_goes_on_in_steps_while_it_is_below_its_bound(lower: int) -> None:
    x = numbers(5) + 1
    wanted = x.copy().reshape(5, P, W)
    for i in range(lower, 5, 2):
        wanted[i] *= -1
    np.testing.assert_array_equal(given(stepping, x, number(lower)), wanted.reshape(x.shape))


def countdown(n: Any) -> Any:
    """3 n + 1, computed round by round; its state is in SBUF."""
    out = nl.ndarray((1, 1), nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((1, 1), nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=1.0)
    left = nl.ndarray((1, 1), nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=n)
    register = nisa.register_alloc()
    nisa.register_load(register, left)
    while register:
        nisa.tensor_scalar(dst=total, data=total, op0=nl.add, operand0=3.0)
        nisa.tensor_scalar(dst=left, data=left, op0=nl.subtract, operand0=1)
        nisa.register_load(register, left)
    nl.store(out, total)
    return out


def function(n: Any) -> Any:
    """The same as a function of a register."""
    out = nl.ndarray((1, 1), nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((1, 1), nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=1.0)
    left = nl.ndarray((1, 1), nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=n)

    def body(register: Any) -> Any:
        nisa.tensor_scalar(
            dst=total, data=total, op0=nl.add, operand0=3.0, engine=nisa.engine.scalar
        )
        nisa.tensor_scalar(dst=left, data=left, op0=nl.subtract, operand0=1)
        nisa.register_load(register, left)
        return register

    begun = nisa.register_alloc()
    nisa.register_load(begun, left)
    nl.while_loop(begun, body)
    nl.store(out, total)
    return out


@pytest.mark.parametrize("kernel", [countdown, function])
@pytest.mark.parametrize("rounds", [0, 1, 2, 7])
def test_a_loop_over_a_register_runs_while_it_is_not_0(kernel: Any, rounds: int) -> None:
    assert given(kernel, number(rounds)) == [[3 * rounds + 1]]


def test_many_rounds_are_judged_as_fast_as_they_are_run() -> None:
    assert given(countdown, number(200)) == [[601]]


def nested(x: Any, n: Any) -> Any:
    """Each tile is doubled n times; the sum of all is in the last one."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    total, bound = nl.zeros((P, W), nl.float32), loaded(n)
    for i in nl.dynamic_range(x.shape[0] // P):
        tile = nl.ndarray((P, W), nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=rows(x).select(0, i))
        for _ in nl.dynamic_range(bound):
            nisa.activation(dst=tile, op=nl.copy, data=tile, scale=2.0)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=rows(out).select(0, i), src=tile)
    nl.store(rows(out)[x.shape[0] // P - 1], total)
    return out


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_loop_in_a_loop_runs_in_each_round(times: int) -> None:
    x = numbers(3)
    wanted = (x * 2**times).reshape(3, P, W)
    wanted[-1] = wanted.sum(0)
    np.testing.assert_array_equal(given(nested, x, number(times)), wanted.reshape(x.shape))


# ---------------------------------------------------------------- what is refused


def problems_of(body: Any) -> Problem:
    """What is said of a kernel that is handed a tile and a register."""

    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        body(tile, nisa.register_alloc(3))
        nl.store(out, tile)
        return out

    with pytest.raises(Failure) as caught:
        run(kernel, np.ones((P, W), np.float32))
    return caught.value.problems[0]


NUMBERS = {
    "int": lambda t, r: int(r),
    "range": lambda t, r: range(r),
    "index": lambda t, r: [1, 2][r],
    "sum": lambda t, r: r + 1,
    "difference": lambda t, r: 1 - r,
    "comparison": lambda t, r: r > 1,
    "equality": lambda t, r: r == 1,
    "minimum": lambda t, r: min(r, 3),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_register_is_no_number_of_python(name: str) -> None:
    said = problems_of(NUMBERS[name])
    assert (said.code, said.message) == (
        "E0651",
        "a register as a number of Python: what it holds is known when the program runs",
    )
    assert said.span is not None


def test_a_branch_on_a_register_is_refused() -> None:
    def body(tile: Any, register: Any) -> None:
        if register:
            nisa.memset(dst=tile, value=0.0)

    assert problems_of(body).message == (
        "a branch on a register: what it holds is known when the program runs"
    )


@pytest.mark.parametrize("write", ["move", "load"])
def test_the_variable_of_a_loop_is_not_written(write: str) -> None:
    def body(tile: Any, register: Any) -> None:
        for i in nl.dynamic_range(3):
            if write == "move":
                nisa.register_move(i, 1)
            else:
                nisa.register_load(i, nl.zeros((1, 1), nl.int32))

    assert (
        problems_of(body).message
        == "a write to the variable of a loop, which the loop itself counts"
    )


def test_a_tile_ends_with_the_loop_in_whose_body_it_was_made() -> None:
    def body(tile: Any, register: Any) -> None:
        kept = []
        for _ in nl.dynamic_range(3):
            kept.append(nl.zeros((P, W), nl.float32, name="mine"))
        nisa.tensor_copy(dst=tile, src=kept[0])

    said = problems_of(body)
    assert said.message == "mine was made in the body of a run-time loop, which is over"
    assert said.hint == "a loop may have no round: make the tile before the loop"


@pytest.mark.parametrize("use", ["a source of several", "an index"])
def test_such_a_tile_is_found_wherever_an_operand_has_it(use: str) -> None:
    def kernel(x: Any) -> Any:
        kept = []
        for _ in nl.dynamic_range(3):
            kept.append(nl.zeros((1, 1), nl.int32, name="mine"))
        out = nl.ndarray((1, W), x.dtype, buffer=nl.shared_hbm)
        if use == "an index":
            nisa.dma_copy(out, x.select(0, kept[0]).reshape((1, W)))
        else:
            nisa.dma_compute(out[:, :1], [kept[0], kept[0]], nl.add)
        return out

    said = refused(lambda: given(kernel, np.ones((P, W), np.float32)))
    assert said.message == "mine was made in the body of a run-time loop, which is over"


def test_a_tile_is_used_in_a_loop_in_the_loop_in_which_it_was_made() -> None:
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        for _ in nl.dynamic_range(2):
            tile = nl.load(x)
            for _ in nl.dynamic_range(2):
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
            nl.store(out, tile)
        return out

    assert (given(kernel, np.ones((P, W), np.float32)) == 3).all()


def test_a_loop_is_not_within_no_reorder() -> None:
    def body(tile: Any, register: Any) -> None:
        with nl.no_reorder():
            nl.fori_loop(0, 3, lambda i: nisa.memset(dst=tile, value=0.0))

    assert problems_of(body).message == "a loop over a register inside nl.no_reorder"


def broken(tile: Any, register: Any) -> None:
    for _ in nl.dynamic_range(3):
        nisa.memset(dst=tile, value=0.0)
        break


def returned(tile: Any, register: Any) -> None:
    for _ in nl.dynamic_range(3):
        nisa.memset(dst=tile, value=0.0)
        return


def raised(tile: Any, register: Any) -> None:
    def body(i: Any) -> None:
        raise ValueError

    with suppress(ValueError):
        nl.fori_loop(0, 3, body)


def left(tile: Any, register: Any) -> None:
    while register:
        nisa.memset(dst=tile, value=0.0)
        break


def inner(tile: Any, register: Any) -> None:
    for _ in nl.dynamic_range(3):
        for _ in nl.dynamic_range(5):
            break


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (broken, "for _ in nl.dynamic_range(3):"),
        (returned, "for _ in nl.dynamic_range(3):"),
        (raised, "nl.fori_loop(0, 3, body)"),
        (left, "while register:"),
        (inner, "for _ in nl.dynamic_range(5):"),
    ],
)
def test_a_body_that_is_left_before_its_end_is_reported_at_its_loop(body: Any, line: str) -> None:
    said = problems_of(body)
    assert said.code == "E0651"
    assert said.message == (
        "the body of a run-time loop was left before its end: "
        "by break, by return, or by what it raised"
    )
    assert said.span is not None
    assert said.span.text == line


def test_more_registers_than_an_engine_has_are_refused() -> None:
    def body(tile: Any, register: Any) -> None:
        one = nl.zeros((1, 1), nl.int32)
        every = [nisa.register_alloc() for _ in range(65)]
        for each in every:
            nisa.register_load(each, one)
        for each in every:
            nisa.tensor_copy(
                dst=tile.select(1, each), src=tile[:, 0:1].reshape((P,)), engine=nisa.engine.vector
            )

    said = problems_of(body)
    assert said.code == "E0657"
    assert said.message == "the kernel needs more than the 64 registers of vector"


def test_tiles_that_each_round_writes_first_share_bytes() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.load(x)
        one = nl.shared_identity_matrix(128, nl.float32)
        total = nl.zeros((128, 512), nl.float32, buffer=nl.sbuf)

        def body(_: Any) -> None:
            for _ in range(20):
                product = nl.ndarray((128, 512), nl.float32, buffer=nl.psum)
                nisa.nc_matmul(product, stationary=one, moving=tile)
                nisa.tensor_tensor(total, total, product, op=nl.add)

        nl.fori_loop(0, 3, body)
        out = nl.ndarray((128, 512), nl.float32, buffer=nl.shared_hbm)
        nl.store(out, total)
        return out

    x = np.arange(128 * 512, dtype=np.float32).reshape(128, 512) % 61
    assert np.array_equal(given(kernel, x), 60 * x)
