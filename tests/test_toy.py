"""A target nasm has never heard of assembles and runs: values, ticks, hazards and refusals.

A cycle of alpha is 3 ticks, one of beta 5. Add and Scale of n elements per partition are busy for
n cycles and done after n + 3; Move, Loop and Wait take one cycle, Set and Count show their result
after two. A semaphore's waiter starts 6 ticks after the post (4 ns), 4 after a landed move.
A move starts 20 ticks after its issue; its halves take a tick per byte, and 10 to arrive.
"""

from __future__ import annotations

import numpy as np
import pytest

from nasm.analysis import summary
from nasm.analysis.hazards.hazards import Hazards
from nasm.base.problems import Failure, Problem, Severity
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine import Machine, tensor_io
from nasm.program.program import Program
from nasm.views.view import View
from tests.shares import shares
from tests.tables import each
from tests.toy.target import ISA, TARGETS

HEAD = """
.target toy
.ram   X  f32[4, 2]  input = iota
.ram   Y  f32[4, 2]  output
.bank  x  f32[4, 2]
.bank  y  f32[4, 2]
.bank  z  f32[4, 2]
"""

RELAY = f"""{HEAD}
.sem loaded, added, scaled, stored
@alpha  Move   x, X                               $loaded += 2
@beta   Add    y, x, x              $loaded >= 2  $added++
@alpha  Scale  z, y, factor=0.25    $added >= 1   $scaled++
@beta   Move   Y, z                 $scaled >= 1  $stored += 2
@beta   Wait                        $stored >= 2
.expect Y == 0.5 * X
"""

IOTA = np.arange(8, dtype=np.float32).reshape(4, 2)


def program(text: str) -> Program:
    return assemble(Source("toy.nasm", text), TARGETS)


def machine(text: str) -> Machine:
    made = Machine(program(text), trace=True)
    tensor_io.load(made.program, made.addresses, {})
    return made


def ran(text: str) -> Machine:
    made = machine(text)
    made.run(100_000)
    assert made.scheduler.idle
    return made


def hazards(of: Machine) -> list[Problem]:
    """All that a session would tell."""
    found = Hazards(of)
    assert found.ordering is not None
    return list(found.ordering.among(found.run_errors, lambda _: True))


def whole(of: Machine, name: str) -> View:
    return View.whole(of.program.tensors[name])


def codes(text: str) -> list[str]:
    with pytest.raises(Failure) as caught:
        program(text)
    return [p.code for p in caught.value.problems]


# -- values and ticks


def test_a_message_holds_what_was_read_when_its_instruction_started() -> None:
    done = ran(
        f"{HEAD}.sem ready, told\n@alpha Move x, X $ready += 2\n@beta Wait $ready >= 2\n"
        '@beta Tell x, "x is "\n@beta Tell x[1:2]\n@beta Wait $told++\n'
        "@alpha Scale x, x, factor=2.0 $told >= 1\n"
    )
    said = summary.messages(done)
    assert [m.text for m in said] == [f"x is {IOTA.tolist()}", "[[2.0, 3.0]]"]
    starts = [r[4] for r in done.trace.instructions if r[1] == 1 and r[2] in (1, 2)]
    assert [m.ticks for m in said] == starts
    assert [(m.engine, m.pc) for m in said] == [("beta", 1), ("beta", 2)]


def test_a_text_is_a_string_and_a_string_is_a_text() -> None:
    assert codes(f"{HEAD}@beta Tell x, x\n") == ["E0301"]
    assert codes(f"{HEAD}@beta Tell x, word\n") == ["E0208"]
    assert codes(f'{HEAD}@beta Count "x"\n') == ["E0301"]
    made = program(f'{HEAD}@beta Tell x, "say \\"\\\\\\"\\n\\t"\n')
    assert made.instructions[0].operand("prefix") == 'say "\\"\n\t'
    assert summary.form_text(made, 1, 0) == 'Tell x, "say \\"\\\\\\"\\n\\t"'


def test_a_relay_over_both_engines_and_channels_halves_its_input() -> None:
    done = ran(RELAY)
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "Y")), IOTA / 2)
    assert hazards(done) == []


