"""Random programs with run-time loops: in order by the check of a run, and right call by call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nasm
from nasm.machine.records import Status
from nasm.program.builder import ProgramBuilder
from nasm.sync.lines import Item, Line, Loop, Sequence
from nasm.sync.synchronize import synchronise
from nasm.views.view import Reg
from tests.parts import examples
from tests.sync.cases import Call, Case, calls, filled
from tests.sync.test_loops import ORDER


@dataclass
class Rounds:
    """A loop of so many rounds, and on which engines it is beside those that its calls are on."""

    count: int
    body: list[Call | Rounds]
    more: list[str]


Part = Call | Rounds


@st.composite
def parts(draw: st.DrawFn, depth: int) -> list[Part]:
    """Calls, and loops up to a depth."""
    found: list[Part] = []
    for _ in range(draw(st.integers(1, 5))):
        if depth and draw(st.integers(0, 3)) == 0:
            more = draw(st.lists(st.sampled_from(["tensor", "vector", "sync"]), max_size=1))
            found.append(Rounds(draw(st.integers(0, 3)), draw(parts(depth - 1)), more))
        else:
            found.append(draw(calls(0, shared=True)))
    return found


def every(some: list[Part]) -> Iterator[Call]:
    """Every call once."""
    for part in some:
        if isinstance(part, Call):
            yield part
        else:
            yield from every(part.body)


def engines_of(loop: Rounds) -> set[str]:
    """The engines that go through a loop, and through those in it."""
    inner = (engines_of(part) for part in loop.body if isinstance(part, Rounds))
    return {call.engine for call in every(loop.body)}.union(loop.more, *inner)


def executed(some: list[Part]) -> Iterator[Call]:
    """The calls as often as they are executed."""
    for part in some:
        if isinstance(part, Call):
            yield part
        else:
            for _ in range(part.count):
                yield from executed(part.body)


class Program:
    """Makes the items of a program with loops; their counters are registers 20 and up."""

    def __init__(self, builder: ProgramBuilder, lines: dict[int, Line]) -> None:
        self.builder, self.lines, self.loops = builder, lines, 0

    def items(self, some: list[Part], depth: int = 0) -> list[Item]:
        """Lines and loops."""
        found: list[Item] = []
        for part in some:
            if isinstance(part, Call):
                found.append(self.lines[id(part)])
            else:
                found += self._loop(part, depth)
        return found

    def _loop(self, part: Rounds, depth: int) -> Iterator[Item]:
        name, register = f"again{self.loops}", Reg(20 + depth)
        self.loops += 1
        engines = sorted(engines_of(part))
        queues = {self.builder.queue(engine): engine for engine in engines}
        for queue in queues:
            yield Line(queue, self._made(queue, "RegisterMove", register, 0))
        leave = {"op": "greater_equal", "target": f"{name}_end"}
        yield Loop(
            head=name,
            end=f"{name}_end",
            leave={
                q: self._made(q, "CompareBranch", register, part.count, **leave) for q in queues
            },
            back={q: self._made(q, "CompareBranch", target=name) for q in queues},
            step={
                q: (self._made(q, "RegisterAlu", register, register, 1, op="add"),) for q in queues
            },
            body=self.items(part.body, depth + 1),
        )

    def _made(self, queue: int, row: str, *operands: object, **named: object) -> int:
        rows = self.builder.row(row)
        return self.builder.make(queue, rows, list(operands), named, None, None)[0]


@settings(max_examples=examples(150, 10), deadline=None, suppress_health_check=list(HealthCheck))
@given(parts(2))
def test_a_random_program_with_loops_keeps_its_meaning(some: list[Part]) -> None:
    fill = filled(0)
    once = Case([*fill, *every(some)], 1)
    builder, flat = once.builder()
    lines = {
        id(call): line
        for call, line in zip(once.calls, flat.cores[0], strict=True)
        if isinstance(line, Line)
    }
    synchronise(builder, Sequence([Program(builder, lines).items([*fill, *some])]))
    program = builder.finish()

    session = nasm.Session(program, inputs=once.inputs())
    report = session.run()

    said = {p.code for p in (*report.hazards, *report.warnings)}
    assert not ORDER & said, said
    assert report.status is Status.FINISHED
    for name, wanted in Case([*fill, *executed(some)], 1).meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)
