"""Schedules: programs in order lead to the same whatever takes how long, others do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.runs.schedules.random import each
from nasm.sim.delays import Jitter
from tests.machine.everything import differences, everything
from tests.parts import part
from tests.schedules.programs import FIVE, HEAD, InOrder

ROOT = Path(__file__).parents[2]
SLOW = ("digits", "layernorm", "matmul_k", "matmul_tiled")
PROGRAMS = sorted(p for p in (ROOT / "programs").glob("*.nasm") if p.stem not in SLOW)


def ran(text: str | Path) -> Session:
    session = Session(text, reruns=True)
    session.run(hashes=False)
    return session


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda p: p.stem)
def test_the_programs_lead_to_the_same_under_other_timings(path: Path) -> None:
    found = nasm.schedules(ran(path), 4)
    assert (found.count, str(found.others)) == (4, "()")


@pytest.mark.parametrize("seed", part(range(30), 3))
def test_programs_in_order_lead_to_the_same_under_12_timings(seed: int) -> None:
    session = ran(InOrder(seed).text)
    assert session.status is Status.FINISHED
    assert not session.hazards
    found = nasm.schedules(session, 12, seed)
    assert str(found) == f"12 schedules lead to the same (seeds {seed} to {seed + 11})"


@pytest.mark.parametrize("name", FIVE)
def test_what_is_right_by_luck_leads_to_something_else_in_some_of_40_schedules(name: str) -> None:
    found = nasm.schedules(ran(HEAD + FIVE[name]), 40)
    assert found.values
    assert not found.endings
    assert found.values[0].run.tensors[0].name == "Y"


def test_a_seed_shows_what_it_showed() -> None:
    session = ran(HEAD + FIVE["two writers"])
    first = nasm.schedules(session, 20).others[0]
    assert nasm.schedules(session, 1, first.seed).others == (first,)
    other = ran(HEAD + FIVE["two writers"])
    assert nasm.schedules(other, 1, first.seed).others == (first,)


def test_times_are_other_times_and_the_session_stays_as_it_is() -> None:
    session = ran(ROOT / "programs" / "softmax.nasm")
    before = session.now, session.report(), session.read("Y").tobytes()
    times = {schedule.microseconds for schedule in each(session, 5, 1)}
    assert len(times) == 5
    assert (session.now, session.report(), session.read("Y").tobytes()) == before


OUTRUN = """
.target trn2
.hbm X f32[128, 64] input = iota
.sbuf x f32[128, 64]
.sem s, t
@sync   DmaCopy x, X                 $t += 16
@vector EventSemaphore $s == 1
@gpsimd Nop            $s++
@scalar EventSemaphore $t >= 16      $s++
"""


def test_a_wait_that_is_overrun_by_luck_of_time_is_a_deadlock_of_some_schedules() -> None:
    session = ran(OUTRUN)
    assert session.status is Status.FINISHED
    found = nasm.schedules(session, 60)
    assert found.endings
    first = found.endings[0]
    assert first.run.status is Status.DEADLOCK
    assert first.run.problem is not None
    assert first.run.problem.code == "E0510"
    assert f"with another end, the first with seed {first.seed}: deadlock instead of" in str(found)


COUNTS = """
.target trn2
.sem s
@vector Nop $s++
@gpsimd Nop $s = 5
"""


def test_semaphores_that_end_otherwise_are_reported() -> None:
    found = nasm.schedules(ran(COUNTS), 30)
    assert found.values
    (change,) = found.values[0].run.semaphores
    assert (change.name, {change.a, change.b}) == ("s", {5, 6})
    assert str(change) == f"$s ends at {change.b} instead of {change.a}"


def test_a_deadlock_that_is_one_whatever_takes_how_long_is_no_difference() -> None:
    session = ran(".target trn2\n.sem s\n@vector Nop $s++\n@gpsimd EventSemaphore $s >= 2\n")
    assert session.status is Status.DEADLOCK
    assert nasm.schedules(session, 10).same


def test_without_values_endings_and_semaphores_are_compared() -> None:
    session = Session(HEAD + FIVE["two writers"], values=False, reruns=True)
    session.run()
    assert nasm.schedules(session, 10).same
    session = Session(COUNTS, values=False, reruns=True)
    session.run()
    assert not nasm.schedules(session, 30).same


HALVE = """
.target trn2
.hbm X f32[128, 4] input
.hbm Y f32[128, 4] output
.sbuf x f32[128, 4]
.sem a, b
@sync DmaCopy x, X $a += 16
@sync DmaCopy Y, x $a >= 16 $b += 16
@sync EventSemaphore $b >= 16
"""


def test_what_a_caller_does_to_an_input_later_changes_nothing() -> None:
    given = np.ones((128, 4), np.float32)
    session = Session(HALVE, {"X": given}, reruns=True)
    session.run()
    given[...] = 7
    assert nasm.schedules(session, 2).same


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "p.nasm").write_text(HALVE.replace("input", 'input = "x.npy"'), encoding="utf-8")
    np.save(tmp_path / "x.npy", np.ones((128, 4), np.float32))
    session = ran(tmp_path / "p.nasm")
    (tmp_path / "x.npy").unlink()
    assert nasm.schedules(session, 2).same


def refusal(session: Session) -> str:
    with pytest.raises(Failure) as caught:
        nasm.schedules(session, 1)
    (problem,) = caught.value.problems
    return f"{problem.code} {problem.message}"


def test_a_session_that_keeps_no_inputs_or_has_no_end_cannot_be_run_again() -> None:
    session = Session(COUNTS)
    session.run()
    assert refusal(session) == "E0835 the session keeps no inputs to run again"
    session = Session(COUNTS, reruns=True)
    assert refusal(session).startswith("E0836 there is no end of a run to compare others with")
    session.step()
    assert refusal(session).endswith(": running")


@pytest.mark.parametrize("name", ["ring", "softmax", "embedding_gather"])
def test_a_delayed_machine_goes_back_in_the_middle_of_its_run(name: str) -> None:
    machine = ran(ROOT / "programs" / f"{name}.nasm").delayed(Jitter(3, 10_000))
    start = machine.save()
    machine.run(1_000_000)  # so that everything is bound
    machine.restore(start)
    machine.run(20)
    saved, then = machine.save(), everything(machine)
    machine.run(1_000_000)
    ended = machine.summary.digest()
    machine.restore(saved)
    assert differences(then, everything(machine)) == []
    machine.run(1_000_000)
    assert machine.summary.digest() == ended
