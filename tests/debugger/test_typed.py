"""Typed lines: executed as what comes next, on the machine as it stands, and gone back over."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import Status

ROOT = Path(__file__).parents[2]

TWO = """\
.target trn2
.hbm X f32[128, 8] input = iota
.hbm Y f32[128, 8] output
.sbuf x f32[128, 8]
.sem loaded, done
@sync   DmaCopy x, X  $loaded += 16
@vector TensorScalar x, x, op0=multiply, operand0=2.0  $loaded >= 16  $done++
@sync   DmaCopy Y, x  $done >= 1  $loaded += 16
@sync   EventSemaphore $loaded >= 32
.expect Y == 2 * X
"""

STUCK = """\
.target trn2
.sbuf x f32[128, 8]
.sem go, on
@vector Memset x, 1.0  $go >= 2  $on++
@scalar Nop $on >= 1
"""


def ended(session: Session) -> tuple[object, ...]:
    report = session.run()
    return report.status, report.ticks, report.trace_hash, report.memory_hash, report.reasons


def test_a_typed_instruction_computes_at_any_moment_of_a_run() -> None:
    for steps in range(6):
        session = Session(TWO)
        session.step(count=steps)
        session.declare(".sbuf t f32[128, 4]\n.const THREE = 3")
        made = session.execute("@vector Memset t, THREE / 2")
        assert (session.read("t") == 1.5).all()
        ((one, cost),) = made.executed
        assert (one.engine, one.text, made.pending) == ("vector", "Memset t, 1.5", 0)
        cycle = session.machine.cycle(session.queue("vector").index)
        assert one.finish - one.start == cost.latency * cycle
        change = next(one for one in made.memory if one.tensor == "t")
        assert (change.count, change.elements[0].before) == (512, None)
        assert session.run().ok


def test_after_the_end_the_machine_goes_on_and_has_ended_again() -> None:
    session = Session(TWO)
    assert session.run().ok
    now = session.now
    made = session.execute("@vector TensorScalar x, x, op0=add, operand0=1.0")
    assert session.now == made.executed[0][0].finish > now
    assert session.status is Status.FINISHED
    np.testing.assert_array_equal(session.read("x"), 2 * session.read("X") + 1)
    assert [(one.tensor, one.count) for one in made.memory] == [("x", 1024)]
    assert (made.memory[0].elements[0].before, made.memory[0].elements[0].after) == (0.0, 1.0)


def test_an_engine_that_waits_executes_it_and_waits_again() -> None:
    session = Session(STUCK)
    assert session.run().status is Status.DEADLOCK
    before = [(q.engine, q.pc, q.state) for q in session.queues()]
    assert session.execute("@vector Memset x, 5.0").executed
    assert (session.read("x") == 5.0).all()
    assert session.status is Status.DEADLOCK
    assert [(q.engine, q.pc, q.state) for q in session.queues()] == before
    assert [p.code for p in session.problems] == ["E0510"]
    session.execute("@gpsimd Nop $go += 2")
    assert session.run().status is Status.FINISHED
    assert (session.read("x") == 1.0).all()


def test_what_cannot_come_true_is_a_deadlock_and_stays_the_next_instruction() -> None:
    session = Session(TWO)
    made = session.execute("@scalar Nop $done >= 7")
    assert (made.executed, made.pending) == ((), 1)
    assert session.status is Status.DEADLOCK
    (problem,) = session.problems
    assert problem.code == "E0510"
    assert problem.span is not None
    assert problem.span.text == "Nop $done >= 7"
    assert session.execute("@scalar Nop").executed  # before the one that waits
    session.set("$done", 7)
    assert session.run().ok
    assert session.queue("scalar").count == 2


def test_an_engine_is_known_if_one_has_it_or_one_was_chosen() -> None:
    session = Session(TWO)
    with pytest.raises(Failure) as refused:
        session.execute("Memset x, 1.0")
    assert refused.value.problems[0].code == "E0220"
    assert "@vector or @gpsimd" in refused.value.problems[0].hint
    session.execute("@gpsimd")
    assert session.execute("Memset x, 1.0").executed[0][0].engine == "gpsimd"
    session.declare(".psum p f32[8, 8]\n")
    session.declare(".sbuf a bf16[128, 8] = zeros\n.sbuf b bf16[128, 8] = zeros")
    assert session.execute("LoadStationary a").executed[0][0].engine == "tensor"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("@vector Memset y, 1.0", "E0208"),
        ("@vector Memsett x, 1.0", "E0201"),
        ("@vektor Memset x, 1.0", "E0203"),
        ("@scalar Memset x, 1.0", "E0408"),
        (".sbuf x f32[128, 8]", "E0202"),
        (".sbuf big f32[128, 99999]", "E0311"),
        (".target trn2", "E0215"),
        (".nasm 1", "E0215"),
        (".core 1", "E0318"),
        ("again: Nop", "E0207"),
        ("@vector CompareBranch %r0, 1, op=less, target=nowhere", "E0207"),
        ("@vector Memset x[0:300], 1.0", "E0305"),
        ("@vector Memset x, 1.0 $none++", "E0206"),
        (".for i in 0..3", "E0119"),
        (".sbuf u f32[128, 8]\n@vector Memset v, 1.0", "E0208"),
        (".sbuf u f32[1, 8] @ 0:0", "E0310"),
        ("@vector Memset", "E0308"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_nothing_is_done(text: str, code: str) -> None:
    session, plain = Session(TWO), Session(TWO)
    plain.step(count=2)
    session.step(count=2)
    with pytest.raises(Failure) as refused:
        session.execute(text)
    assert code in {problem.code for problem in refused.value.problems}
    assert all(p.span is None or p.span.source.text == text for p in refused.value.problems)
    assert "u" not in session.program.tensors
    assert len(session.program) == len(plain.program)
    assert ended(session) == ended(plain)


def test_the_program_of_the_caller_never_changes() -> None:
    program, other = nasm.assemble(TWO), nasm.assemble(TWO)
    session = Session(program)
    session.execute(".sbuf t f32[128, 4]\n.sem s\n@vector Memset t, 1.0 $s++")
    assert "t" in session.program.tensors
    assert program == other
    assert [len(lines.instructions) for lines in program.queues] == [
        len(lines.instructions) for lines in other.queues
    ]


def test_checkpoints_of_before_can_be_returned_to_and_a_new_tensor_is_then_empty() -> None:
    session = Session(TWO)
    plain = ended(Session(TWO))
    early = session.checkpoint()
    session.step(count=1)
    late = session.checkpoint()
    session.execute(".sbuf t f32[128, 4] = iota\n@vector Memset t[0:64], 1.0")
    assert session.known("t").all()
    for checkpoint in (late, early):
        session.past.changes.clear()
        session.back_to(checkpoint)
        assert not session.known("t").any()
    assert ended(session) == plain
    session.execute("@vector Memset t, 2.0")
    assert (session.read("t") == 2.0).all()


def test_a_try_leaves_everything_as_it_was() -> None:
    session, plain = Session(TWO), Session(TWO)
    session.step(count=1)
    moment = session.moment
    made = session.changes.trial("@vector Memset x, 7.0")
    assert ("x", 1024) in [(one.tensor, one.count) for one in made.memory]
    assert session.moment == moment
    assert not session.known("x").any()
    assert ended(session) == ended(plain)


def test_a_block_of_several_lines_is_executed_in_order() -> None:
    session = Session(TWO)
    made = session.execute(
        ".sbuf t f32[128, 4]\n@vector Memset t, 1.0\n.for i in 0..4\n"
        "@vector TensorScalar t[:, i:i+1], t[:, i:i+1], op0=add, operand0=i\n.end"
    )
    assert [one.pc for one, _ in made.executed] == [1, 2, 3, 4, 5]
    assert session.read("t")[0].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert session.queue("vector").pc == 0
    assert session.run().ok


LOOP = """\
.loop k in 0..8
    @vector Memset         t[:, k], 3.0  give $go
    @gpsimd EventSemaphore               take $go
