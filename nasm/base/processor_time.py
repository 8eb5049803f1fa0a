"""Seconds for which a thread has computed."""

from __future__ import annotations

import time

thread_seconds = getattr(time, "thread_time", time.perf_counter)
"""Processor time of this thread; real time where that is not measured, as in a browser."""
