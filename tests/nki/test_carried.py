"""What a round of an affine_range needs of another round is refused; sums are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from tests.tables import each

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

RNG = np.random.default_rng(1)
X = RNG.integers(-8, 9, (4, 16, 16)).astype(np.float32)


def out(x: Any) -> Any:
    return nl.ndarray((16, 16), dtype=x.dtype, buffer=nl.shared_hbm)


# ---------------------------------------------------------------- refused

CARRIED: dict[str, tuple[Callable[..., Any], str, str]] = {}


def carried(reads: str, writes: str) -> Callable[..., Any]:
    """What the lines have that the problem, and its note, point to."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        CARRIED[function.__name__] = function, reads, writes
        return function

    return kept


@carried("nl.exp(state)", "state[...] =")
def a_state(x: Any) -> Any:
    state = nl.zeros((16, 16), dtype=x.dtype)
    for _ in nl.affine_range(4):
        state[...] = nl.exp(state) * 0.5
    return state


@carried("nl.copy(total)", "total +=")
def a_sum_that_is_read_too_early(x: Any) -> Any:
    total, most = nl.zeros((16, 16), dtype=x.dtype), nl.zeros((16, 16), dtype=x.dtype)
    for i in nl.affine_range(4):
        total += nl.load(x[i])
        most[...] = nl.copy(total)
    return most


@carried("total +=", "total +=")
def two_operators_in_turn(x: Any) -> Any:
    total = nl.zeros((16, 16), dtype=x.dtype)
    for i in nl.affine_range(2):
        total *= 2.0
        total += nl.load(x[i])
    return total


@carried("nl.load(made[i - 1])", "nl.store(made[i]")
def rows_in_hbm(x: Any) -> Any:
    made = nl.ndarray((4, 16, 16), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(made[0], nl.load(x[0]))
    for i in nl.affine_range(1, 4):
        before = nl.load(made[i - 1])
        nl.store(made[i], before + nl.load(x[i]))
    return made


@carried("nl.copy(row[0:16, 7:8])", "row[0:16, i :")
def a_part_of_a_row(x: Any) -> Any:
    row, kept = nl.zeros((16, 16), dtype=x.dtype), out(x)
    for i in nl.affine_range(4, 16):
        row[0:16, i : i + 1] = nl.load(x[0, 0:16, i : i + 1])
        if i == 9:
            nl.store(kept[0:16, 0:1], nl.copy(row[0:16, 7:8]))
    return kept


@carried("nisa.tensor_tensor_scan", "nisa.tensor_tensor_scan")
def the_end_of_a_scan(x: Any) -> Any:
    row = nl.zeros((16, 65), dtype=x.dtype)
    for i in nl.affine_range(4):
        a, at = nl.load(x[i]), i * 16
        last = row[0:16, at : at + 1]
        row[0:16, 1 + at : 17 + at] = nisa.tensor_tensor_scan(a, a, last, np.multiply, np.add)
    return row


@carried("total + total", "total +=")
def an_outer_loop_that_uses_the_sum_of_an_inner_one(x: Any) -> Any:
    total, made = nl.zeros((16, 16), dtype=x.dtype), out(x)
    for _ in nl.affine_range(2):
        for i in nl.affine_range(2):
            total += nl.load(x[i])
        nl.store(made, total + total)
    return made


@each("name", sorted(CARRIED))
def test_a_round_that_needs_another_one_is_refused_at_both(name: str) -> None:
    function, reads, writes = CARRIED[name]
    with pytest.raises(Failure) as failure:
        nasm.nki.trace(nki.jit(function), X)
    (problem,) = failure.value.problems
    (note,) = problem.notes
    assert problem.code == "E0659"
    assert problem.facts["round"] > problem.facts["other"]
    assert f"round {problem.facts['round']} of an nl.affine_range" in problem.message
    assert f"round {problem.facts['other']} has written" in problem.message
    assert problem.span is not None
    assert note.span is not None
    assert reads in problem.span.source.line(problem.span.line)
    assert writes in note.span.source.line(note.span.line)


# ---------------------------------------------------------------- taken

TAKEN: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}


