"""Stopping where what cores hold changes: it is compared after every event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nasm.base.dtypes import Array
from nasm.debugger.moving.stops import FEW, ElementChange, Met, Test
from nasm.debugger.values.value import Value
from nasm.runs.execution import Execution
from nasm.sim.counters import Who

State = tuple[Array, Array]
"""Elements of part of what a core holds, and which of them are known."""


def state(value: Value) -> State:
    """What a value is, to be compared with what it is later."""
    return value.array, value.known((slice(None),) * len(value.shape))


def changes(was: State, now: State) -> tuple[int, tuple[ElementChange, ...]]:
    """How many elements are not what they were, and the first of them."""
    other = differing(was, now)
    few = tuple(
        ElementChange(tuple(map(int, at)), *(_element(part, tuple(at)) for part in (was, now)))
        for at in (np.argwhere(other)[:FEW] if other.ndim else [()])
    )
    count = int(np.count_nonzero(other))
    return count, few if count else ()


class OnPart(Test):
    """Part of what a core holds is not what it was: bits, or whether they are known."""

    polled = True

    def __init__(self, running: Execution, name: str, value: Callable[[], Value]) -> None:
        super().__init__(running)
        self.name, self.value = name, value
        self.was: State | None = None

    def begin(self) -> None:
        """What it is now."""
        self.was = self._now()

    def _now(self) -> State:
        return state(self.value())

    def acted(self, who: Who, tick: int) -> None:
        """Compare: what differs now was left for then by an instruction."""
        self._compare(who, tick)

    def look(self) -> None:
        """Compare: what differs now was changed with the event."""
        self._compare(self.running.machine.scheduler.acting, -1)

    def _compare(self, who: Who, tick: int) -> None:
        was, now = self.was, self._now()
        self.was = now
        if was is None:
            return
        count, few = changes(was, now)
        if not count:
            return
        queue, pc = who
        at = f" with {self.acting(queue, pc)}" if queue >= 0 else ""
        self.meet(Met(f"{self.name} changed{at}", queue, pc, count, few, tick=tick))


def differing(was: State, now: State) -> Array:
    """Where bits of elements that are known differ, or one is known that was not, or no longer."""
    (before, knew), (after, known) = was, now
    raw = f"u{after.dtype.itemsize}"
    bits = np.ascontiguousarray(before).view(raw) != np.ascontiguousarray(after).view(raw)
    return np.asarray((bits.reshape(after.shape) & knew & known) | (knew != known))


def _element(part: State, at: tuple[int, ...]) -> object:
    return part[0][at] if part[1][at] else None
