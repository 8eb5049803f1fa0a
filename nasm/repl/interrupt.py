"""Ctrl-C while the machine runs: a wish that is granted between two events, never within one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopped(Exception):
    """The run was stopped where the machine is whole."""


class Interrupt:
    """Whether somebody asked to stop. Asking twice does not wait."""

    def __init__(self) -> None:
        self.asked = False

    def check(self) -> None:
        """Stop here if somebody asked; call it where the machine is whole."""
        if self.asked:
            raise Stopped

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Within it the first Ctrl-C only asks. Python hears signals in the main thread alone."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