def taken(gives: Callable[..., Any]) -> Callable[..., Any]:
    """What the kernel that follows gives."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        TAKEN[function.__name__] = function, gives
        return function

    return kept


@taken(lambda x: x.sum(0))
def a_sum(x: Any) -> Any:
    total = nl.zeros((16, 16), dtype=x.dtype)
    for i in nl.affine_range(4):
        total += nl.load(x[i])
    return total


@taken(lambda x: np.maximum(x.max(0), 0))
def a_maximum(x: Any) -> Any:
    most = nl.zeros((16, 16), dtype=x.dtype)
    for i in nl.affine_range(4):
        most[...] = nl.maximum(nl.load(x[i]), most)
    return most


@taken(lambda x: sum(x[i].T @ x[i] for i in range(4)))
def products(x: Any) -> Any:
    total = nl.zeros((16, 16), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(4):
        tile = nl.load(x[i])
        total += nisa.nc_matmul(tile, tile)
    return total


@taken(lambda x: x.sum(0).sum(1, keepdims=True))
def sums_of_rows_in_psum(x: Any) -> Any:
    total = nl.zeros((16, 1), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(4):
        total += nl.sum(nl.load(x[i]), axis=[1], keepdims=True)
    return total


@taken(lambda x: x.max(0))
def a_reduction_of_the_loop(x: Any) -> Any:
    for i in nl.affine_range(4):
        most = nl.loop_reduce(nl.load(x[i]), op=np.max, loop_indices=[i])
    return most


@taken(lambda x: x.sum(0)[:, :1])
def a_reduction_that_is_assigned_to_elements(x: Any) -> Any:
    total = nl.ndarray((2, nl.par_dim(16), 1), dtype=x.dtype, buffer=nl.sbuf)
    p = nl.arange(16)[:, None]
    for i in nl.affine_range(4):
        total[1, p, 0] = nl.loop_reduce(nl.load(x[i, p, 0]), op=np.add, loop_indices=[i])
    return total[1]


@taken(lambda x: x.max(0)[:, :4].reshape(16, 2, 2).max(1))
def a_reduction_over_two_loops_and_not_the_one_between(x: Any) -> Any:
    most = nl.ndarray((2, nl.par_dim(16), 1), dtype=x.dtype, buffer=nl.sbuf)
    made = nl.ndarray((16, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(16)[:, None]
    for i in nl.affine_range(4):
        for j in nl.affine_range(2):
            for k in nl.affine_range(2):
                column = nl.load(x[i, p, 2 * k + j])
                most[j, p, 0] = nl.loop_reduce(column, op=np.max, loop_indices=[i, k])
    for j in nl.affine_range(2):
        nl.store(made[p, j], most[j, p, 0])
    return made


@taken(lambda x: 2 * x[3])
def a_tile_that_each_round_writes_first(x: Any) -> Any:
    scratch, made = nl.zeros((16, 16), dtype=x.dtype), out(x)
    for i in nl.affine_range(4):
        scratch[...] = nl.load(x[i])
        nl.store(made, scratch + scratch)
    return made


@taken(lambda x: np.exp(x[0].astype(np.float64) / 8))
def a_state_in_a_sequential_range(x: Any) -> Any:
    state = nl.load(x[0])
    for _ in nl.sequential_range(3):
        state[...] = state * 0.5
    return nl.exp(state)


@taken(lambda x: np.concatenate([x[i] + 1 for i in range(4)], axis=1))
def parts_of_one_tile(x: Any) -> Any:
    row = nl.zeros((16, 64), dtype=x.dtype)
    for i in nl.affine_range(4):
        row[0:16, i * 16 : i * 16 + 16] = nl.load(x[i])
    for i in nl.affine_range(4):
        part = row[0:16, i * 16 : i * 16 + 16]
        row[0:16, i * 16 : i * 16 + 16] = part + 1
    return row


@taken(lambda x: 2 * (x[0] + x[1]))
def sums_that_each_outer_round_begins_again(x: Any) -> Any:
    total, made = nl.zeros((16, 16), dtype=x.dtype), out(x)
    for _ in nl.affine_range(2):
        total[...] = nl.load(x[0])
        for i in nl.affine_range(1, 2):
            total += nl.load(x[i])
        nl.store(made, total + total)
    return made


@each("name", sorted(TAKEN))
def test_what_needs_no_other_round_is_taken(name: str) -> None:
    function, gives = TAKEN[name]
    np.testing.assert_allclose(nki.jit(function)(X), gives(X), rtol=1e-6)
