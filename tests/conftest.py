"""Which tests run, how long each may take, and signals as a terminal would have them.

pytest-timeout's limit is one of processor time, since a busy machine says nothing about a test, and
is kept where hypothesis cannot catch it. A test that waits uses none: it ends after five times as
many seconds. Where not even a signal is heard, its worker ends within two minutes more, with a
traceback.
"""

from __future__ import annotations

import faulthandler
import gc
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

import pytest

from tests import parts

WAITING = 5
"""By how much a test may take longer than its processor time."""

# nohup, and a shell that starts something in the background, leave these ignored; the tests and
# the commands they start want to hear them.
for _number, _heard in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGTERM, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _heard)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="run every test with every seed: thorough ones, too, and all of each long series",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    everything = config.getoption("--all")
    seed = parts.choose(whole=everything)
    if not everything and not config.option.markexpr and not _named(config):
        config.option.markexpr = "not thorough"
    if config.getoption("--hypothesis-seed", None) is None:
        config.option.hypothesis_seed = str(seed)


def _named(config: pytest.Config) -> bool:
    """Whether single tests are named, which then run whatever is marked."""
    return any("::" in argument for argument in config.args)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--all") and not _named(config):
        kept, left = parts.in_turns(items)
        items[:] = kept
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without Python's search for garbage, which then leaves all of them out."""
    gc.disable()
    _draw_no_constants_of_modules()
    yield
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    faulthandler.cancel_dump_traceback_later()


def _draw_no_constants_of_modules() -> None:
    """Leave out of hypothesis' examples the numbers and words that occur in nasm.

    It looks for them in each module that is loaded: the examples of a seed would depend on the
    tests before, and on the name of the folder.
    """
    with suppress(ImportError):
        from hypothesis.internal.conjecture import providers

        if hasattr(providers, "_get_local_constants"):
            providers._get_local_constants = lambda: providers._local_constants


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    ran = "everything" if config.getoption("--all") else "a part; --all runs everything"
    again = f"{parts.SEED}={parts.seed()}"
    terminalreporter.write_line(f"{ran}; {again} chooses the same examples again")


class TimedOut(BaseException):
    """A test that takes too long.

    It is no Exception and not pytest's Failed: hypothesis would catch those and run the example
    again, this time without a limit.
    """


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool:
    def stop(number: int, _: object) -> NoReturn:
        if number == signal.SIGPROF:
            raise TimedOut(f"the test ran for {settings.timeout:g} s of processor time")
        raise TimedOut(f"the test was still waiting after {WAITING * settings.timeout:g} s")

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, settings.timeout)
    signal.setitimer(signal.ITIMER_REAL, WAITING * settings.timeout)
    _arm(WAITING * settings.timeout)
    return True


def _arm(limit: float) -> None:
    """End this worker if a test is still running a minute or two after that limit.

    That starts a thread and waits for the one before, so not for every test.
    """
    global _end
    now = time.monotonic()
    if _end < now + limit + 60:
        _end = now + limit + 120
        faulthandler.dump_traceback_later(limit + 120, exit=True)


_end = 0.0
"""When it ends unless that is done again."""


def pytest_timeout_cancel_timer(item: pytest.Item) -> bool:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGPROF, signal.SIG_IGN)  # one that is late must not end the process
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return True
