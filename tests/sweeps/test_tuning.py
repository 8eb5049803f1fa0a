"""A search finds what running the whole grid finds, is the same everywhere, and counts runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.sweeps import tuning
from nasm.sweeps.row import REFUSED

WORK = """
.target trn1
.const F = 64, R = 1, W = 1
.assert 512 % F == 0 and W < 3, "F divides 512, and W is 1 or 2"
.sbuf  x  f32[128, 512]
.for r in 0..512 // F * R
@vector Memset x[:, 0 : F], W
.end
"""
GRID: dict[str, Any] = {"F": list(range(32, 513, 32)), "R": [3, 1, 2], "W": [1, 2, 3]}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 2])
def test_a_search_finds_the_best_of_the_grid(seed: int) -> None:
    pytest.importorskip("optuna", reason="optuna is not installed")
    every = nasm.sweep(WORK, GRID, values=False)
    found = nasm.tune(WORK, GRID, runs=12, seed=seed, values=False)
    assert found.best is not None
    assert every.best is not None
    assert found.best.microseconds == every.best.microseconds
    assert sum(row.status != REFUSED for row in found.rows) == 12
    with ThreadPoolExecutor(3) as threads:
        again = nasm.tune(WORK, GRID, runs=12, seed=seed, values=False, executor=threads)
    assert again.rows == found.rows


def test_a_grid_with_few_points_is_run_as_a_whole() -> None:
    found = nasm.tune(WORK, {"F": [512, 64, 128]}, runs=3, values=False)
    assert [row.point["F"] for row in found.rows] == [512, 64, 128]


def test_what_a_value_decides_is_its_best_and_its_worst_choice() -> None:
    found = nasm.sweep(WORK, {"F": [512, 64], "R": [1, 2, 3]}, values=False)
    by_point = {(row.point["F"], row.point["R"]): row.microseconds for row in found.rows}
    effects = {effect.name: effect for effect in found.effects}
    assert (effects["R"].best, effects["R"].worst) == (1, 3)
    assert effects["R"].worst_figure == min(by_point[512, 3] or 0, by_point[64, 3] or 0)
    assert effects["F"].best_figure == min(time or 0 for time in by_point.values())


def test_a_search_needs_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(tuning, "import_module", missing)
    with pytest.raises(Failure, match="optuna, which is not installed"):
        nasm.tune(WORK, GRID, runs=5)
