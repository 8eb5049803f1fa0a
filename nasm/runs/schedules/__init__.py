"""A run again: under other timings, or with one event delayed, and what that changes."""

from __future__ import annotations

from nasm.runs.schedules.random import schedules
from nasm.runs.schedules.witnesses import witness

__all__ = ["schedules", "witness"]
