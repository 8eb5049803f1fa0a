"""What to type where a wait needs a semaphore that the text does not have yet, and no moment fits.

That is so in loops that a branch closes: their rounds have no number, which a moment would name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nasm.analysis.hazards.moment_advice import Clauses, MomentAdvice
from nasm.analysis.hazards.rounds import Place, TextLine
from nasm.language.printing.additions import clause, declared, line_before, updates, wait, words
from nasm.order.accesses import ByteAccess
from nasm.order.events import Added
from nasm.order.faults import Fault
from nasm.order.skeleton import LANDS, STARTS, Event


class _Count(NamedTuple):
    """The executions of a line, which add so much ``each``; ``first`` of them are waited for."""

    places: list[Place]
    each: int
    first: int


class CounterAdvice:
    """Finds a new semaphore for a fault of a program on one core; no line gets two in a report."""

    def __init__(self, moments: MomentAdvice, named: Callable[[ByteAccess], str]) -> None:
        self.moments, self.program, self.named = moments, moments.program, named
        self.check, self.executed, self.trials = moments.check, moments.executed, moments.trials
        self._given: set[TextLine] = set()

    def of(self, fault: Fault) -> Clauses | None:
        """The semaphore that orders a fault, where it is updated, and where it is waited for."""
        waiter, other = fault.remedy.waiter, fault.remedy.other
        mine = self.executed.line((waiter.queue, waiter.index))
        theirs = self.executed.line((other.queue, other.index))
        if self.program.cores > 1 or mine is None or theirs is None or mine == theirs:
            return None
        if self.check.unanswered(other):
            return None
        if mine.call or theirs.call or mine.source != theirs.source or self._full(mine, theirs):
            return None
        count = self._count(fault, mine, theirs)
        if count is None or not self._mends(fault, mine, count):
            return None
        return self._made(fault, mine, theirs, count)

    def _full(self, mine: TextLine, theirs: TextLine) -> bool:
        """Whether one of the lines was given something already, or has an update of its own."""
        given = not self._given.isdisjoint((mine, theirs)) or self.moments.posts(theirs)
        return given or updates(theirs.source, theirs.start)

    def _count(self, fault: Fault, mine: TextLine, theirs: TextLine) -> _Count | None:
        """How much has to be counted: the same in all rounds of the waiting line, or None."""
        places = self.executed.lines[theirs.source, theirs.start][()]
        waiting = self.executed.lines[mine.source, mine.start][()]
        if len({queue for queue, _ in places}) != 1:
            return None
        queue = places[0][0]
        pcs, lines = self.check.watch.pcs[queue], self.program.queues[queue]
        if {q for q, _ in waiting} != {fault.remedy.waiter.queue}:
            return None
        if len({pcs[at] for _, at in places}) < len(places) and pcs[-1] + 1 < len(lines.spans):
            return None  # it is in a loop that the run has not left yet
        needed: dict[int, int] = {}
        for one in (fault, *fault.alike):
            for waiter, other in self.check.split(one.race, one.remedy.waiter):
                if not self.check.starts_after(other, waiter):
                    many = sum(at <= other.index for _, at in places)
                    needed[waiter.index] = max(many, needed.get(waiter.index, 0))
        if len(set(needed.values())) != 1:
            return None
        row = self.program.instruction(queue, pcs[fault.remedy.other.index]).row
        moves = self.check.end(fault.remedy.other).kind == LANDS
        return _Count(places, row.posts if moves else 1, max(needed.values()))

    def _mends(self, fault: Fault, mine: TextLine, count: _Count) -> bool:
        """Whether the run finishes, and in order, if each round waits for so much."""
        kind = self.check.end(fault.remedy.other).kind
        event = Event(kind, *count.places[count.first - 1])
        more: dict[Place, list[Added]] = {
            place: [event] for place in self.executed.lines[mine.source, mine.start][()]
        }
        return self.trials.mends(more, [one.race for one in (fault, *fault.alike)])

    def _made(
        self, fault: Fault, mine: TextLine, theirs: TextLine, count: _Count
    ) -> Clauses | None:
        waiter, other = fault.remedy.waiter, fault.remedy.other
        name = self._free_name(self.named(other), mine)
        early = " @read" if self.check.end(other).kind == STARTS else ""
        post = f"${name}++{early}" if count.each == 1 else f"${name} += {count.each}"
        after = f"${name} >= {count.first * count.each}"
        lines, sequencing = self.program.queues[waiter.queue], self.program.target.sequencing
        pc = self.check.watch.pcs[waiter.queue][waiter.index]
        if self.program.waits[lines.waits[pc]] is None:
            waits = wait(mine.source, mine.start, after)
        elif sequencing is not None:
            before = f"@{lines.engine} {sequencing.wait} {after}"
            waits = line_before(mine.source, mine.start, before)
        else:
            waits = None
        new, posts = f".sem {name}", clause(theirs.source, theirs.start, post)
        declares = declared(mine.source, new)
        if declares is None or posts is None or waits is None:
            return None
        self._given |= {mine, theirs}
        self.moments.counting.add(theirs)
        places = (waiter.queue, waiter.index), after, (other.queue, other.index), post
        return Clauses(*places, (declares, posts, waits), new=new)

    def _free_name(self, wanted: str, line: TextLine) -> str:
        taken = {*self.program.semaphores, *self.program.events, *words(line.source, line.start)}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name
