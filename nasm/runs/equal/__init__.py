"""Whether two programs have the same results for every input: proved, refuted, or not proved."""

from __future__ import annotations

from nasm.runs.equal.compare import equal

__all__ = ["equal"]
