"""What queues of a core share beside memories: units, locks, a belt, a plate, a numbered memory.

A cycle of alpha is 3 ticks, one of beta 5. Lock, Drop, Push, Heat and Touch take a cycle; of
Unlock, Take, Peek and Poke the result is there after two. Grind keeps the mill for its cycles and
completes one cycle later; Press keeps its engine for as long.
"""

from __future__ import annotations

import pytest

from nasm.analysis.deadlock.report import deadlock
from nasm.analysis.hazards.hazards import Hazards
from nasm.analysis.profile.path import critical_path
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine import Machine, tensor_io
from nasm.show import json_profile
from nasm.show.profile import screen
from nasm.sim.history import History
from nasm.sim.recording import Recording
from nasm.sim.replay import Replay
from nasm.views.view import View
from tests.toy.rack import Rack
from tests.toy.target import TARGETS


def made(text: str, **more: bool) -> Machine:
    program = assemble(Source("toy.nasm", f".target toy\n{text}\n"), TARGETS)
    machine = Machine(program, trace=True, **more)
    if machine.values:
        tensor_io.load(program, machine.addresses, {})
    return machine


def ran(text: str, **more: bool) -> Machine:
    machine = made(text, **more)
    machine.run(100_000)
    assert not machine.scheduler.blocked()
    return machine


def starts(machine: Machine) -> list[tuple[int, int, int, int]]:
    """Queue, pc, start and finish of every instruction."""
    assert machine.trace is not None
    return sorted((q, pc, start, end) for _, q, pc, _, start, end in machine.trace.instructions)


def rack(machine: Machine, core: int = 0) -> Rack:
    held = machine.holds[core]
    assert isinstance(held, Rack)
    return held


def session(text: str) -> Session:
    return Session.load(Source("toy.nasm", f".target toy\n{text}\n"), targets=TARGETS)


def stuck(text: str) -> Problem:
    machine = made(text)
    machine.run(100_000)
    (problem,) = deadlock(machine)
    return problem


# -- units


def test_two_queues_take_turns_at_a_unit_of_their_core() -> None:
    done = ran("@alpha Grind 4\n@alpha Wait\n@beta Grind 2\n@beta Grind 1")
    # The mill: alpha 0 to 12, beta 12 to 22 and 22 to 27. Alpha's own datapath is free at once.
    assert starts(done) == [(0, 0, 0, 15), (0, 1, 1, 15), (1, 0, 12, 27), (1, 1, 22, 32)]
    beta = done.scheduler.queues[1]
    assert beta.waiting == {("unit", None): 12}


def test_who_has_waited_longest_has_the_unit_first_however_the_run_is_begun() -> None:
    # The mill is busy until 12; alpha asks for it again at 1, and beta for the first time at 5.
    text = "@alpha Grind 4\n@alpha Grind 2\n@beta Wait\n@beta Grind 1"
    prepared, bare = made(text), made(text)
    prepared.prepare()
    for machine in (prepared, bare):
        machine.run(100_000)
    assert starts(bare) == starts(prepared)
    assert [start for queue, pc, start, _ in starts(bare) if pc] == [12, 18]


def test_each_core_has_units_of_its_own() -> None:
    done = ran("@alpha Grind 4\n.core 1\n@alpha Grind 4")
    assert starts(done) == [(0, 0, 0, 15), (2, 0, 0, 15)]


def test_a_queue_starts_nothing_for_the_ticks_of_an_issue() -> None:
    done = ran("@alpha Press 4\n@alpha Wait\n@beta Wait")
    assert starts(done) == [(0, 0, 0, 12), (0, 1, 12, 15), (1, 0, 0, 5)]


def strips(text: str, cells: int) -> dict[str, tuple[float, ...]]:
    """What units did in each cell of a run."""
    source = Source("toy.nasm", f".target toy\n{text}\n")
    done = Session.load(source, targets=TARGETS, profile=True)
    done.run()
    return {s.name: s.levels for s in done.timeline(cells).strips if s.unit}


