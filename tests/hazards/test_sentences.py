"""What hazards say of the waits before them, and what a result shares with its source."""

from __future__ import annotations

import pytest

import nasm
from nasm.analysis.hazards import sentences
from nasm.debugger.session import Session

BEHIND = """\
.target trn1
.sbuf t f32[128, 512]
.sbuf u f32[128, 512]
.sem done, read
@gpsimd Memset u, 2.0   $done++
@gpsimd Memset t, 1.0   $read >= 1  $done++
@vector Nop   $done >= 1
{between}
@vector TensorCopy u, t   $read++
"""
"""In order, and the wrong one: who writes t waits for who reads it."""


def hint(between: int) -> str:
    report = nasm.run(BEHIND.format(between="@vector Nop\n" * between)).report
    (hazard,) = report.hazards
    assert hazard.code == "E0501"
    return hazard.hint


def test_a_wait_for_the_same_semaphore_that_was_satisfied_by_others_is_named() -> None:
    assert "so do others" in hint(0)
    assert "so do others" in hint(3)


def test_a_wait_that_lies_far_back_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "FAR", 3)
    assert "so do others" in hint(1)
    assert hint(2).endswith("updates $done: wait for it here")


def test_before_the_order_of_a_run_is_judged_the_hint_names_the_command_that_judges_it() -> None:
    text = ".target trn1\n.sbuf t f32[128, 64]\n.sbuf u f32[128, 64]\n"
    text += "@gpsimd Memset t, 1.0\n@vector TensorCopy u, t\n"
    session = Session(text)
    session.advance(5)
    (read,) = session.judged().errors
    assert read.code == "E0501"
    assert read.hint == sentences.UNKNOWN
    race = next(p for p in nasm.check(text).problems if p.code == "E0502")
    assert race.facts["edits"]


def test_a_large_copy_has_the_bytes_as_they_were_when_it_started() -> None:
    session = Session(
        ".target trn1\n.sbuf a f32[128, 64]\n.sbuf b f32[128, 64]\n.sem s\n"
        "@vector Memset a, 1.0   $s++\n"
        "@vector TensorCopy b, a\n"
        "@gpsimd Memset a, 2.0   $s >= 1\n"
    )
    session.run()
    assert (session.read("b") == 1).all()


def test_a_stalled_queue_says_which_resource_it_waits_for_and_who_has_it() -> None:
    session = Session(
        ".target trn1\n.sbuf a f32[128, 512]\n@vector\nMemset a, 1.0\nMemset a, 2.0\n"
    )
    session.advance(3)
    (vector,) = (q for q in session.queues() if q.engine == "vector")
    assert vector.blocker.startswith("vector, which vector pc 0 occupies until 0.")
    session.run()
    assert all(not q.blocker for q in session.queues())


def test_so_does_one_that_will_then_wait_for_a_result_of_its_own_engine() -> None:
    session = Session(
        ".target trn1\n.sbuf a f32[128, 512]\n@vector\nMemset a, 1.0\n"
        "TensorScalar a, a, op0=add, operand0=1.0\n"
    )
    session.advance(3)
    (queue,) = (q for q in session.machine.scheduler.queues if q.length)
    assert queue.cause == "data"
    assert session.queues()[queue.index].blocker.startswith("vector, which vector pc 0 occupies")
    session.machine.run(100, until=queue.reached)
    assert queue.due > session.now == queue.reached
    assert not session.queues()[queue.index].blocker
