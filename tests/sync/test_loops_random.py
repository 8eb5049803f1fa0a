"""Random programs with run-time loops: they mean what their calls do, round by round.

A body holds calls of any engine, and other loops. The order of what a run executed is judged; then
each wait is left out in turn, and something is in no order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nasm
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.sync.lines import Item, Line, Loop, Sequence
from nasm.sync.synchronize import synchronise
from nasm.views.tensor import Tensor
from nasm.views.view import Reg
from tests.parts import examples
from tests.sync.cases import Call, Case, Part, calls, filled, view

ORDER = {"E0501", "E0502", "E0505", "E0513", "E0514", "E0520", "E0540", "E0541"}
COUNTER = 10
"""The register that counts the rounds of an outermost loop."""
ROUNDS = (2, 2), (0, 0), (2, 0)
"""Rounds of loops, and of loops in them, which show what a wait is for."""


@dataclass
class Rounds:
    """A loop: it counts up to so many rounds, or down from them while its register is not 0."""

    count: int
    down: bool
    body: list[Call | Rounds]
    also: str = "sync"

    @property
    def engines(self) -> list[str]:
        """Who goes through it: all that have anything to do in it, and one more."""
        own = [e for i in self.body for e in ([i.engine] if isinstance(i, Call) else i.engines)]
        return list(dict.fromkeys([*own, self.also]))


Items = list["Call | Rounds"]


def unrolled(items: Items) -> Iterator[Call]:
    """Every call, as often as it is executed."""
    for item in items:
        if isinstance(item, Call):
            yield item
        else:
            for _ in range(item.count):
                yield from unrolled(item.body)


class Building:
    """Makes the lines of a program."""

    def __init__(self, items: Items) -> None:
        self.case = Case(list(unrolled(items)), 1)
        self.builder, _ = Case([], 1).builder()
        self.found: dict[str, Tensor] = dict(self.builder.program.tensors)
        self.loops = 0
        self.items = self.lines(items, 0)

    def program(self) -> Program:
        """The program with its waits."""
        synchronise(self.builder, Sequence([self.items]))
        return self.builder.finish()

    def made(self, engine: str, row: str, *operands: object, **named: object) -> int:
        """An instruction."""
        queue = self.builder.queue(engine)
        return self.builder.make(queue, self.builder.row(row), list(operands), named, None, None)[0]

    def line(self, engine: str, row: str, *operands: object, **named: object) -> Line:
        """A line."""
        return Line(self.builder.queue(engine), self.made(engine, row, *operands, **named))

    def lines(self, items: Items, depth: int) -> list[Item]:
        """The lines of calls and of loops."""
        made: list[Item] = []
        for item in items:
            if isinstance(item, Call):
                operands = [
                    view(self.found, o) if isinstance(o, Part) else o for o in item.operands
                ]
                made.append(self.line(item.engine, item.row, *operands, **item.named))
            else:
                made += self.loop(item, depth)
        return made

    def loop(self, item: Rounds, depth: int) -> Iterator[Item]:
        """A loop, behind the lines that begin its counters."""
        head, counter, engines = f"loop{self.loops}", Reg(COUNTER + depth), item.engines
        end, self.loops = f"{head}_end", self.loops + 1
        leave = {"op": "equal"} if item.down else {"op": "greater_equal"}
        made = Loop(head, end, {}, {})
        for engine in engines:
            yield self.line(engine, "RegisterMove", counter, item.count if item.down else 0)
        made.body = self.lines(item.body, depth + 1)
        for engine in engines:
            queue = self.builder.queue(engine)
            limit = 0 if item.down else item.count
            made.leave[queue] = self.made(
                engine, "CompareBranch", counter, limit, target=end, **leave
            )
            made.back[queue] = self.made(engine, "CompareBranch", target=head)
            step = ("RegisterAlu", counter, counter, -1 if item.down else 1)
            if item.down:
                made.body.append(self.line(engine, *step, op="add"))
            else:
                made.step[queue] = (self.made(engine, *step, op="add"),)
        yield made


@st.composite
def some(draw: st.DrawFn, depth: int) -> Items:
    """Calls, and a loop among them if they are not too deep in others."""
    items: Items = [*draw(st.lists(calls(0, shared=True), max_size=4))]
    if depth and draw(st.booleans()):
        count, down = draw(st.sampled_from([2, 1, 0, 3])), draw(st.booleans())
        also = draw(st.sampled_from(["sync", "vector", "gpsimd"]))
        inner = Rounds(count, down, draw(some(depth - 1)), also)
        items.insert(draw(st.integers(0, len(items))), inner)
    return items


@st.composite
def programs(draw: st.DrawFn) -> Items:
    """A program with a loop."""
    count, down = draw(st.sampled_from([2, 1, 0, 3])), draw(st.booleans())
    inner = Rounds(count, down, draw(some(1)), draw(st.sampled_from(["sync", "vector"])))
    before, after = draw(some(0)), draw(some(0))
    fill = (
        [c for c in filled(0) if c.row == "Memset" or used & set(c.writes)]
        if (
            used := {
                e for c in every([*before, inner, *after]) for e in c.reads if e[0] == "register"
            }
        )
        else filled(0)[:1]
    )
    return [*fill, *before, inner, *after]


def every(items: Items) -> Iterator[Call]:
    """Every call once."""
    for item in items:
        if isinstance(item, Call):
            yield item
        else:
            yield from every(item.body)


def judged(program: Program, inputs: dict[str, Any]) -> tuple[nasm.Session, set[str]]:
    """A run, and what is said of its order."""
    session = nasm.Session(program, inputs=inputs)
    report = session.run()
    said = {p.code for p in (*report.hazards, *report.warnings)}
    ordering = session.ordering
    flying = ordering is not None and ordering.judged().unlanded()
    if flying or report.status is not Status.FINISHED:
        said.add("E0514")
    return session, said & ORDER


@settings(max_examples=examples(200, 14), deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_random_loop_means_what_its_calls_do_round_by_round(items: Items) -> None:
    building = Building(items)
    session, said = judged(building.program(), building.case.inputs())
    assert said == set()
    for name, wanted in building.case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)


def counted(items: Items, counts: tuple[int, ...]) -> Items:
    """The same with so many rounds of the loops of each depth."""
    return [
        item
        if isinstance(item, Call)
        else replace(item, count=counts[0], body=counted(item.body, counts[1:]))
        for item in items
    ]


@settings(max_examples=examples(60, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_each_wait_of_a_random_loop_is_needed_for_some_number_of_rounds(items: Items) -> None:
    inputs = Case([], 1).inputs()
    made = [Building(counted(items, counts)).program() for counts in ROUNDS]
    for queue, lines in enumerate(made[0].queues):
        for pc, wait in enumerate(lines.waits):
            if wait and not before_loop(made[0], queue, pc):
                assert any(needed(program, inputs, queue, pc) for program in made), (queue, pc)


def before_loop(program: Program, queue: int, pc: int) -> bool:
    """Whether an instruction only waits in front of a loop.

    Who waits there for what may know it in the loop from another queue that waits there, too.
    """
    lines = program.queues[queue]
    heads = {at for name, at in lines.labels.items() if not name.endswith("_end")}
    names = (program.instruction(queue, at).row.name for at in range(pc, len(lines)))
    waiting = itertools.takewhile(lambda name: name == "EventSemaphore", names)
    return pc + sum(1 for _ in waiting) in heads


def needed(program: Program, inputs: dict[str, Any], queue: int, pc: int) -> bool:
    """Whether a run is in order with a wait, and not without it."""
    waits = program.queues[queue].waits
    kept, waits[pc] = waits[pc], 0
    _, said = judged(program, inputs)
    waits[pc] = kept
    return bool(said)
