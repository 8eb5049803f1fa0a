"""What tells a command to stop, when it strikes, and that signals are left as they were found."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import nasm
from nasm.base import signals
from nasm.base.signals import StopSignal, heard, lifted, on_stop, shielded

HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


@pytest.fixture(autouse=True)
def found() -> Iterator[None]:
    """Signals are left as they were found."""
    before = [signal.getsignal(number) for number in HEARD]
    yield
    assert [signal.getsignal(number) for number in HEARD] == before


def kill(number: int) -> None:
    os.kill(os.getpid(), number)


def other() -> None:
    """What comes now is no echo of what came before."""
    signals._stop()._when = float("-inf")


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "hung up"),
    ],
)
def test_a_signal_is_raised_as_an_interrupt_that_knows_its_exit_code(
    number: int, code: int, said: str
) -> None:
    with heard(), pytest.raises(KeyboardInterrupt) as raised:
        kill(number)
    told = StopSignal.of(raised.value)
    assert (told.code, str(told), told.leaving) == (code, said, number != signal.SIGINT)


def test_an_interrupt_of_pythons_own_is_a_ctrl_c() -> None:
    assert StopSignal.of(KeyboardInterrupt()).code == 130


def test_what_is_ignored_or_somebody_elses_stays_so() -> None:
    def own(*_: object) -> None:
        calls.append(1)

    calls: list[int] = []
    hup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    term = signal.signal(signal.SIGTERM, own)
    try:
        with heard():
            kill(signal.SIGHUP)
            kill(signal.SIGTERM)
        assert calls == [1]
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, hup)
        signal.signal(signal.SIGTERM, term)


def test_who_is_asked_first_is_not_struck_before_the_second_time() -> None:
    asked: list[int] = []
    with heard(), on_stop(lambda: asked.append(1)) as stop:
        kill(signal.SIGINT)
        assert stop.asked is not None
        kill(signal.SIGINT)  # an echo
        other()
        with pytest.raises(StopSignal):
            kill(signal.SIGINT)
    assert asked == [1]


def test_of_two_signals_that_end_a_process_the_second_is_an_echo_of_the_first() -> None:
    with heard():
        with pytest.raises(StopSignal):
            kill(signal.SIGINT)
        with lifted(), pytest.raises(StopSignal) as raised:
            kill(signal.SIGTERM)  # says more than Ctrl-C did
        assert raised.value.code == 143
        with lifted():
            kill(signal.SIGTERM)
            kill(signal.SIGHUP)


def test_nothing_strikes_behind_a_shield_and_all_of_it_behind_that() -> None:
    done = []

    def work() -> None:
        with shielded():
            kill(signal.SIGTERM)
            done.append("whole")
        done.append("behind it")

    with heard(), pytest.raises(StopSignal):
        work()
    assert done == ["whole"]


def test_what_strikes_where_a_shield_is_lifted_finds_it_back() -> None:
    cleaned = []

    def work() -> None:
        with shielded():
            try:
                with lifted():
                    kill(signal.SIGTERM)
            finally:
                other()
                kill(signal.SIGTERM)
                cleaned.append(1)

    with heard(), pytest.raises(StopSignal):
        work()
    assert cleaned == [1]


def test_what_was_kept_strikes_where_the_shield_is_lifted() -> None:
    reached = []

    def work() -> None:
        with shielded():
            kill(signal.SIGINT)
            reached.append(1)
            with lifted():
                reached.append(2)

    with heard(), pytest.raises(StopSignal):
        work()
    assert reached == [1]


def test_a_limit_of_time_cuts_what_the_process_waits_for() -> None:
    reading, writing = os.pipe()
    with heard() as stop:
        stop.limit(0.01)
        with pytest.raises(StopSignal) as raised:
            os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    assert (raised.value.code, raised.value.late) == (124, True)


def test_a_limit_that_is_not_reached_leaves_nothing_behind() -> None:
    with heard() as stop:
        stop.limit(1e300)
    assert not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())


def test_a_limit_of_computing_counts_the_time_of_the_thread() -> None:
    def spin() -> None:
        while True:
            pass

    with signals.within(0.05):
        time.sleep(0.15)  # as on a host that is busy with something else
    began = time.thread_time()
    with pytest.raises(StopSignal) as told, signals.within(0.05):
        spin()
    assert told.value.late
    assert time.thread_time() - began >= 0.05


def test_another_thread_hears_a_limit_where_it_is_asked_and_no_signal() -> None:
    said: list[object] = []

    def elsewhere() -> None:
        over = threading.Event()
        with heard() as stop:
            stop.limit(0.01)
            with on_stop(over.set):
                said.append(over.wait(10))
            said.append(stop.asked and stop.asked.code)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=elsewhere)
    thread.start()
    while thread.is_alive():
        assert signal.getsignal(signal.SIGTERM) is before
        time.sleep(0.001)
    assert said == [True, 124]


def test_a_last_ctrl_c_ends_the_process_without_a_word() -> None:
    before = signal.getsignal(signal.SIGINT)
    with heard(last=True):
        pass
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    signal.signal(signal.SIGINT, before)


def test_running_a_program_from_python_hears_no_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        pytest.fail("a handler was installed")

    monkeypatch.setattr("signal.signal", never)
    assert nasm.run(Path(__file__).parents[1] / "programs" / "countdown.nasm").ok
