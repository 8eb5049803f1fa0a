"""``deadline=`` and ``memory=``: limits of a call from Python, in every thread."""

from __future__ import annotations

import contextlib
import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import nasm
import nasm.nki
from nasm.base import deadlines, host_memory
from nasm.base.problems import Failure
from nasm.machine.records import Status

with nasm.nki.installed():
    import nki.isa as nisa
    import nki.language as nl

ENDLESS = """\
.target trn2
@sync
RegisterMove %r0, 5
again: RegisterAlu %r0, %r0, 1, op=add
CompareBranch %r0, 0, op=greater, target=again
"""
LONG = ".target trn2\n.sbuf t f32[4, 8]\n@vector\n.for i in 0..400_000\nMemset t, 1.0\n.end\n"
LARGE = ".target trn2\n.hbm X f32[4096, 4096] input = iota\n.expect X == X\n"
MIB = 1 << 20

pytestmark = pytest.mark.filterwarnings(  # OutOfTime may get lost in a finalizer: it comes again
    "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
)


def here(call: Callable[[], Any]) -> Any:
    return call()


def elsewhere(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


@pytest.mark.turns(2)
@pytest.mark.parametrize("where", [here, elsewhere])
def test_a_run_that_does_not_end_is_reported_when_its_time_is_up(where: Any) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGINT)]
    began = time.monotonic()
    program = nasm.assemble(ENDLESS)
    nasm.run(program, max_instructions=10)  # what is made once is made
    done = where(lambda: nasm.run(program, deadline=1, max_instructions=None))
    assert time.monotonic() - began < 30
    assert (done.report.status, done.ok) == (Status.TIMEOUT, False)
    (problem,) = (p for p in done.report.problems if p.code == "E0516")
    assert "still running after 1 s" in problem.message
    assert handlers == [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGINT)]


@pytest.mark.turns(2)
@pytest.mark.parametrize("where", [here, elsewhere])
@pytest.mark.parametrize("call", [nasm.assemble, nasm.check, nasm.run])
def test_what_takes_too_long_before_there_is_a_result_is_a_failure(where: Any, call: Any) -> None:
    with pytest.raises(Failure, match=r"E0516.*the time of deadline= \(0.1 s\) was up"):
        where(lambda: call(LONG, deadline=0.1))


@pytest.mark.parametrize("where", [here, elsewhere])
@pytest.mark.parametrize("busy", ["tracing", "running"])
def test_a_kernel_has_so_much_time_for_tracing_and_run(where: Any, busy: str) -> None:
    def kernel(x: Any) -> Any:
        while busy == "tracing":
            pass
        return _copied(x, 20_000)

    x = np.zeros((128, 8), np.float32)
    with pytest.raises(Failure, match=r"E0516.*the time of deadline= \(0.5 s\) was up"):
        where(lambda: nasm.nki.run(kernel, x, deadline=0.5))


def _copied(x: Any, times: int) -> Any:
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in range(times):
        nisa.tensor_copy(dst=tile, src=tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


def test_a_kernel_has_so_much_memory() -> None:
    x = np.zeros((128, 8), np.float32)
    done = nasm.nki.run(lambda x: _copied(x, 1), x, deadline=60, memory=1 << 34)
    assert done.ok
    with pytest.raises(Failure, match=r"E0808.*memory= leaves"):
        nasm.nki.run(lambda x: _copied(x, 1), np.zeros((128, 1 << 14), np.float32), memory=1 << 12)


def test_a_call_that_ends_in_time_is_as_without_a_limit() -> None:
    threads = threading.active_count()
    done = nasm.run(".target trn2\n@sync Nop\n", deadline=60, memory=1 << 34)
    assert done.ok
    assert threading.active_count() == threads


def test_nothing_is_raised_after_the_end() -> None:
    struck = 0
    for _ in range(100):
        try:
            deadlines.Deadline(0.001).limit(lambda: _busy(0.001))
        except deadlines.OutOfTime:
            struck += 1
    time.sleep(0.01)
    assert 0 <= struck <= 100


def test_what_a_finalizer_would_drop_is_raised_after_it() -> None:
    class Slow:
        def __del__(self) -> None:
            _busy(0.05)

    def call() -> None:
        Slow()
        _busy(60)

    with pytest.raises(deadlines.OutOfTime):
        deadlines.Deadline(0.01).limit(call)


def test_what_a_callback_of_the_garbage_collector_would_drop_is_raised_after_it() -> None:
    def slow(*_: object) -> None:
        _busy(0.05)

    def call() -> None:
        gc.collect()
        _busy(60)

    gc.callbacks.append(slow)
    try:
        with pytest.raises(deadlines.OutOfTime):
            deadlines.Deadline(0.01).limit(call)
    finally:
        gc.callbacks.remove(slow)


def test_what_the_timed_code_catches_is_raised_where_it_returns() -> None:
    def call() -> None:
        with contextlib.suppress(deadlines.OutOfTime):
            _busy(60)

    with pytest.raises(deadlines.OutOfTime):
        deadlines.Deadline(0.01).limit(call)


def test_what_the_timed_code_catches_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def call() -> None:
        with contextlib.suppress(deadlines.OutOfTime):
            _busy(60)
        _busy(60)

    monkeypatch.setattr(deadlines, "GRACE", 0.02)
    with pytest.raises(deadlines.OutOfTime):
        deadlines.Deadline(0.01).limit(call)


def _busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_the_interpreter_is_as_before_after_a_deadline() -> None:
    # a process of its own: CPython 3.11 hangs in the profiled call where this is not so
    struck = """
import sys, time
from nasm.base.deadlines import Deadline, OutOfTime
try:
    Deadline(0.01).limit(lambda: time.sleep(0.05))
except OutOfTime:
    pass
sys.setprofile(lambda *_: None)
print((lambda: "called")())
"""
    run = subprocess.run([sys.executable, "-c", struck], capture_output=True, timeout=60, text=True)
    assert run.stdout == "called\n"


@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_a_deadline_is_above_0(wrong: float) -> None:
    with pytest.raises(ValueError, match="deadline: wanted seconds above 0"):
        nasm.run(ENDLESS, deadline=wrong)


def test_memory_is_what_a_call_may_take() -> None:
    with pytest.raises(Failure, match=r"E0808.*memory= leaves"):
        nasm.run(LARGE, memory=8 * MIB)
    assert nasm.run(LARGE, memory=1024 * MIB).ok
    assert "memory=" not in (host_memory.available() or (0, ""))[1]


def test_memory_that_was_taken_is_no_more_there(monkeypatch: pytest.MonkeyPatch) -> None:
    held = iter([10 * MIB, 13 * MIB])
    monkeypatch.setattr(host_memory, "_resident_bytes", lambda: next(held))
    with host_memory.limited(4 * MIB):
        assert host_memory.available() == (MIB, "memory= leaves")
