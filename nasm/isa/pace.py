"""Paces: what the history of a core decides about the next start of an instruction."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol


class Shift(Protocol):
    """Is shown what a pace remembers, by the way it changes; returns what goes there."""

    now: int

    def same(self, what: object) -> None:
        """See what decides what follows."""

    def tick(self, value: int) -> int:
        """See a tick; one that is past may be any."""

    def moving(self, value: int) -> int:
        """See a tick that decides what follows, past or not."""


class Pace:
    """Something of a core that remembers what was started, and paces what starts next.

    All times are ticks. A task that names one asks it twice: when it is at the head of its queue,
    how long its unit is made ready before it can start; and when it starts, how long it takes.
    ``key`` is what the task's cost says for it. ``label`` is what profiles and traces call the time
    that makes a unit ready, ``without`` what profiles call a run in which there is no such pace;
    ``figures`` are the names of those that it depends on. ``holds`` is what its core holds, if the
    target has it hold something: to be looked at.
    """

    label = ""
    without = ""
    figures: tuple[str, ...] = ()
    holds: Any = None

    def ahead(self, key: Hashable) -> int:
        """Ticks that make the unit ready for a task that is next in its queue; it is, then."""
        return 0

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """Interval and latency of a task that starts now, from those of its cost."""
        return interval, latency

    def pass_over(self, shift: Shift) -> None:
        """Show what it remembers, so that moments can be compared: none are equal."""
        shift.same(object())

    def save(self) -> Any:
        """Everything that it remembers."""
        raise NotImplementedError

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        raise NotImplementedError
