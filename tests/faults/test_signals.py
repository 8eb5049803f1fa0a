"""A signal strikes at every call of the file system, and at every event of a run."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from nasm.runs.execution import Execution
from nasm.sim.events import EVENTS, Observer
from tests.faults.calls import CALLS, Call
from tests.faults.injecting import ENDS, Bench, Signalling

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RUNS = [call for call in CALLS if call.name in ("run", "run-inputs", "run-kernel", "profile")]


class Struck(Observer):
    """Told of every event of a run, it delivers a signal at one of them."""

    def __init__(self, at: int, number: int) -> None:
        self.at, self.number, self.events = at, number, 0

    def event(self, *_: Any) -> None:
        self.events += 1
        if self.events == self.at:
            signal.raise_signal(self.number)


for _event in EVENTS:
    setattr(Struck, _event, Struck.event)


@contextlib.contextmanager
def watched(struck: Struck) -> Iterator[None]:
    """Within it every run has one more observer."""
    run = Execution.run

    def observed(self: Execution, *given: Any, **more: Any) -> Any:
        self.machine.scheduler.observe(struck)
        return run(self, *given, **more)

    with mock.patch.object(Execution, "run", observed):
        yield


def bench_of(call: Call, folder: Path) -> Bench:
    made = Bench(call, folder)
    assert made.clean.code == call.code, made.clean.out + made.clean.err
    return made


def struck_at_a_call(bench: Bench, at: int, number: int) -> None:
    what, path = bench.clean.calls[at]
    ended = bench.ended(Signalling(at, number))
    try:
        bench.answered(ended, (*ENDS, 128 + number), spoken=ended.code < 128)
        bench.whole(ended)
    except (AssertionError, ValueError) as wrong:
        said = f"{signal.Signals(number).name} at {what} {path} (call {at})"
        raise AssertionError(f"{said}: {wrong}\n{ended.out}{ended.err}") from None


def struck_at_an_event(bench: Bench, at: int, number: int) -> None:
    ended = bench.ended(around=watched(Struck(at, number)))
    assert ended.code == 128 + number, (at, ended.code, ended.out, ended.err)
    bench.answered(ended, (128 + number,))
    bench.whole(ended)


def events_of(bench: Bench) -> int:
    counted = Struck(-1, signal.SIGINT)
    assert bench.ended(around=watched(counted)).code == bench.clean.code
    return counted.events


@pytest.mark.turns(4)
@pytest.mark.parametrize("call", RUNS, ids=lambda call: call.name)
def test_a_signal_at_some_events_and_calls(call: Call, tmp_path: Path) -> None:
    bench = bench_of(call, tmp_path)
    events, calls = events_of(bench), len(bench.clean.calls) - 1
    for n, number in enumerate(SIGNALS):
        struck_at_an_event(bench, 1 + n * (events - 1) // 2, number)
        struck_at_a_call(bench, n * calls // 2, number)


@pytest.mark.thorough
@pytest.mark.parametrize("call", RUNS, ids=lambda call: call.name)
def test_a_signal_at_every_event_of_a_run(call: Call, tmp_path: Path) -> None:
    bench = bench_of(call, tmp_path)
    for at in range(1, events_of(bench) + 1):
        for number in SIGNALS:
            struck_at_an_event(bench, at, number)


@pytest.mark.thorough
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_signal_at_every_call_of_the_system(call: Call, tmp_path: Path) -> None:
    bench = bench_of(call, tmp_path)
    for at in range(len(bench.clean.calls)):
        for number in SIGNALS:
            struck_at_a_call(bench, at, number)
