"""What kernels of NKI 0.1 get wrong: each is refused at its line, with what to write instead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
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

    import nki.language as today

X = np.ones((8, 8), np.float32)
P, F = nl.arange(8)[:, None], nl.arange(8)[None, :]

WRONG: dict[str, tuple[Callable[..., Any], str, str]] = {}


def wrong(message: str, hint: str) -> Callable[..., Any]:
    """Parts of what is said of the kernel that follows."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        WRONG[function.__name__] = function, message, hint
        return function

    return kept


@wrong("an index expression with *, which is not affine", "a sum of vectors times numbers")
def a_mask_with_a_product(x: Any) -> Any:
    return nl.load(x[P, F], mask=P * F < 10)


@wrong("mask= is <sbuf greater bool_[8, 8]>", "by what a tile holds nl.where chooses")
def a_mask_that_is_a_tile(x: Any) -> Any:
    return nl.load(x[P, F], mask=nl.load(x) > 0)


@wrong("wanted comparisons of index expressions", "nl.arange and nl.mgrid")
def a_mask_of_numpy(x: Any) -> Any:
    return nl.load(x[P, F], mask=np.ones((8, 8), bool))


@wrong("a mask with !=", "joined by &")
def a_mask_with_not_equal(x: Any) -> Any:
    return nl.load(x[P, F], mask=P != F)


@wrong("an index expression with %, which is not affine", "a sum of vectors times numbers")
def an_index_of_two_loops(x: Any) -> Any:
    tile, out = nl.load(x), nl.zeros((8, 8), dtype=x.dtype)
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            out[P, (i * F + j) % 3] = tile
    return out


@wrong("runs backwards along partitions", "a positive factor")
def partitions_that_run_backwards(x: Any) -> Any:
    return nl.copy(nl.load(x)[7 - P, F])


@wrong("+= onto <shared_hbm out float32[8, 8]>, which is in HBM", "nl.atomic_rmw")
def a_sum_in_hbm(x: Any) -> Any:
    out = nl.zeros((8, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    out[P, F] += nl.load(x)
    return out


@wrong("+= of a product, which is float32, onto <psum total bfloat16[8, 8]>", "nl.copy(sum")
def a_sum_of_halves(x: Any) -> Any:
    total = nl.zeros((8, 8), dtype=nl.bfloat16, buffer=nl.psum)
    tile = nl.load(x)
    total += nisa.nc_matmul(tile, tile)
    return total


@wrong("nl.add of [4, 8] and [8, 8]", "")
def a_sum_of_another_shape(x: Any) -> Any:
    total = nl.zeros((4, 8), dtype=nl.float32, buffer=nl.psum)
    tile = nl.load(x)
    total += nisa.nc_matmul(tile, tile)
    return total


@wrong("wanted a tile on chip", "a kernel is of one dialect")
def a_function_of_today(x: Any) -> Any:
    return today.exp(nl.load(x))


@wrong("a tensor of nki", "import all of it from one package")
def a_tensor_of_today(x: Any) -> Any:
    return nl.exp(today.ndarray((8, 8), dtype=today.float32))


@each("name", sorted(WRONG))
def test_what_is_wrong_is_said_at_its_line(name: str) -> None:
    function, message, hint = WRONG[name]
    with pytest.raises(Failure) as failure:
        nasm.nki.trace(nki.jit(function), X)
    problem = failure.value.problems[0]
    assert message in problem.message
    assert hint in problem.hint
    assert problem.span is not None
    assert "\n" not in problem.message


# ---------------------------------------------------------------- grids


@nki.jit
def thirds(x: Any) -> Any:
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0)
    nl.store(out[i * 3 : i * 3 + 3], nl.load(x[i * 3 : i * 3 + 3]))
    return out


GRIDS: dict[str, tuple[Callable[[], Any], str]] = {
    "a grid that does not divide the rows": (lambda: 3, "reaches 6 to 8 on axis 0, which has 8"),
    "no instance": (lambda: 0, "a grid of 0: wanted sizes of at least 1"),
    "half an instance": (lambda: 2.5, "2.5 as a size"),
    "three cores": (lambda: nl.nc(3), "nl.nc(3): wanted 1 core, or 2"),
    "cores on two axes": (lambda: (nl.nc(2), nl.nc(2)), "nl.nc on 2 axes"),
    "no instance on a core": (lambda: nl.spmd_dim(nl.nc(2), 0), "nl.spmd_dim(nl.nc(2), 0): wanted"),
}


@each("name", sorted(GRIDS))
def test_a_grid_that_cannot_be_is_refused(name: str) -> None:
    grid, message = GRIDS[name]
    with pytest.raises(Failure) as failure:
        thirds[grid()](X)
    assert message in failure.value.problems[0].message


# ---------------------------------------------------------------- a harness that is interrupted

HARNESS = """
import sys
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.benchmark(save_neff_name="file.neff", save_trace_name="file.ntff")
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4000):
        if i == 20:
            print("begun", flush=True)
        nl.store(out, nl.load(x) * 2)
    return out

kernel(np.ones((128, 512), np.float32))
"""


@pytest.mark.turns(4)
def test_an_interrupted_harness_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "harness.py"
    script.write_text(HARNESS, encoding="utf-8")
    command = [sys.executable, "-m", "nasm", "nki", script.name]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["harness.py"]
