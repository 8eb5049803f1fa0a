"""A model on several ranks: an MLP divided over them, against NumPy."""

from __future__ import annotations

import io
import json
from math import fsum
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure, Problem
from nasm.nki import ByRank
from nasm.nki.model_report import ModelReport
from nasm.show.json_model import model as document

with nasm.nki.installed():
    import nki
    import nki.collectives as ncc
    import nki.isa as nisa
    import nki.language as nl

Array = np.ndarray[Any, Any]
TOKENS, COLUMNS, WIDTH = 96, 64, 128


def product(w: Any, x: Any, op: Any) -> Any:
    """op(w.T @ x) in HBM."""
    rows, columns = w.shape[1], x.shape[1]
    left, right = (nl.ndarray(part.shape, part.dtype, nl.sbuf) for part in (w, x))
    nisa.dma_copy(left, w)
    nisa.dma_copy(right, x)
    total = nl.ndarray((rows, columns), nl.float32, nl.psum)
    nisa.nc_matmul(total, left, right)
    made = nl.ndarray((rows, columns), nl.float32, nl.sbuf)
    nisa.activation(made, op, total)
    out = nl.ndarray((rows, columns), nl.float32, nl.shared_hbm)
    nisa.dma_copy(out, made)
    return out


def sum_over(x: Any, ranks: int) -> Any:
    """The sum of what all ranks have: a collective reads and writes no arguments and results."""
    src, dst, out = (nl.ndarray(x.shape, x.dtype, nl.shared_hbm) for _ in range(3))
    nisa.dma_copy(src, x)
    ncc.all_reduce([src], [dst], ncc.ReplicaGroup([list(range(ranks))]), nl.add)
    nisa.dma_copy(out, dst)
    return out


@nki.jit
def widen(x: Any, w1: Any) -> Any:
    return product(w1, x, nl.relu)


@nki.jit
def narrow(h: Any, w2: Any) -> Any:
    return product(w2, h, nl.copy)


@nki.jit
def narrow_and_sum(h: Any, w2: Any, ranks: int) -> Any:
    return sum_over(product(w2, h, nl.copy), ranks)


@nki.jit
def sum_of(part: Any, ranks: int) -> Any:
    return sum_over(part, ranks)


@nki.jit
def rank_of_it(x: Any) -> Any:
    """Adds to x, an argument, and returns a copy of it."""
    tile, out = nl.ndarray(x.shape, x.dtype, nl.sbuf), nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
    nisa.dma_copy(tile, x)
    nisa.tensor_scalar(tile, tile, nl.add, 1.0)
    nisa.dma_copy(x, tile)
    nisa.dma_copy(out, tile)
    return out


def drawn() -> list[Array]:
    rng = np.random.default_rng(5)
    shapes = ((COLUMNS, TOKENS), (COLUMNS, WIDTH), (WIDTH, COLUMNS))
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def divided(whole: Array, ranks: int, axis: int) -> ByRank:
    return ByRank([np.ascontiguousarray(part) for part in np.split(whole, ranks, axis)])