def test_a_timeline_shows_how_much_of_the_time_a_shared_unit_is_at_work() -> None:
    # The mill: alpha 0 to 12, beta 12 to 22 and 22 to 27; beta completes at 32.
    assert strips("@alpha Grind 4\n@beta Grind 2\n@beta Grind 1", 4) == {"mill": (1, 1, 1, 3 / 8)}
    # Core 0 from 0 to 12; core 1 from 4, a tick behind the second Wait, to 7; all is over at 15.
    text = "@alpha Grind 4\n.core 1\n@alpha Wait\n@alpha Wait\n@alpha Grind 1"
    assert strips(text, 5) == {
        "0.mill": (1, 1, 1, 1, 0),
        "1.mill": (0, pytest.approx(2 / 3), pytest.approx(1 / 3), 0, 0),
    }
    assert strips("@alpha Wait", 1) == {}


# -- conditions


def test_a_lock_that_is_given_back_at_completion_is_taken_at_that_tick() -> None:
    done = ran("@alpha Lock 0\n@alpha Unlock 0\n@beta Lock 0")
    # Taken at 0, alpha's Unlock runs from 3 to 9; commits come before starts.
    assert starts(done) == [(0, 0, 0, 3), (0, 1, 3, 9), (1, 0, 9, 14)]
    assert done.scheduler.queues[1].waiting == {("lock", None): 9}
    assert rack(done).locks[0] == 1


def test_a_lock_that_is_given_back_by_a_start_is_taken_a_tick_later() -> None:
    done = ran("@alpha Wait\n@alpha Lock 0\n@beta Lock 0\n@beta Drop 0")
    # Beta has it from 0, as alpha waits first; alpha asks at 3, beta's Drop starts at 5.
    assert starts(done) == [(0, 0, 0, 3), (0, 1, 6, 9), (1, 0, 0, 5), (1, 1, 5, 10)]
    assert done.scheduler.queues[0].waiting == {("lock", None): 3}


def test_the_first_of_two_queues_that_ask_at_one_tick_has_the_lock() -> None:
    # Beta asks at 0 and is asked again at 3, when alpha's Lock completes: behind alpha's Drop.
    done = ran("@beta Lock 1\n@alpha Lock 1\n@alpha Drop 1")
    assert starts(done) == [(0, 0, 0, 3), (0, 1, 3, 6), (1, 0, 3, 8)]


def test_a_condition_that_says_when_to_ask_again_is_asked_then() -> None:
    done = ran("@alpha Heat 20\n@beta Wait\n@beta Touch")
    assert starts(done) == [(0, 0, 0, 3), (1, 0, 0, 5), (1, 1, 20, 25)]
    assert done.scheduler.queues[1].waiting == {("heat", None): 15}


def test_a_condition_may_change_while_it_is_waited_for() -> None:
    done = ran("@alpha Heat 4\n@alpha Heat 40\n@beta Touch")
    # Hot until 4, then from 3 on until 43.
    assert starts(done) == [(0, 0, 0, 3), (0, 1, 3, 6), (1, 0, 43, 48)]


def test_who_waits_for_a_condition_is_in_no_line_for_a_unit() -> None:
    done = ran("@alpha Lock 0\n@alpha Grind 8\n@alpha Drop 0\n@beta Lock 0\n@beta Grind 1")
    assert starts(done) == [
        (0, 0, 0, 3),
        (0, 1, 1, 28),  # the mill is another unit than alpha's own
        (0, 2, 3, 28),
        (1, 0, 3, 8),
        (1, 1, 25, 35),
    ]


def test_conditions_of_another_core_are_not_asked_because_of_this_one() -> None:
    done = ran("@alpha Lock 0\n.core 1\n@alpha Lock 0\n@beta Heat 9\n@beta Touch")
    assert starts(done)[-1] == (3, 1, 9, 14)
    assert rack(done, 0).locks[0] == rack(done, 1).locks[0] == 0


# -- FIFOs


