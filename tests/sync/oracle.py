"""Whether a program keeps its sequential meaning in every execution, by the definition of order.

Each end of an access is forbidden in turn, and everything else happens that can: a later access
that conflicts with it must not begin. That is done with the calls of a case, which say what they
touch; nothing is known here of how waits were found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from nasm.order.skeleton import (
    COMPLETES,
    LANDS,
    STARTS,
    CounterChange,
    CounterWait,
    Event,
    Issue,
    Step,
)
from nasm.program.program import Program
from tests.order.truth import Rising
from tests.sync.cases import Call, Case, Element

SHARES = 16


class Pair(NamedTuple):
    """What has to be over, and which instruction has to start after that: its queue and number."""

    end: Event
    queue: int
    index: int


class Oracle:
    """The calls of a case at their places in a program that was synchronised."""

    def __init__(self, case: Case, program: Program) -> None:
        self.program = program
        assert program.target.sequencing is not None
        self.bare = program.target.sequencing.wait
        self.place: dict[int, tuple[int, int]] = {}
        self.queues: list[list[Call | None]] = []
        waiting = {n: self._calls(case, n) for n in range(len(program.queues))}
        for queue, lines in enumerate(program.queues):
            row: list[Call | None] = []
            for pc in range(len(lines)):
                bare = program.instruction(queue, pc).row.name == self.bare
                call = None if bare else next(waiting[queue])
                if call is not None:
                    self.place[id(call)] = queue, pc
                row.append(call)
            assert next(waiting[queue], None) is None
            self.queues.append(row)
        self.steps = [
            [self._step(queue, pc) for pc in range(len(row))]
            for queue, row in enumerate(self.queues)
        ]
        self.pairs = list(self._pairs(case))
        self.landed = [Event(LANDS, *self.place[id(c)]) for c in case.calls if c.transfer]

    def _calls(self, case: Case, queue: int) -> Iterator[Call]:
        lines = self.program.queues[queue]
        return (c for c in case.calls if (c.core, c.engine) == (lines.core, lines.engine))

    def _step(self, queue: int, pc: int) -> Step:
        program, lines, call = self.program, self.program.queues[queue], self.queues[queue][pc]
        wait, update = program.waits[lines.waits[pc]], program.updates[lines.updates[pc]]
        transfer = call is not None and call.transfer
        change = issue = None
        if update is not None and not transfer:
            change = CounterChange(update.semaphore, update.op, update.value, update.at_read)
        if transfer:
            issue = Issue(None if update is None else update.semaphore, SHARES)
        after = -1
        for before, other in enumerate(self.queues[queue][:pc]):
            if call is not None and other is not None and set(call.reads) & set(other.writes):
                after = before
        needed = None if wait is None else CounterWait(wait.semaphore, wait.op, wait.value)
        meeting = -1 if call is None else call.meeting
        return Step(queue, pc, needed, change, issue, after, meeting)

    # -- what has to be in order

    def _pairs(self, case: Case) -> Iterator[Pair]:
        """Every two calls that touch an element in common, and one of them writes it."""
        for later, second in enumerate(case.calls):
            for first in case.calls[:later]:
                yield from self._between(first, second)

    def _between(self, first: Call, second: Call) -> Iterator[Pair]:
        mine = self.place[id(second)]
        place = self.place[id(first)]
        if first.meeting >= 0 and first.meeting == second.meeting:
            return
        wrote, read = set(first.writes), set(first.reads)
        apart = self._touches(second, moved=True)
        plain = self._touches(second, moved=False)
        if place[0] != mine[0]:
            apart = tuple(a | b for a, b in zip(apart, plain, strict=True))
        reads, writes = apart
        if wrote & (reads | writes):
            yield Pair(Event(COMPLETES, *place), *mine)
        if read & writes and place[0] != mine[0]:
            yield Pair(Event(STARTS, *place), *mine)
        reads, writes = (a | b for a, b in zip(self._touches(second, True), plain, strict=True))
        if set(first.given) & (reads | writes) or set(first.taken) & writes:
            if first.transfer:
                yield Pair(Event(LANDS, *place), *mine)
            elif place[0] != mine[0]:
                yield Pair(Event(STARTS, *place), *mine)

    @staticmethod
    def _touches(call: Call, moved: bool) -> tuple[set[Element], set[Element]]:
        """What a call reads and writes: itself, or by what it moves."""
        return (set(call.taken), set(call.given)) if moved else (set(call.reads), set(call.writes))

    # -- whether it is

    def unordered(self, without: tuple[int, int] | None = None) -> str:
        """The first thing that is in no order; empty if all is.

        If a wait is left out each core is judged alone: what meetings tell of the other core's
        waits is nothing to rely on.
        """
        steps = self.steps
        pairs = self.pairs
        landed = self.landed
        if without is not None:
            queue, pc = without
            core = self._core(queue)
            steps = [[replace(step, meeting=-1) for step in row] for row in steps]
            steps[queue][pc] = replace(steps[queue][pc], wait=None)
            pairs = [p for p in pairs if self._core(p.queue) == self._core(p.end.queue) == core]
            pairs.sort(key=lambda p: (p.queue != queue, abs(p.index - pc)))
            landed = [event for event in landed if self._core(event.queue) == core]
        reached: dict[Event, tuple[int, ...]] = {}
        for pair in pairs:
            if pair.end not in reached:
                reached[pair.end] = Rising(steps).without(pair.end)
            if reached[pair.end][pair.queue] > pair.index:
                return f"{pair} is not kept"
        everything = tuple(map(len, steps))
        for event in landed:
            if Rising(steps).without(event) == everything:
                return f"{event} may come after the end"
        if Rising(steps).without(Event(STARTS, -1, -1)) != everything:
            return "it hangs"
        return ""

    def _core(self, queue: int) -> int:
        return self.program.queues[queue].core

    def waits(self) -> Iterator[tuple[int, int]]:
        """The places of all waits."""
        for queue, row in enumerate(self.steps):
            yield from ((queue, pc) for pc, step in enumerate(row) if step.wait is not None)
