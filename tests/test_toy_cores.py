"""Two cores of a target nasm has never heard of: what is each one's own, and how they meet.

Ticks are those of tests/test_toy.py: a cycle of alpha is 3, one of beta 5. Meet takes one cycle
and is complete after two; Swap of n elements per partition is busy for n cycles and done after
n + 3. A waiter starts 6 ticks after a post, 4 after a landed move; a move starts 20 ticks after
its issue, and its halves take a tick per byte, and 10 to arrive.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.analysis.hazards.hazards import Hazards
from nasm.base.problems import Problem, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine import Machine, tensor_io
from nasm.machine.records import Status
from nasm.views.view import View
from tests.shares import shares
from tests.tables import each
from tests.test_toy import HEAD, IOTA, codes, program, ran, whole
from tests.toy.target import TARGETS


def session(text: str) -> Session:
    return Session.load(Source("toy.nasm", f".target toy\n{text}\n"), targets=TARGETS)


def deadlocked(text: str) -> Problem:
    report = session(text).run()
    assert report.status is Status.DEADLOCK
    (problem,) = report.problems
    return problem


def fault(text: str) -> Problem:
    report = session(text).run()
    assert report.status is Status.FAULT
    (problem,) = report.problems
    return problem


def instructions(of: Machine) -> list[tuple[int, ...]]:
    """Core, queue, pc, head, start and finish, by core and in order."""
    return sorted(of.trace.instructions)


# -- what is each core's own

EACH = f"""{HEAD}
.ram   Z  f32[4, 2]  output
.sem   in0, out0
@alpha  Move   x, X                         $in0 += 2
@alpha  Scale  y, x, factor=2  $in0 >= 2    $out0++
@beta   Move   Y, y            $out0 >= 1
.core 1
.bank  u  f32[4, 2]
.bank  v  f32[4, 2]
.sem   in1, out1
@alpha  Move   u, X                         $in1 += 2
@alpha  Scale  v, u, factor=3  $in1 >= 2    $out1++
@beta   Move   Z, v            $out1 >= 1
"""


def test_two_cores_use_the_same_places_without_meeting() -> None:
    done = ran(EACH)
    tensors = done.program.tensors
    # The first two of each core stand at the same bytes of banks of their own.
    assert [tensors[n].offset for n in ("x", "y", "u", "v")] == [0, 8, 0, 8]
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "Y")), 2 * IOTA)
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "Z")), 3 * IOTA)
    assert Hazards(done).run_errors == []


def test_two_cores_run_in_the_same_ticks_on_channels_and_semaphores_of_their_own() -> None:
    trace = ran(EACH).trace
    for kind in (trace.instructions, trace.jobs, trace.posts):
        first = [r[1:] for r in kind if r[0] == 0]
        assert len(first) == len(kind) / 2
        # Queues are numbered through: two to a core.
        second = [r[1:] for r in kind if r[0] == 1]
        if kind is trace.instructions:
            second = [(queue - 2, *rest) for queue, *rest in second]
        if kind is trace.jobs:
            second = [(c, ring, queue - 2, *rest) for c, ring, queue, *rest in second]
        assert second == first


def test_a_core_alone_runs_as_it_does_beside_another() -> None:
    alone = ran(EACH.partition(".core 1")[0]).trace
    beside = ran(EACH).trace
    assert [r for r in beside.instructions if r[0] == 0] == alone.instructions


def test_registers_are_each_engines_of_each_core() -> None:
    done = session("@alpha\nWhich %r0\n.core 1\nWhich %r0\nSet %r1, 7")
    done.run()
    assert done.registers("alpha") == done.registers("0.alpha") == {0: 0}
    assert done.registers("1.alpha") == {0: 1, 1: 7}
    assert done.registers("1.beta") == {}


def test_the_core_is_chosen_for_what_follows_also_in_a_loop() -> None:
    made = program(
        ".target toy\n.for c in 0..2\n.core 1 - c\n.bank t{c} f32[4, 2]\n@beta Wait\n.end\n"
        "@alpha Wait\n.core 1\nhere: @alpha Wait\n@alpha\n.core 0\nhere: Wait\n"
    )
    assert [(q.core, q.engine, len(q), q.labels) for q in made.queues] == [
        (0, "alpha", 2, {"here": 1}),
        (0, "beta", 1, {}),
        (1, "alpha", 1, {"here": 0}),
        (1, "beta", 1, {}),
    ]
    assert {n: t.core for n, t in made.tensors.items()} == {"t0": 1, "t1": 0}


@each(
    ("text", "code"),
    [
        (".core 2", "E0318"),
        (".core -1", "E0318"),
        (".core 0.5", "E0210"),
        (".core 1\n.bank p f32[4, 2]\n@alpha Add p, p, x", "E0319"),
        (".core 1\n.bank x f32[4, 2]", "E0202"),
        (".core 1\n.bank p f32[4, 2]\n.core 0\n@beta Move X, p", "E0319"),
        (".core 1\n.sem s\n.core 0\n@beta Wait $s >= 1", "E0320"),
        (".core 1\n.event e\n.core 0\n@beta Wait $e == 1", "E0320"),
        (".event e\n@beta Wait $e++", "E0321"),
        (".event e\n@beta Wait $e = 2", "E0321"),
        (".event e\n@beta Wait $e += 1", "E0321"),
        (".event e\n@beta Wait $e >= 0", "E0321"),
        (".event e\n@beta Wait $e == 2", "E0321"),
        (".event e\n@beta Move x, X  $e = 1", "E0321"),
        (".event e\n@beta Move x, X  $e += 2", "E0321"),
        (".event e = 2", "E0312"),
        (".event e, f, g", "E0312"),
        (".event e = 1, f, g", "E0312"),
        (".event e = 1, f = 1", "E0312"),
        (".event x", "E0202"),
        (".sem a\n.event a", "E0202"),
        (".event e, f\n.core 1\n.event g, h, i", "E0312"),
        ("@alpha Loop %r0, target=there\n.core 1\nthere: @alpha Wait", "E0207"),
    ],
)
def test_what_a_core_lacks_is_refused(text: str, code: str) -> None:
    assert codes(f"{HEAD}{text}\n") == [code]


def test_semaphores_and_events_are_numbered_core_by_core() -> None:
    made = program(
        ".target toy\n.sem a, b = 7\n.event e\n.core 1\n.sem c, d = 1\n.event f = 1, g\n.sem h\n"
    )
    # Eight semaphores and two events to a core.
    assert made.semaphores == {"a": 0, "b": 7, "c": 10, "d": 11, "h": 12}
    assert made.events == {"e": 8, "f": 19, "g": 18}
    told = [
        (s.core, s.number, s.name, s.event)
        for s in session(".sem a\n.event e\n.core 1\n.sem c\n.event f = 1").semaphores()
    ]
    assert told == [(0, 0, "a", False), (0, 0, "e", True), (1, 0, "c", False), (1, 1, "f", True)]


# -- across cores


def test_a_core_updates_the_semaphores_of_the_other_and_it_waits() -> None:
    done = ran(
        ".target toy\n.sem back\n.core 1\n.sem there\n@beta Wait $there >= 2  $back++\n.core 0\n"
        "@alpha Wait $there += 2\n@alpha Wait $back >= 1\n"
    )
    # Posted at 3, seen 6 later; complete after a cycle of beta; seen 6 later again.
    assert instructions(done) == [(0, 0, 0, 0, 0, 3), (0, 0, 1, 3, 20, 23), (1, 3, 0, 0, 9, 14)]
    # core, semaphore, tick, value
    assert done.trace.posts == [(1, 0, 3, 2), (0, 0, 14, 1)]


def test_a_move_may_post_to_the_other_core() -> None:
    done = ran(
        f"{HEAD}.core 1\n.sem there\n@alpha Wait $there >= 2\n"
        ".core 0\n@alpha Move x, X $there += 2\n"
    )
    assert done.trace.posts == [(1, 0, 46, 2)]
    assert instructions(done)[-1] == (1, 2, 0, 0, 50, 53)


def test_a_race_of_two_cores_for_shared_memory_names_both() -> None:
    done = session(
        ".ram X f32[4, 2] input = iota\n.ram Y f32[4, 2]\n.bank x f32[4, 2]\n"
        ".sem s\n@alpha Move x, X $s += 2\n@alpha Move Y, x  $s >= 2\n"
        ".core 1\n.bank p f32[4, 2]\n.sem t\n@beta Move p, Y $t += 2\n@beta Wait $t >= 2\n"
    )
    done.run()
    (race,) = done.hazards
    assert (race.code, {a["engine"] for a in race.facts["accesses"]}) == (
        "E0502",
        {"0.alpha", "1.beta"},
    )


# -- barriers


def test_a_barrier_lets_both_go_on_when_the_later_one_has_come() -> None:
    done = ran(
        ".target toy\n.sem s\n@alpha Meet 1  $s++\n@alpha Wait\n@beta Wait $s >= 1\n"
        ".core 1\n@beta Wait\n@beta Wait\n@beta Meet 1\n@beta Wait\n"
    )
    # core, queue, pc, head, start, finish. Core 1 comes at 10; each is complete two cycles later.
    assert instructions(done) == [
        (0, 0, 0, 0, 0, 16),
        (0, 0, 1, 13, 13, 16),
        (0, 1, 0, 0, 22, 27),
        (1, 3, 0, 0, 0, 5),
        (1, 3, 1, 5, 5, 10),
        (1, 3, 2, 10, 10, 20),
        (1, 3, 3, 15, 15, 20),
    ]
    alpha = done.scheduler.queues[0]
    assert alpha.waiting == {("core", None): 10}
    for queue in done.scheduler.queues:
        assert queue.busy + sum(queue.waiting.values()) == queue.busy_until


def test_meetings_of_other_names_do_not_disturb_each_other() -> None:
    done = ran(
        ".target toy\n@alpha Meet 1\n@alpha Meet 1\n@beta Meet 2\n"
        ".core 1\n@beta Meet 1\n@beta Meet 1\n@alpha Meet 2\n"
    )
    assert done.rendezvous.held == {}
    assert [r[:3] for r in instructions(done)] == [
        (0, 0, 0),
        (0, 0, 1),
        (0, 1, 0),
        (1, 2, 0),
        (1, 3, 0),
        (1, 3, 1),
    ]


def test_a_core_that_never_comes_is_a_deadlock_that_names_both() -> None:
    problem = deadlocked("@alpha Meet 1\n.core 1\n@beta Wait\n")
    assert problem.code == "E0510"
    assert "@0.alpha is blocked" in problem.message
    (note,) = problem.notes
    assert note.message == (
        "0.alpha pc 0 waits at Meet for core 1 to reach one with name 1; no Meet is left there"
    )
    assert problem.hint == "every core has to execute Meet as often as the others"


def test_a_core_blocked_elsewhere_is_named_with_what_it_waits_for() -> None:
    there = ".core 1\n.sem s\n@beta Wait $s >= 1\n@beta Meet 1\n"
    problem = deadlocked(f"{there}.core 0\n@alpha Meet 1")
    assert "@1.beta is blocked forever; @0.alpha is blocked by it" in problem.message
    first, second = problem.notes
    assert first.message.startswith("1.beta pc 0 waits for $s >= 1; it is 0, short by 1")
    assert "the next Meet there is 1.beta pc 1 (Meet 1), which is blocked itself" in second.message
    assert "$s" in problem.hint


def test_two_that_do_not_meet_are_reported_what_they_meet_by() -> None:
    problem = deadlocked("@alpha Meet 1\n.core 1\n@alpha Meet 2")
    assert problem.hint == (
        "both cores wait at Meet, each for another: they match only with the same name"
    )


def test_a_queue_that_is_held_says_for_whom() -> None:
    made = session("@alpha Meet 1\n.core 1\n@beta Wait")
    made.advance(2)
    record = made.queues()[0]
    assert (record.state, record.wait, record.text) == ("waiting", "core 1", "Meet 1")


def test_one_core_has_one_instruction_in_a_meeting() -> None:
    problem = fault("@alpha Meet 1\n@beta Meet 1\n.core 1\n@alpha Wait")
    assert problem.code == "E0512"
    assert "Meet of 0.beta pc 0 and 0.alpha pc 0 are on one core" in problem.message


# -- exchanges

SWAP = f"""{HEAD}
.ram  P  f32[4, 2]  input = [[10, 11], [12, 13], [14, 15], [16, 17]]
.sem  in0, done0
@alpha  Move  x, X                $in0 += 2
@alpha  Swap  y, x   $in0 >= 2    $done0++
@beta   Add   z, y, y  $done0 >= 1
.core 1
.bank p f32[4, 2]
.bank q f32[4, 2]
.sem  in1
@beta   Move  p, P                $in1 += 2
@beta   Wait
@beta   Swap  q, p   $in1 >= 2
.expect z == 2 * P
.expect q == X
"""


def test_an_exchange_by_channels_is_complete_when_both_tiles_have_landed() -> None:
    done = ran(SWAP)
    assert Hazards(done).run_errors == []
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "y")), IOTA + 10)
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "q")), IOTA)
    # Both have come at 50; shares start 20 later, land after 16 bytes and 10 more; both go on 4
    # ticks after that, and are done after 5 cycles of their own.
    swaps = [r for r in instructions(done) if r[:3] in ((0, 0, 1), (1, 3, 2))]
    assert [(r[0], r[4], r[5]) for r in swaps] == [(0, 50, 115), (1, 50, 125)]
    found = [(s.core, s.channel, s.start, s.landed) for s in shares(done.trace) if s.start > 50]
    assert found == [(0, 0, 70, 96), (0, 1, 70, 96), (1, 0, 70, 96), (1, 1, 70, 96)]
    assert done.scheduler.queues[0].waiting["core", None] == 50


def test_an_exchange_waits_for_the_slower_of_its_two_ways() -> None:
    done = ran(
        f"{HEAD}.sem s\n@alpha\nMove x, X $s += 2\nWait $s >= 2\nSwap y, x\n"
        ".core 1\n.bank p f32[4, 2]\n.bank q f32[4, 2]\n.bank r f32[4, 2]\n.sem t\n@alpha\n"
        "Move p, X $t += 2\nWait $t >= 2\nMove r, X\nMove r, X\nMove r, X\nSwap q, p\n"
    )
    # Core 1's channels have three moves before them, each busy for 16 ticks: the first arrives 20
    # after its issue at 53. The last thing to land is what core 1 sends, 26 ticks after its turn.
    landed = 53 + 20 + 3 * 16 + 26
    assert shares(done.trace)[-1].landed == landed
    swaps = [r for r in instructions(done) if r[5] > landed]
    assert [(r[0], r[5]) for r in swaps] == [(0, landed + 4 + 15), (1, landed + 4 + 15)]


def test_an_exchange_by_the_engines_takes_their_latency_alone() -> None:
    done = ran(
        SWAP.replace("Swap  y, x", "Swap  y, x, direct=true").replace(
            "Swap  q, p", "Swap  q, p, direct=true"
        )
    )
    np.testing.assert_array_equal(
        tensor_io.contents(done.addresses, whole(done, "z")), 2 * (IOTA + 10)
    )
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "q")), IOTA)
    swaps = [r for r in instructions(done) if r[:3] in ((0, 0, 1), (1, 3, 2))]
    assert [(r[0], r[4], r[5]) for r in swaps] == [(0, 50, 65), (1, 50, 75)]
    assert len(shares(done.trace)) == 4


@pytest.mark.parametrize("direct", ["", ", direct=true"])
def test_a_tile_may_be_exchanged_in_place_again_and_again(direct: str) -> None:
    loop = "Set %r0, 3\nagain: Swap {0}, {0}" + direct + "\nCount %r0\nLoop %r0, target=again\n"
    text = (
        f"{HEAD}.sem s\n@alpha\nMove x, X $s += 2\nWait $s >= 2\n{loop.format('x')}"
        f".core 1\n.bank p f32[4, 2]\n.sem t\nMove p, Y $t += 2\nWait $t >= 2\n{loop.format('p')}"
    ).replace("Y  f32[4, 2]  output", "Y  f32[4, 2]  input = zeros")
    done = ran(text)
    assert (tensor_io.contents(done.addresses, whole(done, "x")) == 0).all()
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "p")), IOTA)


@pytest.mark.parametrize("direct", ["", ", direct=true"])
def test_sending_what_nothing_wrote_is_a_hazard_of_the_sender(direct: str) -> None:
    done = ran(
        f"{HEAD}.sem s\n@alpha Move x, X $s += 2\n@alpha Swap y, x{direct} $s >= 2\n"
        f".core 1\n.bank p f32[4, 2]\n.bank q f32[4, 2]\n@alpha Swap p, q{direct}\n"
    )
    (problem,) = Hazards(done).run_errors
    assert (problem.code, problem.message) == (
        "E0501",
        "1.alpha pc 0 (Swap) reads q, which is uninitialised",
    )


def test_tiles_that_do_not_fit_are_a_fault_that_names_both() -> None:
    problem = fault(
        ".bank x f32[4, 2]\n.bank y f32[4, 2]\n@alpha Swap y, x\n"
        ".core 1\n.bank p f32[4, 1]\n.bank q f32[4, 1]\n@beta Swap p, q\n"
    )
    assert problem.code == "E0512"
    assert problem.message == (
        "Swap of 0.alpha pc 0 and 1.beta pc 0 differ in shape: [4, 2] and [4, 1]"
    )
    assert problem.notes


# -- events


def test_an_event_is_set_cleared_and_waited_for() -> None:
    done = ran(
        ".target toy\n.event e\n"
        "@alpha Wait $e = 1\n@alpha Wait $e == 0\n@beta Wait $e >= 1  $e = 0\n"
    )
    assert Hazards(done).run_errors == []
    # core, number behind the eight semaphores, tick, value
    assert done.trace.posts == [(0, 8, 3, 1), (0, 8, 14, 0)]
    # The second Wait starts before the first is complete, when the event is still clear.
    assert instructions(done) == [(0, 0, 0, 0, 0, 3), (0, 0, 1, 3, 20, 23), (0, 1, 0, 0, 9, 14)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("@alpha Wait $e = 1\n@alpha Wait $e = 1", "sets $e, which is already set"),
        ("@alpha Wait $e = 0", "clears $e, which is already clear"),
    ],
)
def test_an_event_posted_twice_is_a_hazard_and_changes_nothing(lines: str, said: str) -> None:
    done = ran(f".target toy\n.event e\n{lines}\n")
    (problem,) = Hazards(done).run_errors
    assert problem.code == "E0513"
    assert said in problem.message
    assert len(done.trace.posts) == lines.count("= 1") - lines.count("= 1\n")


def test_a_range_of_semaphores_is_cleared_and_wakes_who_waits_for_0() -> None:
    done = ran(
        ".target toy\n.sem a, b, c\n.event e\n"
        "@alpha\nWait $a += 2\nWait $b = 5\nWait $c++\nWait $e = 1\n"
        "Zero 0, 1\n@beta\nWait $b >= 5\nWait $b == 0\n"
    )
    assert [done.scheduler.semaphores[n].value for n in range(4)] == [0, 0, 1, 0]
    assert done.scheduler.semaphores[8].value == 1
    # Zero runs from 12 to 15; posts of 0 to a and b at 15; seen 6 later.
    assert done.trace.posts[-2:] == [(0, 0, 15, 0), (0, 1, 15, 0)]
    assert instructions(done)[-1] == (0, 1, 1, 17, 21, 26)


# -- every time, and step by step


@pytest.mark.parametrize("text", [EACH, SWAP])
def test_steps_and_advances_of_two_cores_make_the_run_that_run_makes(text: str) -> None:
    def load_session() -> Session:
        return Session.load(Source("toy.nasm", text), targets=TARGETS)

    def marks(of: Session) -> tuple[object, ...]:
        report = of.report()
        # One of them stores nothing to Z; neither waits for its last store.
        assert {h.code for h in report.hazards} <= {"E0514", "E0524"}
        assert not report.problems
        return report.ticks, report.trace_hash, report.memory_hash

    whole_run, stepped, advanced, engine = (load_session() for _ in range(4))
    whole_run.run()
    while not stepped.over:
        stepped.step()
    while not advanced.over:
        advanced.advance(1, "1.beta")
    while engine.step("1.beta"):
        pass
    engine.run()
    assert marks(stepped) == marks(advanced) == marks(engine) == marks(whole_run)


def test_expectations_measure_the_engines_of_either_core() -> None:
    text = SWAP + (
        ".expect cycles(alpha) == 38\n.expect cycles(alpha, core=0) == 38\n"
        ".expect cycles(beta, core=1) == 25\n.expect busy(core=1, beta) == 4\n"
    )
    report = Session.load(Source("toy.nasm", text), targets=TARGETS).run()
    assert [e.summary for e in report.expectations if not e.held] == []


@pytest.mark.parametrize(
    ("expectation", "code"),
    [
        ("cycles(beta, core=1) >= 0", "E0318"),
        ("cycles(beta, core=-1) >= 0", "E0318"),
        ("cycles(beta, core=0.5) >= 0", "E0210"),
        ("cycles(beta, core=0, core=0) >= 0", "E0222"),
        ("cycles(beta, cores=0) >= 0", "E0222"),
        ("cycles(beta, axis=0) >= 0", "E0222"),
        ("sum(X, core=0) >= 0", "E0222"),
        ("time_us(core=0) >= 0", "E0222"),
    ],
)
def test_a_core_that_the_program_does_not_use_has_no_cycles(expectation: str, code: str) -> None:
    assert codes(f"{HEAD}.expect {expectation}\n") == [code]


def test_an_engine_is_named_with_its_core_where_there_are_several() -> None:
    two, one = session(".core 1\n@beta Wait"), session("@beta Wait")
    assert [q.index for q in map(two.queue, ("alpha", "0.a", "1.alpha", "1.b"))] == [0, 0, 2, 3]
    assert two.program.queue_name(3) == "1.beta"
    assert one.program.queue_name(1) == "beta"
    for made, name in ((two, "2.alpha"), (two, ".alpha"), (two, "x.alpha"), (one, "1.alpha")):
        with pytest.raises(Refused, match="no engine"):
            made.queue(name)


def test_the_view_of_a_tensor_of_core_1_is_read_as_any_other() -> None:
    done = session(".core 1\n.bank t f32[4, 2] = iota\n@alpha Wait")
    done.run()
    np.testing.assert_array_equal(done.read("t[1:3]"), IOTA[1:3])
    assert View.whole(done.program.tensors["t"]).tensor.core == 1


MEETING = """\
.ram X f32[4, 2] input = iota
.ram Z f32[4, 2]
.sem moved0, other
@alpha Move Z, X $moved0 += 2
@alpha Wait $moved0 >= 2
{between}
@alpha Meet 1
@beta
.for i in 0..20
Wait $other++
.end
.core 1
.bank u f32[4, 2]
.sem moved1
@alpha Meet 1
@alpha Move u, Z $moved1 += 2
@alpha Wait $moved1 >= 2
"""


@pytest.mark.parametrize("count", range(6))
def test_who_starts_between_two_that_meet_takes_nothing_from_their_order(count: int) -> None:
    done = session(MEETING.format(between="@alpha Wait\n" * count))
    assert done.run().ok
    assert done.machine.watch is not None
    begins = done.machine.watch.begins
    assert (begins[2][0] in begins[1]) == (count == 4)  # at that very tick
