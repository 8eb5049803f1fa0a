"""Whether any program is in order, and needs each of its waits: for kernels, by the definition.

``python -m tests.sync.judged kernel.py:name --in a=iota[128,512]:f32 …`` judges a kernel of NKI
without branches and with one core, as long as it has no more than some thousand instructions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

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
from nasm.program.footprint.forms import Form, Forms
from nasm.program.program import Program
from nasm.views.regions import Region, intersect
from tests.order.truth import Rising

SHARES = 16
Place = tuple[int, int]


class Judged:
    """A program that branches nowhere, on one core."""

    def __init__(self, program: Program) -> None:
        self.program = program
        forms = Forms(program.generation)
        known: dict[int, Form] = {}
        self.forms: list[list[Form]] = []
        for lines in program.queues:
            for number in set(lines.instructions):
                known[number] = forms.of(program.instructions[number], lines.engine, lines.core)
            self.forms.append([known[number] for number in lines.instructions])
        self.steps = [
            [self._step(q, pc) for pc in range(len(row))] for q, row in enumerate(self.forms)
        ]
        self.pairs = list(self._pairs())
        self.landings = [
            Event(LANDS, q, pc)
            for q, row in enumerate(self.forms)
            for pc, form in enumerate(row)
            if form.moved is not None
        ]

    def _step(self, queue: int, pc: int) -> Step:
        program, lines, form = self.program, self.program.queues[queue], self.forms[queue][pc]
        wait, update = program.waits[lines.waits[pc]], program.updates[lines.updates[pc]]
        after = -1
        for before in range(pc - 1, -1, -1):
            other = self.forms[queue][before]
            if set(form.taken) & set(other.left) or intersect(form.reads, other.writes):
                after = before
                break
        change = issue = None
        if form.moved is not None:
            issue = Issue(None if update is None else update.semaphore, SHARES)
        elif update is not None:
            change = CounterChange(update.semaphore, update.op, update.value, update.at_read)
        needed = None if wait is None else CounterWait(wait.semaphore, wait.op, wait.value)
        return Step(queue, pc, needed, change, issue, after)

    def _accesses(self) -> Iterator[tuple[Place, bool, bool, Region, Event]]:
        """Place, whether it is moved, whether it writes, what, and what ends it."""
        for queue, row in enumerate(self.forms):
            for pc, form in enumerate(row):
                place = queue, pc
                for region in form.reads:
                    yield place, False, False, region, Event(STARTS, *place)
                for region in form.writes:
                    yield place, False, True, region, Event(COMPLETES, *place)
                if form.moved is not None:
                    for region in form.moved.reads:
                        yield place, True, False, region, Event(LANDS, *place)
                    for region in form.moved.writes:
                        yield place, True, True, region, Event(LANDS, *place)

    def _pairs(self) -> Iterator[tuple[tuple[Event, Place], tuple[Event, Place]]]:
        """Of every two accesses that conflict: the end of each, and where the other begins."""
        some = list(self._accesses())
        known: dict[tuple[Region, Region], bool] = {}
        for n, (place, moved, writes, region, end) in enumerate(some):
            for other, moved2, writes2, region2, end2 in some[:n]:
                if not (writes or writes2) or place == other:
                    continue
                if place[0] == other[0] and not (moved or moved2):
                    continue
                if region.place != region2.place:
                    continue
                if (region, region2) not in known:
                    known[region, region2] = intersect((region,), (region2,))
                if known[region, region2]:
                    yield (end2, place), (end, other)

    def unordered(self, without: Place | None = None) -> str:
        """A pair that is in no order, if a wait is left out; empty if there is none."""
        steps, pairs = self.steps, self.pairs
        if without is not None:
            queue, pc = without
            steps = [list(row) for row in steps]
            steps[queue][pc] = replace(steps[queue][pc], wait=None)
            pairs = sorted(pairs, key=lambda p: min(_far(p[0][1], without), _far(p[1][1], without)))
        reached: dict[Event, tuple[int, ...]] = {}

        def before(end: Event, place: Place) -> bool:
            if end not in reached:
                reached[end] = Rising(steps).without(end)
            return reached[end][place[0]] <= place[1]

        for one, other in pairs:
            if not before(*one) and not before(*other):
                return f"{one} and {other}"
        everything = tuple(map(len, steps))
        for event in self.landings:
            if Rising(steps).without(event) == everything:
                return f"{event} may come after the end"
        return ""

    def waits(self) -> Iterator[Place]:
        """The places of all waits."""
        for queue, row in enumerate(self.steps):
            yield from ((queue, pc) for pc, step in enumerate(row) if step.wait is not None)


def _far(place: Place, other: Place) -> int:
    return abs(place[1] - other[1]) + (place[0] != other[0]) * 1_000_000


def main(words: list[str]) -> None:
    """Judge the kernel that a command line names."""
    from nasm.apps.cli import programs
    from nasm.apps.cli.arguments import parser

    program = programs.traced(parser().parse_args(["nki", *words])).program
    judged = Judged(program)
    waits = list(judged.waits())
    found = judged.unordered()
    needless = [place for place in waits if not judged.unordered(without=place)]
    said = f"{len(program)} instructions, {len(judged.pairs)} pairs in conflict, "
    said += f"{len(waits)} waits, {len(needless)} of them needless; {found or 'all in order'}"
    sys.stdout.write(f"{said}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
