"""How long a call takes, as the benchmark measures it."""

from __future__ import annotations

import time
from collections.abc import Callable

TICK = 0.001
"""Seconds: a host's clock may move in steps, so that a short call seems to take none."""


def busy(work: Callable[[], object]) -> float:
    """The processor's time that one call takes in this process: others do not count.

    A call that seems to take none is said to have taken a tick.
    """
    began = time.process_time()
    work()
    return time.process_time() - began or TICK
