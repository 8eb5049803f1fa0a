"""Ranks in other processes, on a cluster and under MPI: the same run, and none lost in silence."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.ranks.rank import Rank
from nasm.ranks.runs import RanksRun
from nasm.runs.settings import RunSettings
from nasm.workers.places import OtherProcesses, place_of
from tests.neuron.collectives.test_random import Exchange

RING = """
.target trn2
.ranks 4
.hbm x f32[8, 4] input
.hbm y f32[8, 4] output
.hbm a f32[8, 4]
.hbm b f32[8, 4]
.sem filled, done, stored
@sync DmaCopy a, x $filled += 16
@cc Collective b, a, all_reduce, op=add, groups=[[0, 1, 2, 3]] $filled >= 16 $done++
@cc Collective a, b, all_reduce, op=maximum, groups=[[0, 1, 2, 3]] $done >= 1 $done++
@sync DmaCopy y, a $done >= 2 $stored += 16
@sync EventSemaphore $stored >= 16
"""
X = np.arange(128, dtype=np.float32).reshape(4, 8, 4)
LOOP = "again: @vector CompareBranch 0, 0, op=equal, target=again\n"


def facts(result: nasm.Result) -> Any:
    """All that must not depend on where ranks live."""
    report = result.report
    held = {name: array.tobytes() for name, array in result.outputs.items()}
    return report.memory_hash, report.trace_hash, report.ticks, report.status, held


def test_other_processes_give_the_same_run() -> None:
    for text, x in ((RING, X), (repr(Exchange(Random(3))), None)):
        inputs = {"x": x} if x is not None else Exchange(Random(3)).values
        here = nasm.run(text, inputs)
        assert facts(here) == facts(nasm.run(text, inputs, executor=3))
        assert here.ok


def test_ranks_that_answer_after_a_time_give_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    here = nasm.run(RING, {"x": X})
    whole = Rank.advance
    monkeypatch.setattr(
        Rank, "advance", lambda self, until=None, _=None: whole(self, until, time.monotonic())
    )
    assert facts(nasm.run(RING, {"x": X})) == facts(here)


def test_a_worker_that_ends_is_reported_with_its_ranks_and_their_last_meeting() -> None:
    place = OtherProcesses(2)
    try:
        run = RanksRun(nasm.assemble(RING), {"x": X}, RunSettings(), place=place)
        while not run.world.meetings:
            assert run.world.step()
        os.kill(int(run.engine.actors[1].where.split()[1]), signal.SIGKILL)
        with pytest.raises(Failure) as raised:
            run.run()
    finally:
        place.close()
    (problem,) = raised.value.problems
    assert problem.code == "E0824"
    assert "ranks 2 and 3" in problem.message
    assert "after meeting 0, all_reduce" in problem.message
    assert problem.span is not None
    assert problem.span.line == 10


def test_what_is_wrong_with_inputs_is_reported_from_other_processes() -> None:
    with pytest.raises(Failure, match="E08"):
        nasm.run(RING, {"x": X[:, :3]}, executor=2)


def test_a_deadline_ends_ranks_in_other_processes() -> None:
    forever = RING.replace("@sync DmaCopy a", LOOP + "@sync DmaCopy a", 1)
    began = time.monotonic()
    with suppress(Failure):  # E0516, unless the ranks answer in time
        found = nasm.run(forever, {"x": X}, executor=2, deadline=3, max_instructions=None)
        assert not found.ok
    assert time.monotonic() - began < 30


def test_an_executor_of_no_process_is_refused() -> None:
    with pytest.raises(ValueError, match="from 1 on"):
        place_of(0)


@pytest.mark.thorough
def test_a_cluster_gives_the_same_run() -> None:
    pytest.importorskip("distributed", reason="the extra cluster is not installed")
    assert facts(nasm.run(RING, {"x": X}, executor="local")) == facts(nasm.run(RING, {"x": X}))


def under_mpi(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mpi4py", reason="the extra mpi is not installed")
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("no mpiexec on this computer")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    allowed |= {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    return subprocess.run(
        [mpiexec, "-n", "2", sys.executable, "-m", "nasm", *words],
        cwd=tmp_path,
        env=os.environ | allowed,
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.thorough
def test_processes_of_mpiexec_give_the_same_run(tmp_path: Path) -> None:
    (tmp_path / "ring.nasm").write_text(RING)
    np.save(tmp_path / "x.npy", X)
    words = ["run", "ring.nasm", "--in", "x=x.npy", "--json"]
    made = under_mpi(tmp_path, *words, "--scheduler", "mpi")
    assert made.returncode == 0, made.stderr
    report = json.loads(made.stdout)
    assert report["memory_hash"] == nasm.run(RING, {"x": X}).report.memory_hash


@pytest.mark.thorough
def test_an_error_ends_all_processes_of_mpiexec(tmp_path: Path) -> None:
    (tmp_path / "ring.nasm").write_text(RING.replace("all_reduce", "all_reduse"))
    made = under_mpi(tmp_path, "run", "ring.nasm", "--scheduler", "mpi")
    assert made.returncode != 0
    assert made.stderr.count("did you mean 'all_reduce'") == 2 or "all_reduse" in made.stderr
