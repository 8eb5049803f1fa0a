"""Runs that are stopped after so many instructions, and go on."""

from __future__ import annotations

import inspect

import pytest

import nasm
from nasm.machine.records import Status

COUNT = """\
.target trn1
.hbm X f32[128, 64] input = iota
.hbm Y f32[128, 64] output
.sbuf x f32[128, 64]
.sem s
@sync
DmaCopy x, X  $s += 16
EventSemaphore $s >= 16
RegisterMove %r0, 5
again: RegisterAlu %r0, %r0, 1, op=subtract
CompareBranch %r0, 0, op=greater, target=again
@vector Memset x[0:32, 0:8], 1.0  $s >= 16  $s++
@scalar Nop
@sync DmaCopy Y, x  $s >= 17  $s += 16
"""
"""Its last transfer is in flight when all its 16 instructions are complete."""

ALL = 16


def completed(report: nasm.RunReport) -> int:
    return sum(e.instructions for e in report.engines)


def test_a_run_completes_exactly_as_many_instructions_as_it_may_and_can_go_on() -> None:
    straight = nasm.run(COUNT)
    assert straight.report.status is Status.FINISHED
    assert completed(straight.report) == ALL
    for most in range(1, ALL):
        session = nasm.Session(COUNT)
        done = 0
        while (report := session.run(max_instructions=most)).status is Status.LIMIT:
            done += most
            assert completed(report) == done
            (problem,) = report.problems
            assert problem.code == "E0511"
            assert f"after {most:,} instruction" in problem.message
        assert report == straight.report


def test_what_is_in_flight_lands_when_the_last_instruction_that_may_complete_has_completed() -> (
    None
):
    report = nasm.run(COUNT, max_instructions=ALL).report
    assert report == nasm.run(COUNT, max_instructions=None).report


def test_the_default_stops_a_loop_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inspect.signature(nasm.Session.run).parameters["max_instructions"].default == 10_000_000
    assert nasm.RunSettings().max_instructions == 10_000_000


def test_going_back_to_a_limit_is_being_stopped_there() -> None:
    session = nasm.Session(COUNT)
    stopped = session.run(max_instructions=5)
    there = session.checkpoint()
    session.run()
    session.back_to(there)
    assert session.report() == stopped
    session.restart()
    assert session.report().problems == ()
