"""What a run of a kernel of NKI 0.1 saves, and ``neuron-profile`` prints of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.apps import neuron_profile
from nasm.base.problems import Failure

with nasm.nki.installed():
    from neuronxcc import nki
    from neuronxcc.nki import isa as nisa
    from neuronxcc.nki import language as nl

X = np.ones((128, 64), np.float32)
BOTH = {"save_neff_name": "file.neff", "save_trace_name": "file.ntff"}


def product(x: Any) -> Any:
    out = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, nl.copy(nisa.nc_matmul(tile, tile)))
    return out


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_benchmark_saves_the_trace_of_its_run(folder: Path, capsys: Any) -> None:
    timed = nki.benchmark(product, warmup=1, iters=10, **BOTH)
    assert timed(X) is None
    assert names(folder) == ["file.neff", "file.ntff"]
    assert capsys.readouterr().err == (
        "file.neff and file.ntff: trace of the simulated run, as JSON for Perfetto\n"
    )
    found = json.loads((folder / "file.ntff").read_bytes())
    slices = {event["name"] for event in found["traceEvents"] if event["ph"] == "X"}
    assert "DmaCopy" in slices
    microseconds = timed.benchmark_result.nc_latency.get_latency_percentile(99)
    assert found["summary"]["total_time"] == pytest.approx(microseconds / 1e6)


def test_a_run_with_values_saves_its_trace_too(folder: Path) -> None:
    made = nki.baremetal(product, save_neff_name="file.neff")(X)
    np.testing.assert_array_equal(made, X.T @ X)
    assert names(folder) == ["file.neff"]


def test_the_figures_are_printed_under_the_vendors_names(folder: Path, capsys: Any) -> None:
    nki.benchmark(product, save_neff_name="file.neff")(X)
    assert neuron_profile.main(["capture", "-n", "file.neff", "-s", "x.ntff"]) == 0
    capsys.readouterr()
    view = ["view", "--output-format", "summary-text", "-n", "file.neff", "-s", "x.ntff"]
    assert neuron_profile.main(view) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == sorted(lines)
    found = dict(lines)
    assert found["dma_transfer_count"] == "2"
    assert float(found["mfu_estimated_percent"]) > 0
    expected = nasm.nki.run(nki.jit(product), X).report.microseconds
    assert float(found["total_time"]) == pytest.approx(expected / 1e6)
    assert neuron_profile.main(["view", "--output-format", "summary-json", *view[3:]]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {name: str(value) for name, value in document["x.ntff"].items()} == found


def test_one_execution_of_several_is_in_the_name(folder: Path) -> None:
    nki.benchmark(product, save_neff_name="file.neff")(X)
    neuron_profile.main(["capture", "-n", "file.neff", "--profile-nth-exec", "2"])
    assert names(folder) == ["file.neff", "profile_exec_2.ntff"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"summary": 1}', "\x7fELF", "[" * 100_000])
def test_what_is_no_saved_run_is_refused(folder: Path, capsys: Any, text: str) -> None:
    (folder / "file.neff").write_text(text)
    assert neuron_profile.main(["capture", "-n", "file.neff"]) == 1
    assert "error[E0801]: cannot read file.neff" in capsys.readouterr().err
    assert names(folder) == ["file.neff"]


def test_files_that_cannot_be_had_are_refused(folder: Path, capsys: Any) -> None:
    assert neuron_profile.main(["capture", "-n", "none.neff"]) == 1
    assert "error[E0801]: cannot read none.neff: No such file" in capsys.readouterr().err
    timed = nki.benchmark(product, save_neff_name="file.neff", save_trace_name="no/file.ntff")
    with pytest.raises(Failure, match=r"cannot write no/file\.ntff: No such file"):
        timed(X)
    assert timed.benchmark_result is None
    assert neuron_profile.main(["capture", "-n", "file.neff", "-s", "no/file.ntff"]) == 1
    assert "error[E0806]: cannot write no/file.ntff: No such file" in capsys.readouterr().err


def test_a_kernel_that_is_refused_saves_nothing(folder: Path, capsys: Any) -> None:
    def too_much(x: Any) -> Any:
        return nl.load(x)[200, 0]

    with pytest.raises(Failure):
        nki.benchmark(too_much, **BOTH)(X)
    assert names(folder) == []
    assert capsys.readouterr().err == ""


def test_a_run_that_does_not_get_to_its_end_saves_nothing(folder: Path, capsys: Any) -> None:
    def gathered(x: Any, rows: Any) -> Any:
        out = nl.ndarray((4, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        index = nl.load(rows)
        nl.store(out, nl.load(x[index, nl.arange(64)[None, :]]))
        return out

    rows = np.array([[0], [1], [2], [200]], np.int32)
    for kernel in (nki.baremetal(gathered, **BOTH), nki.benchmark(gathered, **BOTH)):
        with pytest.raises(Failure):
            kernel(X, rows)
    assert kernel.benchmark_result is None
    assert names(folder) == []
    assert capsys.readouterr().err == ""


def test_a_profile_is_saved_into_its_folder(folder: Path) -> None:
    where = folder / "profiles" / "of a kernel"
    nki.profile(working_directory=str(where))(product)(X)
    assert names(where) == ["file.neff", "json_reports", "profile.ntff"]
    report = json.loads((where / "json_reports" / "profile.json").read_bytes())
    assert report == json.loads((where / "profile.ntff").read_bytes())["summary"]
    with pytest.raises(Failure, match="it exists"):
        nki.profile(product, working_directory=str(where))(X)
    nki.profile(product, working_directory=str(where), overwrite=True)(X)
    for wrong in ({}, {"working_directory": "profiles"}):
        with pytest.raises(Failure, match="wanted the absolute path"):
            nki.profile(product, **wrong)


@pytest.mark.parametrize(
    ("count", "every", "traces"),
    [
        (20, 10, ["x_exec_10", "x_exec_20"]),
        (3, 1, ["x", "x_exec_2", "x_exec_3"]),
        (1, 4, ["x_exec_4"]),
    ],
)
def test_every_nth_execution_has_its_trace(
    folder: Path, count: int, every: int, traces: list[str]
) -> None:
    options = {"save_trace_name": "x.ntff", "num_execs": count, "profile_nth": every}
    nki.profile(product, working_directory=str(folder), **options)(X)
    assert names(folder) == ["file.neff", "json_reports", *sorted(f"{one}.ntff" for one in traces)]
    assert names(folder / "json_reports") == sorted(f"{one}.json" for one in traces)


@pytest.mark.parametrize("wrong", [{"num_execs": -1}, {"profile_nth": 2.5}, {"num_execs": 10**9}])
def test_executions_are_counted(folder: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Failure, match="wanted a number from 1 to 1000"):
        nki.profile(product, working_directory=str(folder), **wrong)


@pytest.mark.parametrize("name", [7, b"file.neff", "a\0b", ["file.neff"]])
def test_what_is_no_name_of_a_file_is_refused(name: Any) -> None:
    with pytest.raises(Failure, match="wanted the name of a file"):
        nki.benchmark(product, save_neff_name=name)(X)
