"""A limit of time for a call from Python, in whatever thread it is made.

No signal is used: a timer raises an exception in the thread that made the call, which CPython
offers for this (``PyThreadState_SetAsyncExc``). It is raised between two instructions of Python, so
one long call of NumPy is not cut short. Python drops an exception that is raised in a finalizer or
in a callback of a weak reference or of the garbage collector: the timer lets those return first.
What got lost nevertheless, or was caught by the code that is timed, is raised again: while the call
runs, and at the latest where it returns.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from nasm.base.signals import StopSignal

T = TypeVar("T")

GRACE = 2.0
"""Seconds for a call that was asked to stop, or in which OutOfTime was raised, before the next."""

_CALLBACKS = {"_remove", "remove", "cb"}
_CALLBACK_FILES = ("weakref.py", "_weakrefset.py", "<frozen importlib._bootstrap>")


class OutOfTime(StopSignal):
    """The time of a call is up; ``number`` is that of the signal after a limit of the command."""

    def __init__(self) -> None:
        super().__init__(signal.SIGALRM)


class Deadline:
    """A call has so many seconds; then OutOfTime is raised in it. None is no limit.

    ``passed`` says that they are over.
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not seconds > 0:
            raise ValueError(f"deadline: wanted seconds above 0, found {seconds!r}")
        self.seconds, self.passed = seconds, False
        self._thread = threading.get_ident()
        self._lock, self._done = threading.Lock(), False
        self._raised = False
        self._ask: Callable[[], None] | None = None
        self._timer: threading.Timer | None = None

    def limit(self, call: Callable[[], T]) -> T:
        """What the call returns; raises OutOfTime where its time is up before.

        No context manager: the exception could keep ``__exit__`` from starting.
        """
        if self.seconds is None:
            return call()
        try:
            try:
                self._start(min(self.seconds, threading.TIMEOUT_MAX))
                result = call()
            finally:
                self._end()
        except OutOfTime:
            self._end()
            raise
        if self._raised:
            raise OutOfTime
        return result

    @contextmanager
    def on_deadline(self, ask: Callable[[], None]) -> Iterator[None]:
        """Within it the call is asked to stop; only if it does not in time is it stopped."""
        self._ask = ask
        try:
            yield
        finally:
            self._ask = None

    def _start(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._strike)
        self._timer.daemon = True
        self._timer.start()

    def _strike(self) -> None:
        self._let_return()
        with self._lock:
            if self._done:
                return
            ask, again = self._ask, self.passed
            self.passed = True
            if ask is None or again:
                self._raised = True
                _raise(self._thread, OutOfTime)
            else:
                ask()
            self._start(GRACE)

    def _let_return(self) -> None:
        until = time.monotonic() + GRACE
        while not self._done and _drops_exceptions(self._thread) and time.monotonic() < until:
            time.sleep(0.001)

    def _end(self) -> None:
        """Nothing strikes any more, and nothing that did is raised later."""
        ended = False
        while not ended:
            try:
                with self._lock:
                    self._done = True
                    if self._timer is not None:
                        self._timer.cancel()
                if self.passed:
                    _settle(self._thread)
                ended = True
            except OutOfTime:
                continue
        if self._timer is not None:
            self._timer.join()


def _raise(thread: int, what: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(what))


def _drops_exceptions(thread: int) -> bool:
    """Whether Python would drop an exception that is raised in the thread now."""
    frame = sys._current_frames().get(thread)
    collector = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code in collector:
            return True
        if code.co_name in _CALLBACKS and code.co_filename.endswith(_CALLBACK_FILES):
            return True
        frame = frame.f_back
    return False


def _settle(thread: int) -> None:
    """Catch what may still be raised in this thread.

    Taking the exception back would leave CPython (seen in 3.11) looking for it before each function
    call from then on, and under a profiler it would never enter a function again. So one is raised,
    in place of any that waits to be, and caught.
    """
    try:
        _raise(thread, OutOfTime)
        while True:
            pass
    except OutOfTime:
        pass
