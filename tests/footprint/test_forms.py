"""What forms say an instruction touches is what the machine finds that it touches."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.effects import Rendezvous
from nasm.isa.instruction import Row
from nasm.machine.records import Status
from nasm.program.footprint.forms import Form, Forms
from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import REGISTERS, Region, covers
from tests.neuron.test_rows import every, text
from tests.tables import each


class Seen(Observer):
    """What every instruction of a run touched, and its transfer."""

    def __init__(self) -> None:
        self.works: list[tuple[int, int, Task]] = []
        self.flights: dict[tuple[int, int], Flight] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.works.append((queue.index, queue.pc, task))

    def issued(self, flight: Flight, now: int) -> None:
        self.flights[flight.origin] = flight


def memory(regions: Iterable[Region]) -> set[Region]:
    """Those that are no registers, whatever areas they have."""
    return {r._replace(area=-1) for r in regions if not r.place.startswith(REGISTERS)}


def registers(regions: Iterable[Region]) -> set[int]:
    return {r.low // 4 for r in regions if r.place.startswith(REGISTERS)}


def ran(program: str) -> tuple[Session, Seen]:
    session = Session.load(Source("example.nasm", program))
    seen = Seen()
    session.machine.scheduler.observe(seen)
    assert session.run().status is Status.FINISHED
    return session, seen


def form_of(session: Session, queue: int, pc: int) -> Form:
    program = session.program
    lines = program.queues[queue]
    return Forms(program.generation).of(program.instruction(queue, pc), lines.engine, lines.core)


@every()
def test_the_form_of_an_example_is_what_its_run_touches(row: Row, engine: str, on: str) -> None:
    try:
        session, seen = ran(text(row, engine, on))
    except Failure:
        pytest.skip("a rule leaves it to other engines")
    for queue, pc, task in seen.works:
        form, work = form_of(session, queue, pc), task.work
        assert set(form.reads) == memory(work.reads)
        assert set(form.writes) == memory(work.writes)
        assert set(form.taken) == registers(work.reads)
        assert set(form.left) == registers(work.writes)
        flight = seen.flights.get((queue, pc))
        if flight is None:
            meets = session.program.instruction(queue, pc).row.effect is Rendezvous
            assert form.moved is None or meets
            continue
        assert form.moved is not None
        if not form.moved.meets:  # the other core's tile is the other core's to tell
            assert set(form.moved.reads) == memory(flight.reads)
            assert set(form.moved.writes) == memory(flight.writes)


HEAD = """\
.target trn2
.hbm   A  f32[64, 64]  input = iota
.sbuf  a  f32[16, 64]
.sbuf  i  i32[16, 1]   = iota
.sbuf  b  f32[16, 64]
"""

MOVED = [
    "@sync RegisterMove %r0, {0}\n@sync DmaCopy a, A[%r0 : +16, :]",
    "@vector Memset a, 0\n@vector RegisterMove %r0, {0}\n"
    "@vector TensorCopy b[:, 0:8], a[:, %r0 : +8]",
    "@gpsimd DmaCopy a, A.ap([[64, 16], [1, 64]], 0, vector_offset=i)",
    "@vector Memset a, 0\n@vector RegisterMove %r0, {0}\n"
    "@vector TensorCopy b[:, %r0 : +4], a[:, 0:16:4]",
]


@each("lines", MOVED)
@each("value", [0, 3, 17, 40])
def test_what_a_run_addresses_is_within_what_the_form_says(lines: str, value: int) -> None:
    session, seen = ran(HEAD + lines.format(value))
    checked = 0
    for queue, pc, task in seen.works:
        form, flight = form_of(session, queue, pc), seen.flights.get((queue, pc))
        sides = [(task.work.reads, form.reads), (task.work.writes, form.writes)]
        if flight is not None:
            assert form.moved is not None
            sides += [(flight.reads, form.moved.reads), (flight.writes, form.moved.writes)]
        for found, said in sides:
            for region in memory(found):
                assert any(covers(one, region) for one in said)
                checked += 1
    assert checked >= 2
