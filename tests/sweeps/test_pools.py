"""Processes and clusters: equal rows, and none lost with a worker."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import BrokenExecutor, Future
from types import SimpleNamespace
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.sweeps.journal import Journal
from nasm.sweeps.row import SweepRow
from nasm.sweeps.running import TRIES, rows
from nasm.sweeps.sweep import Jobs
from nasm.workers import pools
from nasm.workers.pools import Cluster, Processes, Serial
from nasm.workers.version import OtherVersion, version
from tests.sweeps.test_sweep import SCALED

GRID: dict[str, Any] = {"N": list(range(4, 44, 4)), "target": ["trn1", "trn2"]}


class Dying(Serial):
    """A pool in which the workers of some points die, so many times each."""

    width = 3

    def __init__(self, deaths: dict[int, int]) -> None:
        self.deaths, self.broken, self.renewed = deaths, False, 0

    def submit(self, do: Any, job: Any) -> Future[Any]:
        number = int(str(job.point["N"]))
        if self.deaths.get(number, 0):
            self.deaths[number] -= 1
            self.broken = True
        made: Future[Any] = Future()
        if self.broken:
            made.set_exception(BrokenExecutor())
            return made
        return super().submit(do, job)

    def renew(self) -> bool:
        self.broken, self.renewed = False, self.renewed + 1
        return True


def swept(pool: pools.Pool, count: int = 8) -> dict[object, SweepRow]:
    jobs = Jobs(SCALED, None, nasm.RunSettings(values=False))
    points = ({"N": 4 * n} for n in range(1, count + 1))
    made = rows((jobs.of(point) for point in points), pool, Journal(None))
    return {job.point["N"]: row for job, row, _ in made}


def test_no_run_is_lost_with_a_worker() -> None:
    pool = Dying({8: 1, 24: 2})
    assert swept(pool) == swept(Serial())
    assert pool.renewed >= 2


def test_a_run_that_ends_each_worker_is_a_row_that_says_so() -> None:
    found = swept(Dying({8: TRIES + 1}))
    assert found.pop(8).status == "died"
    assert len(found) == 7
    assert all(row.ok for row in found.values())


def test_a_worker_of_another_version_gets_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Serial):
        def submit(self, do: Any, job: Any) -> Future[Any]:
            made: Future[Any] = Future()
            made.set_exception(OtherVersion(version(), "0.0.9+0"))
            return made

    with pytest.raises(Failure, match=r"a worker has nasm 0\.0\.9"):
        swept(Other())


@pytest.mark.thorough
def test_a_process_of_another_version_ends_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "version", lambda: "0.0.9+0")
    with pytest.raises(Failure, match="a worker has nasm 0"):
        nasm.sweep(SCALED, GRID, executor=2)


@pytest.mark.thorough
def test_processes_give_equal_rows_though_one_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    original = Processes._made

    def noted(self: Processes) -> Any:
        made.append(original(self))
        return made[-1]

    monkeypatch.setattr(Processes, "_made", noted)

    def kill(row: SweepRow, done: int, of: int) -> None:
        if done == 5:
            os.kill(next(iter(made[-1]._processes)), signal.SIGKILL)

    found = nasm.sweep(SCALED, GRID, executor=2, watch=kill)
    assert len(made) > 1
    assert found.rows == nasm.sweep(SCALED, GRID).rows


@pytest.mark.thorough
def test_a_cluster_gives_equal_rows_though_a_worker_is_killed() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    cluster = Cluster("local", 2)
    killed: list[int] = []

    def kill(row: SweepRow, done: int, of: int) -> None:
        if done == 5:
            killed.append(next(iter(cluster._client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    found = nasm.sweep(SCALED, GRID, executor=cluster, watch=kill)
    assert killed
    assert found.rows == nasm.sweep(SCALED, GRID).rows


def test_an_executor_that_is_none() -> None:
    with pytest.raises(ValueError, match="from 1 on"):
        nasm.sweep(SCALED, {"N": [4]}, executor=0)


@pytest.mark.thorough
def test_no_cluster_at_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    monkeypatch.setattr(pools, "PATIENCE", "1s")
    with pytest.raises(Failure, match="no cluster at"):
        nasm.sweep(SCALED, {"N": [4]}, executor="tcp://127.0.0.1:9")


def test_a_worker_that_dies_while_it_is_asked_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        dashboard_link = ""

        def __init__(self, **_: object) -> None: ...

        def run(self, _: object) -> None:
            raise ConnectionError("the stream is closed")

        def close(self) -> None: ...

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    with pytest.raises(Failure, match="E0844") as raised:
        Cluster("tcp://there:1")
    assert "the stream is closed" in str(raised.value)
