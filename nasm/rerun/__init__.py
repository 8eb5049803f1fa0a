"""A run again: under other timings, or with one event held back, and what that changes."""

from __future__ import annotations

from nasm.rerun.drawn import schedules
from nasm.rerun.witnesses import witness

__all__ = ["schedules", "witness"]