def test_a_full_belt_holds_up_who_pushes_and_an_empty_one_who_takes() -> None:
    done = ran(
        "@alpha\n" + "Push 1\nPush 2\nPush 3\nPush 4\n@beta\nTake %r0\nTake %r1\nWait\nTake %r2"
    )
    # alpha pushes at 0, 3, 6; beta takes at 0 (alpha is asked first), 5, 15.
    assert starts(done) == [
        (0, 0, 0, 3),
        (0, 1, 3, 6),
        (0, 2, 6, 9),
        (0, 3, 9, 12),
        (1, 0, 0, 10),
        (1, 1, 5, 15),
        (1, 2, 10, 15),
        (1, 3, 15, 25),
    ]
    assert done.state.registers[1].values[:3] == [1, 2, 3]
    assert [*rack(done).belt] == [4]


def test_back_pressure_is_a_cause_of_its_own() -> None:
    done = ran("@alpha\nPush 1\nPush 2\nPush 3\n@beta\nWait\nWait\nWait\nTake %r0\nTake %r1")
    assert starts(done)[2] == (0, 2, 16, 19)  # the first is taken at 15
    assert done.scheduler.queues[0].waiting == {("fifo", None): 10}
    assert done.scheduler.queues[1].waiting == {}


def test_a_queue_waits_for_what_it_expands_to_until_another_gives_it() -> None:
    # Set of beta ends at 10, and Push starts then: alpha is asked again a tick later.
    machine = ran("@beta\nSet %r0, 1\nPush 2\n@alpha\nUnfold\nSet %r1, 7")
    push = next(start for q, pc, start, _ in starts(machine) if (q, str(pc)) == (1, "1"))
    mine = [(str(pc), start) for q, pc, start, _ in starts(machine) if q == 0]
    assert mine == [("0.0", push + 1), ("0.1", push + 4), ("1", push + 7)]
    (alpha,) = [q for q in machine.scheduler.queues if q.engine == "alpha"]
    assert alpha.times(machine.scheduler.now)[1]["fifo", None] == push + 1


def test_what_never_comes_is_a_deadlock_that_says_what_is_waited_for() -> None:
    machine = made("@beta Set %r0, 1\n@alpha Unfold")
    machine.run(100_000)
    assert machine.scheduler.blocked()
    (found,) = deadlock(machine)
    assert "the belt is empty" in " ".join([found.message, *(n.message for n in found.notes)])


def test_a_queue_continues_where_another_says() -> None:
    machine = ran("@beta\nPush 102\nPush 1\n@alpha\nUnfold\nTouch\nUnfold\nSet %r1, 7")
    assert [str(pc) for q, pc, _, _ in starts(machine) if q == 0] == ["2.0", "3"]


@pytest.mark.parametrize(
    "text", ["@beta\nSet %r0, 1\nPush 2\nPush 1\n@alpha\nUnfold\nUnfold\nTouch"]
)
def test_waiting_for_what_comes_is_the_same_stepped_and_gone_back(text: str) -> None:
    whole = session(text).run().trace_hash
    held = session(text)
    for _ in range(6):
        held.step(count=2)
        held.back(1)
    assert held.run().trace_hash == whole


def test_entries_leave_a_belt_in_the_order_in_which_they_came() -> None:
    done = ran("@alpha\nPush 5\nPush 6\n@beta\nWait\nTake %r0\nTake %r1")
    assert done.state.registers[1].values[:2] == [5, 6]


# -- a memory whose bytes have numbers


def test_bytes_are_written_at_completion_and_tensors_are_parts_of_the_memory() -> None:
    done = ran(
        ".drum d i32[1] @ 0:16 input = [0x04030201]\n.drum e i32[1] @ 0:32 output\n@alpha\n"
        "Poke 32, 9\nPeek %r0, 18\nWait\nPeek %r1, 32\nPoke 33, 7\nPoke 34, 0\nPoke 35, 0\n"
    )
    assert done.state.registers[0].values[:2] == [3, 9]
    view = View.whole(done.program.tensors["e"])
    assert tensor_io.contents(done.addresses, view).tolist() == [9 + 7 * 256]
    assert not Hazards(done).run_errors


def test_a_byte_that_nothing_wrote_is_a_hazard() -> None:
    (problem,) = Hazards(ran("@alpha Peek %r0, 3")).run_errors
    assert problem.code == "E0501"
    said = "alpha pc 0 (Peek) reads 1 bytes of drum at 0x3, which are uninitialised"
    assert problem.message == said


