"""Stepping, running, stopping: ticks are worked out from the toy's figures in tests/toy."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.repl.conftest import COUNTDOWN, Loader, Tried
from tests.toy.target import TARGETS

FOREVER = """\
.target toy
.sem never, twice
@alpha
again:  Set    %r0, 1
        Loop   %r0, target=again
@beta   Wait   $never >= 1
"""

DEADLOCK = """\
.target toy
.sem a, b
@alpha  Wait  $a >= 1  $b++
@beta   Wait  $b >= 1  $a++
"""

UNWRITTEN = """\
.target toy
.bank  x  f32[4, 2]
.bank  y  f32[4, 2]
@alpha Add  y, x, x
"""


def test_a_step_shows_what_completed_when_and_what_changed(toy: Tried) -> None:
    # Set starts at tick 0 and is done after 2 cycles of 3 ticks: 6 / 1500 µs.
    assert toy.does("step", "step") == (
        "alpha pc 0  Set %r0, 2\n  alpha cycles 0..2, 0.000..0.004 µs\n  %r0 of alpha unset -> 2\n"
    )
    # Count heads the queue at tick 3 and reads what appears at tick 6.
    assert toy.does("step") == (
        "alpha pc 1  Count %r0\n"
        "  alpha cycles 2..4, 0.004..0.008 µs, after waiting 1 cycle\n"
        "  %r0 of alpha 2 -> 1\n"
    )


def test_several_completed_instructions_are_a_table(toy: Tried) -> None:
    # Move completes at tick 5 and Set at 6. The Wait of beta starts at 20 (dispatch)
    # + 26 (16 bytes and the way) + 4 (notify) = tick 50 = cycle 10.
    assert toy.does("step 2") == (
        "engine  pc  completed                cycles  at µs  waited\n"
        "beta     0  Move x, X  $loaded += 2    0..1  0.003       0\n"
        "alpha    0  Set %r0, 2                 0..2  0.004       0\n"
        "  %r0 of alpha unset -> 2\n"
    )
    assert "beta     1  Wait  $loaded >= 2      10..11  0.037       9\n" in toy.does("step @beta")


@pytest.mark.parametrize("line", ["step 2 alpha", "s 2 @alpha", "step alpha 2", "step@a 2"])
def test_a_step_of_an_engine_counts_that_engine_alone(toy: Tried, line: str) -> None:
    toy.does(line)
    assert toy.shell.session.queue("alpha").count == 2
    assert toy.shell.session.queue("beta").count == 1


def test_only_the_last_of_many_are_listed(toy: Tried) -> None:
    lines = toy.does("step 1_000_000_000_000").splitlines()
    assert len([line for line in lines if line.startswith(("alpha ", "beta "))]) == 9
    assert lines[-3:] == [
        "finished at 0.053 µs, cycle 26; 'restart' starts over",
        "✓ y == 2 * X",
        "    8 elements equal",
    ]
    long = COUNTDOWN.replace("%r0, 2", "%r0, 9")
    toy.shell.adopt(session_of(long))
    lines = toy.does("step 99").splitlines()
    # Set, nine rounds of two, three Waits and Moves, and Add: 1 + 18 + 1 on alpha, 3 on beta.
    assert lines[0] == "… 11 earlier ones"
    assert len([line for line in lines if line.startswith(("alpha ", "beta "))]) == 12


def session_of(text: str) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS)


def test_steps_of_an_engine_stop_with_its_last_instruction(load: Loader) -> None:
    tried = load(".target toy\n@alpha\nSet %r0, 1\nSet %r1, 1\n@beta\n" + "Set %r0, 1\n" * 20)
    tried.does("step 3 alpha")
    assert tried.shell.session.status is Status.RUNNING
    alpha, beta = tried.shell.session.queues()[:2]
    assert (alpha.completed, alpha.state) == (2, "done")
    assert beta.completed < 20


def test_each_of_several_runs_of_some_cycles_takes_the_clock_so_far(toy: Tried) -> None:
    # the clock used to stay at the last event, and every run to end where the first had ended
    for count in range(1, 6):
        assert f"cycle {count * 2:,}; 'continue' resumes" in toy.does("run 2")
        assert toy.shell.session.now == count * 2 * 3


def test_a_step_past_the_end_says_so_and_is_no_mistake(toy: Tried) -> None:
    toy.does("run")
    for line in ("step", "run", "cycle 5", "until 9us"):
        assert toy.does(line) == "finished at 0.053 µs, cycle 26; 'restart' starts over\n"
    assert toy.shell.code == 0


def test_stepping_and_running_end_alike(toy: Tried) -> None:
    toy.does("step 1000")
    stepped = toy.shell.session.report()
    toy.does("restart", "cycle 3", "until 0.02us", "run")
    ran = toy.shell.session.report()
    assert (ran.trace_hash, ran.memory_hash) == (stepped.trace_hash, stepped.memory_hash)


def test_cycles_are_of_the_engine_named(toy: Tried) -> None:
    toy.does("cycle 4")
    assert toy.shell.session.now == 12
    toy.does("cycle 2 beta")
    assert toy.shell.session.now == 22


@pytest.mark.parametrize(
    ("line", "tick"),
    [
        ("until 7", 21),
        ("until 0.01us", 15),
        ("until 0.0101 µs", 18),
        ("u 1_0 cycles", 30),
        ("u 0,010", 30),
    ],
)
def test_until_goes_to_a_cycle_or_the_first_one_after_a_time(
    toy: Tried, line: str, tick: int
) -> None:
    toy.does(line)
    assert toy.shell.session.now == tick


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("step 0", "wanted a count from 1 on, found '0'"),
        ("step -3", "wanted a count from 1 on, found '-3'"),
        ("step 2 3", "two counts: 2 and 3"),
        ("step alpha beta", "two engines: alpha and beta"),
        ("step gamma", "no engine 'gamma'"),
        ("step " + "9" * 5000, "wanted a count from 1 on"),
        ("until", "until when?"),
        ("until soon", "no location 'soon' in the program"),
        ("until 1.2.3", "wanted a cycle or a time"),
        ("until 1,5us", "wanted a cycle or a time, found '1,5us'\n  hint: a cycle as in 5000"),
        ("until 1,50", "wanted a cycle or a time"),
        ("until 1,0000", "wanted a cycle or a time"),
        ("until 1000,000", "wanted a cycle or a time"),
        ("step 1,5", "wanted a count from 1 on, found '1,5'"),
        ("until 0", "that has passed: it is 0.000 µs, cycle 0"),
        ("run fast", "wanted a count from 1 on, found 'fast'"),
        ("restart now", "'restart' takes nothing, found 'now'"),
    ],
)
def test_wrong_arguments_are_refused_and_move_nothing(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.session.status is Status.READY
    assert toy.shell.code == 1


def test_run_stops_after_so_many_cycles_and_goes_on(load: Loader) -> None:
    loop = load(FOREVER)
    assert loop.does("run 100").splitlines()[-1].endswith("; 'continue' resumes")
    first = loop.shell.session.now
    assert 99 * 3 <= first <= 100 * 3
    loop.does("run 100")
    assert first + 99 * 3 <= loop.shell.session.now <= first + 100 * 3


def test_a_deadlock_is_reported_once_and_where_each_waits(load: Loader) -> None:
    dead = load(DEADLOCK)
    said = dead.does("step")
    assert said.startswith("no instruction completed\nhazard[E0510]: deadlock at 0.000 µs")
    assert said.endswith("deadlock at 0.000 µs, cycle 0; 'restart' starts over\n")
    assert dead.does("step") == "deadlock at 0.000 µs, cycle 0; 'restart' starts over\n"
    assert dead.does("where") == (
        "deadlock at 0.000 µs, cycle 0; 'restart' starts over\n"
        "alpha  cycle 0, pc 0 of 1\n"
        "  next  line 3: Wait  $a >= 1  $b += 1\n"
        "        waits for $a >= 1 (it is 0): beta pc 0, line 4 posts it, and waits\n"
        "        itself\n"
        "beta  cycle 0, pc 0 of 1\n"
        "  next  line 4: Wait  $b >= 1  $a += 1\n"
        "        waits for $b >= 1 (it is 0): alpha pc 0, line 3 posts it, and waits\n"
        "        itself\n"
    )
    assert dead.shell.broken()


def test_a_hazard_is_reported_in_the_step_that_meets_it(load: Loader) -> None:
    wrong = load(UNWRITTEN)
    said = wrong.does("step")
    assert "hazard[E0501]" in said
    assert "\n4 | @alpha Add  y, x, x\n" in said
    assert "E0501" in wrong.does("info hazards")
    assert wrong.shell.broken()


def test_what_is_said_is_reported_in_the_step_that_says_it(load: Loader) -> None:
    said = load(
        ".target toy\n.bank x f32[1, 1]\n.ram X f32[1, 1] input = iota\n.sem s\n"
        '@alpha Move x, X $s += 2\n@beta Tell x, "one\\n" $s >= 2\n'
    )
    assert "pc 0 at" not in said.does("step")
    # 20 ticks of dispatch, 4 bytes and 10 ticks of way, 4 of notice: 38 / 1500 µs.
    assert "\nbeta pc 0 at 0.025 µs: one\n    [[0.0]]\n" in said.does("step")
    assert "pc 0 at" not in said.does("run")


# -- Ctrl-C


def test_ctrl_c_stops_a_run_between_two_events_and_it_goes_on_as_if_nothing_was(
    load: Loader,
) -> None:
    loop = load(FOREVER)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    said = loop.does("run")
    timer.join()
    assert "stopped at " in said
    assert loop.shell.code == 130
    stopped = loop.shell.session.now
    loop.does("cycle 1")
    straight = session_of(FOREVER)
    straight.advance(loop.shell.session.now // 3)
    assert loop.shell.session.now > stopped
    assert straight.now == loop.shell.session.now
    assert straight.machine.summary.digest() == loop.shell.session.machine.summary.digest()


@pytest.mark.parametrize("line", ["step 1_000_000_000", "step beta", "cycle 1_000_000_000"])
def test_ctrl_c_stops_steps_and_cycles_too(load: Loader, line: str) -> None:
    loop = load(FOREVER)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    assert "stopped at " in loop.does(line)
    timer.join()
    assert not loop.shell.torn


def test_an_interrupt_within_an_event_tears_the_machine_until_it_is_restarted(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Session, "run", interrupted)
        assert toy.does("run").startswith("interrupted within an instruction")
    assert "cannot continue" in toy.does("step")
    assert "tensor" in toy.does("info tensors")
    assert toy.does("restart", "run").endswith("8 elements equal\n")


def test_an_interrupt_while_looking_tears_nothing(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    toy.does("step")
    with monkeypatch.context() as patch:
        patch.setattr(Session, "evaluate", interrupted)
        assert toy.does("print X") == "interrupted\n"
    assert "alpha pc 0" in toy.does("step")


def test_a_run_stops_after_as_many_instructions_as_one_may_complete_and_continue_resumes(
    load: Loader,
) -> None:
    loop = load(FOREVER)
    loop.shell.most = 50
    for moment in range(1, 3):
        said = loop.does("continue")
        assert "'run' completes at most 50 instructions (--max-instructions)" in said
        assert "50 instructions completed" in said
        assert "'continue' resumes" in said
        assert sum(q.completed for q in loop.shell.session.queues()) == 50 * moment
        assert loop.shell.broken()
    assert "'run' completes" not in loop.does("step 60")
    assert not loop.shell.broken()


def test_a_step_that_comes_to_the_end_of_a_queue_says_how_many_completed(toy: Tried) -> None:
    queue = next(q for q in toy.shell.session.queues() if q.engine == "beta")
    said = toy.does("step 99 beta").splitlines()[0]
    assert said == f"beta has nothing left to do: {queue.length} of 99 completed"
    assert "nothing left" not in toy.does("restart", f"step {queue.length} beta")
