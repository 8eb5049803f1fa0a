"""Tiles in other processes and under MPI: the same run, and none lost in silence."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest

import nasm
from nasm.apps.cli import main
from nasm.base import deadlines
from nasm.base.problems import Failure
from nasm.machine.records import Progress, Status
from nasm.tiles.runs import TilesRun
from nasm.workers.places import OtherProcesses
from tests.ranks.test_hosts import facts, under_mpi
from tests.tiles.test_groups import BUSY, NOC, made, outputs, random_text

LOOP = ".rv B\nagain: addi t0, t0, 1\n j again\n"
FOREVER = 3_600.0
ROUND_TRIP = NOC / "round_trip.nasm"


@pytest.mark.turns(2)
def test_other_processes_give_the_same_run() -> None:
    for text in (BUSY, random_text(3)):
        assert facts(nasm.run(text, executor=2)) == facts(nasm.run(text))


@pytest.mark.turns(2)
@pytest.mark.parametrize("start", ["fork", "forkserver", "spawn"])
def test_processes_give_the_same_run_however_they_are_started(start: str) -> None:
    one, other = made(BUSY, trace=True), made(BUSY, trace=True)
    report = one.run()
    with closing(OtherProcesses(2, start)) as place:
        run = TilesRun(other, place)
        assert run.run() == report
    assert not run.alone
    assert outputs(other) == outputs(one)


MATMUL = ("tensix/noc/matmul_tiles.nasm", "-D", "K=1")
SEVERAL = (
    (*MATMUL, "-D", "N=2"),
    (*MATMUL, "-D", "N=4"),
    ("tensix/noc/multicast.nasm",),
    ("tensix/noc/round_trip.nasm",),
    ("tensix/ethernet/two_chips.nasm",),
)
"""Programs with more than one tile, with their options."""


@pytest.mark.thorough
@pytest.mark.parametrize("words", SEVERAL)
def test_programs_of_several_tiles_are_the_same_in_one_two_and_three_processes(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(NOC.parents[1] / words[0])

    def printed(*more: str) -> Any:
        assert main(["run", path, *words[1:], "--json", *more]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["memory_hash"]
        return found

    one = printed()
    for count in "123":
        assert printed("-j", count) == one


@pytest.mark.turns(2)
def test_the_command_prints_the_same_with_workers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(ROUND_TRIP)]) == 0
    one = capsys.readouterr().out
    assert main(["run", str(ROUND_TRIP), "-j", "2"]) == 0
    assert capsys.readouterr().out == one


def test_the_command_says_what_ran_in_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "alone.nasm"
    path.write_text(".target wormhole\n@noc0 NOC_NOP\n")
    assert main(["run", str(path), "-j", "1"]) == 0
    assert "it ran in one process: it has one tile" in capsys.readouterr().out


@pytest.mark.turns(2)
def test_a_worker_that_ends_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    place = OtherProcesses(2)
    whole: Any = OtherProcesses.made

    def made_and_ended(self: OtherProcesses, kind: type, each: Any) -> Any:
        found = whole(self, kind, each)
        os.kill(int(found[1].where.split()[1]), signal.SIGKILL)
        return found

    monkeypatch.setattr(OtherProcesses, "made", made_and_ended)
    try:
        with pytest.raises(Failure) as raised:
            TilesRun(made(BUSY), place).run()
    finally:
        place.close()
    assert [problem.code for problem in raised.value.problems] == ["E0870"]


@pytest.mark.turns(2)
def test_a_deadline_ends_groups_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes while groups advance, however long they took to start."""
    clocks: list[deadlines.Deadline] = []
    begun = deadlines.Deadline.on_deadline

    def noted(self: deadlines.Deadline, ask: Callable[[], None]) -> AbstractContextManager[None]:
        clocks.append(self)
        return begun(self, ask)

    def passes(_: Progress) -> None:
        (clock,) = clocks
        if not clock.passed:
            assert clock._timer is not None
            clock._timer.cancel()
            clock._strike()

    monkeypatch.setattr(deadlines.Deadline, "on_deadline", noted)
    monkeypatch.setattr(deadlines, "GRACE", FOREVER)
    text = BUSY + LOOP
    found = nasm.run(text, executor=2, deadline=FOREVER, max_instructions=None, progress=passes)
    assert found.report.status is Status.TIMEOUT
    (clock,) = clocks
    assert clock.passed


@pytest.mark.thorough
def test_processes_of_mpiexec_give_the_same_run(tmp_path: Path) -> None:
    words = ["run", str(NOC / "matmul_tiles.nasm"), "-D", "K=1"]
    found = under_mpi(tmp_path, *words, "--scheduler", "mpi")
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("16 expectations met") == 1
