"""Kernels of this repository that divide work over ranks, against NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.nki import ByRank

ROOT = Path(__file__).parents[2]
KERNELS = nasm.nki.module(str(ROOT / "programs" / "nki" / "ranks.py"))

Array = np.ndarray[Any, Any]


def numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_ring_attends_to_the_keys_of_all_ranks(ranks: int) -> None:
    q, k, v = numbers(1, 3, ranks, 128, 32)
    given = {"ranks": ranks, "dtype": KERNELS.nl.float32}
    args = [ByRank(list(one)) for one in (q, k, v)]
    found = nasm.nki.run(KERNELS.ring_attention, *args, kernel_args=given, ranks=ranks)
    keys, values = k.reshape(-1, 32), v.reshape(-1, 32)
    for mine, queries in zip(found.outputs, q, strict=True):
        weights = np.exp(queries @ keys.T / np.sqrt(32))
        wanted = (weights / weights.sum(axis=1, keepdims=True)) @ values
        assert np.abs(mine - wanted).max() < 1e-5  # sums of float32 in another order
    assert found.result.report.hazards == ()


def test_a_step_of_training_is_that_of_the_whole_batch() -> None:
    x, dy, w = numbers(2, 2, 128, 128), numbers(3, 2, 128, 64), numbers(4, 128, 64)
    args = [ByRank(list(x)), ByRank(list(dy)), w]
    given = {"ranks": 2, "rate": 0.01}
    found = nasm.nki.run(KERNELS.training_step, *args, kernel_args=given, ranks=2)
    wanted = w - 0.01 * (x.reshape(-1, 128).T @ dy.reshape(-1, 64))
    for mine in found.outputs:
        assert np.abs(mine - wanted).max() < 1e-4
    assert np.array_equal(*found.outputs)


@pytest.mark.thorough
def test_the_table_of_work_over_ranks_is_right() -> None:
    words = [sys.executable, "programs/models/ranks.py", "--ranks", "1,2"]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=400)
    assert made.returncode == 0, made.stdout + made.stderr
    times = [float(line.split()[2]) for line in made.stdout.splitlines()[1:]]
    layer, step = times[:2], times[2:4]
    assert layer[1] < layer[0]
    assert step[1] < step[0]
