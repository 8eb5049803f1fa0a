"""Objects in other processes: called there, lost with a word, and nothing left of any of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nasm.workers.actors import Actor, WorkerLost
from nasm.workers.places import OtherProcesses
from nasm.workers.processes import in_processes
from tests.workers.adder import Adder, Unmade

STARTS = "fork", "forkserver", "spawn"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc and /dev/shm")


def made(start: str, *firsts: int) -> list[Actor]:
    """Objects in processes."""
    place = OtherProcesses(len(firsts), start)
    return place.made(Adder, [(first,) for first in firsts])


def close(actors: list[Actor]) -> None:
    """End processes, and look that they have ended."""
    numbers = [int(actor.where.split()[1]) for actor in actors]
    for actor in actors:
        actor.close()
    assert not any(alive(number) for number in numbers)
    assert not left(os.getpid())


def alive(number: int) -> bool:
    """Whether a process computes, or could."""
    try:
        words = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    except OSError:
        return False
    return words[0] not in "ZX"


def left(number: int) -> list[str]:
    """Names of memory that a process has made."""
    return [name for name in os.listdir("/dev/shm") if str(number) in name or "psm_" in name]


@LINUX
@pytest.mark.parametrize("start", STARTS)
def test_calls_are_executed_in_their_order(start: str) -> None:
    actors = made(start, 1, 100)
    try:
        replies = [[actor.call("add", n) for n in range(1, 4)] for actor in actors]
        found = [[one.result() for one in some] for some in replies]
        assert found == [[2, 4, 7], [101, 103, 106]]
        large = bytes(range(256)) * 20_000  # five times as long as what both share
        both = [actors[0].call("echo", large) for _ in range(2)]
        assert [one.result() == large for one in both] == [True, True]
    finally:
        close(actors)


@LINUX
def test_what_a_call_raises_is_raised_here() -> None:
    actors = made("fork", 1)
    try:
        with pytest.raises(KeyError, match="this") as raised:
            actors[0].call("fail", True).result()
        assert "in fail" in raised.value.__notes__[0]
        with pytest.raises(RuntimeError, match="Odd: that"):
            actors[0].call("fail", False).result()
        with pytest.raises(Exception, match="pickle"):
            actors[0].call("odd").result()
        with pytest.raises(RuntimeError, match="cannot be made here"):
            actors[0].call("echo", Unmade()).result()
        assert actors[0].call("add", 1).result() == 2
    finally:
        close(actors)


@LINUX
@pytest.mark.parametrize("start", STARTS)
def test_what_making_one_raises_ends_all(start: str) -> None:
    with pytest.raises(ValueError, match="below 0"):
        in_processes(Adder, [(1,), (-1,)], start)
    assert not left(os.getpid())


@LINUX
def test_a_process_that_is_killed_is_lost() -> None:
    actors = made("fork", 1, 2)
    try:
        os.kill(int(actors[0].where.split()[1]), signal.SIGKILL)
        with pytest.raises(WorkerLost, match="process"):
            actors[0].call("add", 1).result()
        assert actors[1].call("add", 1).result() == 3
    finally:
        close(actors)


@LINUX
def test_a_process_that_is_busy_is_ended() -> None:
    actors = made("fork", 1)
    actors[0].call("sleep")
    began = time.monotonic()
    close(actors)
    assert time.monotonic() - began < 60


PARENT = """
import sys, time
from nasm.workers.processes import in_processes
from tests.workers.adder import Adder
if __name__ == "__main__":
    actors = in_processes(Adder, [(1,), (2,), (3,)], sys.argv[1])
    print(*(actor.where.split()[1] for actor in actors), flush=True)
    time.sleep(100)
"""


@LINUX
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("start", [pytest.param(s, marks=pytest.mark.turns(2)) for s in STARTS])
def test_nothing_is_left_when_what_started_processes_ends(
    start: str, number: int, tmp_path: Path
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    root = str(Path(__file__).parents[2])
    parent = subprocess.Popen(
        [sys.executable, str(script), start],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": root},
        text=True,
    )
    assert parent.stdout is not None
    children = list(map(int, parent.stdout.readline().split()))
    assert len(children) == 3
    parent.send_signal(number)
    assert parent.wait(60) != 0
    parent.stdout.close()
    for _ in range(600):
        if not any(map(alive, children)):
            break
        time.sleep(0.1)
    assert not any(map(alive, children))
    assert not left(parent.pid)