def test_every_tick_of_the_relay_is_where_paper_puts_it() -> None:
    trace = ran(RELAY).trace
    # core, queue, pc, head, start, finish
    assert trace.instructions == [
        (0, 0, 0, 0, 0, 3),  # Move: issued in one cycle of alpha
        (0, 1, 0, 0, 50, 75),  # Add: landed 46 + 4; (2 + 3) * 5
        (0, 0, 1, 3, 81, 96),  # Scale: 75 + 6; (2 + 3) * 3
        (0, 1, 1, 60, 102, 107),  # Move: 96 + 6, at the head since 50 + 2 * 5
        (0, 1, 2, 107, 152, 157),  # Wait: landed 148 + 4
    ]
    # core, channels, ring, queue, pc, arrived, start, free, landed, bytes, shares: two of 16 bytes
    assert trace.jobs == [
        (0, 0b11, 0, 0, 0, 20, 20, 36, 46, 32, 2),  # 0 + 20; 16; 10 more
        (0, 0b11, 0, 1, 1, 122, 122, 138, 148, 32, 2),  # 102 + 20
    ]
    # core, semaphore, tick, value
    assert trace.posts == [(0, 0, 46, 2), (0, 1, 75, 1), (0, 2, 96, 1), (0, 3, 148, 2)]


def test_a_result_is_not_there_before_its_completion() -> None:
    running = machine(RELAY)
    running.run(100_000, until=74)
    assert not tensor_io.known(running.addresses, whole(running, "y")).any()
    running.run(100_000, until=75)
    assert tensor_io.known(running.addresses, whole(running, "y")).all()
    np.testing.assert_array_equal(
        tensor_io.contents(running.addresses, whole(running, "y")), 2 * IOTA
    )


def test_a_move_of_one_partition_posts_twice_although_one_channel_has_nothing_to_do() -> None:
    done = ran(
        f"{HEAD}.sem s\n@alpha Move x[0:1], X[0:1]   $s += 2\n@alpha Wait          $s >= 2\n"
    )
    # The empty half lands after the 10 ticks of the way, the other after 8 bytes more.
    assert [(s.channel, s.landed, s.bytes) for s in shares(done.trace)] == [(1, 30, 0), (0, 38, 8)]
    assert done.trace.instructions[-1][4] == 38 + 4


def test_a_loop_counts_down_and_waits_for_its_register() -> None:
    done = ran(
        ".target toy\n"
        "@alpha\n"
        "       Set    %r0, 3\n"
        "again: Count  %r0\n"
        "       Loop   %r0, target=again\n"
        "       Wait\n"
    )
    assert [r[2:] for r in done.trace.instructions] == [  # pc, head, start, finish
        (0, 0, 0, 6),
        (1, 3, 6, 12),
        (2, 9, 12, 15),
        (1, 15, 15, 21),
        (2, 18, 21, 24),
        (1, 24, 24, 30),
        (2, 27, 30, 33),
        (3, 33, 33, 36),
    ]
    queue = done.scheduler.queues[0]
    assert queue.waiting == {("data", None): 3 + 3 + 3 + 3}
    assert done.state.registers[0].values[0] == 0


def test_a_start_held_in_a_register_is_followed_and_checked() -> None:
    text = (
        f"{HEAD}.bank c f32[4, 1]\n.sem s\n"
        "@alpha Move  x, X                       $s += 2\n"
        "@alpha Set   %r1, 1\n"
        "@alpha Scale c, x[:, %r1 : +1]  $s >= 2\n"
    )
    done = ran(text)
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "c")), IOTA[:, 1:])
    with pytest.raises(Failure, match="E0506"):
        ran(text.replace("Set   %r1, 1", "Set   %r1, 2"))


def test_two_runs_have_one_digest_and_another_program_another() -> None:
    digest = ran(RELAY).summary.digest()
    assert ran(RELAY).summary.digest() == digest
    assert (
        ran(RELAY.replace("@alpha  Scale", "@alpha Wait\n@alpha Scale")).summary.digest() != digest
    )


# -- hazards


def test_reading_what_no_one_waited_for_is_a_hazard_and_reads_poison() -> None:
    done = ran(RELAY.replace("$loaded >= 2", ""))
    (problem,) = hazards(done)  # that it is uninitialised follows from the race
    assert [p.code for p in Hazards(done).run_errors] == ["E0501"]
    assert problem.code == "E0502"
    assert problem.span is not None
    assert problem.span.text.split() == ["Add", "y,", "x,", "x", "$added++"]
    assert np.isnan(tensor_io.contents(done.addresses, whole(done, "Y"))).all()


