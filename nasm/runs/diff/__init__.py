"""Two runs side by side: where the time of each went, and the first output that differs."""

from __future__ import annotations

from nasm.runs.diff.compare import compare

__all__ = ["compare"]
