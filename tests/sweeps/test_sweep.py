"""A program with every choice of some values: rows, what fails, and what decides a run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.sweeps.job import RunJob
from nasm.sweeps.row import SweepRow

SCALED = """
.target trn1
.const N = 4
.hbm   X  bf16[128, N]  input = iota
.hbm   Y  bf16[128, N]  output
.sbuf  x  bf16[128, N]
.sem   loaded, halved, stored
.assert N % 4 == 0, "N must be a multiple of 4"
@sync    DmaCopy         x, X                               $loaded += 16
@vector  TensorScalar    x, x, op0=multiply, operand0=0.5   $loaded >= 16  $halved++
@sync    DmaCopy         Y, x                               $halved >= 1   $stored += 16
@sync    EventSemaphore                                     $stored >= 16
.expect  Y == X * 0.5
"""

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def scaled(x, factor=2.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


def test_rows_are_those_of_single_runs_in_the_order_of_the_grid() -> None:
    found = nasm.sweep(SCALED, {"N": [8, 4], "target": ["trn1", "trn2"]})
    points = [(row.point["N"], row.point["target"]) for row in found.rows]
    assert points == [(8, "trn1"), (8, "trn2"), (4, "trn1"), (4, "trn2")]
    for row in found.rows:
        alone = nasm.run(SCALED, defines={"N": row.point["N"]}, target=str(row.point["target"]))
        report = alone.report
        assert (row.ok, row.ticks) == (True, report.ticks)
        assert (row.trace_hash, row.memory_hash) == (report.trace_hash, report.memory_hash)
        assert row.dma_bytes == 2 * 128 * int(str(row.point["N"])) * 2
    assert found.best is min(found.rows, key=lambda row: row.microseconds or 0)


def test_a_run_that_fails_is_a_row_and_never_the_best() -> None:
    found = nasm.sweep(SCALED.replace("operand0=0.5", "operand0=0.5 * (N // 8)"), {"N": [8, 4, 6]})
    assert [row.status for row in found.rows] == ["finished", "finished", "refused"]
    assert [row.ok for row in found.rows] == [True, False, False]
    assert "1 of 1 expectation failed" in found.rows[1].reason
    assert found.rows[2].code == "E0219"
    assert found.best is found.rows[0]
    assert "E0219" in str(found)


def test_any_executor_gives_equal_rows() -> None:
    grid: dict[str, Any] = {"N": [4, 8, 12], "target": ["trn1", "trn3"]}
    with ThreadPoolExecutor(2) as threads:
        over = nasm.sweep(SCALED, grid, executor=threads)
    assert over.rows == nasm.sweep(SCALED, grid).rows


def test_a_kernel_takes_its_arguments_from_the_grid(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    x = np.ones((128, 64), np.float32)
    found = nasm.sweep(f"{path}:scaled", {"factor": [2.0, 3.0], "target": ["trn2"]}, {"x": x})
    assert [row.reason for row in found.rows] == ["", ""]
    assert found.rows[0].memory_hash != found.rows[1].memory_hash
    assert str(path) in found.rows[0].files
    with pytest.raises(Failure, match="Python"):
        nasm.sweep(f"{path}:scaled", {"factor": [2.0]}, {"x": x}, files=False)


def test_a_function_makes_the_program_of_each_point() -> None:
    def program(columns: int) -> Any:
        return nasm.assemble(SCALED, defines={"N": columns})

    found = nasm.sweep(program, {"columns": [4, 8]})
    assert [row.ok for row in found.rows] == [True, True]
    assert [row.dma_bytes for row in found.rows] == [2048, 4096]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"program": Source("a.nasm", f"{SCALED}\n")}, id="program"),
        pytest.param({"point": {"N": 5}}, id="point"),
        pytest.param({"inputs": {"X": np.ones((128, 4))}}, id="inputs"),
        pytest.param({"settings": nasm.RunSettings(values=False)}, id="values"),
        pytest.param({"settings": nasm.RunSettings(target="trn2")}, id="target"),
        pytest.param({"settings": nasm.RunSettings(options={"rounding": "a"})}, id="options"),
    ],
)
def test_what_decides_a_run_is_in_its_key(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {
        "program": Source("a.nasm", SCALED),
        "inputs": None,
        "settings": nasm.RunSettings(),
        "point": {"N": 4},
    }
    assert RunJob(**given).key == RunJob(**given).key
    assert RunJob(**given).key != RunJob(**{**given, **change}).key
    beside = {"program": Source("b.nasm", SCALED), "settings": nasm.RunSettings(deadline=5)}
    assert RunJob(**given).key == RunJob(**{**given, **beside}).key


def test_rows_without_a_figure_are_after_those_that_have_one() -> None:
    made = [
        SweepRow(point={"N": n}, key="", status="finished", ok=ok, microseconds=time)
        for n, ok, time in ((1, True, 3.0), (2, False, 1.0), (3, True, 2.0))
    ]
    found = nasm.SweepResult("p", tuple(made), ("N",))
    assert [row.point["N"] for row in found.ordered] == [3, 1, 2]


def test_values_that_make_no_grid() -> None:
    with pytest.raises(Failure, match="no value for N"):
        nasm.sweep(SCALED, {"N": []})
    with pytest.raises(Failure, match="the grid has"):
        nasm.sweep(SCALED, {"N": range(100_000), "M": range(1000)})
    with pytest.raises(TypeError, match="a value of a sweep"):
        nasm.sweep(SCALED, {"N": [None]})  # type: ignore[list-item]
    with pytest.raises(ValueError, match="by= takes"):
        nasm.sweep(SCALED, {"N": [4]}, by="colour")