@pytest.mark.parametrize("line", ["Peek %r0, 256", "Poke 256, 1", "Peek %r0, -1"])
def test_an_address_outside_the_memory_is_refused(line: str) -> None:
    machine = made(f"@alpha {line}")
    with pytest.raises(Failure) as caught:
        machine.run(100)
    assert [p.code for p in caught.value.problems] == ["E0521"]


# -- deadlocks


def test_a_deadlock_says_who_holds_the_lock() -> None:
    problem = stuck("@alpha Lock 2\n@beta Wait\n@beta Lock 2")
    assert problem.code == "E0510"
    assert "@beta is blocked forever" in problem.message
    (note,) = problem.notes
    assert note.message == (
        "beta pc 1 waits: lock 2 is held by alpha, which no queue that is left can end"
    )


def test_queues_that_hold_each_other_up_are_one_trouble() -> None:
    problem = stuck("@alpha\nLock 0\nLock 1\n@beta\nLock 1\nLock 0")
    assert "@alpha and @beta are blocked forever" in problem.message
    assert [note.message for note in problem.notes] == [
        "alpha pc 1 waits: lock 1 is held by beta; beta pc 1 is blocked itself",
        "beta pc 1 waits: lock 0 is held by alpha; alpha pc 1 is blocked itself",
    ]


def test_a_condition_that_anybody_may_end_waits_for_all_the_others() -> None:
    problem = stuck(".sem s\n@alpha Take %r0 $s++\n@beta Wait $s >= 1")
    assert "@alpha and @beta are blocked forever" in problem.message
    assert problem.notes[0].message == "alpha pc 0 waits: the belt is empty"


def test_the_session_says_what_a_queue_waits_for() -> None:
    held = session("@alpha Lock 0\n@beta Wait\n@beta Lock 0")
    held.run()
    assert held.report().problems[0].code == "E0510"
    beta = held.queues()[1]
    assert (beta.state, beta.wait) == ("waiting", "lock 0 is held by alpha")
    (why,) = [e.why for e in held.context().engines if e.engine == "beta"]
    assert why == "waits: lock 0 is held by alpha"
    assert "No engine that is left can end that." in str(held.blocked("beta"))


# -- time, again and again

BUSY = (
    "@alpha\nLock 0\nGrind 3\nPush 1\nUnlock 0\nPush 2\nPush 3\nHeat 30\nPoke 4, 1\nLock 1\n"
    "@beta\nLock 1\nTake %r0\nLock 0\nGrind 2\nDrop 0\nTouch\nTake %r1\nUnlock 1\n"
)


def marks(of: Session) -> tuple[object, ...]:
    report = of.report()
    return report.ticks, report.trace_hash, report.memory_hash


def test_a_run_is_the_same_stepped_and_gone_back_at_every_event() -> None:
    whole, stepped = session(BUSY), session(BUSY)
    whole.run()
    machine = stepped.machine
    while not machine.scheduler.idle:
        saved = machine.save()
        before = rack(machine).save(), machine.scheduler.gates.save()
        machine.run(5)
        machine.restore(saved)
        assert before == (rack(machine).save(), machine.scheduler.gates.save())
        machine.run(1)
    assert marks(stepped) == marks(whole)


def test_a_run_without_values_has_the_same_times() -> None:
    text = BUSY.replace("Poke 4, 1\n", "")
    with_values, without = ran(text), ran(text, values=False)
    assert starts(with_values) == starts(without)
    assert [*rack(without).belt] == [*rack(with_values).belt]


def test_a_run_without_values_refuses_what_depends_on_bytes() -> None:
    machine = made("@alpha Peek %r0, 3", values=False)
    with pytest.raises(Failure) as caught:
        machine.run(100)
    assert [p.code for p in caught.value.problems] == ["E0518"]


