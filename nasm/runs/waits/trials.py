"""Trying changes to waits: is every execution still in order, and does every one end?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.hangs import HangSearch
from nasm.order.late_takes import always_ends, late_takes
from nasm.program.program import Program
from nasm.runs.waits.edits import WaitEdits, changed, joined

BUDGET = 2_000_000
"""Instructions that are judged again, in all, to try changes."""

T = TypeVar("T")


class WaitTrials:
    """Judges what was kept of a run with other waits.

    All that is tried makes instructions wait for less: then the run as it was is an execution of
    the changed program as well, and if a set of changes keeps the order, each subset does.
    """

    def __init__(self, program: Program, check: Check, budget: int = BUDGET) -> None:
        self.program, self.check, self.budget = program, check, budget
        self.untried = 0
        self._unlanded = set(check.unlanded())
        self._overruns = len(list(check.order.overruns()))
        self._sums = len(check.sums)

    def holds(self, edits: WaitEdits) -> bool:
        """Whether all is in order and ends in every execution with these changes."""
        watch = self.check.watch
        self.budget -= len(watch.queues)
        made = Check(Sources(changed(self.program, edits)), watch, self.check.held)
        made.settle()
        order = made.order
        if made.races or order.unordered or len(made.sums) > self._sums:
            return False
        if len(list(order.overruns())) > self._overruns or any(True for _ in late_takes(made)):
            return False
        if not self._unlanded.issuperset(made.unlanded()):
            return False
        search = HangSearch([one.step for one in order.taken])
        return search.free or always_ends(order.taken) or search.decide() is None

    def holding(self, some: Sequence[T], edits: Callable[[T], WaitEdits]) -> list[T]:
        """Those of some changes that hold, each alone: halves of them are tried together."""
        if not some:
            return []
        if self.budget <= 0:
            self.untried += len(some)
            return []
        together = joined(map(edits, some))
        if together is not None and self.holds(together):
            return list(some)
        if len(some) == 1:
            return []
        half = len(some) // 2
        return [*self.holding(some[:half], edits), *self.holding(some[half:], edits)]
