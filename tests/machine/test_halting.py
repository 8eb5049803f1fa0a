"""Stopped at any moment: halted between two events, or torn by an interrupt and restarted."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status
from tests.parts import part

ROOT = Path(__file__).parents[2]
NAMES = ("matmul", "softmax", "countdown", "mx")


def loaded(name: str) -> Session:
    return Session.load(source_of(ROOT / "programs" / f"{name}.nasm"))


def calls(work: Callable[[], object], at: int, then: Callable[[], None]) -> int:
    """Do something, and at its nth call of a function another thing; returns how many it made."""
    made = 0

    def called(*_: object) -> None:
        nonlocal made
        made += 1
        if made == at:
            then()

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


def moved(session: Session) -> int:
    """How many calls of functions it takes to run, without judging what came of it."""

    def to_the_end() -> None:
        while session.machine.run(1_000):
            pass

    session.restart()
    return calls(to_the_end, 0, lambda: None)


def hashes(report: RunReport) -> tuple[str, str]:
    assert report.status is Status.FINISHED
    return report.trace_hash, report.memory_hash


def place(session: Session) -> tuple[int, ...]:
    scheduler = session.machine.scheduler
    return scheduler.now, scheduler.retired, scheduler._sequence, len(scheduler.heap)


def seen(session: Session) -> tuple[object, ...]:
    report = session.report()
    registers = [session.registers(session.name(queue)) for queue in session.queues()]
    return report.trace_hash, report.memory_hash, session.queues(), session.channels(), registers


@pytest.mark.parametrize("name", part(NAMES, 1))
def test_a_halted_machine_is_as_it_was_between_two_events_and_runs_on(name: str) -> None:
    session = loaded(name)
    wanted = hashes(session.run())
    most = moved(session)
    numbers = random.Random(name)
    for _ in range(6):
        session.restart()
        at = numbers.randrange(1, most)
        calls(lambda: session.run(hashes=False), at, session.halt)
        assert session.status is Status.RUNNING
        halted, found = place(session), seen(session)
        session.restart()
        while place(session) != halted:
            assert session.machine.run(1), "the machine was halted within an event"
        assert seen(session) == found
        assert hashes(session.run()) == wanted


@pytest.mark.parametrize("name", part(NAMES, 2))
def test_an_interrupt_at_any_moment_comes_out_and_a_restart_is_whole(name: str) -> None:
    session = loaded(name)
    session.run(hashes=False)
    session.restart()  # from now on it makes as many calls each time
    most = calls(lambda: session.run(hashes=False), 0, lambda: None)
    wanted = hashes(session.report())

    def interrupt() -> None:
        raise KeyboardInterrupt

    numbers = random.Random(name)
    for _ in part(range(12), 4):
        session.restart()
        with pytest.raises(KeyboardInterrupt):
            calls(lambda: session.run(hashes=False), numbers.randrange(1, most // 2), interrupt)
        session.restart()
        assert hashes(session.run()) == wanted


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in a generator
def test_an_interrupt_while_order_is_judged_leaves_no_race_out_and_makes_up_none() -> None:
    source = source_of(ROOT / "tests/hazards/race-off-by-one-in-a-loop.nasm")
    session = Session.load(source)
    most = calls(lambda: session.run(hashes=False), 0, lambda: None)
    wanted = session.hazards
    assert wanted

    def interrupt() -> None:
        raise KeyboardInterrupt

    for at in range(most // 3, most, most // 16):
        session = Session.load(source)
        with suppress(KeyboardInterrupt):
            calls(partial(session.run, hashes=False), at, interrupt)
        session.restart()
        assert session.run(hashes=False).hazards == wanted, at


@pytest.mark.parametrize("name", part(NAMES, 2))
def test_an_interrupt_while_a_program_is_loaded_comes_out_and_spoils_nothing(name: str) -> None:
    wanted = hashes(loaded(name).run())
    most = calls(lambda: loaded(name), 0, lambda: None)

    def interrupt() -> None:
        raise KeyboardInterrupt

    numbers = random.Random(name)
    for _ in part(range(8), 3):
        with pytest.raises(KeyboardInterrupt):
            calls(lambda: loaded(name), numbers.randrange(1, most // 2), interrupt)
        assert hashes(loaded(name).run()) == wanted


def test_a_halt_ends_what_is_under_way_or_else_what_comes_next_and_nothing_more() -> None:
    session = loaded("countdown")
    session.halt()
    report = session.run()
    assert (report.status, report.trace_hash, session.now) == (Status.RUNNING, "", 0)
    assert session.run().ok
    session.restart()
    session.halt()
    assert session.step() == []
    assert len(session.step()) == 1
    session.halt()
    assert session.advance(1_000_000) == []
    assert session.advance(1_000_000) != []
    assert session.over
    session.restart()
    session.halt()
    session.halt(False)
    assert session.run().ok
