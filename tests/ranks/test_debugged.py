"""A rank in the debugger: it meets the others, and goes back and forward through its meetings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.machine.records import Status

PROGRAM = """.target trn2
.ranks 3
.hbm  x  f32[8, 4]  input
.hbm  y  f32[8, 4]  output
.hbm  a  f32[8, 4]
.hbm  b  f32[8, 4]
.sem  moved, met, stored
@cc   CollectiveRankId %r0
again: @cc RegisterAlu %r0, %r0, 1, op=subtract
@cc   CompareBranch %r0, 0, op=greater_equal, target=again
@sync DmaCopy a, x  $moved += 16
@cc   Collective b, a, all_reduce, op=add  $moved >= 16 $met++
@cc   Collective a, b, all_reduce, op=maximum  $met++
@sync DmaCopy y, a  $met >= 2 $stored += 16
@sync EventSemaphore $stored >= 16
"""
X = np.arange(96, dtype=np.float32).reshape(3, 8, 4)
ABSENT = PROGRAM.replace(
    "again:", "@cc CompareBranch %r0, 2, op=equal, target=over\nagain:"
).replace("@sync DmaCopy y", "over: @cc Nop\n@sync DmaCopy y")


@pytest.mark.parametrize("rank", range(3))
def test_a_rank_that_is_debugged_does_what_it_does_among_all(rank: int) -> None:
    session = nasm.Session(PROGRAM, {"x": X}, rank=rank)
    report, whole = session.run(), nasm.run(PROGRAM, {"x": X}).ranks
    assert whole is not None
    wanted = whole.ranks[rank]
    assert report.trace_hash == wanted.trace_hash
    assert report.memory_hash == wanted.memory_hash
    assert report.ticks == wanted.ticks
    assert np.array_equal(session.outputs()["y"], X.sum(axis=0))


def test_a_rank_goes_back_before_its_meetings_and_meets_again() -> None:
    session = nasm.Session(PROGRAM, {"x": X}, rank=1)
    wanted = session.run().memory_hash
    for count in (1, 3, 7):
        session.back(count)
        while not session.over:
            session.event()
        assert session.report().memory_hash == wanted
        assert session.status is Status.FINISHED


def test_another_rank_is_at_the_same_time() -> None:
    session = nasm.Session(PROGRAM, {"x": X}, rank=0)
    session.advance(1500)
    other = session.of_rank(2)
    assert other.now == session.now
    assert other.rank == 2
    assert other.run().ok
    assert session.ranks()[1].startswith("not run") or "met" in session.ranks()[1]


def test_a_rank_that_sends_something_else_after_a_change_is_refused() -> None:
    session = nasm.Session(PROGRAM, {"x": X}, rank=1)
    session.run()
    session.restart()
    session.set("x[0, 0]", "77.0")
    report = session.run()
    assert [problem.code for problem in report.problems] == ["E0825"]


def test_a_rank_whose_peers_never_come_reports_it() -> None:
    session = nasm.Session(ABSENT, {"x": X}, rank=0)
    report = session.run()
    assert report.status is Status.DEADLOCK
    assert "E0564" in [problem.code for problem in report.problems]
    assert "rank 2 is deadlocked without it" in str(report.problems[0])


def test_a_rank_that_there_is_not_is_refused() -> None:
    with pytest.raises(Failure, match="E0823"):
        nasm.Session(PROGRAM, {"x": X}, rank=3)
    with pytest.raises(Failure, match="E0823"):
        nasm.Session(PROGRAM, {"x": X})


def test_the_prompt_changes_ranks(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from nasm.apps.cli import main

    path, array = tmp_path / "p.nasm", tmp_path / "x.npy"
    path.write_text(PROGRAM)
    np.save(array, X)
    words = ["-ex", "break 14", "-ex", "run", "-ex", "rank", "-ex", "rank 2", "-ex", "run"]
    words += ["-ex", "rank 7", "-ex", "rank x"]
    main(["repl", str(path), "--rank", "1", "--in", f"x={array}", *words])
    said = capsys.readouterr()
    assert "* 1  the one that is debugged" in said.out
    assert "rank 2, running" in said.out
    assert "there is no rank 7" in said.out + said.err
    assert "rank takes a number" in said.out + said.err
