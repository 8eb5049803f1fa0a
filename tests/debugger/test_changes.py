"""Changes by hand: values that appear between two events, and what follows from them."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from nasm.base.problems import Failure, Refused
from nasm.debugger.session import Session
from nasm.machine.records import Status

SUM = """\
.target trn2
.hbm X f32[128, 8] input = iota
.hbm Y f32[128, 8] output
.sbuf x f32[128, 8]
.sbuf y f32[128, 8]
.sbuf b bf16[4, 2]
.sbuf n i8[4, 2]
.const K = 5
.sem loaded, done
.event e
@sync   DmaCopy x, X  $loaded += 16
@vector TensorTensor y, x, x, op=add  $loaded >= 16  $done++
@sync   DmaCopy Y, y  $done >= 1  $loaded += 16
@sync   EventSemaphore $loaded >= 32
.expect Y == 2 * X
"""

HELD = """\
.target trn2
.sbuf x f32[128, 8]
.sem go
@vector Memset x, 1.0  $go >= 2
@vector Memset x, 2.0  $go >= 4
"""

COUNTS = """\
.target trn2
.sbuf x f32[128, 64]
@scalar
        RegisterMove %r0, 0
again:  RegisterAlu %r0, %r0, 1, op=add
        CompareBranch %r0, 5, op=less, target=again
