"""How long a test may take: pytest-timeout's limit, kept where hypothesis cannot catch it."""

from __future__ import annotations

import signal
from typing import Any, NoReturn

import pytest


class TimedOut(BaseException):
    """A test that takes too long.

    It is no Exception and not pytest's Failed: hypothesis would catch those and run the example
    again, this time without a limit.
    """


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool:
    def stop(*_: object) -> NoReturn:
        raise TimedOut(f"the test was still running after {settings.timeout:g} s")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout)
    return True


def pytest_timeout_cancel_timer(item: pytest.Item) -> bool:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return True