.end
@vector TensorScalar t, t, op0=add, operand0=1.0"""


def test_a_loop_at_run_time_is_executed_at_any_moment_of_a_run() -> None:
    for steps in range(6):
        session = Session(TWO)
        session.step(count=steps)
        session.declare(".sbuf t f32[128, 8]\n.sem go")
        made = session.execute(LOOP)
        assert made.pending == 0
        assert (session.read("t") == 4.0).all()
        rounds = [one for one, _ in made.executed if one.text.startswith("Memset")]
        assert len(rounds) == 8
        assert session.execute(LOOP).pending == 0
        report = session.run()
        assert report.ok
        again = nasm.run(session.changes.typed_text())
        assert again.ok


def test_loops_within_loops_and_those_that_are_left_return_to_where_the_engine_was() -> None:
    session = Session(TWO)
    session.step(count=2)
    session.declare(".sbuf t f32[128, 8] = zeros")
    nest = ".loop i in 0..2\n.loop k in 0..3\n@vector Memset t[:, i*4 + k], 1.0\n.end\n.end"
    assert session.execute("@vector .loop k in 0..8\nMemset t[:, k], 2.0\n.break k >= 3\n.end")
    np.testing.assert_array_equal(session.read("t")[0], [2, 2, 2, 2, 0, 0, 0, 0])
    session.execute(nest)
    np.testing.assert_array_equal(session.read("t")[0], [1, 1, 1, 2, 1, 1, 1, 0])
    assert session.run().ok


def test_what_waits_in_a_typed_loop_lets_others_be_typed_before_it_and_goes_on() -> None:
    session = Session(TWO)
    session.declare(".sem go\n.sbuf t f32[128, 4] = zeros")
    made = session.execute("@vector .loop k in 0..4\nMemset t[:, k], 1.0  take $go\n.end")
    assert session.status is Status.DEADLOCK
    assert made.pending == 3  # of this round: what waits, a step and a branch
    session.execute("@gpsimd Nop  $go += 2")
    session.run()
    np.testing.assert_array_equal(session.read("t")[0], [1, 1, 0, 0])
    session.execute("@vector Memset t[:, 3:4], 7.0")
    np.testing.assert_array_equal(session.read("t")[0], [1, 1, 0, 7])
    session.execute("@gpsimd Nop  $go += 2")
    session.run()
    np.testing.assert_array_equal(session.read("t")[0], [1, 1, 1, 1])
    assert session.run().ok


def test_going_back_over_a_typed_loop_and_forward_is_the_same() -> None:
    session = Session(TWO)
    session.declare(".sbuf t f32[128, 8]\n.sem go")
    session.execute(LOOP)
    now, held = session.now, session.read("t").copy()
    session.back(count=7)
    assert session.now < now
    session.run()
    np.testing.assert_array_equal(session.read("t"), held)


def test_a_typed_loop_with_a_mistake_leaves_no_label() -> None:
    session = Session(TWO)
    with pytest.raises(Failure):
        session.execute(".loop k in 0..4\n@vector Memset x[:, k], 1.0\n.end\n@sync Memset x, 0")
    assert not session.program.queues[session.queue("vector").index].labels


MADE = """\
.for n in 0..2
@gpsimd Memset         t[:, n], n + 1.0                        post made[n]
@vector TensorScalar   t[:, n], t[:, n], op0=multiply, operand0=2.0  after made[n]  post twice[n]
.end
@scalar Activation     u, t, op=copy  after twice[0..2]  post copied"""


def test_moments_of_a_typed_text_are_waited_for_within_it() -> None:
    for steps in range(6):
        session = Session(TWO)
        session.step(count=steps)
        session.declare(".sbuf t f32[128, 2]\n.sbuf u f32[128, 2]")
        made = session.execute(MADE)
        assert made.pending == 0
        np.testing.assert_array_equal(session.read("u")[0], [2, 4])
        report = session.run()
        assert report.ok, report
        assert nasm.run(session.changes.typed_text()).ok


def test_what_was_posted_before_and_is_over_needs_no_wait() -> None:
    session = Session(TWO)
    session.declare(".sbuf t f32[128, 2] = zeros\n.sbuf u f32[128, 2]")
    first = "@gpsimd Memset t, 5.0  post made"
    session.changes.trial(first)
    with pytest.raises(Failure, match="nothing in the typed lines posts made"):
        session.execute("@vector TensorCopy u, t  after made")  # it was gone back over
    session.execute(first)
    session.execute("@vector TensorCopy u, t  after made")
    assert (session.read("u") == 5.0).all()
    with pytest.raises(Failure, match="made was posted by what was typed before"):
        session.execute(first)
    assert session.run().ok
    assert nasm.run(session.changes.typed_text()).ok


def test_a_moment_that_has_not_happened_cannot_be_waited_for() -> None:
    session = Session(TWO)
    session.declare(".sem go")
    session.execute("@gpsimd Nop  $go >= 1  post made")
    with pytest.raises(Failure, match="made has not happened"):
        session.execute("@vector Nop  after made")
    session.execute("@scalar Nop  $go++")
    session.run()
    session.execute("@vector Nop  after made")


def test_a_macro_with_moments_is_called_again_and_again() -> None:
    text = TWO.replace(".hbm X", '.include "lib/softmax.nasm"\n.hbm X')
    session = Session(text)
    session.run()
    session.declare(".sbuf t f32[128, 8] = iota\n.sbuf u f32[128, 8]")
    for _ in range(3):
        made = session.execute("softmax(u, t, ready=[], done=[])")
        assert made.pending == 0
    np.testing.assert_allclose(session.read("u").sum(axis=1), 1.0, rtol=1e-3)
    assert session.run().ok
    assert nasm.run(session.changes.typed_text()).ok


def test_a_drain_of_transfers_that_the_program_had_is_refused() -> None:
    session = Session(TWO)
    with pytest.raises(Failure, match=r"\.drain waits for all transfers of @sync"):
        session.execute("@sync .drain")
    session.declare(".sbuf t f32[128, 8]")
    session.execute("@scalar DmaCopy t, X\n@scalar .drain")
    np.testing.assert_array_equal(session.read("t"), session.read("X"))


def test_a_typed_branch_leads_to_a_label_of_the_program() -> None:
    session = Session(
        ".target trn2\n@scalar\nagain: RegisterAlu %r0, %r0, 1, op=add\n"
        "CompareBranch %r0, 3, op=less, target=again\n"
    )
    session.set("@scalar %r0", 0)
    session.run()
    assert session.registers("scalar") == {0: 3}
    session.set("@scalar %r0", 0)
    session.execute("@scalar CompareBranch %r0, 3, op=less, target=again")
    session.run()
    assert session.registers("scalar") == {0: 3}
    assert session.queue("scalar").count == 13


def test_typed_instructions_are_judged_as_others_are() -> None:
    session = Session(TWO)
    session.declare(".sbuf t f32[128, 8]\n.sbuf u f32[128, 8]")
    session.execute("@vector TensorCopy u, t")
    (hazard,) = session.hazards
    assert hazard.code == "E0501"
    assert hazard.span is not None
    assert hazard.span.text == "TensorCopy u, t"


def test_who_types_sees_what_is_complete_and_races_only_with_what_is_not() -> None:
    session = Session(TWO)
    session.declare(".sbuf t f32[128, 8]\n.sbuf u f32[128, 8]")
    session.execute("@vector Memset t, 1.0")
    session.execute("@gpsimd TensorCopy u, t")  # after it, though no semaphore says so
    assert session.run().ok
    session.execute("@sync DmaCopy X, t $loaded += 16")
    session.execute("@vector Memset t, 3.0")  # while the DMA reads t
    session.run()
    assert {problem.code for problem in session.hazards} == {"E0502"}


def test_going_back_and_forward_over_typed_lines_is_the_same_each_time() -> None:
    session = Session(TWO)
    start = session.moment
    session.step(count=1)
    moment = session.moment
    session.execute(".sbuf t f32[128, 4] = random(seed=1)")
    session.execute("@vector TensorScalar t, t, op0=multiply, operand0=3.0")
    end = ended(session)
    session.past.goto(moment)
    assert ended(session) == end
    session.past.goto(start)
    assert ended(session) == end


PROGRAMS = ("matmul", "countdown", "load_compute_store", "softmax")


@pytest.mark.parametrize("name", [n for n in PROGRAMS if (ROOT / f"programs/{n}.nasm").exists()])
def test_what_was_typed_and_undone_leaves_no_trace(name: str) -> None:
    chance = random.Random(name)
    source = source_of(ROOT / f"programs/{name}.nasm")
    plain = ended(Session(source))
    session = Session(source)
    session.declare(".sbuf typed f32[64, 16]\n.sem typing")
    for _ in range(6):
        session.restart()
        session.past.changes.clear()
        session.step(count=chance.randrange(8))
        moment = session.moment
        for engine in chance.sample(["vector", "gpsimd", "scalar", "tensor"], 3):
            line = "Nop $typing++" if engine in ("scalar", "tensor") else "Memset typed, 1.0"
            session.execute(f"@{engine} {line}")
        session.step(count=chance.randrange(3))
        session.past.goto(moment)
        session.past.changes.clear()
        assert ended(session) == plain


def test_an_empty_machine_takes_declarations_and_instructions() -> None:
    session = Session.empty()
    assert (
        session.program.generation.name == "trn2" or "trn2" in session.program.generation.spellings
    )
    session.execute(".hbm X f32[128, 8] = iota\n.hbm Y f32[128, 8] output")
    session.execute(".sbuf x f32[128, 8]\n.sem s")
    session.execute("@sync DmaCopy x, X $s += 16")
    session.execute("@vector TensorScalar x, x, op0=multiply, operand0=2.0 $s >= 16")
    session.execute("@sync DmaCopy Y, x $s += 16")
    session.execute("@sync EventSemaphore $s >= 32")
    np.testing.assert_array_equal(session.read("Y"), 2 * session.read("X"))
    report = session.report()
    assert report.ok
    assert not report.warnings
    session.restart()
    assert session.now == 0
    assert not session.known("x").any()


def test_what_was_typed_is_a_program_that_ends_with_the_same_memory() -> None:
    session = Session.empty()
    for line in (
        ".const N = 8",
        ".hbm X f32[128, N] = random(seed=2)",
        ".sbuf x f32[128, N]",
        ".sem s, t",
        "@sync DmaCopy x, X $s += 16",
        "@vector",
        "TensorScalar x, x, op0=multiply, operand0=2.0 $s >= 16 $t++",
        ".hbm Y f32[128, N] output",
        "@sync DmaCopy Y, x $t >= 1 $s += 16",
        "@sync EventSemaphore $s >= 32",
        ".expect Y == 2 * X",
    ):
        session.execute(line)
    text = session.changes.typed_text()
    assert "\n@vector TensorScalar" in text
    again = Session(text)
    report = again.run()
    assert report.ok
    assert report.memory_hash == session.report().memory_hash


def test_the_text_has_what_was_undone_as_declarations_alone_and_other_changes_as_comments() -> None:
    session = Session(TWO)
    session.execute(".const EIGHT = 8\n.sbuf t f32[128, EIGHT]\n@vector Memset t, 1.0")
    session.undo()
    session.execute(".sbuf u f32[128, EIGHT]")
    session.set("u", "3 + 4")
    session.execute("@gpsimd TensorCopy t, u")
    assert session.changes.typed_text() == TWO + (
        ".const EIGHT = 8\n.sbuf t f32[128, EIGHT]\n.sbuf u f32[128, EIGHT]\n"
        "; by hand: set u = 3 + 4\n@gpsimd TensorCopy t, u\n"
    )
    assert "u" in nasm.assemble(session.changes.typed_text()).tensors