@pytest.mark.parametrize(("wait", "factor", "races"), [("doubled", 4, 1), ("scaled", 16, 0)])
def test_waiting_for_the_wrong_semaphore_reads_stale_values(
    wait: str, factor: int, races: int
) -> None:
    # y is 2X from tick 75 and 8X from tick 96; who waits for doubled alone reads it at 81.
    done = ran(
        f"{HEAD}.sem loaded, doubled, scaled\n"
        "@alpha Move   x, X                           $loaded += 2\n"
        "@beta  Add    y, x, x         $loaded >= 2   $doubled++\n"
        "@alpha Scale  y, x, factor=8  $doubled >= 1  $scaled++\n"
        f"@beta  Add    z, y, y         ${wait} >= 1\n"
    )
    np.testing.assert_array_equal(
        tensor_io.contents(done.addresses, whole(done, "z")), factor * IOTA
    )
    found = hazards(done)
    assert [p.code for p in found] == ["E0502"] * races
    for problem in found:
        assert "$scaled" in problem.hint


# -- refusals


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("@alpha Add y, x, x[:, 0:1]", "E0404"),
        ("@alpha Add X, x, x", "E0302"),
        ("@beta Scale y, x", "E0408"),
        ("@gamma Wait", "E0203"),
        ("@alpha Nop", "E0201"),
        ("@alpha Set %r4, 0", "E0301"),
        ("@alpha Loop %r0, target=nowhere", "E0207"),
        (".sem s\n@alpha Move x, X $s += 16", "E0314"),
        (".bank w f32[5, 2]", "E0304"),
        (".bank w f32[4, 2] @ bank 2", "E0310"),
        (".sbuf w f32[4, 2]", "E0204"),
    ],
)
def test_the_limits_of_the_toy_are_its_own(line: str, code: str) -> None:
    assert codes(f"{HEAD}{line}\n") == [code]


def test_a_broken_rule_is_quoted_with_its_source() -> None:
    with pytest.raises(Failure) as caught:
        program(f"{HEAD}@alpha Add y, x, x[:, 0:1]\n")
    (problem,) = caught.value.problems
    assert problem.message == "Add: found [4, 1] and [4, 2]"
    assert problem.hint == "rule: all tiles have one shape (made up)"


def test_tensors_do_not_straddle_banks_and_a_full_memory_says_so() -> None:
    text = ".target toy\n.bank a f32[4, 24]\n.bank b f32[4, 24]\n.bank c f32[4, 8]\n"
    tensors = program(text).tensors
    # 96 bytes each: b does not fit beside a in bank 0; c's 32 bytes do.
    assert [tensors[n].offset for n in "abc"] == [0, 128, 96]
    assert codes(f"{text}.bank d f32[4, 9]\n") == ["E0311"]


def test_a_result_that_is_not_promised_is_stored_and_warned_of_once() -> None:
    text = (
        f"{HEAD}.sem s\n@alpha\nMove x, X $s += 2\nWait $s >= 2\nScale y, x, factor=-1\n"
        ".for k in 0..2\n  Root z, y\n.end\nRoot z, x"
    )
    session = load_session(text.replace(" output", ""))
    report = session.run()
    assert report.ok
    warning, lost = report.warnings
    assert lost.code == "E0525"
    assert (warning.code, warning.severity) == ("E0515", Severity.WARNING)
    assert warning.message == "alpha pc 3 (Root) takes the root of less than 0"
    assert warning.hint == "rule: no element is below 0 (made up)"
    np.testing.assert_array_equal(session.read("z"), IOTA**0.5)


@each("name", ISA.rows)
def test_the_example_of_every_row_assembles_and_runs(name: str) -> None:
    row = ISA.rows[name]
    done = ran(
        f"{HEAD}.sem s\n@{row.engines[0]}\n"
        f"Move x, X $s += 2\nWait $s >= 2\n{row.setup}\nagain: {row.example}\n"
    )
    assert done.scheduler.queues[0].done
    assert hazards(done) == []