def layered(ranks: int, within: bool, **settings: Any) -> tuple[ByRank, ModelReport]:
    """The MLP: of two kernels, or of three of which the last one exchanges alone."""
    x, w1, w2 = drawn()
    with nasm.nki.Model("mlp", ranks=ranks, **settings) as model:
        first, second = model.put(divided(w1, ranks, 1)), model.put(divided(w2, ranks, 0))
        hidden = widen(model.put(x), first)
        assert [part.shape for part in hidden] == [(WIDTH // ranks, TOKENS)] * ranks
        if within:
            return narrow_and_sum(hidden, second, ranks=ranks), model.report
        return sum_of(narrow(hidden, second), ranks=ranks), model.report


def refused(call: Any) -> Problem:
    with pytest.raises(Failure) as failure:
        call()
    return failure.value.problems[0]


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("ranks", [1, 2])
def test_an_mlp_divided_over_ranks_is_numpys(ranks: int, within: bool) -> None:
    x, w1, w2 = (part.astype(np.float64) for part in drawn())
    wanted = w2.T @ np.maximum(w1.T @ x, 0)
    made, report = layered(ranks, within)
    assert len(made) == ranks
    for part in made:
        assert np.abs(part.numpy() - wanted).max() < 1e-5 * np.abs(wanted).max()
    assert report.ok
    meetings = [len(launch.ranks.meetings) for launch in report.launches]
    assert meetings == ([0, 1] if within else [0, 0, 1])


def test_a_launch_takes_as_long_as_its_slowest_rank() -> None:
    _, report = layered(2, True)
    assert report.microseconds == pytest.approx(
        fsum(max(one.microseconds for one in launch.ranks.ranks) for launch in report.launches)
    )
    mine, other = report.ranks
    assert (mine.rank, other.rank) == (0, 1)
    assert mine.microseconds + mine.idle == pytest.approx(report.microseconds)
    assert mine.exchanging == other.exchanging > 0
    (meeting,) = report.launches[1].ranks.meetings
    units = report.launches[1].ranks.ranks[0].units
    assert mine.exchanging == pytest.approx(units.microseconds(meeting.ticks))
    half = layered(1, True)[1]
    assert report.launches[0].microseconds < half.launches[0].microseconds  # half of the width


def test_the_report_shows_every_rank_and_what_was_copied_to_each() -> None:
    _, report = layered(2, True)
    sizes = [(copy.after, copy.bytes) for copy in report.copies]
    half = 4 * WIDTH * COLUMNS // 2
    assert sizes == [(0, half)] * 4 + [(0, 4 * TOKENS * COLUMNS)] * 2
    text = str(report)
    assert text.startswith("mlp on NeuronCore-v3 (Trn2), 2 ranks of trn2.48xlarge\n")
    assert "waits for ranks" in text
    found = json.loads(json.dumps(document(report)))
    assert [rank["rank"] for rank in found["ranks"]] == [0, 1]
    assert found["ranks"][1]["exchanging"] == report.ranks[1].exchanging
    assert layered(2, True)[1] == report


def test_the_time_is_the_same_without_values() -> None:
    made, report = layered(2, False, values=False)
    assert report.microseconds == layered(2, False)[1].microseconds
    assert refused(made[1].numpy).message == "tensor shared_hbm_2: a run without values has none"


def test_each_rank_writes_its_own_argument() -> None:
    arrays = [np.full((4, 8), value, np.float32) for value in (1, 5)]
    with nasm.nki.Model(ranks=2) as model:
        held, one = model.put(ByRank(arrays)), model.put(arrays[0])
        rank_of_it(held)
        assert [part.numpy()[0, 0] for part in rank_of_it(held)] == [3, 7]
        assert [part.numpy()[0, 0] for part in held] == [3, 7]
        assert [part.numpy()[0, 0] for part in rank_of_it(one)] == [2, 2]
        rank_of_it(ByRank(arrays))
    assert [array[0, 0] for array in arrays] == [2, 6]
    assert [copy.bytes for copy in model.report.copies if copy.after > 2] == [128, 128, 256, 256]


def test_a_tensor_of_another_rank_is_not_there() -> None:
    x, w1, _ = drawn()
    with nasm.nki.Model(ranks=2) as model:
        held = model.put(x)
        for given in (ByRank([held[1], held[0]]), held[0]):
            found = refused(lambda given=given: widen(given, w1))
            assert (found.code, found.span is not None) == ("E0654", True)
            assert "<tensor: float32[64, 96] in HBM of rank" in found.message
        widen(ByRank([held[0], held[1].numpy()]), w1)
    assert len(model.report.launches) == 1


@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_arrays_for_other_ranks_than_there_are_are_refused(ranks: int | None) -> None:
    model, x = nasm.nki.Model(ranks=ranks), drawn()[0]
    found = refused(lambda: model.put(ByRank([x, x])))
    count = "3 ranks" if ranks == 3 else "1 rank"
    assert found.message == f"ByRank of 2 arrays in a model of {count}"


def test_a_profile_and_a_timeline_are_of_one_rank() -> None:
    for more in ({"profile": True}, {"timeline": io.BytesIO()}):
        found = refused(lambda more=more: nasm.nki.Model(ranks=2, **more))
        assert found.code == "E0823"
        assert "of a model is of one rank" in found.message
