"""Waits that a program does not need as they are, and the fewest semaphores that do."""

from __future__ import annotations

from nasm.runs.waits.advise import advised

__all__ = ["advised"]
