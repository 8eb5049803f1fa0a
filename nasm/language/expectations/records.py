"""What became of expectations, as records."""

from __future__ import annotations

from nasm.base.problems import clean
from nasm.base.records import dataclass
from nasm.base.source import Span

MARKS = ("✓", "✗")
"""The marks of an expectation that held, and of one that did not."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An element that is not what was expected; ``index`` is its place in the left side."""

    index: tuple[int, ...]
    found: float
    wanted: float
    error: float


@dataclass(frozen=True, slots=True, repr=False)
class ExpectationRecord:
    """An expectation and what was measured: ``summary`` is one line, ``worst`` the worst places."""

    text: str
    span: Span
    held: bool
    summary: str
    measured: float | None
    bound: float | None
    worst: tuple[Mismatch, ...] = ()

    @property
    def title(self) -> str:
        """Its text, with the rounds of loops and the calls that it was reached through."""
        steps = ", ".join(step for frame in self.span.chain if (step := frame.step))
        return f"{self.text}  ({steps})" if steps else self.text

    def __str__(self) -> str:
        return clean(f"{MARKS[not self.held]} {self.title}\n    {self.summary}")

    def __repr__(self) -> str:
        return f"<expectation {clean(self.title)}: {'held' if self.held else 'failed'}>"
