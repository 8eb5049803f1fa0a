"""How long a test may take, and signals as a terminal would have them.

pytest-timeout's limit is kept where hypothesis cannot catch it.
"""

from __future__ import annotations

import signal
from typing import Any, NoReturn

import pytest

# nohup, and a shell that starts something in the background, leave these ignored; the tests and
# the commands they start want to hear them.
for _number, _heard in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGTERM, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _heard)


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