end:    Nop
"""


def test_values_are_rounded_once_and_broadcast() -> None:
    session = Session(SUM)
    session.set("b", "1 / 3")
    assert (session.read("b") == ml_dtypes.bfloat16(1 / 3)).all()
    session.set("b[:, 0:1]", [[1], [2], [3], [4]])
    assert session.read("b")[:, 0].astype(float).tolist() == [1, 2, 3, 4]
    session.set("n", [300, -1.5])
    assert session.read("n").tolist() == [[127, -2]] * 4
    session.set("n[1:3]", "K + 1")
    assert session.read("n").tolist() == [[127, -2], [6, 6], [6, 6], [127, -2]]
    done = session.set("x[3, 0:4]", 1.5)
    assert str(done) == "x[3, 0:4]: 4 elements changed"
    (made,) = done.memory
    assert (made.place, made.count) == ("x[3, 0:4]", 4)
    assert session.known("x").sum() == 4


def test_an_expression_is_that_of_the_moment_also_when_it_is_done_again() -> None:
    session = Session(SUM)
    session.run()
    moment = session.moment
    session.set("x", "max(x @ x.T, axis=1).reshape(128, 1) - y")
    x, y = session.read("X").astype(float), session.read("y").astype(float)
    wanted = ((x @ x.T).max(axis=1).reshape(128, 1) - y).astype(np.float32)
    np.testing.assert_array_equal(session.read("x"), wanted)
    session.set("y", 0)
    session.past.goto(moment)
    session.run()
    np.testing.assert_array_equal(session.read("x"), wanted)
    assert not session.read("y").any()


def test_a_file_is_read_once(tmp_path: Path) -> None:
    session, path = Session(SUM), tmp_path / "x.npy"
    values = np.arange(1024, dtype=np.float32).reshape(128, 8)
    np.save(path, values)
    start = session.moment
    session.set("x", f'"{path}"')
    path.unlink()
    session.past.goto(start)
    session.step()
    np.testing.assert_array_equal(session.read("x"), values)
    bits = np.arange(8, dtype=np.uint16).reshape(4, 2)
    np.save(path, bits)
    session.set("b", f'"{path}"')  # a file without the dtype has its bits
    np.testing.assert_array_equal(session.read("b").view(np.uint16), bits)


def test_what_was_set_is_there_for_whatever_starts_and_no_hazard_is_said() -> None:
    session = Session(SUM)
    session.step("vector")
    session.set("y", 7)
    report = session.run()
    assert (session.read("Y") == 7).all()
    assert not report.hazards
    assert not report.warnings  # y was overwritten before anyone read it, but by hand
    assert report.reasons == ("1 of 1 expectation failed",)


def test_an_engine_that_is_sent_on_from_a_wait_is_not_woken_by_its_semaphore() -> None:
    session = Session(f"{HELD}@vector Memset x, 3.0\n")
    assert session.run().status is Status.DEADLOCK
    session.set_pc("vector", 2)
    session.set("$go", 5)
    assert session.run().status is Status.FINISHED
    assert (session.read("x") == 3).all()


def test_a_semaphore_wakes_who_waits_for_it_and_holds_up_who_does_not_see_it_any_more() -> None:
    session = Session(HELD)
    assert session.run().status is Status.DEADLOCK
    assert str(session.set("$go", 3)) == "$go 0 -> 3"
    assert session.status is Status.RUNNING
    assert session.run().status is Status.DEADLOCK
    assert (session.read("x") == 1).all()
    session.set("$go", 4)  # wakes, and is taken back before the queue goes on
    session.set("$go", 3)
    assert session.run().status is Status.DEADLOCK
    assert (session.read("x") == 1).all()
    session.set("$go", "2 + 2")
    report = session.run()
    assert report.status is Status.FINISHED
    assert (session.read("x") == 2).all()


def test_after_a_semaphore_was_set_races_are_not_looked_for() -> None:
    session = Session(SUM)
    session.step(count=1)
    session.set("$loaded", 16)
    report = session.run()
    assert [p.code for p in report.hazards] == ["E0501"]  # what was read too early is said


def test_an_event_is_one_bit() -> None:
    session = Session(SUM)
    session.set("$e", 1)
    assert {s.name: s.value for s in session.semaphores()}["e"] == 1
    with pytest.raises(Refused, match="one bit"):
        session.set("$e", 2)


def test_a_register_decides_how_often_a_loop_goes_round() -> None:
    session = Session(COUNTS)
    session.step(count=2)
    assert session.registers("scalar") == {0: 1}
    assert str(session.set("@scalar %r0", 3)) == "@scalar %r0 1 -> 3"
    session.run()
    assert session.registers("scalar") == {0: 5}
    assert session.queue("scalar").count < 1 + 2 * 5 + 1


def test_skip_goes_past_an_instruction_and_set_pc_to_any() -> None:
    session = Session(HELD)
    assert session.run().status is Status.DEADLOCK
    assert str(session.skip()) == "@vector pc 0 -> 1"
    session.set("$go", 4)
    assert session.run().status is Status.FINISHED
    assert (session.read("x") == 2).all()
    assert session.queue("vector").count == 1
    assert str(session.set_pc("vector", 0)) == "@vector pc 2 -> 0"
    assert session.status is Status.RUNNING
    session.run()
    assert session.queue("vector").count == 3
    session = Session(COUNTS)
    session.set_pc("@scalar", "end")
    session.run()
    assert session.queue("scalar").count == 1
    session.set_pc("scalar", "line 6")
    assert session.queue("scalar").pc == 2
    session.set_pc("scalar", "4")
    assert session.queue("scalar").done


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("nothing", 1, "nothing is called 'nothing'"),
        ("x", "nothing", "nothing is called 'nothing'"),
        ("x", "1 +", "expression"),
        ("x", "", "expression"),
        ("x[0:200]", 1, "0:200"),
        ("x", [1, 2, 3], "does not fit"),
        ("x", "hello()", "no function 'hello'"),
        ("x", "'a'", "has no meaning here"),
        ("x", '"none.npy"', "no file none.npy"),
        ("x", '"none.txt"', "not an array file"),
        ("$go", 1, "no semaphore '$go'"),
        ("$loaded", 1.5, "an integer"),
        ("$loaded", "2 ** 40", "32-bit"),
        ("$loaded", "X", "one number"),
        ("$loaded", "x[0, 0]", "uninitialised"),
        ("@vector %r99", 1, "no register %r99"),
        ("@nobody %r0", 1, "no engine 'nobody'"),
        ("K", 1, "not a tensor"),
        ("x + 1", 1, "'+' wants numbers"),
        ("x[%r0]", 1, "addressed by a register"),
        ("", 1, "where a value was wanted"),
        ("x", None, "no array"),
        ("x", "x @ x", "do not match"),
        ("x", {"a": 1}, "no array"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_changed(place: str, value: object, said: str) -> None:
    session = Session(SUM)
    session.step()
    moment = session.moment
    with pytest.raises((Failure, Refused), match=re.escape(said)):
        session.set(place, value)
    assert session.moment == moment
    assert session.run().ok


def test_each_change_has_a_text_that_does_it_again() -> None:
    session = Session(SUM)
    session.set("x[0]", "K / 2")
    session.set("$loaded", 3)
    session.set("@scalar.%r1", 2)
    session.skip("sync")
    session.set_pc("sync", 2)
    session.execute("@vector Memset x, 1.0")
    assert [str(change) for change in session.changes.made] == [
        "set x[0] = K / 2",
        "set $loaded = 3",
        "set @scalar.%r1 = 2",
        "skip sync",
        "set pc sync 2",
        "@vector Memset x, 1.0",
    ]
