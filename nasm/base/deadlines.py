"""A limit of time for a call from Python, in whatever thread it is made.

No signal is used: a timer raises an exception in the thread that made the call, which CPython
offers for this (``PyThreadState_SetAsyncExc``). It is raised between two instructions of Python, so
one long call of NumPy is not cut short.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nasm.base.signals import Told

GRACE = 2.0
"""Seconds for a run that was asked to stop, before it is stopped wherever it is."""


class OutOfTime(Told):
    """The time of a call is up; ``number`` is that of the signal after a limit of the command."""

    def __init__(self) -> None:
        super().__init__(signal.SIGALRM)


class Deadline:
    """Within it its thread has so many seconds; then OutOfTime is raised. None is no limit.

    ``passed`` says that they are over.
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not seconds > 0:
            raise ValueError(f"deadline: wanted seconds above 0, found {seconds!r}")
        self.seconds, self.passed = seconds, False
        self._thread = threading.get_ident()
        self._lock, self._done = threading.Lock(), False
        self._ask: Callable[[], None] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Deadline:
        if self.seconds is not None:
            self._start(min(self.seconds, threading.TIMEOUT_MAX))
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    @contextmanager
    def asking(self, ask: Callable[[], None]) -> Iterator[None]:
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
        with self._lock:
            if self._done:
                return
            ask, again = self._ask, self.passed
            self.passed = True
            if ask is None or again:
                _raise(self._thread, OutOfTime)
            else:
                ask()
                self._start(GRACE)

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
