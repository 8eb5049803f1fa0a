"""What became of one run of many."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.records import dataclass, field
from nasm.sweeps.job import Point

FINISHED, REFUSED, DIED, TIMED_OUT = "finished", "refused", "died", "timeout"
"""Ends of a run: to its end; not at all; with its worker; at its deadline."""

OF_THE_HOST = ("E0801", "E0808")
"""Codes of runs that failed because of the computer: a file was unreadable, memory ran out."""

METRICS = {
    "time": ("µs", "microseconds", False),
    "mfu": ("%", "mfu", True),
    "bytes": ("B", "dma_bytes", False),
    "instructions": ("", "instructions", False),
}
"""What runs are compared by: unit, the field that has it, and whether more is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One run: its values, how it ended, and its figures, each None where there is none.

    ``status`` is how the run ended, and ``ok`` whether all that the program promised holds;
    ``reason`` says why not. ``mfu`` is against the peak of the dtypes that were multiplied;
    ``dma_bytes`` are what DMA moved. ``files`` are those that were read, each with the hash of its
    content. ``seconds`` of the host's processor are the one thing that differs from run to run.
    """

    point: Point
    key: str
    status: str
    ok: bool
    reason: str = ""
    code: str = ""
    target: str = ""
    ticks: int | None = None
    microseconds: float | None = None
    mfu: float | None = None
    dma_bytes: int | None = None
    instructions: int | None = None
    hazards: int = 0
    verdict: str = ""
    trace_hash: str = ""
    memory_hash: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    @property
    def lasting(self) -> bool:
        """Whether it would end in the same way again: it did not fail because of the computer."""
        return self.status not in (DIED, TIMED_OUT) and self.code not in OF_THE_HOST

    def metric(self, name: str) -> float | None:
        """A figure that runs are compared by; None if this one has none, or is not ok."""
        value: float | None = getattr(self, METRICS[name][1])
        return value if self.ok else None