# -- the session


def load_session(text: str = RELAY) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS)


def test_a_session_reports_the_run_in_the_engines_own_cycles() -> None:
    report = load_session().run()
    assert report.ok
    assert report.ticks == 157
    assert report.microseconds == 157 / 1500
    (expectation,) = report.expectations
    assert expectation.held
    alpha, beta = report.engines
    # Move 1 and Scale 2 cycles of 3 ticks; Add 2, Move 1 and Wait 1 cycles of 5 ticks.
    assert (alpha.engine, alpha.instructions, alpha.busy, alpha.cycles) == ("alpha", 2, 3, 32)
    assert (beta.engine, beta.instructions, beta.busy, beta.cycles) == ("beta", 3, 4, 31)


def test_steps_and_advances_make_the_run_that_run_makes() -> None:
    run = load_session().run()
    stepped = load_session()
    order = []
    while not stepped.over:
        order += [(e.engine, e.pc) for e in stepped.step()]
    assert order == [("alpha", 0), ("beta", 0), ("alpha", 1), ("beta", 1), ("beta", 2)]
    walked = load_session()
    while not walked.over:
        walked.advance(1)
    for other in (stepped.report(), walked.report()):
        assert (other.trace_hash, other.memory_hash) == (run.trace_hash, run.memory_hash)


def test_a_session_reads_what_is_between_two_steps() -> None:
    session = load_session()
    session.step("beta")
    assert session.now == 75
    np.testing.assert_array_equal(session.read("y[1:3, 1]"), 2 * IOTA[1:3, 1])
    assert not session.known("z").any()


def test_a_wait_that_nothing_ends_is_a_deadlock() -> None:
    report = load_session(f"{HEAD}.sem never\n@beta Wait $never >= 1\n").run()
    assert report.status.name == "DEADLOCK"
    assert not report.ok


# -- results that are stored in part


PICK = f"""{HEAD}
.sem loaded, picked
@alpha  Move   x, X                         $loaded += 2
@alpha  Scale  z, x, factor=-1.0    $loaded >= 2
@alpha  Pick   {{}}                          $picked++
"""


def test_what_is_not_chosen_keeps_what_it_held() -> None:
    done = ran(PICK.format("z, x"))
    np.testing.assert_array_equal(tensor_io.contents(done.addresses, whole(done, "z")), IOTA)
    none = ran(PICK.format("x, z"))
    np.testing.assert_array_equal(tensor_io.contents(none.addresses, whole(none, "x")), IOTA)


def test_what_is_not_chosen_stays_unwritten() -> None:
    done = ran(PICK.format("y, x"))
    np.testing.assert_array_equal(tensor_io.known(done.addresses, whole(done, "y")), IOTA > 0)
    rows = ran(PICK.format("y.ap([[2, 4], [-1, 2]], offset=1), x"))
    np.testing.assert_array_equal(
        tensor_io.known(rows.addresses, whole(rows, "y"))[:, ::-1], IOTA > 0
    )


# -- operands that touch other elements than those a program names


ENDS = f"""{HEAD}
.sem loaded
@alpha  Move  x[0:1], X[0:1]   $loaded += 2
@alpha  Move  x[3:4], X[3:4]   $loaded += 2
@alpha  Ends  y, x             $loaded >= 4
"""


def test_a_footprint_is_what_is_read_and_written() -> None:
    done = ran(ENDS)
    assert not hazards(done)  # nobody wrote the partitions between
    known = tensor_io.known(done.addresses, whole(done, "y"))
    assert known.all(axis=1).tolist() == [True, False, False, True]
    np.testing.assert_array_equal(
        tensor_io.contents(done.addresses, whole(done, "y"))[::3], IOTA[::3]
    )


def test_what_a_footprint_leaves_out_disturbs_nothing() -> None:
    crossing = "@beta Add y[{}:{}], z, z"
    for rows, found in (((1, 3), 0), ((2, 4), 1)):
        lines = crossing.format(*rows).replace("z", f"z[{rows[0]}:{rows[1]}]")
        done = ran(ENDS.replace("@alpha  Ends", f"{lines}   $loaded >= 4\n@alpha  Ends"))
        clashes = [p for p in hazards(done) if p.code == "E0502"]
        assert len(clashes) == found