def test_the_path_of_a_run_goes_through_conditions_by_name() -> None:
    machine = made("@alpha\nLock 0\nWait\nUnlock 0\n@beta\nLock 0\nWait")
    history = History()
    machine.scheduler.observe(history)
    machine.run(1000)
    steps = critical_path(history)
    assert [(s.queue, s.pc, s.edge, s.begin, s.end) for s in steps] == [
        (0, 0, "", 0, 3),
        (0, 1, "unit", 3, 6),
        (0, 2, "unit", 6, 12),
        (1, 0, "lock", 12, 17),
        (1, 1, "unit", 17, 22),
    ]


def path(text: str) -> list[tuple[int, int, str, int, int]]:
    """Queue, pc and edge of each step, with where it begins and ends."""
    machine, history = made(text), History()
    machine.scheduler.observe(history)
    machine.run(1000)
    return [(s.queue, s.pc, s.edge, s.begin, s.end) for s in critical_path(history)]


def test_the_path_goes_to_the_start_that_changed_what_was_waited_for() -> None:
    # At 6 alpha's Wait completes, which lets beta ask again; what ends its wait is the Drop of 6.
    assert path("@alpha\nLock 0\nWait\nDrop 0\n@beta\nLock 0") == [
        (0, 0, "", 0, 3),
        (0, 1, "unit", 3, 6),
        (0, 2, "unit", 6, 6),
        (1, 0, "lock", 6, 11),
    ]
    # Unlock ends at 12, when Drop starts: that changes another lock than the one beta waits for.
    assert path("@alpha\nLock 0\nLock 1\nUnlock 0\nWait\nDrop 1\n@beta\nLock 0") == [
        (0, 0, "", 0, 3),
        (0, 1, "unit", 3, 6),
        (0, 2, "unit", 6, 12),
        (1, 0, "lock", 12, 17),
    ]


def test_the_path_goes_to_the_start_that_set_how_long_is_waited() -> None:
    # Heat takes 0 to 3, and the plate is hot until 20; beta's Wait is over at 5.
    assert path("@alpha Heat 20\n@beta Wait\n@beta Touch") == [
        (0, 0, "", 0, 3),
        (1, 1, "heat", 3, 25),
    ]


def test_what_bound_a_run_may_be_a_wait_for_a_condition() -> None:
    text = ".target toy\n@alpha Heat 20\n@beta Wait\n@beta Touch\n"
    held = Session.load(Source("toy.nasm", text), targets=TARGETS, profile=True)
    held.run()
    # Of 25 ticks Heat has 3 and Touch 5.
    assert held.profile().verdict == "bound by Beta waiting for heat: 68 % of the critical path"


def test_the_path_goes_from_who_takes_to_who_pushed() -> None:
    # Alpha's Push starts at 6; beta asks at 6, too, behind it.
    assert path("@alpha\nWait\nWait\nPush 7\n@beta\nTake %r0") == [
        (0, 0, "", 0, 3),
        (0, 1, "unit", 3, 6),
        (0, 2, "unit", 6, 6),
        (1, 0, "fifo", 6, 16),
    ]


def test_what_would_be_in_any_order_is_not_said_of_queues_that_wait_for_conditions() -> None:
    machine = made("@alpha\nLock 0\nUnlock 0\n@beta\nLock 0\nWait")
    history, recording = History(), Recording()
    machine.scheduler.observe(history, recording)
    machine.run(1000)
    with pytest.raises(Refused, match="wait for what their core holds"):
        Replay(history, recording, machine.scheduler)


def test_a_profile_says_how_busy_shared_units_were() -> None:
    text = ".target toy\n@alpha Grind 4\n@beta Grind 2\n@beta Wait\n"
    held = Session.load(Source("toy.nasm", text), targets=TARGETS, profile=True)
    held.run()
    (mill,) = held.profile().units
    assert (mill.unit, mill.instructions, mill.busy) == ("mill", 2, 4 * 3 + 2 * 5)
    lines = [str(part) for part in screen(held.profile())]
    assert "shared units, busy: mill 81.5%" in lines  # 22 of 27 ticks
    document = json_profile.profile(held.profile())
    assert document["units"] == [{"core": 0, "unit": "mill", "instructions": 2, "busy": 22}]
