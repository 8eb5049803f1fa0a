"""Stop requests: Ctrl-C, SIGTERM, SIGHUP and a limit of time, all handled in one way.

A command says :func:`heard` once, and from then on whatever tells it to stop is raised as
:class:`StopSignal`, except

* while it is :func:`on_stop`: then a callback is asked to stop where everything is whole;
* while it is :func:`shielded`: then it is raised at the end, or where the shield is
  :func:`lifted`.

Python hears signals in the main thread alone. In another thread only a limit of time is heard,
and raised only where one of these begins or ends. Nothing here is in force unless
:func:`heard` is: using nasm from Python changes no signal.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from nasm.base.processor_time import thread_seconds

ECHO = 0.1
"""Seconds in which a repeated signal is taken for the same one: ``timeout`` signals a process,
and then its whole group."""

SHORTEST = 0.01
"""Seconds of real time between two looks at how long a thread has computed."""

TIMED_OUT = 124
"""The exit code after a limit of time, as of the shell's ``timeout``."""

_DESCRIPTIONS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "hung up",
    signal.SIGALRM: "out of time",
}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignal(KeyboardInterrupt):
    """The process was asked to stop, by the signal of this number."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        self.number = number
        super().__init__(number)

    @classmethod
    def of(cls, error: KeyboardInterrupt) -> StopSignal:
        """What an interrupt of Python's own says."""
        return error if isinstance(error, StopSignal) else cls()

    @property
    def late(self) -> bool:
        """Whether it took longer than it was given."""
        return self.number == signal.SIGALRM

    @property
    def leaving(self) -> bool:
        """Whether the whole process is to end, and not only what it does."""
        return self.number != signal.SIGINT

    @property
    def code(self) -> int:
        """The exit code: as shells have it of a signal."""
        return TIMED_OUT if self.late else 128 + self.number

    def __str__(self) -> str:
        return _DESCRIPTIONS.get(signal.Signals(self.number), "stopped")


class Stop:
    """The signal a thread received, and how to handle it.

    ``asked`` is why it was asked to stop, ``in_force`` whether it is :func:`heard` at all.
    """

    def __init__(self) -> None:
        self.asked: StopSignal | None = None
        self._ask: Callable[[], None] | None = None
        self._shielded = False
        self._kept: StopSignal | None = None
        self._last = 0
        self._when = float("-inf")
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self.in_force = False

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """A signal was caught."""
        now = time.monotonic()
        echo = number == self._last or StopSignal(self._last).leaving
        if echo and now - self._when < ECHO:
            return
        self._last, self._when = number, now
        self.tell(StopSignal(number), True)

    def tell(self, stop_signal: StopSignal, here: bool) -> None:
        """A stop was requested; ``here`` says whether it can be raised."""
        if self._ask is not None and (self.asked is None or not here):
            self.asked = self.asked or stop_signal
            self._ask()
        elif self._shielded or not here:
            self._kept = self._kept or stop_signal
        else:
            self._shielded = True  # nothing else is raised before the handler has cleaned up
            raise stop_signal

    def _due(self) -> None:
        """Raise what was kept."""
        if self._kept is not None:
            stop_signal, self._kept, self._shielded = self._kept, None, True
            raise stop_signal

    # -- signals and time

    def strike(self) -> None:
        """For who was asked and cannot stop by himself: raise it, where that is possible."""
        assert self.asked is not None
        if threading.current_thread() is threading.main_thread():
            raise self.asked
        self._kept = self.asked

    def shield(self) -> None:
        """Let nothing strike from here to the end, but where it is :func:`lifted`."""
        self._shielded = True

    def _hear(self, number: int) -> None:
        self._before[number] = signal.signal(number, self)

    def limit(self, seconds: float) -> None:
        """See :func:`limit`."""
        main = threading.main_thread()
        inside = threading.current_thread() is main
        if inside:
            self._hear(signal.SIGALRM)

        def over() -> None:
            if inside:  # what it waits for has to be cut as well
                signal.pthread_kill(main.ident or 0, signal.SIGALRM)
            else:
                self.tell(StopSignal(signal.SIGALRM), False)

        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), over)
        self._timer.daemon = True
        self._timer.start()

    def _forget(self, last: bool) -> None:
        """Leave signals as they were found."""
        self._shielded = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None
        for number, before in self._before.items():
            ended = before is None or (last and number == signal.SIGINT)
            signal.signal(number, signal.SIG_DFL if ended else before)
        self._before.clear()
        self._kept, self._shielded, self._when = None, False, float("-inf")
        self.in_force = False


_OF = threading.local()


def _stop() -> Stop:
    """That of this thread."""
    if not hasattr(_OF, "stop"):
        _OF.stop = Stop()
    stop: Stop = _OF.stop
    return stop


@contextmanager
def heard(last: bool = False) -> Iterator[Stop]:
    """Handle signals, but not those that are ignored (``nohup``) or already handled.

    ``last`` says that the process ends then: a Ctrl-C ends it without a word.
    """
    stop = _stop()
    if stop.in_force:
        yield stop
        return
    stop.in_force = True
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    stop._hear(number)
        yield stop
    finally:
        stop._forget(last)


def limit(seconds: float) -> None:
    """Request a stop after this many seconds; for one that is :func:`heard`."""
    _stop().limit(seconds)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Within it the main thread is stopped when it has computed for this many seconds.

    Processor time of the thread counts, so that a busy host gives it no less. It may be done again
    and again, which :func:`limit` may not. In another thread, and in a browser, which has no
    timers, nothing is raised.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return
    done, end = False, thread_seconds() + seconds

    def late(number: int, frame: FrameType | None) -> None:
        left = end - thread_seconds()
        if done:
            return
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left, SHORTEST))
        else:
            raise StopSignal(number)

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def on_stop(ask: Callable[[], None]) -> Iterator[Stop]:
    """Within it the first signal only asks; :attr:`Stop.asked` is what it was.

    Telling it again does not wait.
    """
    stop = _stop()
    stop.asked, stop._ask = None, ask
    try:
        if stop._kept is not None and not stop._shielded:
            stop.asked, stop._kept = stop._kept, None
            ask()
        yield stop
    finally:
        stop._ask = None


@contextmanager
def shielded() -> Iterator[None]:
    """Within it nothing is raised; a signal is raised at the end."""
    stop = _stop()
    before, stop._shielded = stop._shielded, True
    try:
        yield
    finally:
        stop._shielded = before
        if not before:
            stop._due()


@contextmanager
def lifted() -> Iterator[None]:
    """Within it a signal is raised in spite of a shield; one that was kept is raised at once.

    Once something has struck the shield is back.
    """
    stop = _stop()
    before = stop._shielded
    stop._due()
    stop._shielded = False
    try:
        yield
    finally:
        stop._shielded = before
