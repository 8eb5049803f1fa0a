"""What engines are said to do now, what keeps them from going on, and whether that comes true."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.source import Source
from nasm.debugger.engines.records import EngineContext
from nasm.debugger.engines.semaphore_wait import seen
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.sim.counters import Post, Semaphore
from tests.debugger.promised import broken
from tests.parts import part
from tests.repl.conftest import COUNTDOWN
from tests.tables import each
from tests.toy.target import TARGETS

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
ROUNDS = 4


def toy(text: str) -> Session:
    return Session.load(Source("toy.nasm", text), targets=TARGETS)


def engine(session: Session, name: str) -> EngineContext:
    return next(found for found in session.context().engines if found.engine == name)


# ------------------------------------------------------------------ what is promised comes true


@each("path", part(PROGRAMS, 6), ids=lambda path: path.stem)
@each("values", [True, False], ids=["values", "no values"])
def test_what_is_said_of_the_future_comes_true(path: Path, values: bool) -> None:
    for seed in part(range(ROUNDS), 1):
        assert broken(Session(path, values=values), seed) == []


RINGS = """\
.target trn2
.hbm  X f32[128, 2048] input = iota
.sbuf t f32[128, 2048]
.sbuf u f32[128, 512]
.sem  a, b, c
.for k in 0..4
@sync   DmaCopy t, X, queue=k % 3                        $a += 16
@scalar DmaCopy u, X[:, 0:512], queue=(k + 1) % 2        $b += 16
@scalar EventSemaphore                $b >= 16 * (k + 1)
@gpsimd DmaCopy u[:, 0:64], X[:, 0:64], queue=2            $c += 16
.end
@vector EventSemaphore $a >= 64
"""


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_of_transfers_that_take_turns_comes_true(seed: int) -> None:
    session = Session(RINGS, checked=False)
    assert broken(session, seed) == []


def test_of_a_deadlock_and_a_fault_nothing_untrue_is_said() -> None:
    dead = toy(".target toy\n.sem a, b\n@alpha Wait $a >= 1 $b++\n@beta Wait $b >= 1 $a++\n")
    assert broken(dead) == []
    assert [(e.starts, e.certain) for e in dead.context().engines] == [(None, False)] * 2


# ------------------------------------------------------------------ the toy's countdown, by hand


def test_what_is_executed_is_named_until_when() -> None:
    # Set takes 2 cycles of alpha, 3 ticks each; Move takes one cycle of beta, which is 5 ticks.
    session = toy(COUNTDOWN)
    session.process(2)
    alpha, beta = engine(session, "alpha"), engine(session, "beta")
    assert [(d.text, d.at.line, d.started, d.until) for d in alpha.doing] == [
        ("Set %r0, 2", 10, 0, 6)
    ]
    assert [(d.text, d.started, d.until) for d in beta.doing] == [("Move x, X  $loaded += 2", 0, 5)]


def test_a_result_on_its_way_is_named_with_who_makes_it() -> None:
    # Count reads %r0, which Set writes at tick 6; its unit is free at tick 3.
    session = toy(COUNTDOWN)
    session.process(2)
    alpha = engine(session, "alpha")
    assert alpha.text == "Count %r0"
    assert alpha.why == "waits for %r0 of line 10, 0.004 µs more"  # 6 ticks of 1/1500 µs
    assert (alpha.holds[0].kind, alpha.starts, alpha.certain) == ("data", 6, True)


def test_a_wait_names_the_transfer_that_will_post() -> None:
    # Move is in dispatch for 20 ticks; each half is 16 bytes and lands 26 ticks later, at 46.
    session = toy(COUNTDOWN)
    session.advance(4)
    beta = engine(session, "beta")
    assert beta.at is not None
    assert (beta.at.pc, beta.at.line) == (1, 8)
    assert beta.why == (
        "waits for $loaded >= 2 (it is 0): the transfer of line 7: dispatch, lands at 0.031 µs"
    )


def test_a_post_that_is_not_seen_yet_is_a_notification() -> None:
    session = toy(COUNTDOWN)
    session.advance(4)
    (transfer,) = session.transfers()
    while session.semaphores()[0].value < 2:
        session.process(1)
    beta = engine(session, "beta")
    # waiters see it 4 ticks after the landing
    assert (beta.holds[0].kind, beta.starts, beta.certain) == (
        "notification",
        transfer.lands + 4,
        True,
    )
    assert beta.why == "waits for the notification of $loaded, 0.003 µs more"


def test_what_waits_names_the_poster_and_where_it_is() -> None:
    session = toy(COUNTDOWN.replace("$loaded >= 2", ""))
    session.advance(4)  # 12 ticks: Loop, of line 12, has just started, and led back to line 11
    beta = engine(session, "beta")
    assert beta.why == (
        "waits for $done >= 1 (it is 0): alpha pc 3, line 13 posts it, and alpha is at line 11"
    )
    assert [str(place) for place in beta.holds[0].by] == ["alpha pc 3, line 13"]


def test_before_the_start_and_after_the_end() -> None:
    session = toy(COUNTDOWN)
    assert [e.why for e in session.context().engines] == ["starts now", "starts now"]
    session.run()
    assert all(e.idle for e in session.context().engines)
    assert session.transfers() == ()


def test_a_fault_is_where_the_engine_is() -> None:
    session = toy(
        ".target toy\n.sem s\n@alpha Wait $s += 2000000000\n@alpha Wait $s += 2000000000\n"
    )
    session.run()
    assert session.status is Status.FAULT
    assert "fault" in repr(session.context().engines) or session.context().engines[0].idle


# ------------------------------------------------------------------ semaphores


def post(at: int, value: int, op: str = "+") -> Post:
    return Post(at, op, value, (0, 0), 0, 0)


def test_when_a_condition_is_seen_to_hold() -> None:
    semaphore = Semaphore()
    semaphore.post(post(10, 1), 0)
    semaphore.post(post(20, 1), 0)
    assert seen(semaphore, ">=", 3, 5) is None
    assert seen(semaphore, ">=", 1, 5) == (10, post(10, 1))
    assert seen(semaphore, ">=", 2, 5) == (20, post(20, 1))
    assert seen(semaphore, ">=", 2, 30) == (30, None)
    assert seen(semaphore, "==", 2, 12) == (20, post(20, 1))
    assert (semaphore.seen, len(semaphore.pending)) == (0, 2)
