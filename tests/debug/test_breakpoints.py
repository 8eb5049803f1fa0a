"""A breakpoint is met exactly once for each time that what it says happens, forward and backward.

What happens is taken down by an observer of a plain run that processes one event at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from nasm.debug import past
from nasm.machine import tensor_io
from nasm.problems import Failure, Refused
from nasm.records import Moment
from nasm.running import Running
from nasm.session import Session
from nasm.sim.events import Observer
from nasm.spec.view import View
from tests.debug.journeys import CASES, CYCLES, Made, checked, ends, plain, programs, session


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint is taken whenever one can be, and that is often."""
    monkeypatch.setattr(past, "EVERY", 0.0)
    monkeypatch.setattr(past, "FIRST", 3)
    monkeypatch.setattr(past, "MOST", 11)


@dataclass
class Taken(Observer):
    """What happens in an event, as (what, of which, ...)."""

    events: list[tuple[Any, ...]] = field(default_factory=list)

    def started(self, queue: Any, task: Any, now: int) -> None:
        self.events.append(("start", queue.index, queue.pc, now))

    def finished(self, queue: Any, done: Any) -> None:
        self.events.append(("finish", queue.index, done.pc))

    def posted(self, number: int, semaphore: Any, now: int) -> None:
        self.events.append(("post", number, semaphore.value))

    def issued(self, flight: Any, now: int) -> None:
        self.events.append(("issue", flight.key))

    def delivered(self, group: Any, now: int) -> None:
        if group.flight.left == group.count:
            self.events.append(("land", group.flight.key))


class Record:
    """A plain run, one event after the other: what happened in each, and what there was behind it.

    ``happened[p]`` belongs to the event that made the position p; ``ticks`` is when it was.
    """

    def __init__(self, given: Made) -> None:
        run, taken = plain(given), Taken()
        self.program = run.program
        run.machine.scheduler.observe(taken)
        self.happened: list[list[tuple[Any, ...]]] = [[]]
        self.ticks = [0]
        self.memory = [self._memory(run)]
        self.registers = [self._registers(run)]
        self.counters = [self._counters(run)]
        self.found = [self._found(run)]
        while not run.ended:
            run._advance(1)
            self.happened.append(list(taken.events))
            taken.events.clear()
            self.ticks.append(run.now)
            self.memory.append(self._memory(run))
            self.registers.append(self._registers(run))
            self.counters.append(self._counters(run))
            self.found.append(self._found(run))

    @staticmethod
    def _memory(run: Running) -> dict[str, Any]:
        found, addresses = {}, run.machine.addresses
        for name, tensor in run.program.tensors.items():
            view = View.whole(tensor)
            known = tensor_io.known(addresses, view)
            bits = tensor_io.contents(addresses, view)
            bits = np.ascontiguousarray(bits).view(f"V{bits.dtype.itemsize}")
            found[name] = bits, known.copy()
        return found

    @staticmethod
    def _registers(run: Running) -> list[Any]:
        return [registers.save() for registers in run.machine.state.registers]

    @staticmethod
    def _counters(run: Running) -> dict[int, int]:
        counters = run.machine.scheduler.semaphores
        numbers = {*run.program.semaphores.values(), *run.program.events.values()}
        return {n: counters[n].value for n in numbers}

    @staticmethod
    def _found(run: Running) -> set[object]:
        return {(p.code, p.span) for p in (*run.hazards, *run.problems)}

    # -- where something is met

    def events(self, wanted: Callable[[tuple[Any, ...]], bool]) -> list[int]:
        """Behind which events something had happened."""
        return [p for p, happened in enumerate(self.happened) if any(map(wanted, happened))]

    def changes(self, name: str) -> Iterator[tuple[int, int]]:
        """Behind which events a tensor is not what it was, and how many elements of it."""
        for p in range(1, len(self.memory)):
            (was, knew), (now, known) = self.memory[p - 1][name], self.memory[p][name]
            other = (knew != known) | ((was != now) & knew & known)
            if other.any():
                yield p, int(np.count_nonzero(other))

    def becoming(self, counter: int, least: int) -> list[int]:
        """Behind which events a counter had come to be at least so much, if only within them."""
        found, value = [], self.counters[0][counter]
        for p, happened in enumerate(self.happened):
            for what, *rest in happened:
                if what == "post" and rest[0] == counter:
                    if value < least <= rest[1] and p not in found:
                        found.append(p)
                    value = rest[1]
        return found

    def changing(self, counter: int) -> list[int]:
        """Behind which events a counter had changed, if only within them."""
        found, value = [], self.counters[0][counter]
        for p, happened in enumerate(self.happened):
            for what, *rest in happened:
                if what == "post" and rest[0] == counter:
                    if value != rest[1] and p not in found:
                        found.append(p)
                    value = rest[1]
        return found


Expected = list[tuple[int, bool]]
"""Positions, and whether the start of an instruction comes next."""


def expectations(record: Record, one: Session, draw: random.Random) -> list[tuple[int, Expected]]:
    """Some breakpoints that are set, by number, and where each is to be met."""
    program = record.program
    every: list[tuple[Callable[[], int], Expected]] = []

    def before(places: set[tuple[int, int]]) -> Expected:
        found = record.events(lambda e: e[0] == "start" and (e[1], e[2]) in places)
        return [(p - 1, True) for p in found]

    def after(places: set[tuple[int, int]]) -> Expected:
        found = record.events(lambda e: e[0] == "finish" and (e[1], e[2]) in places)
        return [(p, False) for p in found]

    def breaking(what: str, expected: Expected, **more: Any) -> None:
        every.append((lambda: one.break_at(what, **more).number, expected))

    queues = range(len(program.queues))
    placed = [(q, pc) for q in queues for pc in range(len(program.queues[q]))]
    for q, pc in draw.sample(placed, min(4, len(placed))):
        name = program.queue_name(q)
        breaking(f"{name} pc {pc}", before({(q, pc)}))
        breaking(f"{name} pc {pc}", after({(q, pc)}), after=True)
    for q in queues:
        mine = {place for place in placed if place[0] == q}
        breaking(f"@{program.queue_name(q)}", before(mine))
        breaking(f"@{program.queue_name(q)}", after(mine), after=True)
    for row in {program.instruction(q, pc).row.name for q, pc in draw.sample(placed, 2)}:
        alike = {place for place in placed if program.instruction(*place).row.name == row}
        breaking(row, before(alike))
    for name, number in {**program.semaphores, **program.events}.items():
        breaking(f"${name}", [(p, False) for p in record.changing(number)])
        least = draw.randint(1, 20)
        breaking(f"${name} >= {least}", [(p, False) for p in record.becoming(number, least)])
        truths = [counters[number] >= least for counters in record.counters]
        true = [(p, False) for p in range(1, len(truths)) if truths[p] and not truths[p - 1]]
        every.append(
            (lambda n=name, least=least: one.break_at(f"if ${n} >= {least}").number, true)  # type: ignore[misc]
        )
    for name in program.tensors:
        changes = [(p, False) for p, _ in record.changes(name)]
        every.append((lambda name=name: one.watch(name).number, changes))  # type: ignore[misc]
    for q in queues:
        values = [registers[q] for registers in record.registers]
        held = [tuple(zip(*v, strict=True)) for v in values]
        if held[0]:
            changes = [(p, False) for p in range(1, len(held)) if held[p][0] != held[p - 1][0]]
            name = program.queue_name(q)
            every.append((lambda n=name: one.watch(f"@{n}.%r0").number, changes))  # type: ignore[misc]
    issued = record.events(lambda e: e[0] == "issue")
    landed = record.events(lambda e: e[0] == "land")
    breaking("transfer start", [(p, False) for p in issued])
    breaking("transfer land", [(p, False) for p in landed])
    breaking("transfer", [(p, False) for p in sorted({*issued, *landed})])
    news = [p for p in range(1, len(record.found)) if record.found[p] - record.found[p - 1]]
    breaking("hazard", [(p, False) for p in news])
    chosen = draw.sample(every, min(len(every), draw.choice((1, 1, 2, 4))))
    return [(add(), expected) for add, expected in chosen]


def met(one: Session) -> list[tuple[int, str, int]]:
    """What was met, in any order."""
    return sorted((h.breakpoint.number, h.met.text, h.met.count) for h in one.hits)


def stops(one: Session, go: Callable[[], object]) -> Iterator[tuple[Moment, Any]]:
    """Every stop of a run to its end."""
    while not one.over:
        go()
        if one.hits:
            yield one.moment, met(one)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_each_is_met_once_forward_and_backward(kind: str, seed: int) -> None:
    draw = random.Random(f"stops {kind} {seed}")
    with programs(kind, seed) as given:
        ended = ends(given)
        if ended is None or sum(map(len, given[0].queues)) > 120:
            return
        record = Record(given)
        for _ in range(4):
            one = session(given, keep=draw.choice((0, 100 << 10, 256 << 20)))
            wanted = expectations(record, one, draw)
            every = sorted({place for _, expected in wanted for place in expected})
            said = [str(b) for b in one.breakpoints]
            found = list(stops(one, one.run))
            assert [(m.position, m.poised) for m, _ in found] == every, said
            for number, expected in wanted:
                assert one.breakpoints[number].hits == len(expected), said
            assert one.run(max_cycles=CYCLES) == ended
            backward = [stop for stop in found if stop[0] == one.moment]  # it stands there
            while one.back_to_stop():
                backward.append((one.moment, met(one)))
                if draw.random() < 0.1:
                    checked(given, one, said)
            assert backward[::-1] == found, said
            assert one.moment.position == 0
            again = list(stops(one, moving(one, draw)))
            assert again == found, said
            assert one.run(max_cycles=CYCLES) == ended, said


def moving(one: Session, draw: random.Random) -> Callable[[], object]:
    """Goes on in one way or another."""
    tick = one.program.generation.base.cycle

    def go() -> None:
        some = draw.choice((1, 2, 5))
        ways: list[Callable[[], object]] = [
            one.run,
            lambda: one.step(count=some),
            lambda: one.advance(draw.choice((1, 50, 700))),
            lambda: one.run(max_instructions=some),
            lambda: one.run(max_cycles=one.now // tick + draw.randint(1, 300)),
            one.event,
        ]
        with suppress(Refused, Failure):
            draw.choice(ways)()

    return go
